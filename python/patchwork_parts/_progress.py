"""Progress of learning, in a notebook or on a terminal."""

import sys

__all__ = ["Progress"]


class Progress:
    """A bar of tqdm, or else a line of text; nothing unless it is verbose. As a context it is what to call."""

    def __init__(self, verbose):
        self.verbose, self.bar, self.wide = verbose, None, 0

    def __enter__(self):
        return self._show if self.verbose else None

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()
        elif self.wide:
            self._write("")

    def _show(self, line, done, total):
        if self.bar is None and self.wide == 0:
            try:
                from tqdm.auto import tqdm

                self.bar = tqdm(desc="learning", file=sys.stderr, leave=False)
            except ImportError:
                pass
        if self.bar is None:
            self._write(line)
        elif line:
            self.bar.total, self.bar.n = total or None, done
            self.bar.set_postfix_str(line.lstrip("█░ "))

    def _write(self, line):
        sys.stderr.write("\r" + line.ljust(self.wide) + ("" if line else "\r"))
        sys.stderr.flush()
        self.wide = len(line)
