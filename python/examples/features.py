"""Parts as features for a classifier, beside others at equal numbers of features.

    python3 python/examples/features.py DATA [SEEDS [SET...]]

DATA is a folder with house_votes_84, spect_heart, tcga_mutations, optdigits_orig and
binary_alphadigits as .npz files. For each set and number of features: the accuracy of
logistic regression on the features in five-fold cross-validation, mean and deviation over
shuffles of the folds (5 by default), of all sets or those whose names begin so; at the end,
seconds to learn the features of five folds. All settings are the defaults; the strength of
the regression is chosen within each training fold, for all in the same way.
"""

import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.decomposition import NMF, PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from patchwork_parts import PartsModel


def sets(folder):
    """Yield the name, rows, labels and numbers of features of each set."""

    def load(name, rows=slice(None)):
        z = np.load(folder / name)
        x = z["x"].reshape(len(z["x"]), -1).astype(float)
        if "missing" in z:
            x[z["missing"].astype(bool)] = np.nan
        return x[rows], z["y"][rows].astype(str)

    yield "votes", *load("house_votes_84/house_votes_84.npz"), (2, 4, 8)
    yield "spect", *load("spect_heart/spect_heart.npz"), (2, 4, 8)
    x, y = load("tcga_mutations/BRCA.npz")
    keep = np.isin(y, [c for c, n in zip(*np.unique(y, return_counts=True)) if n >= 20 and c not in ("", "nan", "NA")])
    yield "brca", x[keep], y[keep], (4, 8)
    yield "optdigits, 600", *load("optdigits_orig/optdigits_orig.npz", slice(0, 600)), (8, 16, 32)
    x, y = load("binary_alphadigits/binary_alphadigits.npz")
    digits = np.char.isdigit(y)
    yield "alphadigits, 0-9", x[digits], y[digits], (8, 16, 32)


def features(k, seed):
    """Return what makes k features, by the names of the codes that come of learning once."""
    return {
        ("parts", "parts, log odds"): [PartsModel(k, random_state=seed)],
        ("PCA",): [SimpleImputer(), PCA(k, random_state=seed)],
        ("NMF",): [SimpleImputer(), NMF(k, init="nndsvda", random_state=seed, max_iter=1000)],
        ("RBM",): [SimpleImputer(), BernoulliRBM(k, learning_rate=0.05, n_iter=50, batch_size=20, random_state=seed)],
    }


CODES = {"parts, log odds": {"partsmodel__codes": "log-odds"}}


def accuracies(k, seed, x, y):
    """Return the mean accuracy by each code over five folds, and the seconds to learn them."""
    scores, seconds = defaultdict(list), defaultdict(float)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(x, y):
        for names, steps in features(k, seed).items():
            began = time.perf_counter()
            made = make_pipeline(*steps).fit(x[train])
            seconds[names[0]] += time.perf_counter() - began
            for name in names:
                made.set_params(**CODES.get(name, {}))
                classifier = make_pipeline(StandardScaler(), LogisticRegressionCV(Cs=6, cv=3, max_iter=1000))
                classifier.fit(made.transform(x[train]), y[train])
                scores[name].append(classifier.score(made.transform(x[test]), y[test]))
    return {name: np.mean(s) for name, s in scores.items()}, seconds


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    folder, seeds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    names = [name for codes in features(1, 0) for name in codes]
    print("| set | features | " + " | ".join(names) + " | s, parts | s, RBM |")
    print("|---" * (len(names) + 4) + "|")
    for name, x, y, numbers in sets(folder):
        if sys.argv[3:] and not name.startswith(tuple(sys.argv[3:])):
            continue
        for k in numbers:
            scores, seconds = zip(*(accuracies(k, seed, x, y) for seed in range(seeds)), strict=True)
            cells = [f"{np.mean(s):.3f} ± {np.std(s):.3f}" for s in ([of[way] for of in scores] for way in names)]
            spent = [f"{np.mean([of[way] for of in seconds]):.1f}" for way in ("parts", "RBM")]
            print(f"| {name} | {k} | " + " | ".join(cells + spent) + " |", flush=True)


if __name__ == "__main__":
    main()
