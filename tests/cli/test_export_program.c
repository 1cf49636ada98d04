/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope export` of a real recording and of one of the device model, read by programs that are not ours.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define H200 TEST_SOURCE_DIR "/tests/data/h200.lsr"

static char output[1 << 16], errors[1 << 16];

static void record(void)
{
    program_enter();
    cr_assert_eq(program_run("--record a.lsr --device simt transpose n-way:4-way,n=65536,rounds=16", output,
                             errors, sizeof errors),
                 0, "%s", errors);
}

TestSuite(export_program, .init = record, .fini = program_leave, .timeout = 280);

static int check(const char *recording, const char *end, const char *more)
{
    static const char *const formats[] = {"chrome", "csv", "json"};
    char command[8192];
    for (int i = 0; i < 3; i++) {
        snprintf(command, sizeof command, "export %s --%s --out %s%s %s", recording, formats[i], formats[i],
                 end, more);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), 0, "%s", errors);
        cr_assert_str_eq(errors, "");
    }
    snprintf(command, sizeof command,
             "python3 " TEST_SOURCE_DIR "/tests/tools/check_export.py %s chrome%s csv%s json%s >&2",
             recording, end, end, end);
    return system(command);
}

Test(export_program, holds_what_the_recording_holds)
{
    cr_assert_eq(check(H200, ".gz", ""), 0);
    cr_assert_eq(check("a.lsr", "", ""), 0);
    cr_assert_eq(check("a.lsr", "", "--device simt"), 0);
    cr_assert_eq(system("python3 " CHECK_JSON " " TEST_SOURCE_DIR
                        "/docs/export.schema.json json >&2 && python3 " CHECK_JSON " " TEST_SOURCE_DIR
                        "/docs/export-chrome.schema.json chrome >&2"),
                 0);
}

/* Each event as a line of JSON while it is recorded: as many as the recording has, between a line that says what gives them and
 * one that ends them. */
Test(export_program, events_as_they_come)
{
    program_write("lines.py",
                  "import json, sys\n"
                  "first, *events, last = map(json.loads, open('events'))\n"
                  "whole = json.load(open('whole'))['events']\n"
                  "assert first['schema'] == 1 and '--events' in first['lanescope']['command'], first\n"
                  "assert last == {'end': True, 'events': len(whole), 'evicted_before_written': 0}, last\n"
                  "keys = lambda e: (e['track'], e['lane'], e['start_ns'], e['name'], e.get('kernel'))\n"
                  "assert sorted(map(keys, events), key=str) == sorted(map(keys, whole), key=str)\n");
    cr_assert_eq(
        program_run("--record b.lsr --events events --device simt transpose", output, errors, sizeof errors),
        0, "%s", errors);
    cr_assert_eq(program_run("export b.lsr --json --out whole", output, errors, sizeof errors), 0);
    cr_assert_eq(system("python3 lines.py >&2"), 0);
    cr_assert_eq(program_run("--record b.lsr --events /none/here --device simt transpose", output, errors,
                             sizeof errors),
                 125);
    cr_assert(strstr(errors, "/none/here"), "%s", errors);
}

/* The answer for programs: short, whatever the recording, as its schema says, and with the file's digest. */
Test(export_program, a_summary_is_short)
{
    static const char *const recordings[] = {"a.lsr", H200, TEST_SOURCE_DIR "/tests/data/loop_model.lsr"};
    char command[8192];
    program_write(
        "summary.py",
        "import hashlib, json, os, sys\n"
        "answer = json.load(open('output')); path = sys.argv[1]\n"
        "assert os.path.getsize('output') <= 8000, os.path.getsize('output')\n"
        "assert answer['lanescope']['files'] == [{'file': path, 'bytes': os.path.getsize(path), 'sha256':"
        " hashlib.sha256(open(path, 'rb').read()).hexdigest()}], answer['lanescope']\n"
        "assert answer['screen'] and set(answer['sheets']) >= {'runs', 'time', 'remedies', 'kernels'}\n"
        "assert answer['sheets']['kernels']['rows']\n");
    cr_assert_eq(program_run("report --json-schema summary", output, errors, sizeof errors), 0);
    cr_assert_eq(system("cp output schema"), 0);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        snprintf(command, sizeof command, "report %s --summary --json", recordings[i]);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), 0, "%s", errors);
        snprintf(command, sizeof command,
                 "python3 summary.py %s >&2 && python3 " CHECK_JSON " schema output >&2", recordings[i]);
        cr_assert_eq(system(command), 0, "%s", recordings[i]);
    }
    cr_assert_eq(program_run("--json-schema report", output, errors, sizeof errors), 0);
    cr_assert_eq(system("cmp output " TEST_SOURCE_DIR "/docs/report.schema.json"), 0);
    cr_assert_eq(program_run("--json-schema nothing", output, errors, sizeof errors), 2);
}

/* Without Perfetto's schema: the messages are whole, begins and ends of slices are those of the CSV, and so is the sum of their ns. */
Test(export_program, perfetto_holds_the_same)
{
    static const char check_perfetto[] =
        "python3 -c '\n"
        "import csv, sys\n"
        "def fields(data):\n"
        "    at = 0\n"
        "    def varint():\n"
        "        nonlocal at\n"
        "        value = shift = 0\n"
        "        while True:\n"
        "            byte = data[at]; at += 1; value |= (byte & 127) << shift; shift += 7\n"
        "            if byte < 128: return value\n"
        "    while at < len(data):\n"
        "        key = varint()\n"
        "        if key & 7 == 2: size = varint(); at += size; yield key >> 3, data[at - size:at]\n"
        "        elif key & 7 == 1: at += 8; yield key >> 3, 0\n"
        "        else: yield key >> 3, varint()\n"
        "    assert at == len(data)\n"
        "slices = ns = 0\n"
        "for _, packet in fields(open(\"p\", \"rb\").read()):\n"
        "    packet = dict(fields(packet))\n"
        "    if 11 in packet:\n"
        "        kind = dict(fields(packet[11]))[9]\n"
        "        slices += kind == 1; ns += packet[8] * (1 if kind == 2 else -1)\n"
        "rows = [row for row in csv.DictReader(open(\"c\", newline=\"\")) if row[\"kind\"] != \"sample\"]\n"
        "assert slices == len(rows) > 1000 and ns == sum(int(row[\"duration_ns\"]) for row in rows), (slices, len(rows), ns)\n"
        "' >&2";
    cr_assert_eq(
        program_run("export " H200 " --perfetto --out p --device cuda", output, errors, sizeof errors), 0,
        "%s", errors);
    cr_assert_eq(program_run("export " H200 " --csv --out c --device cuda", output, errors, sizeof errors), 0,
                 "%s", errors);
    cr_assert_eq(system(check_perfetto), 0);
}

/* The profile's messages are whole; operations and ns are those of the CSV, and a path has the ranges, or the functions, around the
 * work. */
Test(export_program, pprof_holds_the_same)
{
    static const char check_pprof[] =
        "python3 -c '\n"
        "import csv, gzip, os\n"
        "def fields(data):\n"
        "    at = 0\n"
        "    def varint():\n"
        "        nonlocal at\n"
        "        value = shift = 0\n"
        "        while True:\n"
        "            byte = data[at]; at += 1; value |= (byte & 127) << shift; shift += 7\n"
        "            if byte < 128: return value\n"
        "    while at < len(data):\n"
        "        key = varint()\n"
        "        if key & 7 == 2: size = varint(); at += size; yield key >> 3, data[at - size:at]\n"
        "        else: assert key & 7 == 0; yield key >> 3, varint()\n"
        "    assert at == len(data)\n"
        "texts, names, places, samples = [], {}, {}, []\n"
        "for field, data in fields(gzip.open(\"p.gz\").read()):\n"
        "    if field == 6: texts.append(data.decode())\n"
        "    if field == 5: data = dict(fields(data)); names[data[1]] = texts[data[2]]\n"
        "    if field == 4: data = dict(fields(data)); places[data[1]] = names[dict(fields(data[4]))[1]]\n"
        "    if field == 2: samples.append(([places[v] for f, v in fields(data) if f == 1], [v for f, v in fields(data) if f == 2]))\n"
        "assert texts[0] == \"\" and texts[1:6:1] == [\"operations\", \"count\", \"device\", \"nanoseconds\", \"samples\"], texts[:9]\n"
        "work = [row for row in csv.DictReader(open(\"c\", newline=\"\")) if row[\"kind\"] in (\"launch\", \"copy\", \"set\")]\n"
        "assert sum(v[0] for _, v in samples) == len(work) > 100, (len(samples), len(work))\n"
        "assert sum(v[1] for _, v in samples) == sum(int(row[\"duration_ns\"]) for row in work)\n"
        "assert {path[0] for path, _ in samples} == {row[\"name\"] for row in work}\n"
        "assert max(len(path) for path, _ in samples) > int(os.environ[\"RANGES\"])\n"
        "' >&2";
    static const char *const files[] = {H200, "t.json"};
    cr_assert_eq(system("python3 " TEST_SOURCE_DIR
                        "/tests/tools/make_trace.py kineto t.json --release 2.6 --launches 400 > told"),
                 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char command[400];
        snprintf(command, sizeof command, "export %s --pprof --out p.gz --device cuda", files[i]);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), 0, "%s", errors);
        snprintf(command, sizeof command, "export %s --csv --out c --device cuda", files[i]);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), 0, "%s", errors);
        setenv("RANGES", i == 0 ? "0" : "1", 1);
        cr_assert_eq(system(check_pprof), 0, "%s", files[i]);
    }
}

/* Another tool's trace as a recording of lanescope: the same report, in every table. */
Test(export_program, a_trace_becomes_a_recording)
{
    cr_assert_eq(system("python3 " TEST_SOURCE_DIR "/tests/tools/make_trace.py kineto t.json --release 2.6 "
                        "--launches 400 > told && python3 " TEST_SOURCE_DIR
                        "/tests/tools/make_trace.py rocpd t.db --release 3.0 --launches 400 > told"),
                 0);
    for (int i = 0; i < 2; i++) {
        const char *trace = i == 0 ? "t.json" : "t.db";
        char command[200];
        unlink("t.lsr");
        snprintf(command, sizeof command, "export %s --lsr --out t.lsr", trace);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), 0, "%s", errors);
        snprintf(command, sizeof command, "export %s --tables of-trace", trace);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), 0, "%s", errors);
        cr_assert_eq(program_run("export t.lsr --tables of-recording", output, errors, sizeof errors), 0,
                     "%s", errors);
        cr_assert_eq(system("diff -r of-trace of-recording >&2 && test $(ls of-trace | wc -l) -gt 30 && "
                            "test $(wc -l < of-trace/kernels.csv) -gt 4"),
                     0);
        cr_assert_eq(program_run("report t.lsr", output, errors, sizeof errors), 0);
        cr_expect(
            strstr(output, i == 0 ? "from a trace of PyTorch's profiler" : "from a database of rocprof"),
            "%s", output);
    }
}

/* A report of Nsight Systems is exported by the nsys on PATH, once, into the cache; a newer one again. */
Test(export_program, a_report_of_nsys_is_exported_once)
{
    const char *path = getenv("PATH");
    char ours[4096];
    cr_assert_eq(system("python3 " TEST_SOURCE_DIR
                        "/tests/tools/make_trace.py nsys made.sqlite --release 2026.1 "
                        "--launches 400 > told"),
                 0);
    cr_assert_eq(mkdir("bin", 0700), 0);
    program_write("bin/nsys",
                  "#!/bin/sh\n"
                  "echo \"$*\" >> calls\n"
                  "case \"$*\" in *broken*) echo not a report >&2; exit 1 ;; esac\n"
                  "while [ $# -gt 2 ]; do [ \"$1\" != --output ] || cp made.sqlite \"$2\"; shift; done\n");
    cr_assert_eq(system("chmod +x bin/nsys; echo report > a.nsys-rep; echo report > broken.nsys-rep"), 0);
    cr_assert_eq(program_run("report a.nsys-rep", output, errors, sizeof errors), 125);
    cr_expect(strstr(errors, "With nsys on PATH lanescope opens it"), "%s", errors);
    snprintf(ours, sizeof ours, "%s/bin:%s", getcwd((char[2048]){0}, 2048), path);
    setenv("PATH", ours, 1);
    snprintf(ours, sizeof ours, "%s/cache", getcwd((char[2048]){0}, 2048));
    setenv("XDG_CACHE_HOME", ours, 1);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(program_run("report a.nsys-rep", output, errors, sizeof errors), 0, "%s", errors);
        cr_expect(strstr(output, "from an export of Nsight Systems"), "%s", output);
    }
    cr_expect_eq(system("test $(wc -l < calls) = 1"), 0);
    cr_assert_eq(system("touch -d tomorrow a.nsys-rep"), 0);
    cr_assert_eq(program_run("what-if a.nsys-rep", output, errors, sizeof errors), 0, "%s", errors);
    cr_expect_eq(system("test $(wc -l < calls) = 2 && test $(ls cache/lanescope | wc -l) = 2"), 0);
    cr_assert_eq(program_run("report broken.nsys-rep", output, errors, sizeof errors), 125);
    cr_expect(strstr(errors, "nsys could not export broken.nsys-rep"), "%s", errors);
    cr_expect_eq(system("test $(ls cache/lanescope | wc -l) = 2"), 0, "no half an export");
    setenv("PATH", path, 1);
    unsetenv("XDG_CACHE_HOME");
}

/* gzip's own program reads it, and twice the same gives the same bytes. */
Test(export_program, compressed_is_the_same)
{
    cr_assert_eq(program_run("export a.lsr --chrome --out t.gz", output, errors, sizeof errors), 0);
    cr_assert_eq(program_run("export a.lsr --chrome -o u.gz", output, errors, sizeof errors), 0);
    cr_assert_eq(program_run("export a.lsr --chrome --out t.json", output, errors, sizeof errors), 0);
    cr_assert_eq(system("gzip -dc t.gz | cmp - t.json && cmp t.gz u.gz"), 0);
    cr_assert_eq(program_run("export a.lsr --chrome", output, errors, sizeof errors), 0);
    cr_assert_eq(system("cmp output t.json"), 0);
}

/* Nothing of the machine is in the bytes: the folder in which it ran, command lines, folders in texts; its name, which may be two letters, in
 * no text. */
static int look_for_names(const char *files)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "for i in %s; do ! grep -a -F -e \"$(pwd)\" -e workload-child -e /usr/local $i >&2 || exit 1; done;"
        "for i in %s; do ! grep -w -F -e \"$(hostname)\" $(echo $i | sed s/lsr$/sql/) >&2 || exit 1; done",
        files, files);
    return system(command);
}

Test(export_program, anonymous_has_no_names)
{
    cr_assert_eq(program_run("--record b.lsr --digest --anonymous --device simt transpose", output, errors,
                             sizeof errors),
                 0, "%s", errors);
    cr_assert_eq(system("python3 -c 'import sqlite3; print(*sqlite3.connect(\"b.lsr\").iterdump())' > b.sql"),
                 0);
    cr_assert_eq(check(H200, "", "--anonymous"), 0);
    cr_assert_neq(look_for_names("a.lsr"), 0, "else the next lines test nothing");
    cr_assert_eq(look_for_names("b.lsr chrome csv json"), 0);
    cr_assert_eq(system("grep -qaf /proc/sys/kernel/random/boot_id a.lsr"), 0,
                 "else the next line tests nothing");
    cr_assert_neq(system("grep -qaf /proc/sys/kernel/random/boot_id b.lsr"), 0);
    cr_assert_eq(check("a.lsr", "", "--anonymous"), 0);
    cr_assert_eq(look_for_names("chrome csv json"), 0);
    cr_assert_eq(program_run("export a.lsr --anonymous --lsr --out c.lsr", output, errors, sizeof errors), 0,
                 "%s", errors);
    cr_assert_eq(system("python3 -c 'import sqlite3; print(*sqlite3.connect(\"c.lsr\").iterdump())' > c.sql"),
                 0);
    cr_assert_eq(look_for_names("c.lsr"), 0);
    cr_assert_eq(program_run("report b.lsr", output, errors, sizeof errors), 0, "%s", errors);
    cr_assert(strstr(output, "transpose"), "%s", output);
}

Test(export_program, exit_statuses_and_sentences)
{
    static const struct {
        const char *arguments;
        int exit_status;
        const char *prints, *says;
    } rows[] = {
        {"export a.lsr", 2, "", "--chrome, --perfetto, --pprof, --csv, --json, --lsr or --tables DIR"},
        {"export --csv", 2, "", "Name the recording"},
        {"export missing.lsr --csv", 125, "", "missing.lsr"},
        {"export /etc/passwd --csv", 125, "", "not a recording"},
        {"export a.lsr --csv --out no/such/folder", 125, "", "no/such/folder"},
        {"export a.lsr --csv --out no/such/folder.gz", 125, "", "no/such/folder.gz"},
        {"export a.lsr --csv --out ./a.lsr", 2, "", "is the recording itself"},
        {"export a.lsr --chrome --device both", 2, "", "one time axis"},
        {"export a.lsr --csv --device cuda", 0, "clock,process", ""},
        {"export a.lsr --csv --out /dev/full", 125, "", "disk full"},
        {"export a.lsr --json --out /dev/full", 125, "", "disk full"},
        {"export a.lsr --lsr", 2, "", "Say where the recording goes"},
        {"export a.lsr --lsr --out a.lsr", 2, "", "exists already"},
        {"export a.lsr --tables no/such", 125, "", "no/such"},
        {"report a.lsr --chrome", 2, "", "does not apply to this command"},
        {"report a.lsr --out x", 2, "", "does not apply to this command"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = program_run(rows[i].arguments, output, errors, sizeof errors);
        cr_assert(status == rows[i].exit_status, "lanescope %s: exit status %d, expected %d\n%s%s",
                  rows[i].arguments, status, rows[i].exit_status, output, errors);
        cr_assert(strstr(output, rows[i].prints), "lanescope %s printed\n%s", rows[i].arguments, output);
        cr_assert(strstr(errors, rows[i].says), "lanescope %s said\n%s", rows[i].arguments, errors);
    }
    cr_assert_eq(system("test \"$(head -c 15 a.lsr)\" = 'SQLite format 3'"), 0);
}

/* What is left of one that could not be written is nothing. */
Test(export_program, no_half_a_file)
{
    cr_assert_neq(system("ulimit -f 8; trap '' XFSZ; " TEST_LANESCOPE " export " H200
                         " --json --out half.json 2>errors"),
                  0);
    cr_assert_neq(access("half.json", F_OK), 0);
    program_read("errors", errors, sizeof errors);
    cr_assert(strstr(errors, "half.json could not be written"), "%s", errors);
}
