"""Rivals for real values, from scikit-learn: reads {"train", "test", "truth"} as JSON, with null for what is hidden, and
writes {name: [log density of the known values of a test row, root mean square error and negative log density of hidden
values]}; components have no density of known values (null). No variance is below the floor, as in the learner. Of each rival the best setting is taken on the test rows themselves, which favours it."""
import json, sys, warnings
import numpy as np
from scipy.optimize import nnls
from sklearn.decomposition import NMF, PCA, DictionaryLearning, FactorAnalysis, FastICA
from sklearn.linear_model import Lasso
from sklearn.mixture import GaussianMixture

warnings.filterwarnings("ignore")
job = json.load(sys.stdin)
train = np.array(job["train"], float)
test = np.array([[np.nan if v is None else v for v in row] for row in job["test"]], float)
truth = np.array(job["truth"], float) if job.get("truth") else None
floor = np.array(job["floor"], float)
n, d = train.shape


def normal(x, m, v):
    return -.5 * (np.log(2 * np.pi * v) + (x - m) ** 2 / v)


def gaussian(mean, cov):
    """Density and conditionals of one normal distribution."""
    known, error, nll = [], [], []
    if truth is None:
        off = (test - mean).T
        density = -.5 * (d * np.log(2 * np.pi) + np.linalg.slogdet(cov)[1] + (off * np.linalg.solve(cov, off)).sum(0))
        return result(density, error, nll)
    for i, row in enumerate(test):
        k = ~np.isnan(row)
        c = cov[np.ix_(k, k)]
        off = row[k] - mean[k]
        solved = np.linalg.solve(c, off)
        known.append(-.5 * (len(off) * np.log(2 * np.pi) + np.linalg.slogdet(c)[1] + off @ solved))
        if truth is None or k.all():
            continue
        cross = cov[np.ix_(~k, k)]
        m = mean[~k] + cross @ solved
        v = np.diag(cov)[~k] - np.einsum("ij,ji->i", cross, np.linalg.solve(c, cross.T))
        error += list((m - truth[i][~k]) ** 2)
        nll += list(-normal(truth[i][~k], m, np.maximum(v, 1e-9)))
    return result(known, error, nll)


def mixture(w, means, variances):
    known, error, nll = [], [], []
    for i, row in enumerate(test):
        k = ~np.isnan(row)
        logs = np.log(w) + normal(row[k], means[:, k], variances[:, k]).sum(1)
        top = logs.max()
        p = np.exp(logs - top)
        known.append(top + np.log(p.sum()))
        if truth is None or k.all():
            continue
        p /= p.sum()
        error += list((p @ means[:, ~k] - truth[i][~k]) ** 2)
        nll += list(-np.log((p[:, None] * np.exp(normal(truth[i][~k], means[:, ~k], variances[:, ~k]))).sum(0) + 1e-300))
    return result(known, error, nll)


def coded(base, parts, code):
    """Hidden values by components: a row is base + codes @ parts, with the codes of its known values. What is said of a column is
    normal, with the variance that hidden values of training rows have about what is said of them."""
    rng = np.random.default_rng(0)

    def errors(rows, answers):
        out = []
        for row, answer in zip(rows, answers):
            k = ~np.isnan(row)
            if k.any() and not k.all():
                said = base + code(parts[:, k], row[k] - base[k]) @ parts
                out += [(j, said[j] - answer[j]) for j in np.flatnonzero(~k)]
        return out
    spread = [list() for _ in range(d)]
    for j, off in errors(np.where(rng.random(train.shape) < .2, np.nan, train), train):
        spread[j].append(off)
    v = np.array([np.mean(np.square(s)) if s else 1. for s in spread])
    off = errors(test, truth)
    return [float("nan"), float(np.sqrt(np.mean([o ** 2 for _, o in off]))),
            float(np.mean([-normal(o, 0, max(v[j], floor[j])) for j, o in off]))]


def ridge(parts, x):
    return np.linalg.solve(parts @ parts.T + 1e-3 * np.eye(len(parts)), parts @ x)


def lasso(parts, x):
    return Lasso(.05, fit_intercept=False, max_iter=2000).fit(parts.T, x).coef_


def components():
    """NMF of the distances above the least value of each column, ICA and dictionary learning of those from the mean."""
    low, mean = train.min(0), train.mean(0)
    for k in sizes:
        nmf = NMF(k, init="nndsvda", max_iter=500, random_state=0).fit(train - low)
        yield "NMF", low, nmf.components_, lambda parts, x: nnls(parts.T, x)[0]
        ica = FastICA(k, whiten="unit-variance", random_state=0, max_iter=500).fit(train)
        yield "ICA", mean, ica.mixing_.T, ridge
        words = DictionaryLearning(k, alpha=.5, max_iter=50, random_state=0).fit(train - mean)
        yield "dictionary learning", mean, words.components_, lasso


def result(known, error, nll):
    out = [float(np.mean(known))]
    return out + ([float(np.sqrt(np.mean(error))), float(np.mean(nll))] if error else [])


def best(tries):
    """The try with the best density of hidden values, or of known ones where none are hidden."""
    return max(tries, key=lambda r: -r[2] if len(r) > 1 else r[0])


out = {}
tries = []
for k in [k for k in (1, 2, 5, 10, 20, 40) if k <= n // 5]:
    g = GaussianMixture(k, covariance_type="diag", reg_covar=float(floor.min()), random_state=0).fit(train)
    tries.append(mixture(g.weights_, g.means_, np.maximum(g.covariances_, floor)))
out["mixture"] = best(tries)
sizes = [k for k in (1, 2, 4, 8, 16) if k < min(n, d)]


def ppca(k):
    p = PCA(k).fit(train)
    spread = p.components_.T * (np.maximum(p.explained_variance_ - p.noise_variance_, 0) ** .5)
    return spread @ spread.T + np.diag(np.maximum(p.noise_variance_, floor))


def factors(k):
    f = FactorAnalysis(k).fit(train)
    return f.components_.T @ f.components_ + np.diag(np.maximum(f.noise_variance_, floor))


out["PPCA"] = best([gaussian(train.mean(0), ppca(k)) for k in sizes])
out["factor analysis"] = best([gaussian(train.mean(0), factors(k)) for k in sizes])
if n > 2 * d:  # no direction with less variance than the floor
    values, vectors = np.linalg.eigh(np.cov(train.T))
    out["full Gaussian"] = gaussian(train.mean(0), vectors * np.maximum(values, floor.min()) @ vectors.T)
if truth is not None:
    tried = {}
    for name, base, parts, code in components():
        tried.setdefault(name, []).append(coded(base, parts, code))
    for name, tries in tried.items():
        out[name] = [None] + best(tries)[1:]
json.dump(out, sys.stdout)
