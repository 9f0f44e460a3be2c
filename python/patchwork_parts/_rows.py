"""What the estimators share: reading rows, and speaking to the program about them."""

import datetime
import io

import numpy as np

from ._compat import BaseEstimator, NotFittedError, validated

__all__ = ["Rows", "arrays", "seed", "weights_of"]


class Rows(BaseEstimator):
    """An estimator of binary rows; model_ is the file that fit learned."""

    def _workers(self):
        return ["--workers", self.n_jobs] if self.n_jobs and self.n_jobs > 0 else []

    def _file(self, rows, **more):
        """Return rows of 0, 1 and 2 for unknown, or of real values, as an .npz of the shape that the program expects."""
        shape = (len(rows), *(self.shape or (rows.shape[1],)))
        real = rows.dtype.kind == "f"
        arrays = {"x": (rows if real else rows == 1).reshape(shape), **more}
        if not real and (rows == 2).any():
            arrays["missing"] = (rows == 2).reshape(shape)
        if self.shape is None and "columns" not in arrays and getattr(self, "feature_names_in_", None) is not None:
            names = [str(n) for n in self.feature_names_in_]
            if len(set(names)) == len(names):
                arrays["columns"] = np.asarray(names)
        out = io.BytesIO()
        np.savez(out, **arrays)
        return out.getvalue()

    def _binary(self, X, fit=False, y=None):
        """Return X as uint8: 0, 1, and 2 for unknown; and y, if it is given."""
        if not fit:
            self._fitted()
        X, y = self._numbers(X, fit, y)
        if fit:
            self.thresholds_ = self._thresholds(X)
        return self._bits(X) if y is None else (self._bits(X), y)

    def _bits(self, X):
        """Return numbers as 0, 1, and 2 for unknown, by thresholds_."""
        unknown = _unknown(X)
        if self.thresholds_ is not None:
            with np.errstate(invalid="ignore"):
                on = X > self.thresholds_
        else:
            bad = ~unknown & (X != 0) & (X != 1)
            if bad.any():
                i, j = np.argwhere(bad)[0]
                raise ValueError(f"X[{i}, {j}] is {X[i, j]!r}, and the rows that were learned from were of 0, 1 and NaN; give a threshold")
            on = X == 1
        out = on.astype(np.uint8)
        out[unknown] = 2
        return out

    def _numbers(self, X, fit=False, y=None):
        """Return X as numbers, and y."""
        if self.shape is not None and (np.shape(self.shape) != (2,) or not all(isinstance(n, (int, np.integer)) and n > 0 for n in self.shape)):
            raise ValueError(f"shape={self.shape!r}: expected (height, width) in pixels, or None for rows of a table")
        if where := _dates(X):
            raise TypeError(f"{where} holds dates or times; a frame with values='auto' takes them as labels, or make numbers of them, as (d - d.min()).dt.days does in pandas")
        try:
            X, y = validated(self, _flat(X), reset=fit, y=y)
        except ValueError as err:
            if text := _text_column(X):
                raise ValueError(f"{err}: {text}") from err
            raise
        if self.shape is not None and X.shape[1] != self.shape[0] * self.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns, which are no images of {self.shape[0]} x {self.shape[1]}")
        return X, y

    def _thresholds(self, X, weights=None):
        """Return what a number must exceed to be a 1, in each column; None if all are 0 and 1."""
        if self.threshold not in (None, "auto"):
            if isinstance(self.threshold, str):
                raise ValueError(f"threshold={self.threshold!r}: expected a number, 'auto' or None")
            return np.full(X.shape[1], float(self.threshold))
        unknown = _unknown(X)
        known = X[~unknown]
        if self.threshold is None and ((known == 0) | (known == 1)).all():
            return None
        with np.errstate(invalid="ignore"):
            values = np.where(unknown, np.nan, X.astype(float))
            empty = unknown.all(axis=0)
            values[:, empty] = 0
            if weights is not None and (weights != 1).any():
                values = np.repeat(values, weights, axis=0)
            middle, most = np.nanmedian(values, axis=0), np.nanmax(values, axis=0)
            below = np.nanmax(np.where(values < most, values, -np.inf), axis=0)
            middle = np.where((middle == most) & np.isfinite(below), below, middle)  # nothing exceeds the largest
            bits = (np.isnan(values) | (values == 0) | (values == 1)).all(axis=0)
            return np.where(bits, 0.5, middle)

    def _fitted(self):
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")

    def _more_tags(self):
        # Numbers are made binary, so that rows of few columns of them are hard to tell apart.
        return {"allow_nan": True, "preserves_dtype": [], "poor_score": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        if tags.classifier_tags is not None:
            tags.classifier_tags.poor_score = True
        return tags


def _unknown(X):
    return np.isnan(X) if X.dtype.kind == "f" else np.zeros(X.shape, bool)


def _dates(X):
    """Return which column is the first that holds dates or times, in words; "" if none does."""
    if getattr(X, "columns", None) is not None:
        kinds = [(f"column {c!r}", np.asarray(X[c])) for c in X.columns]
    elif hasattr(X, "dtype") or isinstance(X, (list, tuple)):
        whole = X if hasattr(X, "dtype") else np.asarray(X, dtype=object)
        kinds = [(f"column {i}", whole[:, i]) for i in range(whole.shape[1])] if whole.dtype == object and whole.ndim == 2 else [("X", whole)]
    else:
        kinds = []
    for name, values in kinds:
        first = values[:1].tolist() if values.dtype == object else []
        if values.dtype.kind in "mM" or any(isinstance(v, (datetime.date, datetime.timedelta)) for v in first):
            return name
    return ""


def _text_column(X):
    """Return which column is the first that holds text, and what to do; None if none does."""
    columns = getattr(X, "columns", None)
    for i in range(np.shape(X)[1] if np.ndim(X) == 2 else 0):
        values = X[columns[i]] if columns is not None else [row[i] for row in X]
        words = {v.strip().lower() for v in values if isinstance(v, str)}
        if words:
            column = f"column {columns[i]!r}" if columns is not None else f"column {i}"
            if words <= {"y", "yes", "true", "n", "no", "false", "?", "na", ""}:
                return f"{column} holds yes and no as text; make numbers of it, as X.replace({{'y': 1, 'n': 0, '?': np.nan}}) does in pandas"
            return f"{column} holds text; make columns of 0 and 1 of it, as pandas.get_dummies does"
    return None


def _flat(X):
    """Return images of three dimensions as rows; all else as it is."""
    if getattr(X, "ndim", 2) == 3:
        return np.asarray(X).reshape(len(X), -1)
    return X


def seed(random_state):
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31 - 1))
    raise ValueError(f"{random_state!r} cannot be used to seed; give an integer of at least 0 or a random generator")


def weights_of(sample_weight, n):
    if sample_weight is None:
        return np.ones(n, np.int64)
    w = np.asarray(sample_weight, dtype=float)
    if w.shape != (n,) or (w < 0).any() or (w != np.floor(w)).any():
        raise ValueError(f"sample_weight: expected {n} integers of at least 0; repeat rows or scale the weights")
    return w.astype(np.int64)


def arrays(content):
    with np.load(io.BytesIO(content)) as z:
        return {name.removesuffix(".npy"): z[name] for name in z.files if name != "model.json"}
