"""Parts of real values by scikit-learn's methods: reads {"rows", "k", "signed"} as JSON, and writes {name: templates}. Each is told
how many parts there are. Where parts come with both signs, methods of either sign are told half of them, and each of theirs counts
both ways; else they are turned so that their sum is positive."""
import json, sys, warnings
import numpy as np
from sklearn.decomposition import NMF, PCA, DictionaryLearning, FactorAnalysis, FastICA
from sklearn.mixture import GaussianMixture

warnings.filterwarnings("ignore")
job = json.load(sys.stdin)
x, k, signed = np.array(job["rows"], float), job["k"], job["signed"]
d = x.shape[1]
half = k // 2 if signed else k


def turned(parts):
    return np.concatenate([parts, -parts]) if signed else parts * np.where(parts.sum(1) < 0, -1, 1)[:, None]


split = np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)], 1) if signed else np.maximum(x, 0)
nmf = NMF(k, init="nndsvda", max_iter=1000, random_state=0).fit(split).components_
words = DictionaryLearning(half, alpha=1, max_iter=100, random_state=0).fit(x - x.mean(0)).components_
out = {
    "NMF": nmf[:, :d] - nmf[:, d:] if signed else nmf,
    "dictionary learning": turned(words),
    "ICA": turned(FastICA(half, whiten="unit-variance", random_state=0, max_iter=500).fit(x).mixing_.T),
    "factor analysis, varimax": turned(FactorAnalysis(half, rotation="varimax").fit(x).components_),
    "PCA": turned(PCA(half).fit(x).components_),
    "mixture": GaussianMixture(k, covariance_type="diag", random_state=0).fit(x).means_ - x.mean(0),
}
json.dump({name: parts.tolist() for name, parts in out.items()}, sys.stdout)
