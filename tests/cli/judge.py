# SPDX-License-Identifier: Apache-2.0
"""judge.py LANESCOPE FOLDER [NAME...]: of tests/judge no cheat passes, and every honest kernel does; each for the reference that its head names. NAME: only
files whose names begin so. Where there is no nvcc: skipped."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

LANESCOPE, FOLDER, NAMES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), tuple(sys.argv[3:])


def judged(file):
    of = re.search(r"^// reference: (\w+)", file.read_text(encoding="utf-8"), re.M).group(1)
    ran = subprocess.run([LANESCOPE, "judge", str(file), "--reference", str(FOLDER / "reference" / f"{of}.cu"), "--json"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, encoding="utf-8")
    return file, ran


def main():
    files = [file for kind in ("cheats", "honest") for file in sorted((FOLDER / kind).glob("*.*")) if file.name.startswith(NAMES or "")]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for file, ran in pool.map(judged, files):
            if "needs nvcc" in ran.stderr or "no compiler" in ran.stderr:
                print(f"skipped: {ran.stderr.strip()}")
                sys.exit(77)
            rows = json.loads(ran.stdout)["rows"] if ran.stdout else []
            passed = bool(rows) and all(row["passed"] for row in rows) and ran.returncode == 0
            wanted = file.parent.name == "honest"
            last = rows[-1] if rows else {"rule": "none", "sentence": ran.stderr.strip()}
            print(f"{'' if passed == wanted and rows else 'WRONG '}{file.parent.name}/{file.stem}: {'passed' if passed else last['rule']}: {(last['sentence'] or '')[:150]}")
            failures += passed != wanted or not rows or ran.returncode not in (0, 1)
    sys.exit(1 if failures or not files else 0)


main()
