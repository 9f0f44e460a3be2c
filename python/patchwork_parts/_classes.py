"""The estimator of classes."""

import json

import numpy as np

from ._compat import ClassifierMixin, classes_of
from ._pipe import run
from ._rows import Rows, arrays, seed

__all__ = ["PartsClassifier"]


class PartsClassifier(ClassifierMixin, Rows):
    """Names images and rows by what a handful of examples of each class look like.

    Parameters
    ----------
    n_components : int or None
        Number of parts of the model of each class; None leaves it to the program.
    shape : (int, int) or None
        Height and width of images whose pixels are the columns of X; None: rows of a table.
    shift : int or None
        How far parts are shifted, in pixels. Needs shape; None: 0.15 of it.
    rotate : str or None
        Rotations in degrees, as range and step: "16:8". Needs shape.
    threshold : float, "auto" or None
        What is greater is 1; see PartsModel.
    random_state : int, numpy.random.RandomState or None
        Seed; None is 0.
    n_jobs : int or None
        Processor cores to use; None: all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_, feature_names_in_, thresholds_
        As in PartsModel.
    model_ : bytes
        The file of classes, as patchwork learn --by writes it.
    """

    def __init__(self, n_components=None, *, shape=None, shift=None, rotate=None, threshold=None, random_state=None, n_jobs=None):
        self.n_components = n_components
        self.shape = shape
        self.shift = shift
        self.rotate = rotate
        self.threshold = threshold
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Learn what each class looks like, from the rows of X and their classes y."""
        if y is None:
            raise ValueError("This PartsClassifier estimator requires y to be passed, but the target y is None")
        rows, y = self._binary(X, fit=True, y=y)
        self.classes_, index = classes_of(y)
        names = np.char.zfill(index.astype(str), 6)  # in the order of classes_
        if self.shape is None and (self.shift or self.rotate):
            raise ValueError("parts move in images only: give shape=(height, width)")
        if len(self.classes_) == 1:
            self.model_ = b""  # there is nothing to tell apart
            return self
        args = ["learn", "x.npz", "--by", "y", "-o", "c.npz", "-q", "--seed", seed(self.random_state)]
        args += ["-k", self.n_components] if self.n_components is not None else []
        args += ["--shift", self.shift] if self.shift is not None else []
        args += ["--rotate", self.rotate] if self.rotate else []
        _, _, got = run(args + self._workers(), {"x.npz": self._file(rows, y=names)}, ["c.npz"])
        self.model_ = got["c.npz"]
        return self

    def predict_proba(self, X):
        """Return the probability of each class, in the order of classes_."""
        rows = self._binary(X)
        if len(self.classes_) == 1:
            return np.ones((len(rows), 1))
        _, _, got = run(["explain", "-m", "m.npz", "x.npz", "-o", "c.npz", "-q", *self._workers()],
                        {"m.npz": self.model_, "x.npz": self._file(rows)}, ["c.npz"])
        return arrays(got["c.npz"])["p"]

    def predict(self, X):
        """Return the likeliest class of each row."""
        likeliest = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[likeliest]

    def explain(self, X):
        """Return for each row a dict that says why: class, what came second and by how many
        nats (log_odds), the picks, and the ink that they leave over."""
        rows = self._binary(X)
        if len(self.classes_) == 1:
            return [{"class": self.classes_[0], "probability": 1.0, "picks": []} for _ in rows]
        out, _, _ = run(["explain", "-m", "m.npz", "x.npz", "-o", "-", "-q", *self._workers()],
                        {"m.npz": self.model_, "x.npz": self._file(rows)})
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        for line in lines:
            line["class"], line["second"] = self.classes_[int(line["class"])], self.classes_[int(line["second"])]
            line["probabilities"] = {self.classes_[int(c)]: p for c, p in line["probabilities"].items()}
        return lines
