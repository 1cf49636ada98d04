# SPDX-License-Identifier: Apache-2.0
"""pytest on lanescope's device model: tests of CUDA programs run where there is no GPU.

pytest --lanescope runs the whole session on the model, with --check: what Numba, CuPy or a library of the project launches is executed
and checked there, also in the programs that tests start. The fixture lanescope does it for one command:

    def test_saxpy(lanescope):
        lanescope.check("./saxpy", "1000")            # passes, with no race, no access out of bounds, no leak ...
        lanescope.gate("counts.txt", "./saxpy")       # and with the counts that are kept in git
"""
import os
import shutil
import subprocess
import sys
import sysconfig

import pytest

STARTED = "LANESCOPE_PYTEST"  # in the environment of the session on the model


def find_program():
    beside = os.path.join(sysconfig.get_path("scripts"), "lanescope")
    return beside if os.access(beside, os.X_OK) else shutil.which("lanescope")


def find_checks(program, recording):
    """The findings as text; empty where there are none, or no recording was made."""
    if not os.path.exists(recording):
        return ""
    rows = subprocess.run([program, "report", recording, "--table", "checks", "--format", "csv"], capture_output=True, text=True, check=False)
    if rows.returncode != 0 or len(rows.stdout.splitlines()) < 2:
        return ""
    return subprocess.run([program, "report", recording, "--table", "checks"], capture_output=True, text=True, check=False).stdout


class Lanescope:
    """Runs commands on the device model; each method fails the test with what the command printed and lanescope's own words."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.runs = 0

    def run(self, *words):
        return subprocess.run([self.program, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)

    def check(self, *command, options=()):
        """The command ends with status 0 and --check finds nothing; returns the path of the recording."""
        self.runs += 1
        recording = str(self.folder / f"lanescope-{self.runs}.lsr")
        done = self.run("--device", "simt", "--check", *options, "--record", recording, "--", *command)
        found = find_checks(self.program, recording)
        if done.returncode != 0 or found:
            pytest.fail(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{found}", pytrace=False)
        return recording

    def gate(self, baseline, *command, options=()):
        """The counts of the command are those of the file, which is written where it does not exist."""
        done = self.run("gate", *options, baseline, "--", *command)
        if done.returncode != 0:
            pytest.fail(done.stdout, pytrace=False)


@pytest.fixture
def lanescope(tmp_path):
    program = find_program()
    if not program:
        pytest.fail("lanescope is neither beside this Python nor on PATH: pip install lanescope", pytrace=False)
    return Lanescope(program, tmp_path)


def pytest_addoption(parser):
    group = parser.getgroup("lanescope")
    group.addoption("--lanescope", action="store_true", help="run the session on lanescope's device model: CUDA without a GPU, checked")
    group.addoption("--lanescope-record", metavar="FILE", default="pytest.lsr", help="the recording of that session (pytest.lsr)")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if not config.getoption("--lanescope") or STARTED in os.environ:
        return None
    program, recording = find_program(), config.getoption("--lanescope-record")
    if not program:
        raise pytest.UsageError("lanescope is neither beside this Python nor on PATH: pip install lanescope")
    words = [program, "--device", "simt", "--check", "--record", recording, "--", sys.executable, "-m", "pytest", *config.invocation_params.args]
    status = subprocess.run(words, env={**os.environ, STARTED: "1"}, check=False).returncode
    print(find_checks(program, recording) or f"lanescope: no findings; lanescope report {recording} has the kernels", flush=True)
    return status
