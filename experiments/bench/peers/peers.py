"""The peers of Patchwork's benchmarks: OpenCV, scikit-learn and NumPy.

The program beside this file asks: for versions, what is installed; to prepare a work, load its data and warm up; to run
it, for its seconds; to check what it found; and to forget the data of all works.

Only what a user waits for is timed: data are loaded and converted, and models are
made, when the work is prepared. The data are .npy files.
"""

import functools
import sys
import time
import warnings

import cv2
import numpy as np
import sklearn
from sklearn.decomposition import NMF
from sklearn.neural_network import BernoulliRBM


@functools.lru_cache(maxsize=1)
def load_rows(path):
    """The rows of a table as scikit-learn likes them best, loaded once for all works."""
    return np.load(path).astype(np.float32)


class Match:
    """One scoring pass: every template at every place of every image."""

    def __init__(self, images, templates, bias=None):
        self.images = np.load(images).astype(np.float32)
        self.templates = np.load(templates).astype(np.float32)
        self.bias = None if bias is None else np.load(bias)

    def run(self):
        for image in self.images:
            for template in self.templates:
                cv2.matchTemplate(image, template, cv2.TM_CCORR)

    def check(self):
        """The best template and its place in every image, given what each scores on empty paper."""
        found = []
        for image in self.images:
            best = []
            for k, template in enumerate(self.templates):
                score = cv2.matchTemplate(image, template, cv2.TM_CCORR) + self.bias[k]
                y, x = np.unravel_index(np.argmax(score), score.shape)
                best.append((float(score[y, x]), k, int(y), int(x)))
            found.append(max(best)[1:])
        return found


class RBMEpoch:
    """One epoch of persistent contrastive divergence in batches."""

    def __init__(self, rows, experts, batch, take):
        self.x, self.batch = load_rows(rows)[:take], batch
        self.rbm = BernoulliRBM(n_components=experts, batch_size=batch, random_state=0)
        self.rbm.set_params(n_iter=1).fit(self.x[:batch])  # partial_fit alone would begin in float64

    def run(self):
        for at in range(0, len(self.x), self.batch):
            self.rbm.partial_fit(self.x[at : at + self.batch])


class RBMTransform:
    """The hidden units' probabilities for every row."""

    def __init__(self, rows, experts):
        self.x = load_rows(rows)
        self.rbm = BernoulliRBM(n_components=experts, random_state=0)
        self.rbm.set_params(n_iter=1).fit(self.x[:100])

    def run(self):
        self.rbm.transform(self.x)


class NMFTransform:
    """Nonnegative activations of the given parts in every row."""

    def __init__(self, rows, templates, take):
        parts = np.load(templates).astype(np.float32)
        self.x = load_rows(rows)[:take]
        self.nmf = NMF(n_components=len(parts), init="random", random_state=0, max_iter=5)
        self.nmf.fit(self.x[:500])
        self.nmf.components_ = parts
        self.nmf.set_params(max_iter=200)  # the default

    def run(self):
        self.nmf.transform(self.x)


class MixtureEStep:
    """Responsibilities of a Bernoulli mixture's components, and their counts."""

    def __init__(self, rows, templates, block=4096):
        self.x, self.block = load_rows(rows), block
        p = np.clip(np.load(templates), 0.02, 0.98)
        self.weights = (np.log(p) - np.log1p(-p)).T.astype(np.float32)
        self.bias = (np.log1p(-p).sum(axis=1) - np.log(len(p))).astype(np.float32)

    def run(self):
        seen, on = 0, 0
        for at in range(0, len(self.x), self.block):
            x = self.x[at : at + self.block]
            r = x @ self.weights + self.bias
            r -= r.max(axis=1, keepdims=True)
            np.exp(r, out=r)
            r /= r.sum(axis=1, keepdims=True)
            seen, on = seen + r.sum(axis=0), on + r.T @ x


WORKS = {
    "match": Match,
    "rbm epoch": RBMEpoch,
    "rbm transform": RBMTransform,
    "nmf transform": NMFTransform,
    "mixture e-step": MixtureEStep,
}


def versions(_):
    blas = "unknown BLAS"
    try:
        from threadpoolctl import threadpool_info

        for lib in threadpool_info():
            if lib["user_api"] == "blas":
                blas = f"{lib['internal_api']} {lib['version']} for {lib.get('architecture')}, threads {lib['num_threads']}"
    except ImportError:
        pass
    return {"python": sys.version.split()[0], "numpy": np.__version__, "blas": blas, "opencv": cv2.__version__,
            "sklearn": sklearn.__version__}


works = {}


def prepare(ask):
    works[ask["id"]] = WORKS[ask["work"]](**ask["args"])
    return {}


def run(ask):
    began = time.perf_counter()
    for _ in range(ask["repeat"]):
        works[ask["id"]].run()
    return time.perf_counter() - began


def check(ask):
    return works[ask["id"]].check()


def forget(_):
    works.clear()
    load_rows.cache_clear()
    return {}


warnings.filterwarnings("ignore")  # that NMF stopped at max_iter
cv2.setNumThreads(1)
ops = {"versions": versions, "prepare": prepare, "run": run, "check": check, "forget": forget}
