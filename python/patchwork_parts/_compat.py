"""What the estimators take of scikit-learn, or stand-ins where it is not installed."""

import functools
import inspect

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError
except ImportError:

    class NotFittedError(ValueError, AttributeError):
        """The estimator has not been fitted."""

    class BaseEstimator:
        """Parameters by name, as scikit-learn has them."""

        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"}

        def set_params(self, **params):
            known = self.get_params()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {sorted(known)}.")
                setattr(self, name, value)
            return self

        def __repr__(self):
            default = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
            changed = [f"{n}={v!r}" for n, v in self.get_params().items() if v is not default[n] and v != default[n]]
            return f"{type(self).__name__}({', '.join(changed)})"

    class ClassifierMixin:
        """The share of rows that are named rightly."""

        def score(self, X, y, sample_weight=None):
            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    class TransformerMixin:
        """fit and transform in one call."""

        def fit_transform(self, X, y=None, **params):
            return self.fit(X, y, **params).transform(X)


def validated(estimator, X, reset, y=None):
    """Return X as an array of two dimensions of bool, integers, or floats with NaN for
    unknown, and y as one of one dimension, None for none.

    It records n_features_in_ and feature_names_in_ if reset, else compares them.
    """
    if hasattr(X, "toarray"):  # a sparse matrix: what it does not store is 0
        X = X.toarray()
    given = {"reset": reset, "dtype": "numeric"}
    if y is not None:
        given["y"] = y
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        check = getattr(estimator, "_validate_data", None)  # scikit-learn before 1.6
        given["force_all_finite"] = "allow-nan"
    else:
        check = functools.partial(validate_data, estimator)
        given["ensure_all_finite"] = "allow-nan"
    if check is not None:
        out = check(X, **given)
        X, y = out if y is not None else (out, None)
        return (X.astype(float) if X.dtype == object else X), y  # None beside bool, as polars has it
    names = _names(X)
    X = _checked(X)
    _features(estimator, X.shape[1], names, reset)
    if y is not None:
        y = np.asarray(y)
        if y.shape != (len(X),):
            raise ValueError(f"y has shape {y.shape}, and X has {len(X)} rows")
    return X, y


def classes_of(y):
    """Return the classes, sorted, and the number of the class of each row."""
    try:
        from sklearn.utils.multiclass import check_classification_targets
    except ImportError:
        pass
    else:
        check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def _names(X):
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(c, str) for c in columns):
        return None
    return np.asarray(list(columns), dtype=object)


def _checked(X):
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    X = np.asarray(X)
    if X.dtype == object:
        X = X.astype(float)
    if X.dtype.kind not in "buif":
        raise ValueError(f"X has values of type {X.dtype}, which are no numbers")
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: reshape your data with X.reshape(len(X), -1)")
    if 0 in X.shape:
        raise ValueError(f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) while a minimum of 1 is required.")
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise ValueError("Input X contains infinity.")
    return X


def _features(estimator, n, names, reset):
    if reset:
        estimator.n_features_in_ = n
        if names is not None:
            estimator.feature_names_in_ = names
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and names is not None and list(known) != list(names):
        missing, foreign = [c for c in known if c not in set(names)], [c for c in names if c not in set(known)]
        lines = ["The feature names should match those that were passed during fit."]
        if foreign:
            lines += ["Feature names unseen at fit time:"] + [f"- {c}" for c in foreign[:5]]
        if missing:
            lines += ["Feature names seen at fit time, yet now missing:"] + [f"- {c}" for c in missing[:5]]
        if not foreign and not missing:
            lines.append("Feature names must be in the same order as they were in fit.")
        raise ValueError("\n".join(lines) + "\n")
    if n != estimator.n_features_in_:
        raise ValueError(f"X has {n} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input")
