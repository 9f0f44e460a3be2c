"""What scikit-learn makes of the rows on standard input, as JSON."""
import json, sys, warnings
import numpy as np
from sklearn.decomposition import NMF, MiniBatchDictionaryLearning, non_negative_factorization, sparse_encode
from sklearn.neural_network import BernoulliRBM, MLPClassifier

warnings.filterwarnings("ignore")
job = json.load(sys.stdin)
train, test = np.array(job["train"]), np.array(job["test"])
out = {"rbm": [], "pseudo": [], "lasso": [], "omp": [], "frobenius": [], "kl": [], "autoencoder": []}


def entropy(x, p):
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return -(x * np.log(p) + (1 - x) * np.log1p(-p)).sum(1).mean()


def divergence(x, y):
    y = np.maximum(y, 1e-12)
    return (np.where(x > 0, x * np.log(np.maximum(x, 1e-12) / y), 0) - x + y).sum()


for seed in job["seeds"]:
    m = BernoulliRBM(n_components=8, learning_rate=job["rate"], batch_size=10, n_iter=100, random_state=seed).fit(train)
    out["rbm"].append(entropy(test, 1 / (1 + np.exp(-(m.transform(test) @ m.components_ + m.intercept_visible_)))))
    flip = []  # score_samples flips one pixel at random; here all of them
    free = m._free_energy(test)
    for d in range(test.shape[1]):
        other = test.copy()
        other[:, d] = 1 - other[:, d]
        flip.append(-np.logaddexp(0, free - m._free_energy(other)))
    out["pseudo"].append(np.sum(flip, 0).mean())

    # A classifier of many labels, taught to give back its input, is an autoencoder.
    m = MLPClassifier((8,), activation="logistic", solver="sgd", alpha=0, batch_size=10, learning_rate_init=0.3, max_iter=100,
                      momentum=0, tol=0, n_iter_no_change=1000, random_state=seed).fit(train, train)
    out["autoencoder"].append(entropy(test, m.predict_proba(test)))

    m = MiniBatchDictionaryLearning(n_components=8, alpha=1, batch_size=10, max_iter=20, tol=0, max_no_improvement=None,
                                    fit_algorithm="cd", random_state=seed).fit(train)
    u = sparse_encode(test, m.components_, algorithm="lasso_lars", alpha=1)
    out["lasso"].append((((test - u @ m.components_) ** 2).sum(1) / 2 + abs(u).sum(1)).mean())
    atoms = m.components_ / np.linalg.norm(m.components_, axis=1, keepdims=True)  # its pursuit takes them so
    omp = [sparse_encode(test, atoms, algorithm="omp", n_nonzero_coefs=n) for n in job["nonzeros"]]
    out["omp"].append([((test - v @ atoms) ** 2).sum(1).mean() for v in omp])

    m = NMF(n_components=8, init="random", max_iter=200, tol=0, random_state=seed)
    w = m.fit_transform(train)
    out["frobenius"].append(((train - w @ m.components_) ** 2).sum() / 2)
    units = m.components_
    m = NMF(n_components=8, init="random", solver="mu", beta_loss="kullback-leibler", max_iter=200, tol=0, random_state=seed)
    w = m.fit_transform(train)
    out["kl"].append(divergence(train, w @ m.components_))

# The last models, for codes of ours from the very same units.
w, _, _ = non_negative_factorization(test, H=units, n_components=8, init="custom", update_H=False, tol=1e-10, max_iter=5000)
codes = {"atoms": atoms, "lassocodes": sparse_encode(test, atoms, algorithm="lasso_lars", alpha=1), "ompcodes": omp[2], "units": units, "nmfcodes": w}
json.dump(out | {name: a.tolist() for name, a in codes.items()}, sys.stdout)
