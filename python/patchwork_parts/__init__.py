"""Explain binary rows and images by a few parts.

PartsModel learns parts from the rows of a table or from images and explains each by
the few parts that made it. PartsClassifier names rows and images by a handful of examples
of each class. Both work like estimators of scikit-learn, with or without scikit-learn
installed. The work is done by the program patchwork, to the same bytes as
on its command line.
"""

from ._classes import PartsClassifier
from ._parts import PartsModel
from ._pipe import PatchworkError

__all__ = ["PartsClassifier", "PartsModel", "PatchworkError"]
__version__ = "0.1.0"
