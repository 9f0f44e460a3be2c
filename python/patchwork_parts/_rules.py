"""What parts say together: the composition rules, for parts that stay in their places.

An opinion is the probability of a 1 if its part alone is there; the background q is that
without any part, and an opinion equal to it abstains.
"""

import numpy as np

_SURE = 1e-12  # an opinion of exactly 0 or 1 counts as this far from it


def compose(rule, q, experts):
    """Return the probability of a 1 in each column, given q (D,) and the templates of
    the parts that are there (n, D), under one of the seven rules by its name."""
    votes = experts != q if rule in ("max-minus-min", "mean", "sum-of-log-odds", "normalized-sum") else experts > q
    experts = np.where(votes, experts, q)
    count = votes.sum(axis=0)
    together = RULES[rule](q, experts, votes)
    alone = np.where(votes, experts, 0).sum(axis=0)
    return np.where(count == 0, q, np.where(count == 1, alone, together))


def _odds(p):
    p = np.clip(p, _SURE, 1 - _SURE)
    return p / (1 - p)


def _max(q, p, votes):
    return p.max(axis=0, initial=0)


def _max_minus_min(q, p, votes):
    return np.clip(np.maximum(q, p.max(axis=0, initial=0)) + np.minimum(q, p.min(axis=0, initial=1)) - q, 0, 1)


def _noisy_or(q, p, votes):
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (1 - q) * np.where(votes, (1 - p) / (1 - q), 1).prod(axis=0)


def _sum_of_odds(q, p, votes):
    o = _odds(q) + np.where(votes, _odds(p) - _odds(q), 0).sum(axis=0)
    return o / (1 + o)


def _mean(q, p, votes):
    return np.minimum(np.where(votes, p, 0).sum(axis=0) / np.maximum(votes.sum(axis=0), 1), 1)


def _sum_of_log_odds(q, p, votes):
    o = _odds(q) * np.where(votes, _odds(p) / _odds(q), 1).prod(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(o), 1, o / (1 + o))


def _normalized_sum(q, p, votes):
    """The expected share of votes for 1 among those cast; q if none is cast."""
    on, off = [np.ones_like(q)], [np.ones_like(q)]  # probabilities of so many votes
    with np.errstate(invalid="ignore", divide="ignore"):
        for row in p:
            on = _tossed(on, np.where(row > q, (row - q) / (1 - q), 0))
            off = _tossed(off, np.where(row < q, (q - row) / q, 0))
    total = np.zeros_like(q)
    for v, pv in enumerate(on):
        for a, pa in enumerate(off):
            total += pv * pa * (v / (v + a) if v + a else q)
    return np.clip(total, 0, 1)


def _tossed(heads, p):
    """Add a coin to the distribution of the number of heads."""
    longer = [h * (1 - p) for h in heads] + [np.zeros_like(p)]
    for i, h in enumerate(heads):
        longer[i + 1] = longer[i + 1] + h * p
    return longer


RULES = {"max": _max, "max-minus-min": _max_minus_min, "noisy-or": _noisy_or, "sum-of-odds": _sum_of_odds,
          "mean": _mean, "sum-of-log-odds": _sum_of_log_odds, "normalized-sum": _normalized_sum}
