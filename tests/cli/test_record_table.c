/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table at the end of --record is that of the file, whatever the session could hold in memory; and it does
 * not keep lanescope from being ended.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(record_table, .init = program_enter, .fini = program_leave, .timeout = 280);

#define GENERATOR TEST_BUILD_DIR "/tests/lanescope-generator"

static void nap_ms(long ms)
{
    nanosleep(&(const struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static char table[1 << 16], report[1 << 16], errors[1 << 16];

/* Records, and gives the generator's status; the table is then the file's. */
static void check_form(const char *form, const char *memory, const char *events, int status)
{
    char arguments[512];

    snprintf(arguments, sizeof arguments,
             "--record a.lsr %s --memory %s -- " GENERATOR " --rate 0 --seed 7 --wait %s --status %d", form,
             memory, events, status);
    cr_expect_eq(program_run(arguments, table, errors, sizeof table), status, "--memory %s %s: %s", memory,
                 events, errors);
    cr_expect_str_eq(errors, "", "--memory %s %s", memory, events);
    snprintf(arguments, sizeof arguments, "report a.lsr %s", form);
    cr_assert_eq(program_run(arguments, report, errors, sizeof report), 0, "%s", errors);
    cr_expect_str_eq(table, report, "--memory %s %s: the table is not the file's:\n%s\nbut\n%s", memory,
                     events, table, report);
}

/* Both forms; the whole one is what `table` has then. */
static void check_table(const char *memory, const char *events, int status)
{
    check_form("", memory, events, status);
    cr_expect(strstr(table, "the kernels that matter"), "%s", table);
    check_form("--full", memory, events, status);
}

/* 450,000 events take some 19 MB: under the first two limits the oldest are evicted. */
Test(record_table, is_the_files_under_any_memory_limit)
{
#ifdef SANITIZES_ADDRESSES
    static const char *const limits[] = {"16"};
#else
    static const char *const limits[] = {"16", "17", "0"};
#endif

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        check_table(limits[i], "--events 450000", (int)i);
        cr_expect(strstr(table, "device to host, pageable"), "%s", table);
        cr_expect(strstr(table, "\noverlap: what ran"), "%s", table);
        cr_expect(strstr(table, "\nthe device time of lanescope-generator"), "%s", table);
    }
}

/* A run that records nothing leaves the recording that was there, and prints nothing of it. */
Test(record_table, of_a_run_that_records_nothing_is_not_the_older_recordings)
{
    static const char *const commands[] = {"--record a.lsr -- true", "--record a.lsr -- ./not-there",
                                           "--record a.lsr --device cuda copy-offset"};

    check_table("0", "--events 5000", 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        program_run(commands[i], table, errors, sizeof table);
        cr_expect_null(strstr(table, "  share   total"), "%s: %s", commands[i], table);
        cr_expect(strstr(errors, "a.lsr is the previous recording"), "%s: %s", commands[i], errors);
        cr_assert_eq(program_run("report a.lsr --full", table, errors, sizeof table), 0, "%s", errors);
        cr_expect_str_eq(table, report, "%s", commands[i]);
    }
}

Test(record_table, of_kernels_that_left_memory)
{
    check_table("16", "--numbered --events 500000", 0);
    cr_expect(strstr(table, "\noverlap: what ran"), "%s", table);
}

#ifndef SANITIZES_ADDRESSES
/* The most memory that lanescope has by itself while it runs, in KiB: the ring is shared, and not in it. */
static unsigned long most_own_kib(pid_t child)
{
    unsigned long most = 0, now;
    char path[64], line[128];
    int status;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    while (waitpid(child, &status, WNOHANG) == 0) {
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            if (sscanf(line, "RssAnon: %lu", &now) == 1 && now > most)
                most = now;
        if (file)
            fclose(file);
        nap_ms(20);
    }
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait status %x", (unsigned)status);
    return most;
}

/* At full rate events are lost, the ends of ranges among them. The limit holds until the end, while the rings
 * are read to their ends and while the table is made, too. */
Test(record_table, memory_is_bounded_at_full_rate)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        if (!freopen("output", "w", stdout))
            _exit(126);
        execl(TEST_LANESCOPE, TEST_LANESCOPE, "--record", "a.lsr", "--memory", "64", "--", GENERATOR,
              "--rate", "0", "--threads", "3", "--streams", "12", "--duration", "5", (char *)NULL);
        _exit(127);
    }
    unsigned long most = most_own_kib(child);
    cr_expect_gt(most, 40000);
    cr_expect_leq(most, 84000000 / 1024, "%lu KiB", most); /* the limit and 20 MB, as with --memory 200 */
    program_read("output", table, sizeof table);
    cr_expect(strstr(table, "the kernels that matter"), "%s", table);
}
#endif

/* A pipe that takes nothing more. */
static int full_pipe(int *reader)
{
    char bytes[4096] = {0};
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    for (size_t size = sizeof bytes; size > 0; size /= 2)
        while (write(ends[1], bytes, size) > 0)
            ;
    cr_assert_eq(errno, EAGAIN);
    cr_assert_eq(fcntl(ends[1], F_SETFL, 0), 0);
    *reader = ends[0];
    return ends[1];
}

/* The table cannot be written, so lanescope is at it until a signal ends it. The recording is whole. */
Test(record_table, ends_by_a_signal)
{
    int reader, output = full_pipe(&reader), status = 0;
    pid_t child = fork(), ended = 0;

    cr_assert_geq(child, 0);
    if (child == 0) {
        dup2(output, STDOUT_FILENO);
        execl(TEST_LANESCOPE, TEST_LANESCOPE, "--record", "a.lsr", "--", "sh", "-c", ": >ran", (char *)NULL);
        _exit(127);
    }
    for (int waited = 0; waited < 1000 && (access("ran", F_OK) != 0 || access("a.lsr-wal", F_OK) == 0);
         waited++)
        nap_ms(10);
    for (int sent = 0; sent < 100 && ended == 0; sent++) {
        kill(child, SIGTERM);
        nap_ms(100);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "wait status %x", (unsigned)status);
    cr_expect_eq(program_run("report a.lsr", report, errors, sizeof report), 0, "%s", errors);
    cr_expect_not(strstr(report, "did not end"), "%s", report);
    close(output);
    close(reader);
}
