"""The estimator of parts."""

import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np

from ._compat import TransformerMixin
from ._frame import is_frame, joined, names_of, repeated, text_of
from ._picture import Picture
from ._pipe import PatchworkError, run
from ._progress import Progress
from ._real import compose_real
from ._rows import Rows, arrays, seed, weights_of
from ._rules import RULES, compose

__all__ = ["PartsModel"]

_RARE = np.exp(-15)  # the weight of what no explanation says


class PartsModel(TransformerMixin, Rows):
    """Parts of rows or images, of bits or of real values, and explanations by them.

    A part is a template: the probability of a 1 in each column or pixel where the part
    has a say; of real values, a mean, and a variance where it is not the background's. Each
    row is explained by the few parts that made it.

    Parameters
    ----------
    n_components : int or None
        Number of parts; None finds it out.
    rule : str
        How parts are joined: "max", "max-minus-min", "noisy-or", "sum-of-odds", "mean",
        "sum-of-log-odds" or "normalized-sum". "auto" leaves it to the program: max.
    shape : (int, int) or None
        Height and width of images whose pixels are the columns of X; None: rows of a table.
    shift : int
        How far parts are shifted, in pixels. Needs shape.
    rotate : str or None
        Rotations in degrees, as range and step: "24:6". Needs shape.
    aim : {"interpret", "predict", "answers"}
        Few votes, or the best prediction of hidden values: of real values the average of
        what every start learned. For tables, and for real values. "answers": rows are people who answered questions
        or took a test; of several pictures (classes, a level, parts, skills) the shortest description is picked.
    method : str or None
        How to learn: None chooses by the data.
    threshold : float, "auto" or None
        What is greater is 1. "auto" takes the median of each column at fit; the largest value
        but one where more than half of the values are the largest; and 0.5 where there are 0
        and 1 only. None expects 0, 1 and NaN (unknown), and does as "auto" if there are other numbers.
    values : {"auto", "bits", "real"}
        What X holds: what the program takes it for, and bits where it leaves that open or another setting is
        for bits (threshold, method); 0 and 1, with a threshold for other numbers; or real
        values, whose rule is "pool", "soft" or "max". With "auto" a frame of pandas or polars is read as it
        is: words, yes and no, categories, dates, numbers; plan_ and notes_ say what each column was taken for.
    columns : dict or None
        What to take columns of a frame for instead, by name: {"age": "number"}; with values="auto".
        The kinds are those of patchwork's --column: "bit", "category", "ordinal", "count", "number", "label", ...
    codes : {"picks", "log-odds"}
        What transform returns: which parts the best explanation of each row has; or the log
        odds that a part is there, over the best 16 explanations, from -15 to 15. A classifier
        makes more of log odds: they also say how sure a part is.
    key : dict, list or None
        With aim="answers" the right answers, by names of columns or in their order; any other answer is wrong. For frames.
    q : frame or None
        With aim="answers" a matrix to check: a row for each item, named by the index or the first column, a column for
        each skill, 1 where the item needs it.
    random_state : int, numpy.random.RandomState or None
        Seed; None is 0, so that the same data give the same parts.
    n_jobs : int or None
        Processor cores to use; None: all. The parts do not depend on it.
    verbose : int
        1: show progress while learning, with tqdm where that is installed, and then print what the
        columns were taken for and what was learned.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Templates of the parts: probabilities, or means of real values. A value equal to
        background_ means: no say. Of words in a table of numbers it is the share of the word that a part names.
    background_ : ndarray of shape (n_features_in_,)
        Probability of a 1 where no part has a say; of grey images the mean there, of tables of numbers that of all rows.
    variances_, votes_, background_variance_ : ndarrays, of grey images only, of tables of numbers votes_
        Variances of the parts; whether a part has no say (0), says a mean (1) or a mean and a
        variance (2); variance where no part has a say.
    values_ : {"bits", "real"}
        What X was taken for.
    columns_ : ndarray of shape (n,)
        Names of the columns of components_; a category has one for each word ("town=Oslo").
    plan_, notes_ : dict or None, str
        What the program took each column of a frame for, and what it said about it.
    names_ : list of str
        What the parts are called: "part 1", or the names in the file that load read.
    usage_ : ndarray of shape (n_components_,)
        How often each part is in a row, on average.
    compounds_ : ndarray of shape (n, n_components_)
        Of a table of bits, how probable each part is where a compound of parts comes; 0: it is no part of it.
    compounds_kind_ : {"any", "one", ""}
        Whether any of the compounds come, or one of them, or none was found.
    pictures_, pick_, undecided_ : list of dict, str, list of str
        With aim="answers": the pictures that were compared, the shortest description first; its kind; and those that
        describe the rows as well, within 3 nats.
    indices_, q_matrix_ : dict
        With aim="answers": what the field reports, by kind of picture; and of q, what the rows do not support or ask for.
    n_components_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    thresholds_ : ndarray of shape (n_features_in_,) or None
        What is greater was taken as 1; None: the values were 0 and 1.
    description_length_ : float
        Nats to describe the training rows and the parts; NaN if it was not minimised.
    model_ : bytes
        The model file, as patchwork learn writes it.
    """

    def __init__(self, n_components=None, *, rule="auto", shape=None, shift=0, rotate=None, aim="interpret",
                 method=None, threshold=None, values="auto", columns=None, codes="picks", key=None, q=None, random_state=None, n_jobs=None, verbose=0):
        self.n_components = n_components
        self.rule = rule
        self.shape = shape
        self.shift = shift
        self.rotate = rotate
        self.aim = aim
        self.method = method
        self.threshold = threshold
        self.values = values
        self.columns = columns
        self.codes = codes
        self.key = key
        self.q = q
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y=None, sample_weight=None):
        """Learn parts from the rows of X, of 0, 1 and NaN for unknown, or of real values; y is ignored.

        sample_weight are integers: a row of weight 2 counts as two rows.
        """
        rows, weights = self._begin(X, sample_weight)
        self._seen = None
        return self._learn(rows, weights)

    @classmethod
    def load(cls, path):
        """Return the parts of a model file that patchwork learn wrote; rows of a table are then given as frames."""
        self = cls()
        self.model_ = Path(path).read_bytes()
        out, _, _ = run(["show", "m.npz", "--json"], {"m.npz": self.model_})
        about = json.loads(out)
        if "classes" in about:
            raise ValueError(f"{path} is a model of classes, which has no parts of its own")
        columns, height = about.get("columns"), about["height"]
        self.shape = None if height == 1 else tuple(about.get("images") or (height, about["width"]))
        self.values_ = "bits" if about["rule"] in RULES else "real"
        self.plan_, self.notes_, self.thresholds_, self._seen = about.get("reading") and {"columns": columns} if columns else None, "", None, None
        self.n_features_in_ = self.shape[0] * self.shape[1] if self.shape else about["width"]
        if columns:
            self.feature_names_in_ = np.asarray(columns, dtype=object)
        self.description_length_ = (about.get("learned") or {}).get("description_length") or float("nan")
        self._take(about)
        self.names_ = [p["name"] or f"part {k + 1}" for k, p in enumerate(about["parts"])]
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn again, from the rows of X and all that were given to partial_fit since fit."""
        if not hasattr(self, "model_"):
            rows, weights = self._begin(X, sample_weight)
            self._seen = None
        else:
            rows = self._prepare(X)
            weights = weights_of(sample_weight, len(rows))
        if self._seen is not None:
            before, counts = self._seen
            rows = joined(before, rows) if is_frame(rows) else np.concatenate([before, rows])
            weights = np.concatenate([counts, weights])
        self._seen = rows, weights
        return self._learn(rows, weights)

    def transform(self, X):
        """Return how often each part is in each row: 0 or 1, as floats of shape (n_samples, n_components_);
        or, with codes="log-odds", the log odds that it is there."""
        self._fitted()
        if self.codes == "log-odds":
            return self._log_odds(self._prepare(X))
        _, _, got = self._run("explain", self._prepare(X), ["-o", "codes.npz"], "codes.npz")
        codes = arrays(got["codes.npz"])
        return codes["codes"].astype(float) if "codes" in codes else np.zeros((len(X), 0))  # no part

    def inverse_transform(self, codes):
        """Return the probability of a 1 in each column, or the mean of real values, given the parts of each row (above 1/2, or
        above 0 with codes="log-odds": it is there)."""
        self._fitted()
        if self.shift or self.rotate:
            raise PatchworkError("the parts move: codes do not say where they are; use explain and sample")
        codes = np.asarray(codes, dtype=float)
        if codes.ndim != 2 or codes.shape[1] != self.n_components_:
            raise ValueError(f"codes of shape {codes.shape}; expected (n_samples, {self.n_components_})")
        there = codes > (0 if self.codes == "log-odds" else 0.5)
        if self.values_ == "real" and self._tau is None:  # the highest and the lowest mean, by what they add to that of all rows
            away = self.components_ - self.background_
            return np.stack([self.background_ + away[row].max(axis=0, initial=0) + away[row].min(axis=0, initial=0) for row in there])
        if self.values_ == "real":
            return np.stack([compose_real(self._rule, self._tau, self.background_, self.background_variance_, self.components_[row],
                                          self.variances_[row], self.votes_[row]) for row in there])
        return np.stack([compose(self._rule, self.background_, self.components_[row]) for row in there])

    def score_samples(self, X):
        """Return the log-likelihood of each row, in nats, by its explanation."""
        _, _, got = self._run("score", self._prepare(X), ["-o", "rows.npz"], "rows.npz")
        return arrays(got["rows.npz"])["log_lik"]

    def score(self, X, y=None):
        """Return the mean log-likelihood of the rows, in nats."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples=1, random_state=None):
        """Return rows drawn from the model: uint8, or floats of real values, of shape (n_samples, n_features_in_)."""
        self._fitted()
        state = self.random_state if random_state is None else random_state
        _, _, got = run(["sample", "-m", "m.npz", "-n", n_samples, "--seed", seed(state), "-o", "s.npz", "-q"], {"m.npz": self.model_}, ["s.npz"])
        return arrays(got["s.npz"])["x"].reshape(n_samples, -1).astype(float if self.values_ == "real" else np.uint8)

    def impute(self, X, return_std=False):
        """Return X as floats, with the probability of a 1, or the mean of real values, in place of NaN; of a
        frame the columns of columns_. With return_std, also the standard deviation of each value: 0 where it is known."""
        rows = self._prepare(X)
        _, _, got = self._run("predict", rows, ["-o", "p.npz"], "p.npz")
        got = {name: a.reshape(len(rows), -1) for name, a in arrays(got["p.npz"]).items() if name in ("x", "deviation")}
        filled = got["x"].astype(float)
        if not return_std:
            return filled
        return filled, got["deviation"] if self.values_ == "real" else np.sqrt(filled * (1 - filled))

    def explain(self, X):
        """Return the explanation of each row: a dict with log_lik, in nats, and picks, the
        parts in the order in which they were found, each with its gain (and place)."""
        out, _, _ = self._run("explain", self._prepare(X), ["-o", "-"])
        return [json.loads(line) for line in out.splitlines()]

    def persons(self, X):
        """Return a frame of what the picture of answers says of each row: its log_lik; its class or profile, with the
        probability of each class, part or skill ("p:..."); and its level with the standard error of that."""
        import pandas

        _, _, got = self._run("explain", self._prepare(X), ["-o", "persons.csv"], "persons.csv")
        out = pandas.read_csv(io.BytesIO(got["persons.csv"]))
        if not any(c in out for c in ("level", "class", "profile")):
            raise PatchworkError('the model is not of a table of answers; learn with aim="answers"')
        keep = [c for c in out if c in ("log_lik", "class", "profile", "level", "level_error") or c.startswith("p:")]
        return out[keep].set_axis(getattr(X, "index", out.index))

    def draw(self, X=None, *, format="png"):
        """Return a picture of the parts, or of how they explain the rows of X (the first 24).

        format is "png" or "svg". A notebook shows it; picture.save(path) writes it.
        """
        name = f"picture.{format}"
        if X is None:
            self._fitted()
            _, _, got = run(["show", "m.npz", "-o", name, "-q"], {"m.npz": self.model_}, [name])
        else:
            _, _, got = self._run("explain", self._prepare(X), ["-o", "e.jsonl", "--picture", name], name)
        return Picture(got[name])

    def plot(self, X=None, *, ax=None):
        """Draw the picture of draw with matplotlib, and return its axes."""
        import matplotlib.image
        import matplotlib.pyplot

        if ax is None:
            ax = matplotlib.pyplot.gca()
        ax.imshow(matplotlib.image.imread(io.BytesIO(self.draw(X)), format="png"))
        ax.set_axis_off()
        return ax

    def get_feature_names_out(self, input_features=None):
        """Return part0, part1, ..."""
        self._fitted()
        return np.asarray([f"part{k}" for k in range(self.n_components_)], dtype=object)

    # What follows is not part of the interface.

    def _log_odds(self, rows):
        """Return the log odds that each part is in each row, over the best explanations."""
        out, _, _ = self._run("explain", rows, ["--best", 16, "-o", "-"])
        on = np.full((len(rows), self.n_components_), _RARE)
        off = on.copy()
        for i, line in enumerate(out.splitlines()):
            for one in json.loads(line)["alternatives"]:
                has = np.zeros(self.n_components_, bool)
                has[[p["part"] for p in one["picks"]]] = True
                on[i, has] += one["weight"]
                off[i, ~has] += one["weight"]
        return np.log(np.minimum(on, 1)) - np.log(np.minimum(off, 1))

    def _prepare(self, X):
        """Return X as the program reads it: a frame, uint8 of bits, or floats of real values."""
        self._fitted()
        if self.plan_ is not None:
            if not is_frame(X):
                raise ValueError("the parts were learned from a frame, and X has no names of columns; give a frame")
            return X
        if self.values_ == "bits":
            return self._binary(X)
        return self._numbers(X)[0].astype(float)

    def _begin(self, X, sample_weight):
        """Return the rows of a new fit as the program reads them, and how often each counts.
        Rows of weight 0 take no part in what is found out about the columns, either."""
        if self.codes not in ("picks", "log-odds"):
            raise ValueError(f"codes={self.codes!r}: expected 'picks' or 'log-odds'")
        if self.values not in ("bits", "real", "auto"):
            raise ValueError(f"values={self.values!r}: expected 'bits', 'real' or 'auto'")
        self.plan_ = self._plan_of(X)
        if self.plan_ is None and self.columns:
            raise ValueError("columns: say what columns are with a frame, values='auto', and neither threshold nor shape")
        if self.plan_ is not None:
            return self._begin_frame(X, sample_weight)
        X = self._numbers(X, fit=True)[0]
        weights = weights_of(sample_weight, len(X))
        if not weights.any():
            raise ValueError("sample_weight: all are 0, so that there are no rows to learn from")
        X, weights = X[weights > 0], weights[weights > 0]
        if self.values == "bits" or self.values == "auto" and (self._for_bits() or not self._are_numbers(X)):
            self.values_ = "bits"
            self.thresholds_ = self._thresholds(X, weights)
            return self._bits(X), weights
        self._are_real()
        return X.astype(float), weights

    def _begin_frame(self, X, sample_weight):
        """Return the rows of a frame that the program reads, as it is, and how often each counts."""
        self.n_features_in_, self.feature_names_in_ = len(X.columns), names_of(X)
        self.values_, self.thresholds_ = "bits", None
        if not self.plan_["packed"]:
            self._are_real()
        return X, weights_of(sample_weight, len(X))

    def _plan_of(self, X):
        """Return what the program takes the columns of a frame for; None if it is not to read it, or cannot decide."""
        if self.values != "auto" or self._for_bits() or self.shape is not None or not is_frame(X):
            return None
        if self.aim == "answers":  # which are cut in two if they are of several kinds
            return {"columns": list(names_of(X)), "packed": True}
        out, _, _ = run(["show", "x.csv", "--json", *self._kinds()], {"x.csv": text_of(X)})
        plan = json.loads(out)
        return None if plan["open"] else plan

    def _for_bits(self):
        """Return whether a setting is one of bits."""
        return self.threshold is not None or self.method is not None

    def _kinds(self):
        """Return the flags that say what columns are taken for."""
        kinds = dict(self.columns or {})
        if self.key is not None:
            key = self.key.items() if hasattr(self.key, "items") else enumerate(self.key, 1)
            kinds.update((column, f"yes:{answer}") for column, answer in key)
        return [arg for name, kind in kinds.items() for arg in ("--column", f"{name}={kind}")]

    def _are_real(self):
        """Take the values for numbers, or say which setting does not apply to them."""
        for name in ("threshold", "method"):
            if getattr(self, name) is not None:
                raise ValueError(f"{name}={getattr(self, name)!r} does not apply to real values")
        self.values_, self.thresholds_ = "real", None

    def _are_numbers(self, X):
        """Return whether the program learns from rows as numbers; what it leaves open is bits, by their medians."""
        out, _, _ = run(["show", "x.npz", "--json"], {"x.npz": self._file(X.astype(float))})
        plan = json.loads(out)
        return not plan["packed"] and not plan["open"]

    def _learn(self, rows, weights):
        if self.shape is None and (self.shift or self.rotate):
            raise ValueError("parts move in images only: give shape=(height, width)")
        args = ["--json", "--seed", seed(self.random_state)] + (["-q"] if self.plan_ is None else self._kinds())
        if self.n_components is not None:
            if isinstance(self.n_components, bool) or not isinstance(self.n_components, (int, np.integer)) or self.n_components < 1:
                raise ValueError(f"n_components={self.n_components!r}: expected an integer of at least 1, or None")
            args += ["-k", self.n_components]
        if self.rule != "auto":
            args += ["--rule", self.rule]
        if self.method is not None:
            args += ["--method", self.method]
        if self.plan_ is not None or self.values_ == "real":  # there are no weights
            rows, weights = self._repeated(rows, weights)
        if self.values_ == "real":
            args += ["--column", "*=number"] if self.values == "real" else []
            args += ["--aim", self.aim] if self.aim != "interpret" else []
            args += ["--shift", self.shift] if self.shift else []
            args += ["--rotate", self.rotate] if self.rotate else []
        elif self.aim == "answers":
            args += ["--for", "answers"] + (["--q", "q.csv"] if self.q is not None else [])
        elif self.shape is None:
            args += ["--for", "table"] if self.method in (None, "soft") else []
            args += ["--aim", self.aim] if self.method in (None, "soft") else []
        else:
            args += ["--shift", self.shift]
            args += ["--rotate", self.rotate] if self.rotate else []
        weight = {} if (weights == 1).all() else {"weight": weights}
        name, content = self._content(rows, **weight)
        files = {name: content}
        if self.q is not None:
            files["q.csv"] = self.q.to_csv().encode() if hasattr(self.q, "index") else text_of(self.q)
        with Progress(self.verbose) as watch:
            out, self.notes_, got = run(["learn", name, "-o", "m.npz", *args, *self._workers()], files, ["m.npz"], watch)
        self.model_ = got["m.npz"]
        report = json.loads(out)
        self.description_length_ = report.get("description_length") or float("nan")
        self._take(report)
        self.names_ = json.loads(self._member("model.json")).get("names") or [f"part {k + 1}" for k in range(self.n_components_)]
        if "pictures" in report:
            self.pictures_, self.pick_, self.undecided_ = report["pictures"], report["pick"], report["undecided"]
            self.indices_, self.q_matrix_ = report["indices"], report.get("q_matrix")
        if self.verbose:
            print(f"{self.notes_}learned {self.n_components_} parts from {len(rows)} rows in {report['seconds']:.1f} s", file=sys.stderr)
        return self

    def _take(self, report):
        """Take the learned attributes from the model file, and of tables of every kind from what was said of learning."""
        files = arrays(self.model_)
        about = json.loads(self._member("model.json"))
        self._rule = about.get("rule", "pool")
        self.n_iter_ = 1
        self.columns_ = np.asarray(about.get("columns") or [], dtype=object)
        if about.get("kind") == "mixed":
            self._tau, self.variances_, self.background_variance_ = None, None, None
            self.background_, self.votes_, self.usage_ = np.array(report["everywhere"], dtype=float), files["vote"], files["usage"]
            self.n_components_ = len(self.usage_)
            said = np.array(report["means"], dtype=float).reshape(self.n_components_, len(self.background_))
            self.components_ = np.where(np.isnan(said), self.background_, said)
            return
        if self.values_ == "real":
            self._tau = about.get("tau", 0.25)
            self.components_, self.variances_, self.votes_ = files["mean"], files["var"], files["vote"]
            self.background_, self.background_variance_ = files["background_mean"], files["background_var"]
            self.n_components_ = len(self.components_)
            self.usage_ = files.get("pi", np.full(self.n_components_, np.nan))
            return
        k = len(files["experts"])
        self.components_ = files["experts"].reshape(k, -1)
        self.n_components_ = k
        self.background_ = files["q"].ravel() if "q" in files else np.full(self.components_.shape[1], about["q"])
        self.usage_ = files["usage"] if "usage" in files else np.full(k, np.nan)
        self.compounds_kind_, self.compounds_ = about.get("compounds_kind", ""), files.get("compounds", np.zeros((0, k)))

    def _member(self, name):
        """Return a file of the model."""
        return zipfile.ZipFile(io.BytesIO(self.model_)).read(name)

    def _repeated(self, rows, weights):
        """Return each row as often as it counts, and weights of 1."""
        again = repeated(rows, weights) if is_frame(rows) else np.repeat(rows, weights, axis=0)
        return again, np.ones(int(weights.sum()), np.int64)

    def _content(self, rows, **more):
        """Return the name and the content of the file that the program reads rows from."""
        if is_frame(rows):
            return "x.csv", text_of(rows)
        return "x.npz", self._file(rows, **more)

    def _run(self, command, rows, args, *wanted):
        name, content = self._content(rows)
        return run([command, "-m", "m.npz", name, "-q", *args, *self._workers()], {"m.npz": self.model_, name: content}, wanted)
