"""Real values: what parts say together."""

import numpy as np

__all__ = ["compose_real"]


def strength(mean, variance, b, s2):
    """Return how far opinions are from the background: the square root of twice the divergence."""
    r = variance / s2
    own = np.maximum(0, r - 1 - np.log1p(r - 1))
    return np.sqrt((mean - b) ** 2 / s2 + np.where(r == 1, 0, own))


def compose_real(rule, tau, b, s2, mean, variance, votes):
    """Return the mean of each column, given the background b and s2 (D,), and what the parts that are there
    say (n, D): means, variances, and votes, which are 0 where a part abstains."""
    if len(mean) == 0:
        return b.copy()
    a = np.where(votes > 0, strength(mean, variance, b, s2), 0)
    up = mean >= b
    high, low = np.where(up, a, 0), np.where(up, 0, a)
    top, bottom = high.max(axis=0), low.max(axis=0)
    if rule == "soft":
        out, total = np.zeros_like(b), top + bottom
        for side, most in ((high, top), (low, bottom)):
            w = np.where(side > 0, side * np.exp((side - most) / tau), 0)
            out += most * (w * mean).sum(axis=0) / np.where(w.sum(axis=0) > 0, w.sum(axis=0), 1)
        rest = tau * np.exp(-np.maximum(top, bottom) / tau)
        return (out + rest * b) / (total + rest)
    at = np.arange(len(b))
    m_up, m_down = mean[high.argmax(axis=0), at], mean[low.argmax(axis=0), at]
    if rule == "max":
        return np.where(top > 0, m_up, b)
    total = top + bottom
    return np.where(total > 0, (top * m_up + bottom * m_down) / np.where(total > 0, total, 1), b)
