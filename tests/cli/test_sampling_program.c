/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over time from the command line to the recording, with doubles of the driver and of CUPTI in the
 * sampler: watching, a program beside which is sampled, several GPUs, a sampler that is killed.
 */
#include "core/recording/recording.h"
#include "core/session/samples.h"
#include "core/wire/wire.h"
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef TEST_AGENT
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI part, and therefore no sampler");
    fflush(stdout);
    _exit(77);
}
#else

static char output[1 << 16], errors[1 << 16];

static void enter(void)
{
    program_enter();
    unsetenv("LOCAL_RANK");
    setenv("LD_LIBRARY_PATH", TEST_BUILD_DIR "/tests/sampling_doubles", 1);
}

TestSuite(sampling_program, .init = enter, .fini = program_leave, .timeout = 280);

static int run(const char *arguments)
{
    return program_run(arguments, output, errors, sizeof output);
}

static struct session *load(const char *path)
{
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
    return session;
}

static bool has_notice(const struct session *session, const char *text)
{
    for (uint32_t i = 0; i < session_notice_count(session); i++)
        if (strstr(session_string(session, session_notice(session, i)->text), text))
            return true;
    return false;
}

/* Records by `format`, which takes a number of seconds, into `path`: longer and longer until the recording
 * has so many samplings and, of the first, more than so many samples. A busy machine may keep a sampler from
 * its work. */
static struct session *record(const char *format, const char *path, uint32_t samplings, uint64_t samples)
{
    for (double seconds = 0.2;; seconds *= 3) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, format, seconds);
        cr_assert_eq(run(arguments), 0, "%s", errors);
        struct session *session = load(path);
        bool enough = sampling_count(session) == samplings && sample_count(session, 0) > samples;
        if (enough || seconds > 20)
            return session;
        session_destroy(session);
    }
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

Test(sampling_program, watching_starts_nothing_and_records_samples)
{
    int64_t begun_ns = now_ns();
    struct session *session = record("watch --record w.lsr --time-limit %g", "w.lsr", 1, 50);
    cr_assert(strstr(output, "achieved occupancy"), "%s", output);
    cr_assert_eq(sampling_count(session), 1);
    cr_assert_eq(sampling_at(session, 0)->series, 10);
    cr_assert_eq(sampling_at(session, 0)->interval_ns, 1000000);
    uint64_t count = sample_count(session, 0);
    cr_assert(count > 50 && (int64_t)count * 1000000 < now_ns() - begun_ns, "%lu samples",
              (unsigned long)count);
    for (uint64_t i = 1; i < count; i++)
        cr_assert_eq(sample_start_ns(session, 0, i), sample_end_ns(session, 0, i - 1));
    cr_assert_eq(session_process_count(session), 1);
    cr_assert_eq(session_process(session, 0)->role, WIRE_ROLE_SAMPLER);
    cr_assert_eq(session_notice_count(session), 0);
    session_destroy(session);
}

Test(sampling_program, a_program_is_sampled_while_it_runs)
{
    struct session *session = record("--record p.lsr -- sleep %g", "p.lsr", 1, 50);
    cr_assert_eq(sampling_count(session), 1);
    cr_assert_gt(sample_count(session, 0), 50);
    session_destroy(session);
    cr_assert_eq(run("--record q.lsr --sample off -- sleep 0.1"), 0);
    session = load("q.lsr");
    cr_assert_eq(sampling_count(session), 0);
    cr_assert_eq(session_process_count(session), 0, "no sampler was started");
    session_destroy(session);
    cr_assert_eq(run("--record c.lsr --counters on -- sleep 0.1"), 0);
    session = load("c.lsr");
    cr_assert_eq(sampling_count(session), 0, "a run that counts is not sampled");
    cr_assert_eq(session_process_count(session), 0);
    session_destroy(session);
    cr_assert_eq(run("--record c.lsr --counters on --sample 1ms -- true"), 125);
    cr_assert(strstr(errors, "--sample needs a trace run"), "%s", errors);
}

