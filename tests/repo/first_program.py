# SPDX-License-Identifier: Apache-2.0
# first_program.py PAGE LANESCOPE NVCC CUOBJDUMP_DOUBLE FOLDER: types what a page (docs/first-program.md) has its reader type, in a new
# folder, and compares what is printed: each line of the page stands in the output, in order; "..." stands for any text;
# "[1]" is the exit status (else 0). Programs that end without a driver may end as they like.
import os
import re
import shutil
import subprocess
import sys

page, lanescope, nvcc, double, folder = sys.argv[1:6]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder + "/bin")
os.symlink(os.path.abspath(lanescope), folder + "/bin/lanescope")
environment = dict(os.environ, PATH=folder + "/bin:" + os.path.dirname(nvcc) + ":" + os.environ["PATH"], HOME=folder, COLUMNS="100")
if not shutil.which("cuobjdump", path=environment["PATH"]):
    environment["LANESCOPE_CUOBJDUMP"] = os.path.abspath(double)

text = open(page).read()
for name, source in re.findall(r"File `([^`]+)`.*?```cuda\n(.*?)```", text, re.S):
    open(folder + "/" + name, "w").write(source)


def is_like(wanted, line):
    return re.search(".*".join(re.escape(part) for part in wanted.strip().split("...")), line) is not None


commands = []
for line in re.sub(r"```cuda\n.*?```", "", text, flags=re.S).split("\n"):
    if line.startswith("    $ "):
        commands.append((line[6:], []))
    elif line.startswith("    ") and commands:
        commands[-1][1].append(line[4:])

wrong = 0
for command, wanted in commands:
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    if "nvcc" in command and "LANESCOPE_CUOBJDUMP" in environment:
        output = command.split()[command.split().index("-o") + 1]
        arch = [word for word in command.split() if word.startswith("-arch=")]
        subprocess.run(["nvcc", "-lineinfo", *arch, "-ptx", "-o", output + ".ptx", command.split()[-1]], cwd=folder, env=environment, check=True)
    lines = done.stdout.split("\n")
    at = 0
    status = 0
    for line in wanted:
        if re.fullmatch(r"\[\d+\]", line):
            status = int(line[1:-1])
            continue
        while line != "..." and at < len(lines) and not is_like(line, lines[at]):
            at += 1
        if line != "..." and at == len(lines):
            print(f"$ {command}\nis to print, in this order:\n  {line}\nit prints:\n{done.stdout}{done.stderr}")
            wrong += 1
            break
    if done.returncode != status and wanted != ["..."]:
        print(f"$ {command}\nexit status {done.returncode}, the page has {status}:\n{done.stdout}{done.stderr}")
        wrong += 1
print(f"{len(commands)} commands, {wrong} not as {page} has them")
sys.exit(wrong > 0 or len(commands) < 4)
