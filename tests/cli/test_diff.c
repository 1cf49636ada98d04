/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope diff` as CI uses it: the good and the bad variant of a workload on the device model, limits kept
 * and broken, and what is not to be compared.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACED "traced.lsr" /* as an H200 traced the curriculum, without what it counted */
#define H200 TEST_SOURCE_DIR "/tests/data/h200.lsr"

static char output[1 << 20], errors[1 << 16];

static void make_traced(void)
{
    sqlite3 *database;
    char *why = NULL;
    cr_assert_eq(system("cp " TEST_SOURCE_DIR "/tests/data/curriculum_h200.lsr " TRACED), 0);
    cr_assert_eq(sqlite3_open(TRACED, &database), SQLITE_OK);
    sqlite3_exec(
        database,
        "DELETE FROM value; DELETE FROM measurement; DELETE FROM kernel WHERE run IN (SELECT id FROM run "
        "WHERE mode <> 0); DELETE FROM expected WHERE run IN (SELECT id FROM run WHERE mode <> 0); "
        "DELETE FROM run WHERE mode <> 0",
        NULL, NULL, &why);
    cr_assert_null(why, "%s", why);
    sqlite3_close(database);
}

static void record(void)
{
    program_enter();
    make_traced();
    cr_assert_eq(program_run("--record a.lsr --device simt transpose copy-offset,offset=0..1", output, errors,
                             sizeof errors),
                 0, "%s", errors);
    cr_assert_eq(program_run("--record b.lsr --device simt transpose", output, errors, sizeof errors), 0);
    cr_assert_eq(
        program_run("--record 'with:colon.lsr' --device simt transpose:tile", output, errors, sizeof errors),
        0);
}

TestSuite(diff, .init = record, .fini = program_leave, .timeout = 280);

Test(diff, exit_statuses_and_sentences)
{
    static const struct {
        const char *arguments;
        int exit_status;
        const char *prints, *says;
    } rows[] = {
        /* the same work twice: the model repeats itself */
        {"a.lsr b.lsr", 0, "5 kernels are the same in all that was counted and timed", ""},
        {"a.lsr b.lsr --wide", 0, "transpose_naive  4x4x1 blocks", ""},
        {"a.lsr b.lsr", 0, "of 5 kernels compared 0 became slower and 0 faster; the times of 5 are the same",
         ""},
        /* bounds alike are no difference */
        {H200 ":bank-stride:64-bit " H200 ":bank-stride:64-bit", 0, "12 kernels are the same", ""},
        /* the first lines say who became slower, and what went with it */
        {H200 ":transpose:naive " H200 ":transpose:tile", 0,
         "   266 us   84.7 us    3.1x faster transpose:tile n=4096", ""},
        /* a sixteenth of the work in each of sixteen times the launches: only the run is faster */
        {H200 ":n-way:serial " H200 ":n-way:4-way", 0, "\n  5.66 ms   2.95 ms       1.92x same ", ""},
        {H200 ":n-way:serial " H200 ":n-way:4-way", 0,
         "of 1 kernel compared 0 became slower and 0 faster; 1 did not do the same work\n", ""},
        {H200 ":n-way:serial " H200 ":n-way:4-way", 0,
         "not the same work: 3 launches of 4,224 blocks, 48 launches of 264 blocks\n", ""},
        {H200 ":n-way:serial " H200 ":n-way:4-way", 0,
         "\ntime, summed                           1.81 ms        3.06 ms", ""},
        /* another size, on another device */
        {H200 ":transpose:naive a.lsr:transpose:naive", 0, "  4.56 ms   8.93 us           - other ", ""},
        {H200 ":transpose:naive a.lsr:transpose:naive", 0, "not the same work: n=4096, n=128\n", ""},
        /* a limit is the user's: it is kept or broken by unequal work, too */
        {H200 ":n-way:serial " H200 ":n-way:4-way --fail-on 'time_ns > 1.05x'", 0, "ok: kept by 1 of 1", ""},
        {H200 " " H200, 0, "of 175 runs compared by their device time 175 took as long", ""},
        {H200 ":transpose:naive " H200 ":transpose:tile", 0,
         "with sectors per store request 32.0 -> 4.00, shared load bank conflicts 0 -> 16,252,928\n", ""},
        {"a.lsr b.lsr --fail-on 'global_load_sectors > 1x' --fail-on 'time_ns >= 1.001x'", 0,
         "ok: kept by 5 of 5", ""},
        {"a.lsr b.lsr --fail-on 'time_ns >= 1x'", 1, "FAILED: broken by 5 of 5", ""},
        {"a.lsr b.lsr", 0, "only in A: 2 kernels", ""},
        /* from the bad variant to the good one, and back */
        {"a.lsr:transpose:naive a.lsr:transpose:tile --fail-on 'global_store_sectors_per_request > 1.05x'", 0,
         "ok: kept by 1 of 1", ""},
        {"a.lsr:transpose:tile a.lsr:transpose:naive --fail-on 'global_store_sectors_per_request > 1.05x'", 1,
         "broken by 1 of 1", ""},
        {"a.lsr:transpose:tile a.lsr:transpose:naive --fail-on 'global_store_sectors_per_request > 8x'", 0,
         "8.00x worse", ""},
        {"a.lsr:transpose:tile a.lsr:transpose:naive --fail-on 'global_store_sectors_per_request >= 8x'", 1,
         "", ""},
        {"a.lsr:transpose:tile a.lsr:transpose:naive --fail-on 'global_store_sectors_per_request > 4'", 1, "",
         ""},
        {"a.lsr:transpose:pad a.lsr:transpose:tile --fail-on 'shared_load_conflicts > 0'", 1,
         "broken           ~15,872            ~0 transpose:tile n=128", ""},
        {"a.lsr:transpose:pad a.lsr:transpose:tile --fail-on 'shared_load_conflicts > 1.5x'", 1, "", ""},
        {"a.lsr:transpose:tile a.lsr:transpose:pad --fail-on 'shared_load_conflicts > 0'", 0, "", ""},
        {"a.lsr:transpose:naive a.lsr:transpose:tile --fail-on 'effective_bandwidth_bytes_per_second < 1.2x'",
         0, "", ""},
        {"a.lsr:transpose:tile a.lsr:transpose:naive --fail-on 'effective_bandwidth_bytes_per_second<1x'", 1,
         "", ""},
        {"a.lsr:copy-offset,offset=0 a.lsr:copy-offset,offset=1 --fail-on "
         "'global_load_sectors_per_request > 1.05x'",
         1, "broken             ~5.00         ~4.00 ", ""},
        {"a.lsr:copy-offset,offset=1 a.lsr:offset=0 --fail-on 'global_load_sectors_per_request > 1.05x'", 0,
         "", ""},
        {"a.lsr:transpose:tile with:colon.lsr --fail-on 'global_load_sectors <= 0.99x'", 0, "kept by 1 of 1",
         ""},
        {"with:colon.lsr:transpose:tile b.lsr:transpose:tile", 0, "with:colon.lsr:transpose:tile", ""},
        /* a real GPU against the model, whose problem is another size */
        {"a.lsr:transpose:tile,device=simt " H200 ":transpose:tile,device=cuda --fail-on "
         "'global_load_sectors_per_request > 1x'",
         0, "device model of NVIDIA H200 -> NVIDIA H200", ""},
        {H200 ":transpose:tile " H200 ":transpose:pad --fail-on 'time_ns > 0.5x'", 0, "better (p ", ""},
        {H200 " " H200 " --fail-on 'time_ns > 1x' --fail-on 'shared_load_wavefronts > 1.0x'", 0, "", ""},
        /* what nobody counted is only expected, which keeps no limit */
        {TRACED ":copy-offset,offset=0 " TRACED ":copy-offset,offset=1", 0, "+25 % worse (expected)", ""},
        {TRACED ":copy-offset " TRACED ":copy-offset --fail-on 'global_load_sectors > 1x'", 1,
         "FAILED: kept by 0 of", ""},
        {TRACED ":copy-offset " TRACED ":copy-offset --fail-on 'theoretical_occupancy_pct < 1x'", 0,
         "ok: kept", ""},
        /* a limit that is nowhere to be checked must not pass */
        {"a.lsr b.lsr --fail-on 'theoretical_bandwidth_bytes_per_second > 1x'", 0, "", ""},
        {TRACED ":staged-overlap " TRACED ":staged-overlap --fail-on 'divergent_branch > 1x'", 1,
         "could not be checked for", ""},
        {"a.lsr:transpose:tile a.lsr:transpose:tile,device=cuda", 1, "Nothing could be compared", ""},
        {"a.lsr:copy-offset b.lsr:copy-offset", 1, "B b.lsr:copy-offset ", ""},
        {"a.lsr:transpose:tile,n=77 b.lsr", 1, "Nothing could be compared", ""},
        /* what is wrong with the command */
        {"a.lsr", 2, "", "Name two recordings"},
        {"a.lsr b.lsr a.lsr", 2, "", "Name two recordings"},
        {"a.lsr missing.lsr", 2, "", "missing.lsr"},
        {"a.lsr /etc/passwd", 2, "", "not a recording"},
        {"a.lsr b.lsr --fail-on", 2, "", "--fail-on needs a value"},
        {"a.lsr b.lsr --fail-on 'time_ns'", 2, "", "it takes METRIC > LIMIT"},
        {"a.lsr b.lsr --fail-on 'time_ns > 1.05 x'", 2, "", "it takes METRIC > LIMIT"},
        {"a.lsr b.lsr --fail-on 'times > 1'", 2, "", "no metric times"},
        {"a.lsr b.lsr --fail-on 'occupancy_limiter > 1'", 2, "", "is a word"},
        {"a.lsr:tile,n b.lsr", 2, "", "is not a parameter"},
        {"a.lsr:device=abacus b.lsr", 2, "", "device=cuda"},
        {"a.lsr b.lsr --csv", 2, "", "--csv does not apply to this command"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[8192];
        snprintf(arguments, sizeof arguments, "diff %s", rows[i].arguments);
        int status = program_run(arguments, output, errors, sizeof errors);
        cr_assert(status == rows[i].exit_status, "lanescope %s: exit status %d, expected %d\n%s%s", arguments,
                  status, rows[i].exit_status, output, errors);
        cr_assert(strstr(output, rows[i].prints), "lanescope %s printed\n%s", arguments, output);
        cr_assert(strstr(errors, rows[i].says), "lanescope %s said\n%s", arguments, errors);
    }
}

/* The contract, by a validator that is not ours, and a few of its numbers as a script reads them. */
Test(diff, json_is_as_its_schema_says)
{
    static const struct {
        const char *arguments;
        int exit_status;
        const char *holds; /* Python, of d, the rows of each sheet, and m, the row of a metric of a pair */
    } rows[] = {
        {"a.lsr:transpose:pad a.lsr:transpose:tile --fail-on 'shared_load_conflicts > 0'", 1,
         "d['result'][0]['result'] == 'limits-failed' and [l['state'] for l in d['limits']] == ['broken', 'broken'] and "
         "d['pairs'][0]['matched_by'] == 'the only ones left' and "
         "m(0, 'shared_load_conflicts')['difference'] == 15872 and m(0, 'shared_load_conflicts')['ratio'] is None and "
         "m(0, 'shared_load_conflicts')['weight'] == 'certain'"},
        {H200 ":transpose:tile " H200 ":transpose:pad", 0,
         "d['result'][0]['result'] == 'fine' and m(0, 'time_ns')['weight'] == 'beyond-spread' and "
         "m(0, 'time_ns')['chance'] < 0.05 and m(0, 'time_ns')['a_provenance'] == 'measured' and m(0, 'time_ns')['a_n'] > 1 and "
         "m(0, 'time_ns')['a_min'] <= m(0, 'time_ns')['a'] <= m(0, 'time_ns')['a_max']"},
        {H200 ":transpose " H200 ":transpose", 0,
         "len(d['pairs']) == 5 and not d['only'] and len(d['kernels']) == 10"},
        {H200 ":n-way:serial " H200 ":n-way:4-way", 0,
         "d['pairs'][0]['work'] == 'sum' and (d['pairs'][0]['a_launches'], d['pairs'][0]['b_launches']) == (3, 48) and "
         "all(c['b_is'] == 'neither' for c in d['changes'] if c['pair'] == 0) and "
         "m(0, 'global_load_sectors')['a_sum'] == m(0, 'global_load_sectors')['b_sum'] == 3 * 1081344 and "
         "(d['runs'][0]['a_ns'], d['runs'][0]['b_ns']) == (5660999, 2954036) and "
         "1.9 < d['runs'][0]['times_as_fast'] < 1.93"},
        {"a.lsr:copy-offset b.lsr", 1,
         "d['result'][0]['result'] == 'nothing-compared' and len([k for k in d['only'] if k['side'] == 'b']) == 5 and "
         "all(k['pair'] is None for k in d['kernels'])"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[8192];
        snprintf(command, sizeof command, "diff %s --json", rows[i].arguments);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), rows[i].exit_status, "%s", errors);
        snprintf(
            command, sizeof command,
            "python3 " CHECK_JSON " " TEST_SOURCE_DIR "/docs/diff.schema.json output >&2 && "
            "python3 -c \"import json; d = {s: v['rows'] for s, v in json.load(open('output'))['sheets'].items()}; "
            "m = lambda pair, metric: [c for c in d['changes'] if (c['pair'], c['metric']) == (pair, metric)][0]; "
            "assert %s\" >&2",
            rows[i].holds);
        cr_assert_eq(system(command), 0, "%s", rows[i].arguments);
    }
}

/* The comparison on the screen says the same. */
Test(diff, the_screen_says_nothing_is_better_of_unequal_work)
{
    cr_assert_eq(program_run("view " H200 " --keys '/ n - w a y : 2 - w a y ENTER X' --snapshot text "
                             "--size 120x40",
                             output, errors, sizeof errors),
                 0, "%s", errors);
    cr_assert(strstr(output, "A ✓ n-way:serial") && strstr(output, "B ✓ n-way:2-way"), "%s", output);
    cr_assert(strstr(output, "the run's device time: 5.66 ms -> 4.54 ms (1.2x faster)"), "%s", output);
    cr_assert(strstr(output, "not the same work: 3 launches of 4,224 blocks, 24 launches of 528 blocks"),
              "%s", output);
    cr_assert(!strstr(output, "better") && !strstr(output, "worse"), "%s", output);
}

/* Counts of fourteen characters stand in their column: every change of a kernel's table ends where its title
 * does. */
Test(diff, columns_stand_below_their_titles)
{
    cr_assert_lt(
        program_run("diff " H200 ":n-way:serial " H200 ":n-way:4-way", output, errors, sizeof errors), 125,
        "%s", errors);
    const char *title = strstr(output, "B - A"), *row = strstr(output, "\nsingle-precision operations");
    cr_assert(title && row);
    const char *head = title, *change = strstr(++row, "-16.6 G");
    while (head > output && head[-1] != '\n')
        head--;
    cr_assert_not_null(strstr(row, "17,716,740,096"));
    cr_assert_not_null(change);
    cr_assert_eq(change + strlen("-16.6 G") - row, title + strlen("B - A") - head, "%.200s", row);
}
