# SPDX-License-Identifier: Apache-2.0
"""Where the figures of lessons come from: the recordings in tests/data, and runs of the device model that are made when a row of
lesson_figures.py asks for them. A row is (lesson, the text before its figures, the values in the order of the text, what they are of)."""
import functools
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

root, lanescope = sys.argv[1:3]


def report(path):
    text = subprocess.run([lanescope, "report", path, "--json"], check=True, stdout=subprocess.PIPE).stdout
    return report_runs.nested(json.loads(text))["runs"]


@functools.lru_cache(maxsize=None)
def recorded(name):
    return report(f"{root}/tests/data/{name}.lsr")


@functools.lru_cache(maxsize=None)
def modelled(*arguments):
    """The runs of the device model with these arguments."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.lsr")
        result = subprocess.run([lanescope, "--record", path, "--device", "simt", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                env=dict(os.environ, XDG_STATE_HOME=folder), text=True)
        assert result.returncode == 0, f"lanescope {' '.join(arguments)}: {result.stderr}"
        return report(path)


def find(runs, workload, variant, **params):
    found = [run for run in runs if run["workload"] == workload and run["variant"] == variant
             and all(run["params"].get(name) == value for name, value in params.items())]
    assert len(found) == 1, f"{workload}:{variant} {params}: {len(found)} runs"
    return found[0]


def busy_us(run):
    """The time of the device in one round: kernels and copies, what runs side by side once."""
    overlap = run["overlap"]
    rounds = run["copies"][-1]["count"] / 2  # the poison of the input and of the output
    assert run["copies"][-1]["kind"] == "set"
    return (overlap["kernel_busy_ns"] + overlap["copy_busy_ns"] - overlap["copy_hidden_ns"]) / rounds / 1e3


def kernel_of(run, name):
    found = [kernel for kernel in run["kernels"] if name in ("", kernel["name"])]
    assert found, f"{run['workload']}:{run['variant']} has no kernel {name}"
    return found[0]


def metric(run, name, kernel=""):
    return kernel_of(run, kernel)["metrics"][name]["value"]


def us(run, kernel=""):
    return kernel_of(run, kernel)["time_ns"]["median"] / 1e3


def rounds_of(run):
    """How often a case is repeated: a GPU does it three times, the model once."""
    return 3 if run["clock"] == "wall" else 1


def copies_of(run, *kinds):
    return [copy for copy in run["copies"] if copy["kind"] in kinds]


def input_us(run):
    """The time of the device in one round, without the copies back and the sets, which only verify."""
    return (run["device_time_ns"] - sum(copy["time_ns"] for copy in copies_of(run, "dtoh", "set"))) / rounds_of(run) / 1e3


def copy_speed(run, kind):
    """GB/s of the median copy."""
    copy, = copies_of(run, kind)
    return copy["bytes"] / copy["count"] / copy["median_ns"]


def call_us(run, name):
    call, = [call for call in run["calls"] if call["name"] == name]
    return call["median_ns"] / 1e3


KINDS = {  # the value of a run and of one of its kernels; anything else is the id of a metric
    "us": us,
    "ms": lambda run, kernel: us(run, kernel) / 1e3,
    "TB/s": lambda run, kernel: metric(run, "effective_bandwidth_bytes_per_second", kernel) / 1e12,
    "GB/s": lambda run, kernel: metric(run, "effective_bandwidth_bytes_per_second", kernel) / 1e9,
    "MB read": lambda run, kernel: metric(run, "dram_read_bytes", kernel) / 1e6,
    "sectors": lambda run, kernel: metric(run, "global_load_sectors_per_request", kernel),
    "loads": lambda run, kernel: metric(run, "global_load_requests", kernel) * 32 / run["params"]["n"],
    "lines": lambda run, kernel: metric(run, "global_load_sectors_per_request", kernel) / 4,
    "store sectors": lambda run, kernel: metric(run, "global_store_sectors_per_request", kernel),
    "wavefronts": lambda run, kernel: metric(run, "shared_load_wavefronts", kernel) / metric(run, "shared_load_instructions", kernel),
    "store wavefronts": lambda run, kernel: metric(run, "shared_store_wavefronts", kernel) / metric(run, "shared_store_instructions", kernel),
    "active": lambda run, kernel: metric(run, "active_threads_per_warp", kernel),
    "M requests": lambda run, kernel: metric(run, "global_load_requests", kernel) / 1e6,
    "K instructions": lambda run, kernel: metric(run, "instructions", kernel) / 1e3,
    "M instructions": lambda run, kernel: metric(run, "instructions", kernel) / 1e6,
    "busy us": lambda run, kernel: busy_us(run),
    "busy ms": lambda run, kernel: busy_us(run) / 1e3,
    "round ms": lambda run, kernel: run["device_time_ns"] / rounds_of(run) / 1e6,
    "input ms": lambda run, kernel: input_us(run) / 1e3,
    "copy in GB/s": lambda run, kernel: copy_speed(run, "htod"),
    "overlap us": lambda run, kernel: run["overlap"]["span_ns"] / 1e3,
    "active streams": lambda run, kernel: run["overlap"]["mean_active_streams"],
    "span ms": lambda run, kernel: run["span_ns"] / 1e6,
    "verified": lambda run, kernel: float(run["verified"] is True),
}


def value(runs, lesson, kind, case):
    """Of a case "variant name=value" or "workload:variant/kernel name=value"; without a workload it is the lesson's."""
    name, *params = case.split()
    name, _, kernel = name.partition("/")
    workload, _, variant = name.rpartition(":")
    given = {key: int(number) for key, number in (param.split("=") for param in params)}
    run = find(runs, workload or lesson, variant, **given)
    return KINDS[kind](run, kernel) if kind in KINDS else metric(run, kind, kernel)


def of_h200(lesson, recording="curriculum_h200"):
    """The function that gives a value, (kind, case), of a recording."""
    return lambda kind, case: value(recorded(recording), lesson, kind, case)


def of_model(lesson, *arguments):
    """The same of a run of the device model: of all workloads at their small size for an H200, or with these arguments."""
    return lambda kind, case: value(modelled(*arguments), lesson, kind, case)


# Rows: (lesson, where, values, origin). `where` is a sentence of the lesson with {} for each figure, or (text, rows) of a table:
# the begin of its head, and values for the cells of each row after the first column: a number, a list of those in a cell, None:
# no run gives it.

def say(lesson, sentence, origin, *values):
    return lesson, sentence, values, origin


def table(lesson, head, origin, rows):
    return lesson, ("table", head), rows, origin


def h200(lesson, sentence, kind, *cases, recording="curriculum_h200"):
    return say(lesson, sentence, "H200", *[value(recorded(recording), lesson, kind, case) for case in cases])


def model(lesson, sentence, kind, *cases, arguments=()):
    return say(lesson, sentence, "model", *[value(modelled(*arguments), lesson, kind, case) for case in cases])


def count(lesson, sentence, kind, *cases, arguments=()):
    """Counts: exact, the same on every device of this compute capability, so that the lesson need not say which."""
    return say(lesson, sentence, "", *[value(modelled(*arguments), lesson, kind, case) for case in cases])
