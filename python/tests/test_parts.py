"""Tests of the estimators; python3 -m unittest discover python/tests

They use the program that PATCHWORK names, else build it. Tests of scikit-learn and
pandas are skipped where these are not installed, and fail where CI is set.
"""

import atexit
import contextlib
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)
if "PATCHWORK" not in os.environ:
    os.environ["PATCHWORK"] = str(Path(_folder.name) / "patchwork")
    subprocess.run(["go", "build", "-o", os.environ["PATCHWORK"], "./cmd/patchwork"], cwd=ROOT, check=True)

from patchwork_parts import PartsClassifier, PartsModel, PatchworkError  # noqa: E402
from patchwork_parts import _pipe  # noqa: E402

RULES = ["max", "max-minus-min", "noisy-or", "sum-of-odds", "mean", "sum-of-log-odds", "normalized-sum"]


def needs(module):
    """Skip a test without a module; fail in CI."""
    try:
        __import__(module)
        return lambda f: f
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        return unittest.skip(f"{module} is not installed")


def planted(n=200, d=24, k=3, seed=0):
    """Return rows of k parts of d/k columns each, and which rows have which parts."""
    rng = np.random.default_rng(seed)
    parts = np.kron(np.eye(k), np.ones(d // k)) * 0.9
    has = rng.random((n, k)) < 0.35
    return (rng.random((n, d)) < np.maximum(0.03, (has[:, :, None] * parts).max(axis=1))).astype(float), has


class TestPartsModel(unittest.TestCase):
    def test_finds_the_parts(self):
        X, has = planted()
        m = PartsModel().fit(X)
        self.assertEqual((m.n_components_, m.components_.shape, m.n_features_in_), (3, (3, 24), 24))
        codes = m.transform(X)
        right = max(((codes[:, list(p)] > 0) == has).mean() for p in __import__("itertools").permutations(range(3)))
        self.assertGreater(right, 0.97)
        self.assertTrue((m.fit_transform(X) == codes).all())
        self.assertAlmostEqual(m.score(X), m.score_samples(X).mean())
        self.assertEqual(list(m.get_feature_names_out()), ["part0", "part1", "part2"])

    def test_same_bytes_as_the_command_line(self):
        X, _ = planted()
        X[3, :7] = np.nan
        m = PartsModel(n_components=2, rule="noisy-or", random_state=5).fit(X)
        with tempfile.TemporaryDirectory() as folder:
            np.savez(f"{folder}/x.npz", x=X)
            line = [os.environ["PATCHWORK"], "learn", "x.npz", "-o", "m.npz", "-k", "2", "--rule", "noisy-or", "--seed", "5", "-q"]
            subprocess.run(line, cwd=folder, check=True, capture_output=True)
            self.assertEqual(Path(folder, "m.npz").read_bytes(), m.model_)
            subprocess.run([os.environ["PATCHWORK"], "explain", "-m", "m.npz", "x.npz", "-o", "c.npz", "-q"], cwd=folder, check=True, capture_output=True)
            with np.load(f"{folder}/c.npz") as z:
                self.assertTrue((z["codes"] == m.transform(X)).all())

    def test_composes_as_the_program(self):
        X, _ = planted(120, 12, 3)
        for rule in RULES:
            with self.subTest(rule=rule):
                m = PartsModel(3, rule=rule).fit(X)
                _, _, got = _pipe.run(["sample", "-m", "m.npz", "-n", 4000, "-o", "s.npz", "-q"], {"m.npz": m.model_}, ["s.npz"])
                with np.load(io.BytesIO(got["s.npz"])) as z:
                    there, x = ~np.isnan(z["pose"][:, :, 0]), z["x"].reshape(4000, -1)
                self.assertLess(np.abs((m.inverse_transform(there) - x).mean(axis=0)).max(), 0.03)

    def test_unknown_values(self):
        X, _ = planted()
        hidden = np.random.default_rng(1).random(X.shape) < 0.1
        Y = np.where(hidden, np.nan, X)
        m = PartsModel().fit(Y)
        filled = m.impute(Y)
        self.assertTrue((filled[~hidden] == X[~hidden]).all())
        wrong = np.abs((filled[hidden] > 0.5) - X[hidden]).mean()
        self.assertLess(wrong, 0.2)
        self.assertLess(wrong, np.abs((Y[~hidden].mean() > 0.5) - X[hidden]).mean())

    def test_explains_and_samples(self):
        X, _ = planted()
        m = PartsModel(3, random_state=1).fit(X)
        for row, e in zip(m.transform(X[:9]), m.explain(X[:9])):
            self.assertEqual(sorted(p["part"] for p in e["picks"]), list(np.flatnonzero(row)))
        s = m.sample(500, random_state=2)
        self.assertEqual((s.shape, s.dtype), ((500, 24), np.uint8))
        self.assertLess(abs(s.mean() - X.mean()), 0.05)
        self.assertTrue((s == m.sample(500, random_state=2)).all())
        self.assertFalse((s == m.sample(500, random_state=3)).all())

    def test_loads_what_the_command_learned(self):
        with tempfile.TemporaryDirectory() as folder:
            def command(*args):
                subprocess.run([_pipe.program(), *args, "-q"], cwd=folder, check=True)
            X, _ = planted()
            fitted = PartsModel().fit(X)
            np.savez(f"{folder}/x.npz", x=X)
            command("learn", "x.npz", "-o", "m.npz")
            command("show", "m.npz", "--name", "1=first")
            m = PartsModel.load(f"{folder}/m.npz")
            self.assertEqual(m.names_[:2], ["first", "part 2"])
            self.assertEqual(fitted.names_[0], "part 1")
            self.assertTrue((m.transform(X) == fitted.transform(X)).all())
            Path(f"{folder}/y.csv").write_text("who,town,age\n" + "".join(
                f"p{i},{'Oslo' if i % 2 else 'Bergen'},{20 + 30 * (i % 2) + i % 7}\n" for i in range(60)))
            command("learn", "y.csv", "-o", "y.npz")
            y = PartsModel.load(f"{folder}/y.npz")
            self.assertEqual((y.values_, list(y.columns_), y.components_.shape[1]), ("real", ["town=Bergen", "age"], 2))
            self.assertEqual(y.draw()[1:4], b"PNG")

    def test_log_odds(self):
        X, has = planted()
        X[0, :8] = np.nan  # nobody knows about one of the parts
        hard, soft = PartsModel(3).fit(X), PartsModel(3, codes="log-odds").fit(X)
        self.assertEqual(hard.model_, soft.model_)
        picks, odds = hard.transform(X), soft.transform(X)
        self.assertEqual(odds.shape, picks.shape)
        self.assertLessEqual(np.abs(odds).max(), 15)
        self.assertGreater(((odds > 0) == (picks > 0)).mean(), 0.99)
        self.assertTrue((soft.inverse_transform(odds)[1:] == hard.inverse_transform(odds > 0)[1:]).all())
        doubt = np.abs(odds).min(axis=1)
        self.assertLess(doubt[0], 2)
        self.assertGreater(np.median(doubt), 4)
        # The odds of a part that nothing is known of are about those of how often it is there.
        unknown = np.full((1, 24), np.nan)
        self.assertLess(np.abs(soft.transform(unknown)[0] - np.log(soft.usage_ / (1 - soft.usage_))).max(), 1)
        with self.assertRaisesRegex(ValueError, "codes="):
            PartsModel(codes="soft").fit(X)

    def test_log_odds_of_numbers(self):
        rng = np.random.default_rng(1)
        has = rng.random((80, 2)) < 0.5
        X = rng.normal(size=(80, 6)) + 4 * np.repeat(has, 3, axis=1)
        hard, soft = PartsModel(values="real").fit(X), PartsModel(values="real", codes="log-odds").fit(X)
        self.assertEqual(hard.model_, soft.model_)
        picks, odds = hard.transform(X), soft.transform(X)
        self.assertGreater(((odds > 0) == (picks > 0)).mean(), 0.99)
        self.assertTrue(np.array_equal(soft.inverse_transform(odds), hard.inverse_transform(odds > 0)))

    def test_dates(self):
        days = np.array(["2026-01-01", "2026-01-02"] * 4, dtype="datetime64[D]")
        for X in (days.reshape(4, 2), [[d, 1.0] for d in days.tolist()], np.array([[1.0, d] for d in days.tolist()], dtype=object)):
            with self.assertRaisesRegex(TypeError, "dates or times.*labels"):
                PartsModel().fit(X)

    def test_progress(self):
        rng = np.random.default_rng(2)
        X = (rng.random((1500, 40)) < 0.3).astype(float)
        X[:500, :8] = X[300:900, 15:25] = 1
        quiet, said = PartsModel().fit(X), io.StringIO()
        with contextlib.redirect_stderr(said):
            loud = PartsModel(verbose=1).fit(X)
        self.assertEqual(quiet.model_, loud.model_)
        self.assertRegex(said.getvalue(), r"phase \d of \d|learned")
        self.assertTrue(said.getvalue().rstrip("\n").split("\r")[-1].startswith("learned"))

    def test_weights_and_partial_fit(self):
        X, _ = planted()
        twice = PartsModel().fit(np.concatenate([X, X]))
        weighted = PartsModel().fit(X, sample_weight=np.full(len(X), 2))
        self.assertLess(np.abs(twice.components_ - weighted.components_).max(), 1e-3)
        parts = PartsModel().partial_fit(X[:80]).partial_fit(X[80:])
        self.assertEqual(parts.model_, PartsModel().fit(X).model_)
        fitted = PartsModel().fit(X)
        self.assertLess(len(pickle.dumps(fitted)), len(fitted.model_) + 20_000, "a pickle keeps the data")
        with self.assertRaisesRegex(ValueError, "integers"):
            PartsModel().fit(X, sample_weight=np.full(len(X), 0.5))
        with self.assertRaisesRegex(ValueError, "all are 0"):
            PartsModel().fit(X, sample_weight=np.zeros(len(X)))

    def test_weights_are_counts(self):
        """Thresholds and kinds of values, too, are those of the rows repeated; a row of weight 0 is not there."""
        X, _ = planted()
        grey = X * 3 + np.random.default_rng(0).random(X.shape)
        counts = np.arange(len(X)) % 3
        counts[:20] = 0
        grey[:20] = 50.5
        bits = PartsModel(3, values="bits")
        repeated, weighted = bits.fit(np.repeat(grey, counts, axis=0)), PartsModel(3, values="bits").fit(grey, sample_weight=counts)
        self.assertEqual(repeated.thresholds_.tolist(), weighted.thresholds_.tolist())
        self.assertLess(np.abs(repeated.components_ - weighted.components_).max(), 1e-3)
        bits = np.where(np.arange(len(X))[:, None] < 20, 0.25, X)  # decimals where nothing counts
        auto = PartsModel(3).fit(bits, sample_weight=counts)
        self.assertEqual((auto.values_, auto.thresholds_), ("bits", None))
        gone, none = PartsModel(3).fit(X[counts > 0]), PartsModel(3).fit(X, sample_weight=np.minimum(counts, 1))
        self.assertEqual(gone.model_, none.model_)

    def test_thresholds(self):
        X, _ = planted()
        grey = X * 3 + np.random.default_rng(0).random(X.shape)
        m = PartsModel(threshold=2).fit(grey)
        self.assertTrue((m.transform(grey) == PartsModel().fit(X).transform(X)).all())
        self.assertIsNone(PartsModel().fit(X).thresholds_)
        self.assertTrue((PartsModel(values="bits").fit(grey).thresholds_ == np.median(grey, axis=0)).all())
        # Columns of 0 and 1 beside numbers stay what they are, and no column is of one value that was of two.
        mixed = np.column_stack([X, 1 - X[:, 0], np.arange(len(X)), np.where(np.arange(len(X)) % 3, 7, 5)])
        m = PartsModel(3, values="bits").fit(mixed)
        self.assertEqual(m.thresholds_.tolist(), [0.5] * 25 + [(len(X) - 1) / 2, 5])
        with self.assertRaisesRegex(ValueError, r"X\[0, 1\] is .*threshold"):
            PartsModel().fit(X).transform(np.where(np.arange(24) == 1, 7.0, X))

    def test_images(self):
        out, _, got = _pipe.run("synth letters --letters T --writers 6 --seed 1 -o t.npz -q".split(), wanted=["t.npz"])
        with np.load(io.BytesIO(got["t.npz"])) as z:
            x = z["x"]
        m = PartsModel(2, shape=x.shape[1:], shift=14, rotate="24:6").fit(x)
        self.assertEqual(m.components_.shape, (2, x[0].size))
        pick = m.explain(x[:1])[0]["picks"][0]
        self.assertTrue({"dy", "dx", "angle", "gain"} <= set(pick))
        self.assertTrue((m.transform(x.reshape(len(x), -1)) == m.transform(x)).all())
        with self.assertRaisesRegex(PatchworkError, "move"):
            m.inverse_transform(m.transform(x))

    def test_refusals(self):
        X, _ = planted()
        for settings, words in [({"n_components": 0}, "at least 1"), ({"n_components": 2.5}, "integer"), ({"rule": "maxi"}, "rule"),
                                ({"n_components": "3"}, "integer"), ({"rule": "maxi"}, "^rule=maxi: choose max[^(]*$"), ({"shape": 24}, "height, width"), ({"threshold": "x"}, "a number"),
                                ({"shift": 3}, "shape"), ({"shape": (5, 5)}, "no images of 5 x 5"), ({"random_state": -1}, "seed")]:
            with self.subTest(settings=settings), self.assertRaisesRegex(ValueError, words):
                PartsModel(**settings).fit(X)
        with self.assertRaisesRegex(ValueError, "not fitted"):
            PartsModel().transform(X)
        with self.assertRaisesRegex(ValueError, "24 features"):
            PartsModel().fit(X).transform(X[:, :5])

    def test_frame_without_pandas(self):
        """A frame of another library: it has columns, and a bool that is unknown is None (polars)."""

        class Frame:
            def __init__(self, columns):
                self._columns = columns

            columns = property(lambda self: list(self._columns))
            shape = property(lambda self: (len(self), len(self._columns)))

            def __len__(self):
                return len(next(iter(self._columns.values())))

            def __getitem__(self, name):
                return self._columns[name]

            def to_numpy(self):
                return np.array(list(self._columns.values()), dtype=object).T

            def __array__(self, dtype=None, copy=None):
                return self.to_numpy().astype(dtype)

        X = np.random.default_rng(0).random((40, 6)) < 0.5
        frame = Frame({f"c{i}": [bool(v) for v in X[:, i]] for i in range(6)})
        frame["c2"][3] = None
        model = PartsModel(2).fit(frame)
        self.assertEqual(list(model.feature_names_in_), frame.columns)
        same = X.astype(float)
        same[3, 2] = np.nan
        np.testing.assert_array_equal(model.components_, PartsModel(2).fit(same).components_)
        np.testing.assert_array_equal(model.transform(frame), model.transform(frame.to_numpy().astype(float)))

    @needs("pandas")
    def test_frames(self):
        import pandas as pd
        X, _ = planted()
        frame = pd.DataFrame(X, columns=[f"species {i}" for i in range(24)])
        m = PartsModel(3, values="bits").fit(frame)
        self.assertEqual(list(m.feature_names_in_), list(frame.columns))
        out, _, _ = _pipe.run(["show", "m.npz"], {"m.npz": m.model_})
        self.assertIn("species 16", out)
        with self.assertRaisesRegex(ValueError, "order|names"):
            m.transform(frame[frame.columns[::-1]])
        with self.assertRaisesRegex(ValueError, "column 'sex' holds text.*get_dummies"):
            PartsModel(values="bits").fit(frame.assign(sex=np.where(X[:, 0] == 1, "f", "m")))
        with self.assertRaisesRegex(ValueError, "column 'vote' holds yes and no as text.*replace"):
            PartsModel(values="bits").fit(frame.assign(vote=np.where(X[:, 0] == 1, "y", "?")))
        self.assertRegex(str(m.draw()), "^Picture of [0-9]+ bytes$")

    @needs("sklearn")
    def test_scikit_learn(self):
        import warnings
        from sklearn.base import clone
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.utils.estimator_checks import check_estimator
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_estimator(PartsModel())
            check_estimator(PartsModel(codes="log-odds"))
        X, has = planted()
        m = clone(PartsModel(3, random_state=4)).fit(X)
        self.assertTrue((pickle.loads(pickle.dumps(m)).transform(X) == m.transform(X)).all())
        pipe = make_pipeline(PartsModel(), LogisticRegression())
        search = GridSearchCV(pipe, {"partsmodel__n_components": [1, 3]}, cv=3).fit(X, has[:, 0])
        self.assertEqual(search.best_params_, {"partsmodel__n_components": 3})
        frame = PartsModel(3).set_output(transform="pandas").fit_transform(X)
        self.assertEqual(list(frame.columns), ["part0", "part1", "part2"])

    @needs("scipy")
    def test_sparse(self):
        from scipy.sparse import csr_matrix
        X, _ = planted()
        self.assertEqual(PartsModel(3).fit(csr_matrix(X)).model_, PartsModel(3).fit(X).model_)


def measured(n=300, seed=0):
    """Return rows of eight measurements, made by two parts of four columns with opposite signs beside each other, and which rows have them."""
    rng = np.random.default_rng(seed)
    has = rng.random((n, 2)) < 0.4
    X = rng.normal(size=(n, 8)) + [0, 0, 100, 0, 5, 0, 0, 0]
    X[:, :3] += has[:, :1] * [8, 8, 8]
    X[:, 4:7] += has[:, 1:] * [-9, 9, 9]
    first = has[:, 0] & (~has[:, 1] | (rng.random(n) < 0.4))  # where both speak, the pool
    X[:, 3] += np.where(first, -8, 12 * has[:, 1])
    return X, has


class TestRealValues(unittest.TestCase):
    def test_finds_the_parts(self):
        X, has = measured()
        m = PartsModel(values="real").fit(X)
        self.assertEqual((m.n_components_, m.values_, m.thresholds_), (2, "real", None))
        codes = m.transform(X)
        right = max((codes[:, list(p)] == has).mean() for p in ((0, 1), (1, 0)))
        self.assertGreater(right, 0.99)
        self.assertEqual((m.components_.shape, m.variances_, m.votes_.shape, m.background_.shape), ((2, 8), None, (2, 8), (8,)))
        self.assertTrue((m.components_[m.votes_ == 0] == np.broadcast_to(m.background_, (2, 8))[m.votes_ == 0]).all())
        self.assertAlmostEqual(m.score(X), m.score_samples(X).mean())
        self.assertTrue((pickle.loads(pickle.dumps(m)).transform(X) == codes).all())
        self.assertEqual((PartsModel().fit(X).values_, PartsModel().fit(planted()[0]).values_), ("real", "bits"))
        self.assertEqual(PartsModel(values="bits").fit(X).values_, "bits")  # by medians

    @needs("pandas")
    def test_frame_as_it_is(self):
        import pandas as pd

        rng = np.random.default_rng(5)
        ill = rng.random(200) < 0.4
        has = lambda on, p: rng.random(200) < np.where(on, p, 0.08)
        frame = pd.DataFrame({"who": [f"p{i}" for i in range(200)], "fever": np.where(has(ill, 0.9), "yes", "no"),
                              "cough": has(ill, 0.9), "ward": rng.choice(["a", "b", "c"], 200),
                              "pain": np.where(has(ill, 0.85), "yes", "no"), "walks": has(~ill, 0.9)})
        frame.loc[3, "fever"] = None
        m = PartsModel().fit(frame)
        self.assertEqual((m.values_, list(m.columns_)), ("bits", ["fever", "cough", "pain", "walks"]))
        self.assertEqual({c["name"]: c["kind"] for c in m.plan_["columns"]}["who"], "label")
        self.assertIn("who and ward are taken as labels", m.notes_)
        shuffled = frame[list(frame.columns[::-1])]
        self.assertTrue((m.transform(frame) == m.transform(shuffled)).all())  # columns go by their names
        filled = m.impute(frame)
        self.assertEqual(filled.shape, (200, 4))
        self.assertTrue(0 < filled[3, 0] < 1 and filled[0, 1] == frame.loc[0, "cough"])
        self.assertEqual(m.inverse_transform(m.transform(frame)).shape, (200, 4))
        more = PartsModel(columns={"ward": "category"}).fit(frame)
        self.assertIn("ward=a", list(more.columns_))
        with self.assertRaisesRegex(ValueError, "give a frame"):
            m.transform(np.zeros((2, 4)))
        with self.assertRaisesRegex(ValueError, "columns: say what"):
            PartsModel(values="bits", columns={"ward": "category"}).fit(frame)
        with self.assertRaisesRegex(ValueError, "cough"):
            m.transform(frame.drop(columns="cough"))  # of which the part speaks
        counts = rng.integers(0, 3, 200)
        twice = PartsModel().fit(frame.iloc[np.repeat(np.arange(200), counts)])
        self.assertEqual(PartsModel().fit(frame, sample_weight=counts).model_, twice.model_)
        half = PartsModel().partial_fit(frame[:100]).partial_fit(frame[100:])
        self.assertEqual(half.model_, m.model_)

    @needs("pandas")
    def test_every_kind_of_column(self):
        import pandas as pd

        rng = np.random.default_rng(7)
        ill = rng.random(240) < 0.35
        frame = pd.DataFrame({"who": [f"p{i}" for i in range(240)], "fever": rng.random(240) < np.where(ill, 0.9, 0.1),
                              "ward": pd.Categorical(np.where(ill & (rng.random(240) < 0.8), "east", rng.choice(["north", "south", "east"], 240))),
                              "pulse": np.round(70 + 5 * rng.normal(size=240) + 25 * ill, 1), "visits": rng.integers(0, 3, 240) + 2 * ill,
                              "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, 240), unit="D")})
        frame.loc[5, "pulse"] = np.nan
        m = PartsModel().fit(frame)
        self.assertEqual((m.values_, list(m.columns_)), ("real", ["fever", "ward", "pulse", "visits"]))
        self.assertEqual(m.n_components_, 1)
        for said in ("who", "seen", "ward (east, north, south)"):
            self.assertIn(said, m.notes_)
        self.assertTrue(((m.transform(frame)[:, 0] > 0) == ill).mean() > 0.95)
        self.assertTrue(60 < m.impute(frame)[5, 2] < 110)
        with tempfile.TemporaryDirectory() as folder:
            frame.to_csv(f"{folder}/x.csv", index=False)
            subprocess.run([_pipe.program(), "learn", "x.csv", "-o", "m.npz", "-q"], cwd=folder, check=True)
            self.assertEqual(Path(f"{folder}/m.npz").read_bytes(), m.model_)

    def test_same_bytes_as_the_command_line(self):
        X, _ = measured()
        X[3, :7] = np.nan
        m = PartsModel(values="real", random_state=5, n_components=3).fit(X)
        with tempfile.TemporaryDirectory() as folder:
            np.savez(f"{folder}/x.npz", x=X)
            line = [os.environ["PATCHWORK"], "learn", "x.npz", "--column", "*=number", "-o", "m.npz", "-k", "3",
                    "--seed", "5", "-q"]
            subprocess.run(line, cwd=folder, check=True, capture_output=True)
            self.assertEqual(Path(folder, "m.npz").read_bytes(), m.model_)

    def test_composes_as_the_program(self):
        # What is predicted of hidden columns, where one explanation is certain, is what its parts compose.
        X, has = measured()
        X -= [0, 0, 100, 0, 5, 0, 0, 0]  # the pixels of a picture have one scale
        for rule in ("pool", "soft", "max"):
            with self.subTest(rule=rule):
                m = PartsModel(values="real", rule=rule, shape=(2, 4), n_components=2).fit(X)  # of tables the only rule is pool
                hidden = X.copy()
                hidden[:, 3] = np.nan  # here the parts disagree
                filled, said = m.impute(hidden)[:, 3], m.inverse_transform(m.transform(hidden))[:, 3]
                self.assertLess(np.median(np.abs(filled - said)), 1e-4)
                both = has.all(axis=1)
                if rule != "max":  # which does not hear of less
                    self.assertLess(np.median(np.abs(filled - said)[both]), 1e-3)

    def test_unknown_values(self):
        X, _ = measured()
        hidden = np.random.default_rng(1).random(X.shape) < 0.2
        Y = np.where(hidden, np.nan, X)
        m = PartsModel(values="real").fit(Y)
        filled, std = m.impute(Y, return_std=True)
        self.assertTrue((filled[~hidden] == X[~hidden]).all() and (std[~hidden] == 0).all())
        error = (filled - X)[hidden]
        self.assertLess(np.sqrt((error**2).mean()), 0.6 * np.sqrt(((np.nanmean(Y, axis=0) - X)[hidden] ** 2).mean()))
        self.assertGreater((np.abs(error) < 1.6449 * std[hidden]).mean(), 0.8)
        self.assertTrue((m.impute(Y) == filled).all())
        s = m.sample(400, random_state=2)
        self.assertEqual((s.shape, s.dtype), ((400, 8), float))
        self.assertLess(np.abs(s.mean(axis=0) - X.mean(axis=0)).max(), 1.5)

    def test_learns_to_predict(self):
        X, _ = measured(120)
        hidden = np.random.default_rng(2).random(X.shape) < 0.2
        Y = np.where(hidden, np.nan, X)
        errors = {}
        for aim in ("interpret", "predict"):
            with self.subTest(aim=aim), tempfile.TemporaryDirectory() as folder:
                m = PartsModel(values="real", aim=aim).fit(Y)
                np.savez(f"{folder}/x.npz", x=Y)
                line = [os.environ["PATCHWORK"], "learn", "x.npz", "-o", "m.npz", "--column", "*=number",
                        "--aim", aim, "-q"]
                subprocess.run(line, cwd=folder, check=True, capture_output=True)
                self.assertEqual(Path(folder, "m.npz").read_bytes(), m.model_)
                filled, std = m.impute(Y, return_std=True)
                self.assertTrue((filled[~hidden] == X[~hidden]).all() and (std[hidden] > 0).all())
                errors[aim] = ((filled - X)[hidden] ** 2).mean() ** 0.5
        self.assertLess(errors["predict"], 1.05 * errors["interpret"])
        with self.assertRaisesRegex(ValueError, "predict"):
            PartsModel(values="real", aim="guess").fit(X)

    def test_images_and_nothing(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(60, 4, 4))
        x[::3, 1] += 9
        m = PartsModel(values="real", shape=(4, 4)).fit(x)
        self.assertEqual((m.components_.shape, m.transform(x)[:, 0].tolist()), ((1, 16), [1, 0, 0] * 20))
        none = PartsModel(values="real").fit(rng.normal(size=(30, 3)))
        self.assertEqual((none.n_components_, none.transform(np.zeros((2, 3))).shape), (0, (2, 0)))
        self.assertTrue((none.inverse_transform(np.zeros((2, 0))) == none.background_).all())

    def test_refusals(self):
        X, _ = measured()
        for settings, words in [({"threshold": 3}, "threshold"), ({"method": "soft"}, "method"), ({"rule": "noisy-or"}, "pool"), ({"values": "x"}, "bits")]:
            with self.subTest(settings=settings), self.assertRaisesRegex(ValueError, words):
                PartsModel(**{"values": "real", **settings}).fit(X)
        twice = PartsModel(values="real").fit(X, sample_weight=np.arange(len(X)) % 3)
        self.assertEqual(twice.model_, PartsModel(values="real").fit(np.repeat(X, np.arange(len(X)) % 3, axis=0)).model_)

    @needs("sklearn")
    def test_scikit_learn(self):
        import warnings
        from sklearn.utils.estimator_checks import check_estimator
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_estimator(PartsModel(values="real"))


class TestPartsClassifier(unittest.TestCase):
    def letters(self, n):
        _, _, got = _pipe.run(f"synth letters --letters LTH --writers {n} --seed 1 -o t.npz -q".split(), wanted=["t.npz"])
        with np.load(io.BytesIO(got["t.npz"])) as z:
            return z["x"], z["y"]

    def test_names_drawings(self):
        X, y = self.letters(6)
        learn = np.arange(len(X)) % 6 < 3
        c = PartsClassifier(shape=X.shape[1:]).fit(X[learn], y[learn])
        self.assertEqual(list(c.classes_), sorted(set(y)))
        self.assertGreater(c.score(X[~learn], y[~learn]), 0.85)
        p = c.predict_proba(X[~learn])
        self.assertLess(np.abs(p.sum(axis=1) - 1).max(), 1e-6)
        why = c.explain(X[:2])
        self.assertEqual([w["class"] for w in why], list(c.predict(X[:2])))
        self.assertTrue(why[0]["picks"] and why[0]["second"] != why[0]["class"])
        self.assertTrue((pickle.loads(pickle.dumps(c)).predict_proba(X[~learn]) == p).all())

    def test_names_rows(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 11, 620)  # 10 comes after 9, not after 1
        X = (rng.random((620, 33)) < np.where(np.arange(33)[None] // 3 == y[:, None], 0.9, 0.05)).astype(float)
        X[::7, 5] = np.nan
        c = PartsClassifier().fit(X[:150], y[:150])
        self.assertGreater(c.score(X[150:], y[150:]), 0.9)
        self.assertEqual(PartsClassifier().fit(X[:220], np.zeros(220)).predict(X[:220]).tolist(), [0] * 220)
        with self.assertRaisesRegex(ValueError, "shape"):
            PartsClassifier(shift=2).fit(X, y)

    @needs("sklearn")
    def test_scikit_learn(self):
        import warnings
        from sklearn.utils.estimator_checks import check_estimator
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_estimator(PartsClassifier(n_components=1))


class TestProcess(unittest.TestCase):
    def test_one_process(self):
        X, _ = planted()
        PartsModel(1).fit(X)
        first = _pipe._pipe.process.pid
        with self.assertRaises(PatchworkError):
            _pipe.run(["learn", "none.npz", "-o", "m.npz"])
        PartsModel(1).fit(X)
        self.assertEqual(_pipe._pipe.process.pid, first)
        _pipe._pipe.process.kill()
        _pipe._pipe.process.wait()
        self.assertEqual(PartsModel(1).fit(X).n_components_, 1)  # by a new one

    @unittest.skipUnless(hasattr(os, "fork"), "this system does not fork")
    def test_forks(self):
        X, _ = planted()
        m = PartsModel(3).fit(X)
        want = m.transform(X)
        pids = []
        for _ in range(8):
            pid = os.fork()
            if pid == 0:
                try:
                    os._exit(0 if (m.transform(X) == want).all() else 1)
                except BaseException:
                    os._exit(2)
            pids.append(pid)
        self.assertTrue((m.transform(X) == want).all())
        self.assertEqual([os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) for p in pids], [0] * 8)
        self.assertTrue((m.transform(X) == want).all())

    @unittest.skipUnless(hasattr(os, "fork"), "this system does not fork")
    def test_eight_workers_at_once(self):
        import multiprocessing
        context = multiprocessing.get_context("fork")
        X, _ = planted()
        m = PartsModel(3).fit(X)
        want = m.transform(X)
        all_here, answers = context.Barrier(8, timeout=60), context.SimpleQueue()

        def work(n):
            all_here.wait()  # each has been forked, and none has asked
            answers.put((n, os.getpid(), m.transform(X).tobytes()))

        workers = [context.Process(target=work, args=(n,)) for n in range(8)]
        for w in workers:
            w.start()
        got = [answers.get() for _ in workers]
        for w in workers:
            w.join(60)
        self.assertEqual([w.exitcode for w in workers], [0] * 8)
        self.assertEqual((sorted(n for n, _, _ in got), len({pid for _, pid, _ in got})), (list(range(8)), 8))
        self.assertEqual({codes for _, _, codes in got}, {want.tobytes()})

    def test_threads(self):
        from concurrent.futures import ThreadPoolExecutor
        X, _ = planted()
        m = PartsModel(3).fit(X)
        want = m.transform(X)
        with ThreadPoolExecutor(8) as pool:
            self.assertTrue(all((c == want).all() for c in pool.map(lambda _: m.transform(X), range(24))))

    def start(self, then):
        """Start a Python that fits, prints the number of its process, and goes on with then."""
        # In the background of a shell SIGINT is ignored, and then Python does not see it.
        code = ("import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\nimport sys, numpy as np; sys.path.insert(0, %r)\nfrom patchwork_parts import PartsModel, _pipe\nX = np.eye(8).repeat(9, 0)\n"
                "PartsModel(2).fit(X); print(_pipe._pipe.process.pid, flush=True)\n%s") % (str(ROOT / "python"), then)
        p = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(p.kill)
        return p, int(p.stdout.readline())

    def gone(self, pid):
        for _ in range(200):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return True
            if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return True  # ended; nobody has asked for its exit code yet
            time.sleep(0.05)
        return False

    @unittest.skipIf(sys.platform == "win32", "signals of Unix")
    def test_ends_with_its_parent(self):
        for then, how in [("", None), ("import time; time.sleep(60)", signal.SIGKILL),
                          ("PartsModel(8, shape=(2, 4), method='batch').fit(np.random.default_rng(0).integers(0, 2, (50000, 8)))", signal.SIGKILL)]:
            with self.subTest(then=then):
                p, child = self.start(then)
                if how:
                    time.sleep(0.2)
                    p.send_signal(how)
                p.communicate()
                self.assertTrue(self.gone(child), "the program outlives its parent")

    @unittest.skipIf(sys.platform == "win32", "signals of Unix")
    def test_ctrl_c(self):
        then = ("try:\n  x = _pipe.run('synth letters --letters ABEFH --writers 40 -o x.npz'.split(), wanted=['x.npz'])[2]\n"
                "  _pipe.run('learn x.npz -o m.npz -k 9 --shift 14 --rotate 24:6 --method batch --starts 1000'.split(), x)\n"
                "except KeyboardInterrupt:\n  PartsModel(2).fit(X); print('goes on', _pipe._pipe.process.pid)")
        p, child = self.start(then)
        time.sleep(0.7)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        self.assertEqual(out.strip(), f"goes on {child}", err)


class TestAnswers(unittest.TestCase):
    @needs("pandas")
    def test_key(self):
        import pandas
        rng = np.random.default_rng(5)
        able = rng.random(200) < 0.5
        right = rng.random((200, 6)) < np.where(able, 0.85, 0.2)[:, None]
        X = pandas.DataFrame(np.where(right, "A", rng.choice(list("BCD"), (200, 6))), columns=[f"q{i}" for i in range(6)], index=np.arange(200) + 7)
        X.iloc[0, 0] = None
        m = PartsModel(aim="answers", key={c: "A" for c in X} | {"other": "B"}, n_components=2).fit(X)
        self.assertIn(m.pick_, [p["kind"] for p in m.pictures_])
        self.assertIn("also of other", m.notes_)
        self.assertEqual(len(m.columns_), 6)
        people = m.persons(X.replace("B", "E"))  # an answer that nobody gave
        self.assertTrue((people.index == X.index).all())
        self.assertTrue({"level", "class", "profile"} & set(people))
        np.testing.assert_allclose(people["log_lik"], m.persons(X)["log_lik"])
        self.assertEqual(m.transform(X).shape, (200, m.n_components_ if m.transform(X).shape[1] else 0))
        ordered = PartsModel(aim="answers", key=["A"] * 6).fit(X)
        self.assertAlmostEqual(ordered.description_length_, PartsModel(aim="answers", key={c: "A" for c in X}).fit(X).description_length_)
        with self.assertRaisesRegex(Exception, "not of a table of answers"):
            PartsModel(2).fit(right.astype(int)).persons(right.astype(int))

    @needs("pandas")
    def test_matrix_and_bits(self):
        import pandas
        rng = np.random.default_rng(6)
        has = rng.random((300, 2)) < 0.5
        q = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [1, 1]])
        right = rng.random((300, 7)) < np.where((has[:, None, :] >= q).all(axis=2), 0.9, 0.15)
        X = right.astype(float)
        X[0, 0] = np.nan
        frame = pandas.DataFrame(X, columns=list("abcdefg"))
        matrix = pandas.DataFrame(q, columns=["adds", "counts"], index=list("abcdefg"))
        m = PartsModel(aim="answers", q=matrix).fit(frame)
        self.assertEqual(m.names_, ["without adds", "without counts"])
        self.assertEqual((m.q_matrix_["unsupported"], m.q_matrix_["missing"]), ([], []))
        people = m.persons(frame)
        self.assertGreater(np.mean((people[["p:adds", "p:counts"]].to_numpy() > 0.5) == has), 0.9)
        plain = PartsModel(aim="answers").fit(X)
        self.assertEqual(plain.score_samples(X).shape, (300,))


@unittest.skipIf(sys.platform == "win32", "paths of Unix")
@unittest.skipUnless(os.environ.get("PATCHWORK_LONG"), "builds a program and an environment; PATCHWORK_LONG=1 runs it")
class TestWheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "python" / "build_wheel.py", "-o", f"{folder}/dist"], check=True, capture_output=True)
            (wheel,) = Path(folder, "dist").glob("*.whl")
            self.assertLess(wheel.stat().st_size, 12e6)
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", f"{folder}/venv"], check=True)
            subprocess.run([f"{folder}/venv/bin/pip", "install", "--no-index", "--no-deps", "-q", wheel], check=True, capture_output=True)
            env = {k: v for k, v in os.environ.items() if k not in ("PATCHWORK", "PYTHONPATH")}
            code = "import patchwork_parts as p, numpy as np; print(p._pipe.program(), p.PartsModel(2).fit(np.eye(8).repeat(9, 0)).n_components_)"
            out = subprocess.run([f"{folder}/venv/bin/python", "-c", code], env=env, check=True, capture_output=True, text=True, cwd=folder).stdout
            self.assertRegex(out, r"venv/.*patchwork_parts/bin/patchwork [12]\n")
            # The program comes along as a command, and gives its own exit code.
            for command in [f"{folder}/venv/bin/patchwork"], [f"{folder}/venv/bin/python", "-m", "patchwork_parts"]:
                self.assertIn("patchwork", subprocess.run([*command, "version"], env=env, check=True, capture_output=True, text=True).stdout)
                self.assertEqual(subprocess.run([*command, "nonsense"], env=env, capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
