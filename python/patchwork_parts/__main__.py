"""Run the program patchwork: python -m patchwork_parts learn table.csv -o model.npz."""

import os
import subprocess
import sys

from ._pipe import program


def main():
    """Run the program with the arguments of this process, in its place where that is possible."""
    path = program()
    if os.name == "posix":
        os.execv(path, [path, *sys.argv[1:]])
    sys.exit(subprocess.call([path, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
