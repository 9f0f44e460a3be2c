"""How long a first fit takes, and what the estimator adds to the command line.

    python3 python/examples/overhead.py [RUNS]

First: seconds, and seconds of processor, of a new Python that imports the package and
fits 1,000 rows of 100 columns with six planted parts. Then fit and transform of 200 rows
of 24 columns beside the two command lines that do the same, by turns (7 runs by default):
medians, the least and the most.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from patchwork_parts import PartsModel
from patchwork_parts._pipe import program

FIT = """
import numpy as np
from patchwork_parts import PartsModel
PartsModel().fit(np.load({!r})["x"])
"""


def planted(n, d, k, seed=0):
    """Return rows of k parts of d/k columns each."""
    rng = np.random.default_rng(seed)
    parts = np.zeros((k, d))
    for j in range(k):
        parts[j, j * (d // k):(j + 1) * (d // k)] = 0.9
    has = rng.random((n, k)) < 0.35
    return rng.random((n, d)) < np.maximum(0.03, (has[:, :, None] * parts).max(axis=1))


def timed(work):
    """Return the seconds that work takes, and those of the processor that its processes take."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def said(times):
    return f"{np.median(times):.3f} s ({min(times):.3f} to {max(times):.3f})"


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/wide.npz", x=planted(1000, 100, 6))
        X = planted(200, 24, 3)
        np.savez(f"{folder}/x.npz", x=X)
        for what, code in ("imports alone", "import patchwork_parts"), ("imports and first fit", FIT.format(f"{folder}/wide.npz")):
            both = [timed(lambda: subprocess.run([sys.executable, "-c", code], check=True)) for _ in range(runs)]
            print(f"{what}: {said([w for w, _ in both])}; of processor {said([c for _, c in both])}", flush=True)

        def by_estimator():
            PartsModel(n_jobs=1).fit(X).transform(X)

        def by_command_line():
            for args in ("learn x.npz -o m.npz --for table", "explain -m m.npz x.npz -o codes.npz"):
                subprocess.run([program(), *args.split(), "-q", "--workers", "1"], cwd=folder, check=True, capture_output=True)

        by_estimator()  # starts the program
        pairs = [(timed(by_estimator)[0], timed(by_command_line)[0]) for _ in range(runs)]
        print(f"fit and transform: {said([a for a, _ in pairs])}; two command lines: {said([b for _, b in pairs])}; "
              f"more: {1000 * np.median([a - b for a, b in pairs]):.0f} ms")


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[1])
    main()
