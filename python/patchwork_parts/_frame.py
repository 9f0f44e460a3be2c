"""Frames of pandas and polars that the program reads by itself: words, yes and no, categories and numbers."""

import sys

import numpy as np

__all__ = ["is_frame", "joined", "names_of", "repeated", "text_of"]


def is_frame(X):
    """Return whether X is a table with named columns that can be written as CSV."""
    return hasattr(X, "columns") and (hasattr(X, "to_csv") or hasattr(X, "write_csv"))


def names_of(X):
    return np.asarray([str(c) for c in X.columns], dtype=object)


def text_of(X):
    """Return a frame as the bytes of a CSV file; numbers keep all their digits."""
    text = X.to_csv(index=False) if hasattr(X, "to_csv") else X.write_csv()
    return text.encode()


def repeated(X, counts):
    """Return a frame with each row as often as counts says."""
    rows = np.repeat(np.arange(len(X)), counts)
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def joined(X, more):
    """Return the rows of two frames of one library, one after the other."""
    return sys.modules[type(X).__module__.split(".")[0]].concat([X, more])
