"""Explain binary rows and images by a few parts.

PartsModel learns parts from the rows of a table or from images and explains each by
the few parts that made it. It works like an estimator of scikit-learn, with or without
scikit-learn installed. The work is done by the program patchwork, to the same bytes as
on its command line.
"""

from ._parts import PartsModel
from ._pipe import PatchworkError

__all__ = ["PartsModel", "PatchworkError"]
__version__ = "0.1.0"
