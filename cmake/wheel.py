# SPDX-License-Identifier: Apache-2.0
"""wheel.py CMAKE BUILD SOURCE VERSION OUT: the tree that `cmake --install` leaves, as a wheel in the folder OUT.

`pip install` puts the program into bin and its modules into lib/lanescope of the environment, where it looks for them. Left out are
lanescope-ladder, which links the whole program again, and links, which a zip cannot have: lanescope makes those when it needs them. The
tag states the oldest glibc that every file accepts. Equal trees give equal bytes, on machines that both have advzip, which packs 4 % smaller, or both not.
"""
import base64
import email.message
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile

MODULES = ("cupti", "cuobjdump", "nvrtc", "nvcc", "crt", "nvvm", "runtime", "cccl")  # of CUDA, for lanescope[cuda]


def pinned(source):
    """The packages of bootstrap's CUDA_WHEELS, as (name, version, sha256)."""
    rows = re.findall(r"(nvidia-[\w-]+)==([\d.]+) --hash=sha256:([0-9a-f]{64})", (source / "bootstrap").read_text())
    return [row for row in rows if row[0].rsplit("-", 1)[1] in MODULES]


def oldest_glibc(files):
    """The newest glibc version that a dynamic symbol of one of the files asks for."""
    newest = (2, 17)
    for file in files:
        symbols = subprocess.run(["objdump", "-T", file], capture_output=True, text=True, check=True).stdout
        for major, minor in re.findall(r"\*UND\*.*GLIBC_(\d+)\.(\d+)", symbols):
            newest = max(newest, (int(major), int(minor)))
    return newest


def metadata(source, version):
    head = email.message.Message()
    head["Metadata-Version"] = "2.4"
    head["Name"] = "lanescope"
    head["Version"] = version
    head["Summary"] = "Terminal profiler and teaching lab for CUDA, with and without a GPU"
    head["License-Expression"] = "Apache-2.0"
    head["License-File"] = "LICENSE"
    head["Requires-Python"] = ">=3.8"
    head["Classifier"] = "Environment :: GPU :: NVIDIA CUDA"
    head["Provides-Extra"] = "cuda"
    for name, release, _ in pinned(source):
        head["Requires-Dist"] = f'{name}=={release}; extra == "cuda"'
    head["Description-Content-Type"] = "text/markdown"
    return head.as_string() + (source / "README.md").read_text()


def bill_of_materials(version, build):
    """CycloneDX: what is in the files beside lanescope itself."""
    cache = (build / "CMakeCache.txt").read_text()
    parts = []
    for name, variable, header, pattern in (
        ("sqlite", "SQLITE_INCLUDE_DIR", "sqlite3.h", r'#define SQLITE_VERSION\s+"([\d.]+)"'),
        ("ncurses", "CURSES_INCLUDE_DIR", "curses.h", r'#define NCURSES_VERSION "([\d.]+)"'),
        ("zlib", "ZLIB_INCLUDE_DIR", "zlib.h", r'#define ZLIB_VERSION "([\d.]+)"'),
    ):
        folder = re.search(rf"^{variable}:PATH=(.*)", cache, re.M)
        found = folder and re.search(pattern, (pathlib.Path(folder[1]) / header).read_text())
        if not found:
            sys.exit(f"wheel.py: the version of {name} is in no header that {build} was built with.")
        parts.append({"type": "library", "name": name, "version": found[1]})
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": {
        "type": "application", "name": "lanescope", "version": version}}, "components": parts}, indent=1) + "\n"


def main():
    cmake, build, source, version, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:4]), sys.argv[4], pathlib.Path(sys.argv[5])
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch)
        subprocess.run([cmake, "--install", build, "--prefix", stage, "--strip"], check=True, stdout=subprocess.DEVNULL)
        info, data = f"lanescope-{version}.dist-info", f"lanescope-{version}.data"
        members, programs = {}, []
        for file in sorted(stage.rglob("*")):
            place = file.relative_to(stage)
            if file.is_symlink() or not file.is_file() or file.name == "lanescope-ladder":
                continue
            if place.parts[0] == "bin":
                member = f"{data}/scripts/{file.name}"
            elif "licences" in place.parts:
                member = f"{info}/licenses/{file.name}"
            elif place.parts[:3] == ("share", "doc", "lanescope"):
                continue
            else:
                member = f"{data}/data/{place}"
            members[member] = (file.read_bytes(), os.access(file, os.X_OK) or ".so" in file.name)
            if file.read_bytes()[:4] == b"\x7fELF":
                programs.append(file)
        glibc = "_".join(map(str, oldest_glibc(programs)))
    tag = f"py3-none-manylinux_{glibc}_{os.uname().machine}"
    members[f"{info}/METADATA"] = (metadata(source, version).encode(), False)
    members[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: lanescope {version}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), False)
    members["pytest_lanescope.py"] = ((source / "packaging" / "pytest_lanescope.py").read_bytes(), False)
    members[f"{info}/entry_points.txt"] = (b"[pytest11]\nlanescope = pytest_lanescope\n", False)
    members[f"{info}/licenses/LICENSE"] = ((source / "LICENSE").read_bytes(), False)
    members[f"{info}/sboms/lanescope.cdx.json"] = (bill_of_materials(version, build).encode(), False)
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for name, (content, _) in members.items())
    members[f"{info}/RECORD"] = ((record + f"{info}/RECORD,,\n").encode(), False)
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"lanescope-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, runs) in members.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (stat.S_IFREG | (0o755 if runs else 0o644)) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    if shutil.which("advzip"):
        subprocess.run(["advzip", "--recompress", "--shrink-insane", "--iter", "1", "--quiet", wheel], check=True)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


main()
