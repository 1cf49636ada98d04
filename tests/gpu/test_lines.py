#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_lines.py LANESCOPE FOLDER [PROGRAM]: what lines cost, on a GPU, against what the lessons say and what the range profiler counts.

Runs transpose and both matrix products traced, counted and by lines, into one recording, and asks that with sqlite3:
- the line with most samples, with most sectors and with most excess wavefronts is the one that the lesson names;
- a kernel's sectors, ideal sectors' bound, wavefronts and instructions, summed over its instructions, are what the range profiler counted,
  exactly;
- every instruction that was sampled has a source line, and the source is kept.
Then PROGRAM, somebody else's, is sampled as it runs (tests/gpu/programs/phases.cu is one), and its kernels are counted. Ends with 77 where there
is no GPU. FOLDER keeps the recordings; "" keeps none."""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

WORK = ["transpose", "matmul-ab", "matmul-aat"]
LOOP_AB = "sum += a[row * W + i] * b[i * n + column];"
# kernel: the source line with most samples, with most sectors, with most excess wavefronts (None: the lesson names none).
NAMED = {
    "transpose_copy": ("out[(y + j) * n + x] = words[j / ROWS];", None, None),
    "transpose_naive": ("out[x * n + y + j] = in[(y + j) * n + x];",) * 2 + (None,),
    "transpose_tile": ("out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];", None,
                       "out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];"),
    "transpose_pad": ("tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];", None, None),
    "transpose_swizzle": ("tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];", None, None),
    "matmul_simple": (LOOP_AB, LOOP_AB, None),
    "matmul_a_tile": ("sum += a_tile[threadIdx.y][i] * b[i * n + column];",) * 2 + (None,),
    "matmul_ab_tiles": (None, None, None),
    "matmul_aat_simple": ("sum += a[row * W + i] * a[column * W + i];",) * 2 + (None,),
    "matmul_aat_tile": (None, None, "turned[threadIdx.x][threadIdx.y] = a[(blockIdx.x * W + threadIdx.y) * W + threadIdx.x];"),
    "matmul_aat_pad": (None, None, None),
}
SECTORS, IDEAL = "smsp__sass_sectors_mem_global", "smsp__sass_sectors_mem_global_ideal"
WAVEFRONTS, IDEAL_WAVEFRONTS = ("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
                                "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal")
# What the range profiler calls the same: the sum of those that a recording has, loads and stores.
RANGE = {
    SECTORS: [["smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"],
              ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]],
    WAVEFRONTS: [["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                  "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]],
    "smsp__sass_inst_executed": [["smsp__inst_executed.sum"], ["sm__inst_executed.sum"]],
    "smsp__sass_thread_inst_executed": [["smsp__thread_inst_executed.sum"]],
}

failures = 0


def check(good, text):
    global failures
    print(("ok      " if good else "FAILED  ") + text)
    failures += not good


def record(program, path, *arguments):
    command = [program, "--record", path, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    if done.returncode != 0:
        print(done.stdout[-2000:], done.stderr[-2000:])
    check(done.returncode == 0, "lanescope " + " ".join(arguments))
    return sqlite3.connect("file:%s?mode=ro" % path, uri=True)


def tell_notices(db):
    for (text,) in db.execute("SELECT text FROM notices"):
        print("notice  " + text)


def source_lines(db):
    return {file: text.split("\n") for file, text in
            db.execute("SELECT f.text, t.text FROM source s JOIN string f ON f.id = s.file JOIN string t ON t.id = s.text")}


def by_line(db, kernel, counter=None):
    """(file, line) -> samples, or what the counter counted."""
    if counter:
        query = "SELECT file, line, sum(per_launch) FROM instruction_counts WHERE function_name = ? AND counter = ? GROUP BY 1, 2"
        rows = db.execute(query, (kernel, counter))
    else:
        rows = db.execute("SELECT file, line, sum(samples) FROM stalls WHERE function_name = ? AND reason NOT LIKE '%_not_issued' "
                          "GROUP BY 1, 2", (kernel,))
    return {(file, line): number for file, line, number in rows}


def check_top(texts, kernel, what, numbers, named):
    if not numbers:
        check(False, "%s has no %s" % (kernel, what))
        return
    (file, line), number = max(numbers.items(), key=lambda row: row[1])
    text = texts.get(file, [""] * 10000)[line - 1].strip() if line else "?"
    share = 100.0 * number / max(1, sum(numbers.values()))
    what = "%s: most %s (%.0f %%) in %s:%d  %s" % (kernel, what, share, file, line, text)
    if named:
        check(text == named, what)
    else:
        print("        " + what)


def check_totals(db, kernel):
    for counter, choices in RANGE.items():
        sass = sum(by_line(db, kernel, counter).values())
        for names in choices:
            marks = ",".join("?" * len(names))
            rows = db.execute("SELECT measurement, sum(number), count(*) FROM counters WHERE kernel = ? AND counter IN (%s) GROUP BY 1" % marks,
                              (kernel, *names)).fetchall()
            totals = sorted({total for _, total, count in rows if count == len(names)})
            if totals:
                check(totals == [sass], "%s: %s = %d, the range profiler %s" % (kernel, counter, sass, totals))
                break
        else:
            print("        %s: %s = %d; nothing to compare with" % (kernel, counter, sass))


def check_kernels(db):
    texts = source_lines(db)
    for kernel, (samples, sectors, wavefronts) in NAMED.items():
        check_top(texts, kernel, "samples", by_line(db, kernel), samples)
        check_top(texts, kernel, "sectors", by_line(db, kernel, SECTORS), sectors)
        ideal = by_line(db, kernel, IDEAL_WAVEFRONTS)
        excess = {row: number - ideal.get(row, 0) for row, number in by_line(db, kernel, WAVEFRONTS).items()}
        if wavefronts:
            check_top(texts, kernel, "excess wavefronts", excess, wavefronts)
        elif excess:
            print("        %s: excess wavefronts %s" % (kernel, sorted(excess.values())))
        check_totals(db, kernel)
    no_line = db.execute("SELECT count(*) FROM stalls WHERE line = 0 OR line IS NULL").fetchone()[0]
    check(no_line == 0, "%d stalls have no source line" % no_line)
    texts_there = db.execute("SELECT count(text), count(*) FROM instruction").fetchone()
    print("        instructions with text: %d of %d" % texts_there)


def check_program(program, folder, stranger):
    db = record(program, os.path.join(folder, "program.lsr"), "--runs", "lines", "--", stranger)
    tell_notices(db)
    texts = source_lines(db)
    kernels = [name for (name,) in db.execute("SELECT DISTINCT function_name FROM stalls")]
    check(len(kernels) > 0, "samples of a program: %s; sources %s" % (kernels, sorted(texts)))
    for kernel in kernels:
        check_top(texts, kernel, "samples of a program", by_line(db, kernel), None)
        check(sum(by_line(db, kernel, "smsp__sass_inst_executed").values()) > 0, "%s: its instructions are counted" % kernel)
    groups = {group for (group,) in db.execute("SELECT run_group FROM run")}
    check(len(groups) == 1, "its %d processes are one group of runs" % db.execute("SELECT count(*) FROM run").fetchone()[0])


def main():
    program = os.path.abspath(sys.argv[1])
    if not os.path.exists("/dev/nvidiactl"):
        print("skipped: no GPU")
        return 77
    keep = sys.argv[2] if len(sys.argv) > 2 else ""
    folder = keep or tempfile.mkdtemp()
    try:
        db = record(program, os.path.join(folder, "lines.lsr"), "--runs", "trace,counters,lines", *WORK)
        tell_notices(db)
        check_kernels(db)
        if len(sys.argv) > 3:
            check_program(program, folder, sys.argv[3])
    finally:
        if not keep:
            shutil.rmtree(folder)
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
