"""The program behind the estimators: one process of it for each process of Python."""

import atexit
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["PatchworkError", "program", "run"]


class PatchworkError(ValueError):
    """What the program says about a request that it cannot carry out."""


def program():
    """Return the path of the program: that of PATCHWORK, of this package, or of PATH."""
    name = "patchwork.exe" if sys.platform == "win32" else "patchwork"
    for path in (os.environ.get("PATCHWORK"), Path(__file__).with_name("bin") / name, shutil.which("patchwork")):
        if path and os.path.isfile(path):
            return str(path)
    raise PatchworkError("the program patchwork is not in this package and not on the PATH; "
                         "install the wheel of your platform, or set PATCHWORK to its path")


class _Pipe:
    """A process of the program that serves command lines and their files, one at a time."""

    def __init__(self):
        # A session of its own: Ctrl-C is for Python, which then stops the command line.
        self.process = subprocess.Popen([program(), "pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                        start_new_session=True)
        self.answers = io.BufferedReader(self.process.stdout)
        self.whole = True  # no request or answer is in the pipe, or half of one

    def run(self, args, files, wanted, watch=None):
        head = {"args": args, "watch": watch is not None, "put": [{"name": n, "size": len(b)} for n, b in files.items()], "get": list(wanted)}
        self.whole = False
        for content in (json.dumps(head).encode() + b"\n", *files.values()):
            self._write(content)
        try:
            answer = self._answer(watch)
        except KeyboardInterrupt:
            self._write(b'{"stop":true}\n')
            self._answer()
            self.whole = True
            raise
        self.whole = True
        return answer

    def _write(self, content):
        content = memoryview(content)
        while content:
            content = content[self.process.stdin.write(content):]

    def _answer(self, watch=None):
        while True:
            line = self.answers.readline()
            if not line:
                raise PatchworkError(f"the program patchwork ended: exit code {self.process.wait()}")
            answer = json.loads(line)
            if "code" in answer:
                break
            if watch is not None:
                watch(answer["line"], answer["done"], answer["total"])
        got = {f["name"]: self.answers.read(f["size"]) for f in answer["got"] or []}
        return answer["code"], answer["out"], answer["err"], got

    def close(self):
        """End the process: it ends by itself when its input does."""
        self.process.stdin.close()
        self.answers.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()

    def forget(self):
        """Close this end in a forked process; the process belongs to the parent."""
        self.process.stdin.close()
        self.answers.close()
        self.process.returncode = 0  # so that nobody waits for it here


_lock = threading.Lock()
_pipe = None


def run(args, files=None, wanted=(), watch=None):
    """Run a command line of the program; return what it prints, its notes, and files.

    files are the contents (bytes) of the files that args name, wanted the names of
    those to return; watch is called with each line of progress, what is done, and of how
    many, 0 if that is unknown. Threads take turns. Raises PatchworkError if the program refuses.
    """
    global _pipe
    with _lock:
        if _pipe is not None and _pipe.process.poll() is not None:
            _close()
        if _pipe is None:
            _pipe = _Pipe()
        try:
            code, out, err, got = _pipe.run([str(a) for a in args], files or {}, wanted, watch)
        finally:
            if not _pipe.whole:
                _close()
    if code != 0:
        raise PatchworkError(_in_python(err.strip().removeprefix("patchwork: ")) or f"exit code {code}")
    return out, err, got


def _in_python(err):
    """Return what the program says with names of settings in place of those of flags."""
    return re.sub(r" \(see patchwork [a-z ]*--help\)", "", re.sub(r"^--([a-z]+) (.*?):(?= )", r"\1=\2:", err))


def _close():
    global _pipe
    if _pipe is not None:
        _pipe.close()
        _pipe = None


def _forked():
    global _pipe, _lock
    _lock = threading.Lock()  # another thread of the parent may have held it
    if _pipe is not None:
        _pipe.forget()
        _pipe = None


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
