# SPDX-License-Identifier: Apache-2.0
"""coverage.py ROOT LANESCOPE [all]: the checks of the points hold that the table says hold, and no other (`lanescope coverage quick`, or all of them), and
what docs/coverage.md, which docs.py makes of the table, links and names exists."""
import json
import os
import re
import subprocess
import sys
import tempfile

root, lanescope = sys.argv[1:3]
words = [] if sys.argv[3:] == ["all"] else ["quick"]
failures = []
with open(root + "/docs/coverage.md", encoding="utf-8") as file:
    page = file.read()
with open(root + "/docs/advice.md", encoding="utf-8") as file:
    advice = file.read()
with open(root + "/docs/background.md", encoding="utf-8") as file:
    background = file.read()
for link in sorted(set(re.findall(r"\]\(([^)#]+)", page))):
    if not os.path.exists(f"{root}/docs/{link}"):
        failures.append(f"docs/coverage.md: docs/{link} does not exist")
for rule in re.findall(r"rule `(\w+)`", page):
    if f"\n## `{rule}`\n" not in advice:
        failures.append(f"docs/coverage.md: docs/advice.md has no rule {rule}")
for heading in re.findall(r'\[background\]\(background.md\), "([^"]+)"', page):
    if not re.search(rf"^#+ {re.escape(heading)}", background, re.M):
        failures.append(f"docs/coverage.md: docs/background.md has no heading {heading}")
with tempfile.TemporaryDirectory() as scratch:
    done = subprocess.run([lanescope, "coverage", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, XDG_STATE_HOME=scratch))
rows = json.loads(done.stdout)["rows"]
for row in rows:
    if not row["as_stated"]:
        failures.append(f"{row['row']}: {row['state']}: {row['check']}: {row['ours']}, {row['bounds']}: {row['says']}")
if done.returncode != (1 if any(not row["as_stated"] for row in rows) else 0):
    failures.append(f"lanescope coverage {' '.join(words)} ends with {done.returncode}: {done.stderr}")
ids = [row["row"] for row in rows]
print(f"{len(set(ids))} points, {sum(row['check'] is not None for row in rows)} checks")
for line in failures:
    print(line)
sys.exit(bool(failures))
