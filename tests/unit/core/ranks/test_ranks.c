/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that never ran (tests/shared/made/made_job.h), gathered and judged: the planted rank and its cause are found, the
 * balanced twin names nobody, the waits are those of the simulation, the clocks those that were planted. Traces of
 * PyTorch whose waits are worked out by hand. Then orders of gathering, and damaged files.
 */
#include "core/ranks/job.h"
#include "core/ranks/job_sheets.h"
#include "tests/shared/made/made_job.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/lanescope-ranks-XXXXXX";

static void enter(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void leave(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(ranks, .init = enter, .fini = leave, .timeout = 120);

static void name_digest(uint32_t rank, char name[32])
{
    snprintf(name, 32, "rank-%u.lsd", rank);
}

static void write_file(const char *name, const void *bytes, size_t size_bytes)
{
    FILE *file = fopen(name, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size_bytes, file), size_bytes);
    cr_assert_eq(fclose(file), 0);
}

static char *read_file(const char *name, size_t *size_bytes)
{
    FILE *file = fopen(name, "rb");
    cr_assert_not_null(file, "%s", name);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    *size_bytes = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size_bytes + 1);
    cr_assert_eq(fread(bytes, 1, *size_bytes, file), *size_bytes);
    fclose(file);
    return bytes;
}

static bool write_digest(void *context, uint32_t rank, const void *bytes, size_t size_bytes)
{
    char name[32];
    (void)context;
    name_digest(rank, name);
    write_file(name, bytes, size_bytes);
    return true;
}

