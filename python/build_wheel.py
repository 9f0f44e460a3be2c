#!/usr/bin/env python3
"""Build a wheel of patchwork-parts: the package with the program of one platform.

    python3 python/build_wheel.py -o DIR [--platform linux-amd64|...|all]

It needs Go, and nothing from the network that Go has not. The same sources and the same
Go give the same bytes, wherever they are.
"""

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PACKAGE = HERE / "patchwork_parts"

# For each platform the tag of its wheels. The program is static, so that any Linux does.
PLATFORMS = {
    "linux-amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux-arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin-amd64": "macosx_11_0_x86_64",
    "darwin-arm64": "macosx_11_0_arm64",
    "windows-amd64": "win_amd64",
    "windows-arm64": "win_arm64",
}


def version():
    return re.search(r'__version__ = "([^"]+)"', (PACKAGE / "__init__.py").read_text()).group(1)


def go(*args, **env):
    return subprocess.run(["go", *args], cwd=ROOT, env={**os.environ, **env}, check=True, capture_output=True, text=True).stdout


def build(platform, folder):
    """Build the program for a platform; return its path."""
    goos, goarch = platform.split("-")
    path = folder / ("patchwork.exe" if goos == "windows" else "patchwork")
    go("build", "-trimpath", "-buildvcs=false", "-tags", "slim", "-ldflags", "-s -w -buildid=", "-o", str(path), "./cmd/patchwork",
       CGO_ENABLED="0", GOOS=goos, GOARCH=goarch, GOFLAGS="", GOAMD64="v1", GOWORK="off")
    return path


def notices(*flags):
    """Return the licences of the Go modules inside the program, as one text."""
    module = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    listed = go("list", "-deps", *flags, "-f", module, "./cmd/patchwork")
    modules = sorted({tuple(line.split("\t")) for line in listed.splitlines() if "\t" in line})
    modules.append(("Go", go("env", "GOVERSION").strip(), go("env", "GOROOT").strip()))
    texts = ["The program contains these libraries:\n"]
    for path, at, folder in modules:
        if path.startswith("example.com/"):
            continue
        found = [f for f in sorted(Path(folder).iterdir()) if re.match(r"(?i)(licen[cs]e|copying|notice)", f.name) and f.is_file()]
        if not found:
            raise SystemExit(f"{path} has no licence file")
        texts += [f"\n{'=' * 80}\n{path} {at}\n{'=' * 80}\n\n{f.read_text(errors='replace')}" for f in found]
    return "".join(texts)


def metadata():
    readme = (HERE / "README.md").read_text()
    return f"""Metadata-Version: 2.1
Name: patchwork-parts
Version: {version()}
Summary: Explain binary rows and images by a few parts
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
Provides-Extra: sklearn
Requires-Dist: scikit-learn>=1.0; extra == "sklearn"
Description-Content-Type: text/markdown

{readme}"""


def write(wheel, files):
    """Write a wheel whose bytes depend on the contents only."""
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        info = f"patchwork_parts-{version()}.dist-info"

        def add(name, content, mode=0o644):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type, entry.create_system = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED, 3
            z.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")

        for name, content, mode in files:
            add(name, content, mode)
        record.append(f"{info}/RECORD,,")
        entry = zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type, entry.create_system = 0o100644 << 16, zipfile.ZIP_DEFLATED, 3
        z.writestr(entry, "\n".join(record) + "\n")


def wheel(platform, out):
    tag = f"py3-none-{PLATFORMS[platform]}"
    info = f"patchwork_parts-{version()}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        program = build(platform, Path(folder))
        files = [(f"patchwork_parts/{p.name}", p.read_bytes(), 0o644) for p in sorted(PACKAGE.glob("*.py"))]
        files.append((f"patchwork_parts/bin/{program.name}", program.read_bytes(), 0o755))
    about = f"Wheel-Version: 1.0\nGenerator: patchwork build_wheel.py\nRoot-Is-Purelib: false\n"
    about += "".join(f"Tag: py3-none-{t}\n" for t in PLATFORMS[platform].split("."))
    files += [(f"{info}/METADATA", metadata().encode(), 0o644), (f"{info}/WHEEL", about.encode(), 0o644),
              (f"{info}/entry_points.txt", b"[console_scripts]\npatchwork = patchwork_parts.__main__:main\n", 0o644),
              (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
              (f"{info}/licenses/NOTICES.txt", notices("-tags", "slim").encode(), 0o644)]
    path = out / f"patchwork_parts-{version()}-{tag}.whl"
    write(path, files)
    return path


def this_platform():
    return go("env", "GOOS", "GOARCH").strip().replace("\n", "-")


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = args.add_mutually_exclusive_group(required=True)
    what.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder to write the wheel to")
    what.add_argument("--notices", action="store_true", help="print the licences of all Go modules in the whole program")
    args.add_argument("--platform", default=None, choices=[*PLATFORMS, "all"], help="platform of the wheel (default: this one)")
    args = args.parse_args()
    if args.notices:
        print(notices(), end="")
        return
    args.output.mkdir(parents=True, exist_ok=True)
    platform = args.platform or this_platform()
    if platform not in (*PLATFORMS, "all"):
        raise SystemExit(f"there are no wheels for {platform}; choose one of {', '.join(PLATFORMS)}")
    for name in PLATFORMS if platform == "all" else [platform]:
        try:
            path = wheel(name, args.output)
        except subprocess.CalledProcessError as e:
            raise SystemExit(f"go {' '.join(e.cmd[1:3])} failed:\n{e.stderr}") from None
        print(f"wrote {path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    sys.exit(main())