Test(sampling_program, every_gpu_has_a_sampler_unless_one_is_named)
{
    setenv("LANESCOPE_DOUBLE_GPUS", "3", 1);
    struct session *session = record("--record p.lsr -- sleep %g", "p.lsr", 3, 0);
    uint32_t devices = 0;
    cr_assert_eq(sampling_count(session), 3);
    for (uint32_t i = 0; i < 3; i++)
        devices |= 1u << sampling_at(session, i)->device;
    cr_assert_eq(devices, 7);
    session_destroy(session);
    session = record("--record q.lsr --gpu 2 -- sleep %g", "q.lsr", 1, 0);
    cr_assert_eq(sampling_count(session), 1);
    session_destroy(session);
    cr_assert_eq(run("watch --record w.lsr --gpu 3 --time-limit 60"), 3);
    cr_assert(strstr(errors, "GPU 3 cannot be watched"), "%s", errors);
}

/* The GPU that a program of a launcher's is sampled on; more than one: 99. */
static uint32_t sampled_gpu(const char *format)
{
    struct session *session = record(format, "r.lsr", 1, 0);
    uint32_t gpu =
        sampling_count(session) == 1 ? session_device(session, sampling_at(session, 0)->device)->ordinal : 99;
    session_destroy(session);
    return gpu;
}

Test(sampling_program, ranks_of_a_host_share_out_its_gpus)
{
    setenv("LANESCOPE_DOUBLE_GPUS", "2", 1);
    setenv("SLURM_LOCALID", "1", 1);
    cr_assert_eq(sampled_gpu("--record r.lsr -- sleep %g"), 1);
    cr_assert_eq(sampled_gpu("--record r.lsr --gpu 0 -- sleep %g"), 0);
    setenv("SLURM_LOCALID", "5", 1);
    cr_assert_eq(sampled_gpu("--record r.lsr -- sleep %g"), 0, "it sees no GPU of that number");
}

Test(sampling_program, what_cannot_be_sampled_is_said_and_the_program_runs)
{
    setenv("LANESCOPE_DOUBLE_CHIP", "GA100", 1);
    cr_assert_eq(run("--record p.lsr -- sh -c 'exit 7'"), 7);
    struct session *session = load("p.lsr");
    cr_assert(has_notice(session, "There are no counters over time of GPU 0. Chip GA100"));
    session_destroy(session);
}

/* A child of that process whose command line has the word; 0: there is none. */
static pid_t find_child(pid_t parent, const char *word)
{
    char command[256], text[64];
    snprintf(command, sizeof command,
             "for p in /proc/[0-9]*; do grep -qs '^PPid:.%d$' $p/status && grep -qsae %s $p/cmdline && "
             "echo ${p#/proc/}; done >found; true",
             (int)parent, word);
    cr_assert_eq(system(command), 0);
    program_read("found", text, sizeof text);
    return (pid_t)strtol(text, NULL, 10);
}

Test(sampling_program, a_killed_sampler_takes_nothing_along)
{
    int status;
    pid_t lanescope = fork();
    if (lanescope == 0) {
        if (freopen("o", "w", stdout) && freopen("e", "w", stderr))
            execl(TEST_LANESCOPE, "lanescope", "--record", "p.lsr", "--", "sh", "-c",
                  "while [ ! -e enough ]; do sleep 0.05; done", (char *)NULL);
        _exit(127);
    }
    uint64_t count = 0;
    while (count <= 50) {
        struct session *session;
        usleep(50000);
        if (recording_load(&session, "p.lsr", NULL) != STATUS_OK)
            continue; /* not begun */
        count = sampling_count(session) ? sample_count(session, 0) : 0;
        session_destroy(session);
    }
    pid_t sampler = find_child(lanescope, "--sampler");
    cr_assert_gt(sampler, 0);
    cr_assert_eq(kill(sampler, SIGKILL), 0);
    while (kill(sampler, 0) == 0) /* until lanescope knows */
        usleep(10000);
    usleep(200000);
    program_write("enough", "");
    cr_assert_eq(waitpid(lanescope, &status, 0), lanescope);
    cr_assert_eq(status, 0);
    struct session *session = load("p.lsr");
    cr_assert(has_notice(session, "The sampler of GPU 0 was ended by signal 9"));
    cr_assert_gt(sample_count(session, 0), 50);
    session_destroy(session);
}

#endif