static void gather_files(const char *const *files, size_t count, const char *out)
{
    struct gather *gather;
    struct error error = {0};
    cr_assert_eq(gather_start(&gather, ".", &error), STATUS_OK, "%s", error.text);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(gather_add(gather, files[i], &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(gather_write(gather, out, &error), STATUS_OK, "%s", error.text);
    gather_end(gather);
}

/* The job of the digests of this folder. */
static struct job *open_made(const struct made_job *made, double *waits_ns)
{
    char names[64][32];
    const char *files[64];
    struct job *job;
    struct error error = {0};
    cr_assert(made_job_make(made, write_digest, NULL, waits_ns));
    for (uint32_t i = 0; i < made->ranks; i++) {
        name_digest(i, names[i]);
        files[i] = names[i];
    }
    gather_files(files, made->ranks, "made.lsj");
    cr_assert_eq(job_open(&job, "made.lsj", &error), STATUS_OK, "%s", error.text);
    return job;
}

static double waits_of(const struct job *job)
{
    double waits_ns = 0;
    for (uint32_t i = 0; i < job->collective_count; i++)
        waits_ns += (double)job->collectives[i].waited_ns;
    return waits_ns;
}

Test(ranks, each_cause_is_found)
{
    static const uint8_t causes[MADE_CAUSE_COUNT] = {
        [MADE_SLOW_GPU] = RANK_COMPUTE, [MADE_UNEVEN] = RANK_COMPUTE, [MADE_HOST] = RANK_HOST,
        [MADE_LOADER] = RANK_LOADER,    [MADE_LINK] = RANK_COPY,      [MADE_LAUNCH] = RANK_LAUNCH,
        [MADE_ONCE] = RANK_HOST};
    static const char *const evidence[MADE_CAUSE_COUNT] = {
        [MADE_SLOW_GPU] = "GPU is slower", [MADE_UNEVEN] = "the work is uneven", [MADE_HOST] = "outside CUDA",
        [MADE_LOADER] = "enumerate(DataL", [MADE_LINK] = "link is slower",       [MADE_LAUNCH] = "launching",
        [MADE_ONCE] = "outside CUDA"};
    for (enum made_cause cause = MADE_SLOW_GPU; cause < MADE_CAUSE_COUNT; cause++)
        for (uint32_t ranks = 2; ranks <= 32; ranks *= 4) {
            double waits_ns;
            struct made_job made = {.ranks = ranks,
                                    .steps = 40,
                                    .late = ranks - 1,
                                    .cause = cause,
                                    .seed = ranks,
                                    .clock_offset_ns = 5e9,
                                    .clock_drift = 4e-5,
                                    .one_host = ranks < 8};
            struct job *job = open_made(&made, &waits_ns);
            const struct job_verdict *verdict = &job->verdict;
            cr_assert(!verdict->silent, "%s, %u ranks: %s", made_cause_texts[cause], ranks, verdict->silence);
            cr_expect_eq(verdict->culprit, made.late, "%s, %u ranks: rank %u", made_cause_texts[cause], ranks,
                         verdict->culprit);
            cr_expect_eq(verdict->cause, causes[cause], "%s, %u ranks: %s", made_cause_texts[cause], ranks,
                         rank_class_id(verdict->cause));
            cr_expect(strstr(verdict->evidence, evidence[cause]) != NULL, "%s: %s", made_cause_texts[cause],
                      verdict->evidence);
            cr_expect_eq(verdict->culprits, 1, "%s, %u ranks: %u stand out", made_cause_texts[cause], ranks,
                         verdict->culprits);
            if (cause == MADE_ONCE)
                cr_expect_eq(verdict->step, 20, "step %u", verdict->step);
            job_close(job);
        }
}

Test(ranks, a_balanced_job_names_nobody)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (uint32_t ranks = 2; ranks <= 16; ranks *= 2) {
            double waits_ns;
            struct made_job made = {.ranks = ranks,
                                    .steps = 40,
                                    .cause = MADE_BALANCED,
                                    .seed = seed,
                                    .clock_offset_ns = 1e9,
                                    .clock_drift = 1e-5,
                                    .one_host = ranks < 8};
            struct job *job = open_made(&made, &waits_ns);
            cr_expect(job->verdict.silent, "seed %u, %u ranks: %s %s", (unsigned)seed, ranks,
                      job->verdict.who, job->verdict.why);
            cr_expect(strncmp(job->verdict.silence, "No rank stands out", 18) == 0, "%s",
                      job->verdict.silence);
            job_close(job);
        }
}

/* The simulation's waits, within what the clocks leave open; on one clock to the ns that rounding leaves. */
Test(ranks, waits_are_those_of_the_simulation)
{
    for (uint32_t ranks = 4; ranks <= 32; ranks *= 2) {
        double waits_ns;
        struct made_job made = {.ranks = ranks,
                                .steps = 50,
                                .late = 1,
                                .cause = MADE_HOST,
                                .seed = 7,
                                .clock_offset_ns = 2e9,
                                .clock_drift = 3e-5,
                                .one_host = ranks < 8};
        struct job *job = open_made(&made, &waits_ns);
        const double slack_ns = job->collective_count * (1.0 + 2 * (double)job->residual_ns);
        cr_expect(fabs(waits_of(job) - waits_ns) <= slack_ns, "%u ranks: %.0f ns, of %.0f, residual %lld",
                  ranks, waits_of(job), waits_ns, (long long)job->residual_ns);
        cr_expect_lt(job->residual_ns, 10000);
        cr_expect_eq(job->host_count, made.one_host ? 1u : ranks / MADE_HOST_RANKS);
        job_close(job);
    }
}

Test(ranks, a_clock_is_fitted)
{
    struct clock_point points[100];
    double scratch[CLOCK_SCRATCH + 100];
    struct clock_fit fit;
    for (int i = 0; i < 100; i++) {
        points[i].at_ns = 1e8 * i;
        points[i].apart_ns = 3e9 + 2e-5 * points[i].at_ns + (i % 7 == 0 ? 5e6 : i % 3 * 1000 - 1000);
    }
    cr_assert(clock_fit(&fit, points, 100, scratch));
    cr_expect(fabs(fit.drift - 2e-5) < 1e-7, "%g", fit.drift);
    cr_expect(fabs(fit.offset_ns - 3e9) < 2000, "%g", fit.offset_ns);
    cr_expect_gt(fit.residual_ns, 4e6); /* one in seven is far off, and that is said */
    cr_expect(!clock_fit(&fit, points, 2, scratch));
    for (int i = 0; i < 100; i++)
        points[i].apart_ns = 0.01 * points[i].at_ns;
    cr_expect(!clock_fit(&fit, points, 100, scratch));
}

/* Any tree of gathering gives the same bytes, and gathering a rank twice changes nothing. */
Test(ranks, any_tree_gives_the_same_bytes)
{
    double waits_ns;
    struct made_job made = {.ranks = 24, .steps = 10, .cause = MADE_BALANCED, .seed = 3};
    job_close(open_made(&made, &waits_ns));
    size_t size_bytes;
    char *wanted = read_file("made.lsj", &size_bytes), names[24][32];
    for (uint32_t i = 0; i < 24; i++)
        name_digest(i, names[i]);
    for (unsigned seed = 1; seed <= 10; seed++) {
        const char *files[25];
        uint32_t order[24];
        for (uint32_t i = 0; i < 24; i++)
            order[i] = i;
        srand(seed);
        for (uint32_t i = 23; i > 0; i--) {
            const uint32_t other = (uint32_t)rand() % (i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        const uint32_t cut = 1 + (uint32_t)rand() % 22;
        for (uint32_t i = 0; i < 24; i++)
            files[i] = names[order[i]];
        gather_files(files, cut, "a.lsj");
        gather_files(files + cut, 24 - cut, "b.lsj");
        gather_files((const char *[]){"b.lsj", files[0], "a.lsj"}, 3, "c.lsj");
        gather_files((const char *[]){"c.lsj", "a.lsj"}, 2, "d.lsj");
        size_t size;
        char *bytes = read_file("d.lsj", &size);
        cr_assert(size == size_bytes && memcmp(bytes, wanted, size) == 0, "seed %u", seed);
        free(bytes);
    }
    free(wanted);
}

/* ---- a trace of PyTorch whose waits are known ---- */
/* Steps of 1,000 us: a kernel from 0, `work_us` long, then an all-reduce until 900 us. Rank 1's clock is ahead. */
static void write_trace(const char *name, int rank, int work_us, int ahead_us)
{
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    fprintf(
        file,
        "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, \"world_size\": 2},\n"
        "\"traceEvents\": [\n",
        rank);
    for (int i = 0; i < 20; i++) {
        const long long at_us = 1700000000000000 + ahead_us + i * 1000;
        fprintf(
            file,
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": %lld, \"dur\": %d, "
            "\"args\": {\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %d, \"grid\": [64, 1, 1], "
            "\"block\": [128, 1, 1]}},\n"
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)\", \"pid\": 0, "
            "\"tid\": 9, \"ts\": %lld, \"dur\": %d, \"args\": {\"device\": 0, \"context\": 1, \"stream\": 9, "
            "\"correlation\": %d, \"grid\": [8, 1, 1], \"block\": [512, 1, 1]}}%s\n",
            at_us, work_us, 2 * i + 1, at_us + work_us, 900 - work_us, 2 * i + 2, i < 19 ? "," : "");
    }
    fprintf(file, "]}\n");
    fclose(file);
}

Test(ranks, waits_of_a_trace_are_those_worked_out_by_hand)
{
    struct job *job;
    struct error error = {0};
    write_trace("a.json", 0, 400, 0);
    write_trace("b.json", 1, 700, 12345);
    gather_files((const char *[]){"a.json", "b.json"}, 2, "job.lsj");
    cr_assert_eq(job_open(&job, "job.lsj", &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(job->rank_count, 2);
    cr_assert_eq(job->collective_count, 20);
    cr_expect_eq(job->host_count, 2); /* the traces name no host */
    cr_expect(fabs(job->hosts[1].offset_ns - 12345000) < 1, "%g", job->hosts[1].offset_ns);
    cr_expect_eq(job->residual_ns, 0);
    for (uint32_t i = 1; i < 20; i++) {
        cr_expect_eq(job->collectives[i].state, COLLECTIVE_JUDGED, "%u: %s", i,
                     collective_state_words(job->collectives[i].state));
        cr_expect_eq(job->collectives[i].waited_ns, 300000);
        cr_expect_eq(job->collectives[i].last, 1);
        cr_expect_eq(job->collectives[i].operation, OPERATION_ALL_REDUCE);
        cr_expect_eq(job->collectives[i].cause, RANK_COMPUTE);
    }
    cr_expect(!job->verdict.silent);
    cr_expect_eq(job->verdict.culprit, 1);
    cr_expect_eq(job->verdict.caused_ns, 19 * 300000);
    cr_expect(fabs(job->ranks[1].device_factor - 1.75) < 1e-9, "%g", job->ranks[1].device_factor);
    /* A step takes 300 us less. */
    cr_expect(fabs(job->verdict.speedup - 1000.0 / 700) < 1e-9, "%g", job->verdict.speedup);
    cr_expect_eq(job->ranks[0].digest.head->ns[RANK_COMPUTE], 20 * 400000);
    cr_expect_eq(job->ranks[0].digest.head->ns[RANK_COLLECTIVE], 20 * 500000);
    job_close(job);
}

/* Steps of 2,000 us with four kernels of 300 us, an all-reduce after each on a stream of its own. Rank 1 begins 500 us
 * late. Rank 0 computes on while it waits, so that the later all-reduces wait for work that it has done already. */
static void write_overlapping_trace(const char *name, int rank)
{
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    fprintf(
        file,
        "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, \"world_size\": 2},\n"
        "\"traceEvents\": [\n",
        rank);
    for (int i = 0; i < 80; i++) {
        const int in_step = i % 4, late_us = rank == 1 ? 500 : 0;
        const int all_us = rank == 1 ? 800 + 300 * in_step : in_step == 0 ? 300 : 550 + 300 * in_step;
        const long long at_us = 1700000000000000 + i / 4 * 2000;
        fprintf(
            file,
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": %lld, \"dur\": 300, "
            "\"args\": {\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %d, \"grid\": [64, 1, 1], "
            "\"block\": [128, 1, 1]}},\n"
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)\", \"pid\": 0, "
            "\"tid\": 9, \"ts\": %lld, \"dur\": %d, \"args\": {\"device\": 0, \"context\": 1, \"stream\": 9, "
            "\"correlation\": %d, \"grid\": [8, 1, 1], \"block\": [512, 1, 1]}}%s\n",
            at_us + late_us + 300 * in_step, 2 * i + 1, at_us + all_us, 850 + 300 * in_step - all_us,
            2 * i + 2, i < 79 ? "," : "");
    }
    fprintf(file, "]}\n");
    fclose(file);
}

Test(ranks, the_work_that_follows_a_late_start_is_no_cause)
{
    struct job *job;
    struct error error = {0};
    write_overlapping_trace("a.json", 0);
    write_overlapping_trace("b.json", 1);
    gather_files((const char *[]){"a.json", "b.json"}, 2, "job.lsj");
    cr_assert_eq(job_open(&job, "job.lsj", &error), STATUS_OK, "%s", error.text);
    cr_expect_eq(job->verdict.culprit, 1);
    cr_expect_gt(job->ranks[1].by_cause_ns[RANK_COMPUTE], job->ranks[1].by_cause_ns[RANK_OTHER]);
    cr_expect_eq(job->verdict.cause, RANK_OTHER);
    cr_expect_eq(job->ranks[1].cause, RANK_OTHER);
    cr_expect_eq(job->ranks[0].cause, RANK_CLASS_COUNT);
    cr_expect(strstr(job->verdict.evidence, "slower") == NULL, "%s", job->verdict.evidence);
    job_close(job);
}

/* Two ranks on two H200 each, recorded under torchrun; docs/results/ranks.md says what rank 1 does otherwise than rank 0. The
 * waits are those that a script over the start times of the recordings' NCCL kernels finds. */
Test(ranks, real_jobs)
{
    static const struct {
        const char *name;
        bool silent;
        enum rank_class cause;
        int64_t waited_ns[2];
    } jobs[] = {{"balanced", true, RANK_CLASS_COUNT, {5616596, 998225}},
                {"pipebal", true, RANK_CLASS_COUNT, {-1, -1}},
                {"compute", false, RANK_COMPUTE, {3174117568, 0}},
                {"uneven", false, RANK_COMPUTE, {3207077113, 0}},
                {"host", false, RANK_HOST, {673456625, 368558}},
                {"loader", false, RANK_HOST, {1439014959, 0}},
                {"pipe", false, RANK_COMPUTE, {-1, -1}}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct job *job;
        struct error error = {0};
        char path[200];
        snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/data/ranks/%s_h200.lsj", jobs[i].name);
        cr_assert_eq(job_open(&job, path, &error), STATUS_OK, "%s", error.text);
        cr_expect_eq(job->verdict.silent, jobs[i].silent, "%s", jobs[i].name);
        cr_expect(jobs[i].silent || job->verdict.culprit == 1, "%s: %u", jobs[i].name, job->verdict.culprit);
        cr_expect_eq(job->verdict.cause, jobs[i].cause, "%s: %d", jobs[i].name, job->verdict.cause);
        cr_expect(strstr(job->verdict.evidence, "GPU is slower") == NULL, "%s: %s", jobs[i].name,
                  job->verdict.evidence);
        for (uint32_t rank = 0; rank < 2; rank++)
            cr_expect(jobs[i].waited_ns[rank] < 0 || job->ranks[rank].waited_ns == jobs[i].waited_ns[rank],
                      "%s: rank %u waited %lld ns", jobs[i].name, rank,
                      (long long)job->ranks[rank].waited_ns);
        job_close(job);
    }
}

/* Replayed as it was a job takes what it took. The edit of the culprit's cause is the first one of a single rank, and what it
 * promises is what the balanced twin of the same program takes. Where the others' kernels ran beside a collective that waited,
 * and so more slowly, the promise is below it. */
Test(ranks, a_job_is_replayed)
{
    static const struct {
        const char *name, *twin;
        enum rank_class cause;
        double least, most; /* the promise by what the twin gains */
    } jobs[] = {
        {"balanced", NULL, RANK_CLASS_COUNT, 0, 0},       {"pipebal", NULL, RANK_CLASS_COUNT, 0, 0},
        {"compute", "balanced", RANK_COMPUTE, 0.7, 1.02}, {"uneven", "balanced", RANK_COMPUTE, 0.7, 1.02},
        {"host", "balanced", RANK_HOST, 0.9, 1.1},        {"loader", "balanced", RANK_HOST, 0.9, 1.1},
        {"pipe", "pipebal", RANK_COMPUTE, 0.95, 1.05}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct job *job, *twin;
        struct job_replays replays;
        struct error error = {0};
        char path[200];
        const struct job_edit *first = NULL;
        snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/data/ranks/%s_h200.lsj", jobs[i].name);
        cr_assert_eq(job_open(&job, path, &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(job_replay(job, &replays, &error), STATUS_OK);
        cr_expect_lt(fabs(replays.error), 1e-6, "%s: %g", jobs[i].name, replays.error);
        for (uint32_t k = 0; k < replays.count && !first; k++)
            if (replays.edits[k].rank != JOB_NOBODY && replays.edits[k].class < RANK_CLASS_COUNT)
                first = &replays.edits[k];
        cr_expect_eq(first != NULL, jobs[i].twin != NULL, "%s", jobs[i].name);
        if (first && jobs[i].twin) {
            cr_expect_eq(first->rank, 1);
            cr_expect_eq(first->class, jobs[i].cause, "%s: %d", jobs[i].name, first->class);
            snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/data/ranks/%s_h200.lsj", jobs[i].twin);
            cr_assert_eq(job_open(&twin, path, &error), STATUS_OK, "%s", error.text);
            const double span_ns = (double)job->verdict.span_ns,
                         gained = span_ns / (double)twin->verdict.span_ns,
                         promised = span_ns / (span_ns - (double)first->gain_ns);
            cr_expect(promised > jobs[i].least * gained && promised < jobs[i].most * gained,
                      "%s: %.3fx promised, the twin is %.3fx as fast", jobs[i].name, promised, gained);
            job_close(twin);
        }
        job_close(job);
    }
}

/* Of generated jobs of 64 ranks on eight clocks it is known who is late by how much. */
Test(ranks, replays_of_made_jobs)
{
    for (int cause = MADE_BALANCED; cause < MADE_ONCE; cause++) {
        const struct made_job made = {
            .ranks = 64, .steps = 40, .seed = 3, .late = 21, .cause = (enum made_cause)cause};
        struct job_replays replays;
        struct error error;
        double waits_ns;
        struct job *job = open_made(&made, &waits_ns);
        uint32_t single = JOB_NOBODY;
        cr_assert_eq(job_replay(job, &replays, &error), STATUS_OK);
        cr_expect_lt(fabs(replays.error), 1e-3, "%g", replays.error);
        for (uint32_t i = 0; i < replays.count && single == JOB_NOBODY; i++)
            single = replays.edits[i].rank;
        cr_expect_eq(single, cause == MADE_BALANCED ? JOB_NOBODY : 21, "%s: %u", made_cause_texts[cause],
                     single);
        job_close(job);
    }
}

/* Ranks 0 and 1 are a group, 2 and 3 another, and all four a third: the traces name them, and rank 3 has its streams the
 * other way round. Rank 2 is late in its group, so 3 is late with it for all. */
static void write_named_trace(const char *name, int rank)
{
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    fprintf(file,
            "{\"schemaVersion\": 1, \"baseTimeNanoseconds\": 1700000000000000000, \"distributedInfo\": "
            "{\"backend\": \"nccl\", \"rank\": %d, \"world_size\": 4},\n\"traceEvents\": [\n",
            rank);
    for (int i = 0; i < 20; i++) {
        const int pair_us = rank < 2 ? 500 : 800, late_us = rank == 2 ? 700 : 400;
        const int starts[4] = {0, late_us, pair_us, pair_us + 50},
                  ends[4] = {late_us, pair_us, pair_us + 50, 900};
        for (int j = 0; j < 4; j++) {
            fprintf(
                file,
                "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7, \"ts\": %d.000, "
                "\"dur\": %d.000, \"args\": {\"device\": 0, \"context\": 1, \"stream\": %d, \"correlation\": %d, "
                "\"grid\": [64, 1, 1], \"block\": [128, 1, 1]",
                j % 2 == 0 ? "gemm" : "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", i * 1000 + starts[j],
                ends[j] - starts[j],
                j % 2 == 0  ? 7
                : rank == 3 ? 20 - j
                            : 10 + j,
                4 * i + j + 1);
            if (j % 2 == 1)
                fprintf(
                    file,
                    ", \"Collective name\": \"allreduce\", \"In msg nelems\": 1000, \"Group size\": %d, \"dtype\": "
                    "\"BFloat16\", \"Process Group Name\": \"%d\", \"Process Group Description\": \"%s\", "
                    "\"Process Group Ranks\": \"%s\"",
                    j == 1 ? 2 : 4, j == 1 ? 1 + rank / 2 : 0, j == 1 ? "pair" : "default_pg",
                    j == 3     ? "[0, 1, 2, 3]"
                    : rank < 2 ? "[0, 1]"
                               : "[2, 3]");
            fprintf(file, "}}%s\n", i < 19 || j < 3 ? "," : "");
        }
    }
    fprintf(file, "]}\n");
    fclose(file);
}

Test(ranks, named_communicators_are_told_apart_and_followed)
{
    static const char *const files[] = {"0.json", "1.json", "2.json", "3.json"};
    struct job *job;
    struct error error = {0};
    for (int i = 0; i < 4; i++)
        write_named_trace(files[i], i);
    gather_files(files, 4, "job.lsj");
    cr_assert_eq(job_open(&job, "job.lsj", &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(job->communicator_count, 3);
    cr_assert_eq(job->collective_count, 60);
    cr_expect(strstr(job->order_note, "by the communicators that the traces name"), "%s", job->order_note);
    for (uint32_t i = 0; i < 60; i++) {
        const struct job_collective *row = &job->collectives[i];
        const struct job_communicator *communicator = &job->communicators[row->communicator];
        cr_expect(communicator->named);
        cr_expect_eq(row->bytes, 2000);
        cr_expect_eq(row->ranks, communicator->ranks);
        if (row->state != COLLECTIVE_JUDGED)
            continue;
        cr_expect_eq(row->waited_ns,
                     communicator->ranks == 4       ? 200000
                     : communicator->name[5] == '1' ? 0
                                                    : 300000,
                     "%s: %lld", communicator->name, (long long)row->waited_ns);
        if (row->waited_ns > 0) {
            cr_expect_eq(row->root, 2, "%s: rank %u", communicator->name, row->root);
            cr_expect_eq(row->chain, communicator->ranks == 4);
            cr_expect_eq(row->cause, RANK_COMPUTE);
        }
    }
    cr_expect_eq(job->verdict.culprit, 2);
    job_close(job);
}

/* ---- damage ---- */
static enum status try_bytes(const char *bytes, size_t size_bytes, const char *name)
{
    struct job *job = NULL;
    struct error error = {0};
    write_file(name, bytes, size_bytes);
    const enum status status = job_open(&job, name, &error);
    if (status != STATUS_OK)
        cr_expect(error.text[0] != '\0' && job == NULL);
    job_close(job);
    return status;
}

Test(ranks, damaged_files_are_refused)
{
    double waits_ns;
    struct made_job made = {.ranks = 2, .steps = 4, .cause = MADE_BALANCED, .seed = 3, .one_host = true};
    job_close(open_made(&made, &waits_ns));
    size_t size_bytes;
    char *bytes = read_file("made.lsj", &size_bytes), *copy = malloc(size_bytes);
    cr_expect_eq(try_bytes(bytes, size_bytes, "x.lsj"), STATUS_OK);
    for (size_t i = 0; i < size_bytes; i++) {
        memcpy(copy, bytes, size_bytes);
        copy[i] = (char)(copy[i] ^ 0x41);
        cr_expect_neq(try_bytes(copy, size_bytes, "x.lsj"), STATUS_OK, "byte %zu of %zu", i, size_bytes);
    }
    for (size_t i = 0; i < size_bytes; i += 7)
        cr_expect_neq(try_bytes(bytes, i, "x.lsj"), STATUS_OK, "cut at %zu", i);
    free(bytes);
    free(copy);
}

Test(ranks, a_newer_version_is_said)
{
    double waits_ns;
    struct job *job;
    struct error error = {0};
    struct made_job made = {.ranks = 2, .steps = 4, .cause = MADE_BALANCED, .seed = 3, .one_host = true};
    job_close(open_made(&made, &waits_ns));
    size_t size_bytes;
    char *bytes = read_file("made.lsj", &size_bytes);
    bytes[8] = 2;
    write_file("new.lsj", bytes, size_bytes);
    cr_expect_eq(job_open(&job, "new.lsj", &error), STATUS_VERSION);
    free(bytes);
    bytes = read_file("rank-0.lsd", &size_bytes);
    bytes[8] = 2;
    write_file("new.lsd", bytes, size_bytes);
    cr_expect_eq(job_open(&job, "new.lsd", &error), STATUS_VERSION);
    free(bytes);
}
