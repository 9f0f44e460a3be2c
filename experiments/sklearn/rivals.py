"""Rivals from scikit-learn and NumPy. Hidden values are null."""
import warnings
import numpy as np
from scipy.optimize import nnls
from sklearn import datasets
from sklearn.decomposition import (NMF, PCA, DictionaryLearning, FactorAnalysis, FastICA, MiniBatchDictionaryLearning,
                                   non_negative_factorization, sparse_encode)
from sklearn.linear_model import Lasso
from sklearn.mixture import GaussianMixture
from sklearn.neural_network import BernoulliRBM

warnings.filterwarnings("ignore")


def table(job):
    """A data set that comes with scikit-learn, unscaled."""
    load = getattr(datasets, "load_" + job["name"])
    return (load(scaled=False) if job["name"] == "diabetes" else load()).data.tolist()


def parts(job):
    """Parts of real values: {name: templates}. Each method is told how many there are. Where parts come with both signs,
    methods of either sign are told half of them, and each of theirs counts both ways; else they are turned so that their
    sum is positive."""
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
    return {name: parts.tolist() for name, parts in out.items()}


def density(job):
    """Mean log-density of test rows: {name: [density, size]}, the size chosen by the last fifth of the training rows where
    there are several."""
    train, test, floor = np.array(job["train"], float), np.array(job["test"], float), job["floor"]

    def fit(name, rows, k):
        if name == "mixture":
            g = GaussianMixture(k, covariance_type="diag", reg_covar=max(floor, 1e-6), n_init=3, random_state=0).fit(rows)
            g.covariances_ = np.maximum(g.covariances_, floor)
            g.precisions_cholesky_ = 1 / np.sqrt(g.covariances_)
            return g.score
        if name == "PPCA":
            p = PCA(k).fit(rows)
            p.noise_variance_ = max(p.noise_variance_, floor)
            return p.score
        f = FactorAnalysis(k, max_iter=2000).fit(rows)
        f.noise_variance_ = np.maximum(f.noise_variance_, floor)
        return f.score
    out, cut = {}, len(train) * 4 // 5
    for name, sizes in job["sizes"].items():
        k = sizes[0] if len(sizes) == 1 else max(sizes, key=lambda k: fit(name, train[:cut], k)(train[cut:]))
        out[name] = [float(fit(name, train, k)(test)), k]
    return out


def units(job):
    """A model of bits: its units, and test rows from their codes, as they are and rounded to a bit a unit (0 or 1 of
    probabilities, else the nearer of two levels that fit the codes of the training rows best)."""
    x, y, k, seed = np.array(job["train"], float), np.array(job["test"], float), job["units"], job["seed"] % 2**32
    bits = False
    if job["model"] == "RBM":
        m = BernoulliRBM(k, learning_rate=job["rate"], batch_size=10, n_iter=100, random_state=seed).fit(x)
        w, bits = m.components_, True
        code, said = m.transform, lambda c: sigmoid(c @ m.components_ + m.intercept_visible_)
    elif job["model"] == "NMF":
        w = NMF(k, init="random", max_iter=200, tol=0, random_state=seed).fit(x).components_
        code = lambda rows: non_negative_factorization(rows, H=w, n_components=k, init="custom", update_H=False, tol=1e-6, max_iter=1000)[0]
        said = lambda c: c @ w
    elif job["model"] == "logistic PCA":
        w, bias = logistic_pca(x, k, seed)
        code, said = lambda rows: logistic_codes(rows, w, bias), lambda c: sigmoid(c @ w + bias)
    else:
        m = MiniBatchDictionaryLearning(k, alpha=job["alpha"], batch_size=10, max_iter=20, tol=0, max_no_improvement=None,
                                        fit_algorithm="cd", random_state=seed).fit(x)
        w = m.components_
        size = np.linalg.norm(w, axis=1, keepdims=True)
        w = np.where(size > 0, w / np.maximum(size, 1e-12), w)

        def pursuit(rows, n):
            return sparse_encode(rows, w, algorithm="omp", n_nonzero_coefs=n)
        code = (lambda rows: pursuit(rows, job["nonzeros"])) if job["nonzeros"] else (
            lambda rows: sparse_encode(rows, w, algorithm="lasso_lars", alpha=job["alpha"]))
        said = lambda c: c @ w
    codes = code(y)
    low, high = (np.zeros(k), np.ones(k)) if bits else np.array([two_means(c) for c in code(x).T]).T
    out = {"templates": w, "said": said(codes), "rounded": said(np.where(codes > (low + high) / 2, high, low))}
    if job["errors"]:
        out["errors"] = np.array([((y - pursuit(y, n) @ w) ** 2).sum(1).mean() for n in job["errors"]])
    return {name: np.round(a, 7).tolist() for name, a in out.items()}


def sigmoid(t):
    return 1 / (1 + np.exp(-t))


def two_means(v):
    """The two levels of least squared error: values are cut where the sum of size * mean^2 is largest."""
    v = np.sort(v)
    n, below = np.arange(1, len(v)), np.cumsum(v)[:-1]
    above = v.sum() - below
    if len(n) == 0:
        return v[0], v[0]
    i = np.argmax(below ** 2 / n + above ** 2 / (len(v) - n))
    return below[i] / n[i], above[i] / (len(v) - n[i])


