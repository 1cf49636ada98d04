/*
 * Counters over time from the command line to the recording, with doubles of the driver and of CUPTI in the
 * sampler: watching, a program beside which is sampled, several GPUs, a sampler that is killed.
 */
#include "core/recording.h"
#include "core/samples.h"
#include "core/wire.h"
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TEST_AGENT
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI part, and so no sampler");
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

TestSuite(sampling_program, .init = enter, .fini = program_leave);

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
    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        if (strstr(session_string(session, session_notice(session, i)->text), text))
            return true;
    }
    return false;
}

Test(sampling_program, watching_starts_nothing_and_records_samples)
{
    cr_assert_eq(run("watch --record w.lsr --time-limit 0.5"), 0, "%s", errors);
    cr_assert(strstr(output, "achieved occupancy"), "%s", output);
    struct session *session = load("w.lsr");
    cr_assert_eq(sampling_count(session), 1);
    cr_assert_eq(sampling_at(session, 0)->series, 10);
    cr_assert_eq(sampling_at(session, 0)->interval_ns, 1000000);
    uint64_t count = sample_count(session, 0);
    cr_assert(count > 300 && count < 2000, "%lu samples of half a second", (unsigned long)count);
    for (uint64_t i = 1; i < count; i++)
        cr_assert_eq(sample_start_ns(session, 0, i), sample_end_ns(session, 0, i - 1));
    cr_assert_eq(session_process_count(session), 1);
    cr_assert_eq(session_process(session, 0)->role, WIRE_ROLE_SAMPLER);
    cr_assert_eq(session_notice_count(session), 0);
    session_destroy(session);
}

Test(sampling_program, a_program_is_sampled_while_it_runs)
{
    cr_assert_eq(run("--record p.lsr -- sleep 0.3"), 0, "%s", errors);
    struct session *session = load("p.lsr");
    cr_assert_eq(sampling_count(session), 1);
    cr_assert_gt(sample_count(session, 0), 200);
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
    cr_assert_eq(run("--record c.lsr --counters on --sample 1ms -- true"), 0);
    cr_assert(strstr(output, "and there is none here"), "%s", output);
}

Test(sampling_program, every_gpu_has_a_sampler_unless_one_is_named)
{
    setenv("LANESCOPE_DOUBLE_GPUS", "3", 1);
    cr_assert_eq(run("--record p.lsr -- sleep 0.3"), 0, "%s", errors);
    struct session *session = load("p.lsr");
    uint32_t devices = 0;
    cr_assert_eq(sampling_count(session), 3);
    for (uint32_t i = 0; i < 3; i++)
        devices |= 1u << sampling_at(session, i)->device;
    cr_assert_eq(devices, 7);
    session_destroy(session);
    cr_assert_eq(run("--record q.lsr --gpu 2 -- sleep 0.2"), 0);
    session = load("q.lsr");
    cr_assert_eq(sampling_count(session), 1);
    session_destroy(session);
    cr_assert_eq(run("watch --record w.lsr --gpu 3 --time-limit 5"), 3);
    cr_assert(strstr(errors, "GPU 3 cannot be watched here"), "%s", errors);
}

/* The GPU that a program of a launcher's is sampled on; more than one: 99. */
static uint32_t sampled_gpu(const char *arguments)
{
    cr_assert_eq(run(arguments), 0, "%s", errors);
    struct session *session = load("r.lsr");
    uint32_t gpu =
        sampling_count(session) == 1 ? session_device(session, sampling_at(session, 0)->device)->ordinal : 99;
    session_destroy(session);
    return gpu;
}

Test(sampling_program, ranks_of_a_host_share_out_its_gpus)
{
    setenv("LANESCOPE_DOUBLE_GPUS", "2", 1);
    setenv("SLURM_LOCALID", "1", 1);
    cr_assert_eq(sampled_gpu("--record r.lsr -- sleep 0.2"), 1);
    cr_assert_eq(sampled_gpu("--record r.lsr --gpu 0 -- sleep 0.2"), 0);
    setenv("SLURM_LOCALID", "5", 1);
    cr_assert_eq(sampled_gpu("--record r.lsr -- sleep 0.2"), 0, "it sees no GPU of that number");
}

Test(sampling_program, what_cannot_be_sampled_is_said_and_the_program_runs)
{
    setenv("LANESCOPE_DOUBLE_CHIP", "GA100", 1);
    cr_assert_eq(run("--record p.lsr -- sh -c 'exit 7'"), 7);
    struct session *session = load("p.lsr");
    cr_assert(has_notice(session, "There are no counters over time of GPU 0. Chip GA100"));
    session_destroy(session);
}

/* The sampler is the only child of lanescope that is there at first; then it is killed. */
Test(sampling_program, a_killed_sampler_takes_nothing_along)
{
    run("--record p.lsr -- sleep 1.2 >o 2>e & pid=$!; sleep 0.6; "
        "kill -9 $(grep -l -a -e --sampler $(for c in $(cat /proc/$pid/task/*/children); do echo "
        "/proc/$c/cmdline; "
        "done) | cut -d/ -f3); wait $pid; echo $? >status; true");
    program_read("status", output, sizeof output);
    cr_assert_str_eq(output, "0\n");
    struct session *session = load("p.lsr");
    cr_assert(has_notice(session, "The sampler of GPU 0 was ended by signal 9"));
    uint64_t count = sample_count(session, 0);
    cr_assert(count > 50 && count < 1100, "%lu samples", (unsigned long)count);
    session_destroy(session);
}

#endif