def improve(x, w, offset, u):
    """A step of the codes u of rows x, whose log-odds are u @ w + offset, under normal priors of variance 1: to the minimum
    of a quadratic function that lies above the loss (Jaakkola and Jordan 1997)."""
    t = u @ w + offset
    small = np.abs(t) < 1e-4
    curve = np.where(small, .25, np.tanh(t / 2) / np.where(small, 1, 2 * t))
    slope = (sigmoid(t) - x) @ w.T + u
    curvature = np.einsum("nd,jd,kd->njk", curve, w, w, optimize=True) + np.eye(len(w))
    return u - np.linalg.solve(curvature, slope[..., None])[..., 0]


def logistic_codes(x, w, bias):
    u = np.zeros((len(x), len(w)))
    for _ in range(500):
        before, u = u, improve(x, w, bias, u)
        if np.abs(u - before).max() < 1e-7:
            break
    return u


def logistic_pca(x, k, seed):
    """Logistic PCA (Schein, Saul and Ungar 2003): codes and components are improved in turn."""
    share = (x.sum(0) + 1) / (len(x) + 2)
    bias = np.log(share / (1 - share))
    u, w = np.zeros((len(x), k)), np.random.default_rng(seed).normal(size=(k, x.shape[1]))
    for _ in range(50):
        u = improve(x, w, bias, u)
        w = improve(x.T, u.T, bias[:, None], w.T).T
    return w, bias


def svd(job):
    """Hidden bits by the first right singular vectors of the centred rows: the coordinates of a row are fitted to its visible
    bits (ridge regression), and what they say about a hidden bit is made a probability by
    logit p = a + b logit(mean) + c s + d logit(mean + s), with s the fitted deviation from the mean of the column and a to d
    fitted to hidden bits of validation rows. Rank and ridge are those that predict the hidden bits of validation rows best,
    those of either half by the scale that is fitted to the other; "rows" of them follow each other, several times. Bits that
    are not there are -1."""
    x, mean = np.maximum(np.array(job["train"], float), 0), np.array(job["mean"])
    truth, seen = np.array(job["valid"], float), np.array(job["visible"], float)
    values, vectors = np.linalg.eigh((x - mean).T @ (x - mean))
    values, vectors = np.maximum(values[::-1] / len(x), 1e-6), vectors[:, ::-1]
    hidden, half = (truth >= 0) & (seen < 0), (np.arange(len(truth)) % job["rows"] % 2)[:, None]

    def deviations(visible, v, ridge):
        known = (visible >= 0).astype(float)
        pairs = (v[:, :, None] * v[:, None, :]).reshape(len(v), -1)
        a = (known @ pairs).reshape(len(visible), v.shape[1], -1) + np.diag(ridge)
        z = np.linalg.solve(a, ((known * (visible - mean)) @ v)[..., None])[..., 0]
        return z @ v.T

    def logit(p):
        return np.log(p / (1 - p))

    def features(s):
        m = np.broadcast_to(mean, s.shape)
        return np.stack([np.ones_like(s), logit(m), s, logit(np.clip(m + s, .02, .98))], -1)

    def probability(s, scale):
        return sigmoid(np.clip(features(s) @ scale, -30, 30))

    def calibrate(s, where):
        f, y, first = features(s)[where], truth[where], np.array([0, 1., 0, 0])
        scale = first
        for _ in range(25):
            p = sigmoid(np.clip(f @ scale, -30, 30))
            slope = f.T @ (p - y) + .01 * (scale - first)
            scale = scale - np.clip(np.linalg.solve((f.T * (p * (1 - p))) @ f + .01 * np.eye(4), slope), -1, 1)
        return scale

    tries = []
    for rank in [r for r in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32) if r < len(mean)]:
        for times in (.3, 1, 3, 10):
            v, ridge = vectors[:, :rank], times * values[rank:].mean() / values[:rank]
            s = deviations(seen, v, ridge)
            p = np.where(half == 0, probability(s, calibrate(s, hidden & (half == 1))), probability(s, calibrate(s, hidden & (half == 0))))
            loss = -np.log(np.clip(np.where(truth > 0, p, 1 - p), 1e-12, 1))[hidden].mean()
            tries.append((loss, rank, times, v, ridge, calibrate(s, hidden)))
    _, rank, _, v, ridge, scale = min(tries, key=lambda t: t[0])
    said = [probability(deviations(np.array(rows, float), v, ridge), scale) for rows in job["predict"]]
    return {"rank": rank, "said": [np.round(p, 9).tolist() for p in said]}


def scores(job):
    """{name: [log density of the known values of a test row, root mean square error and negative log density of hidden
    values]}; components, where asked for, have no density of known values (null). No variance is below the floor, as in the learner. Of each
    rival the best setting is taken on the test rows themselves, which favours it."""
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
    if truth is not None and job.get("components", True):
        tried = {}
        for name, base, parts, code in components():
            tried.setdefault(name, []).append(coded(base, parts, code))
        for name, tries in tried.items():
            out[name] = [None] + best(tries)[1:]
    return out


ops = {"table": table, "parts": parts, "density": density, "units": units, "svd": svd, "scores": scores}
