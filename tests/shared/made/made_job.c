/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays by rank and collective, two collectives a step, in true time; a rank's digest is then made of its columns. */
#include "tests/shared/made/made_job.h"

#include "core/ranks/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_NS 10e6
#define NOISE 0.02
#define TRANSFER_NS 4e5
#define LATE_NS 3e6 /* by which the late rank comes later in each step */
#define UTC_NS INT64_C(1700000000000000000)
#define FIRST_NS 1e6

const char *const made_cause_texts[MADE_CAUSE_COUNT] = {"balanced", "slow-gpu", "uneven", "host",
                                                        "loader",   "link",     "launch", "once"};

static double random_share(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + a * UINT64_C(0xbf58476d1ce4e5b9) + b;
    for (int i = 0; i < 2; i++) {
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return (double)(x >> 11) * 0x1p-53;
}

/* About normal, mean 0, deviation 1. */
static double noise_at(const struct made_job *job, uint32_t rank, uint32_t at)
{
    double sum = 0;
    for (uint32_t i = 0; i < 6; i++)
        sum += random_share(job->seed, (uint64_t)rank << 20 | at, i) - 0.5;
    return sum * sqrt(2);
}

static double late_ns(const struct made_job *job, uint32_t rank, uint32_t at)
{
    if (rank != job->late || job->cause == MADE_BALANCED || at % 2 != 0)
        return 0;
    if (job->cause == MADE_ONCE)
        return at == (job->one_host ? job->steps / 2 : job->steps) / 2 * 2 ? 10 * STEP_NS : 0;
    return LATE_NS;
}

struct simulation {
    const struct made_job *job;
    uint32_t collectives; /* of a rank */
    double *start_ns, *end_ns;
    double waits_ns;
};

static double *at(const struct simulation *simulation, double *array, uint32_t rank, uint32_t collective)
{
    return &array[(size_t)rank * simulation->collectives + collective];
}

/* One collective of ranks [from, end). */
static void join(struct simulation *simulation, uint32_t from, uint32_t end, uint32_t collective)
{
    double last_ns = 0, sum_ns = 0;
    for (uint32_t rank = from; rank < end; rank++) {
        const double start_ns = *at(simulation, simulation->start_ns, rank, collective);
        last_ns = fmax(last_ns, start_ns);
        sum_ns += start_ns;
    }
    const uint32_t ranks = end - from;
    if (ranks > 1 && collective >= (simulation->job->one_host ? 1u : 2u))
        simulation->waits_ns += (last_ns * ranks - sum_ns) / (ranks - 1);
    for (uint32_t rank = from; rank < end; rank++)
        *at(simulation, simulation->end_ns, rank, collective) =
            last_ns + TRANSFER_NS + 2000 * fabs(noise_at(simulation->job, rank, collective + 1000000));
}

static void simulate(struct simulation *simulation)
{
    const struct made_job *job = simulation->job;
    for (uint32_t i = 0; i < simulation->collectives; i++) {
        const bool is_world = i % 2 == 1 || job->one_host;
        for (uint32_t rank = 0; rank < job->ranks; rank++) {
            const double from_ns = i > 0 ? *at(simulation, simulation->end_ns, rank, i - 1) : FIRST_NS;
            *at(simulation, simulation->start_ns, rank, i) =
                from_ns + STEP_NS / 2 * (1 + NOISE * noise_at(job, rank, i)) + late_ns(job, rank, i);
        }
        const uint32_t group = is_world ? job->ranks : MADE_HOST_RANKS;
        for (uint32_t from = 0; from < job->ranks; from += group)
            join(simulation, from, from + group < job->ranks ? from + group : job->ranks, i);
    }
}

/* ---- digests ---- */
struct made_digest {
    struct digest_communicator communicators[2];
    struct digest_collective collectives[DIGEST_COLLECTIVES_MAX];
    struct digest_step steps[DIGEST_STEPS_MAX];
    struct digest_kernel kernels[3];
    char texts[512];
    struct digest_parts parts;
};

static uint32_t put_text(struct made_digest *made, const char *text)
{
    const uint32_t at_byte = made->parts.head.texts_bytes;
    memcpy(made->texts + at_byte, text, strlen(text) + 1);
    made->parts.head.texts_bytes += (uint32_t)strlen(text) + 1;
    return at_byte;
}

/* What the rank did in the ns before its collective. */
static void fill_before(const struct made_job *job, uint32_t rank, uint32_t collective, double ns,
                        int64_t before_ns[])
{
    static const uint8_t classes[MADE_CAUSE_COUNT] = {
        [MADE_SLOW_GPU] = RANK_COMPUTE, [MADE_UNEVEN] = RANK_COMPUTE, [MADE_HOST] = RANK_HOST,
        [MADE_LOADER] = RANK_LOADER,    [MADE_LINK] = RANK_COPY,      [MADE_LAUNCH] = RANK_LAUNCH,
        [MADE_ONCE] = RANK_HOST};
    const double late = late_ns(job, rank, collective), usual = ns - late;
    before_ns[RANK_COMPUTE] += llround(usual * 0.9);
    before_ns[RANK_COPY] += llround(usual * 0.04);
    before_ns[RANK_LAUNCH] += llround(usual * 0.06);
    before_ns[classes[job->cause]] += llround(late);
}

static void make_digest(const struct simulation *simulation, uint32_t rank, struct made_digest *made)
{
    const struct made_job *job = simulation->job;
    struct digest_head *head = &made->parts.head;
    const uint32_t host = job->one_host ? 0 : rank / MADE_HOST_RANKS;
    const double offset_ns =
                     host == 0 ? 0 : (2 * random_share(job->seed, 1, host) - 1) * job->clock_offset_ns,
                 drift = host == 0 ? 0 : (2 * random_share(job->seed, 2, host) - 1) * job->clock_drift;
    char text[60];
    memset(made, 0, sizeof *made);
    made->parts = (struct digest_parts){.head = {.rank = (int32_t)rank,
                                                 .local_rank = (int32_t)(rank % MADE_HOST_RANKS),
                                                 .world = (int32_t)job->ranks,
                                                 .pid = 1000 + rank,
                                                 .device = rank % MADE_HOST_RANKS,
                                                 .texts_bytes = 1,
                                                 .utc_ns = UTC_NS},
                                        .communicators = made->communicators,
                                        .collectives = made->collectives,
                                        .steps = made->steps,
                                        .kernels = made->kernels,
                                        .texts = made->texts};
    snprintf(text, sizeof text, "node%05u", host);
    head->host = head->clock = put_text(made, text);
    head->program = put_text(made, "train");
    head->device_name = put_text(made, "NVIDIA H100 80GB HBM3");
    snprintf(text, sizeof text, "rank-%u.lsr", rank);
    head->file = put_text(made, text);
    const uint32_t range = job->cause == MADE_LOADER && rank == job->late
                               ? put_text(made, "enumerate(DataLoader)#_SingleProcess")
                               : 0;
    head->communicators = job->one_host ? 1 : 2;
    made->communicators[0] = (struct digest_communicator){1, put_text(made, "world"), job->ranks, 0, 1};
    snprintf(text, sizeof text, "host group %u", host);
    made->communicators[1] =
        (struct digest_communicator){UINT64_C(1000) + host, put_text(made, text), MADE_HOST_RANKS, 0, 1};
#define OWN(ns) llround((ns) + offset_ns + drift * (ns))
    for (uint32_t i = 0; i < simulation->collectives; i++) {
        const uint16_t communicator = i % 2 == 0 && !job->one_host;
        const double start_ns = simulation->start_ns[(size_t)rank * simulation->collectives + i],
                     end_ns = simulation->end_ns[(size_t)rank * simulation->collectives + i];
        struct digest_collective *row = &made->collectives[i];
        *row = (struct digest_collective){.start_ns = OWN(start_ns),
                                          .end_ns = OWN(end_ns),
                                          .bytes = UINT64_MAX,
                                          .sequence = made->communicators[communicator].count++,
                                          .communicator = communicator,
                                          .operation =
                                              communicator ? OPERATION_ALL_GATHER : OPERATION_ALL_REDUCE,
                                          .range = late_ns(job, rank, i) > 0 ? range : 0};
        const double from_ns =
            i > 0 ? simulation->end_ns[(size_t)rank * simulation->collectives + i - 1] : FIRST_NS;
        row->previous = i;
        fill_before(job, rank, i, start_ns - from_ns, row->before_ns);
        fill_before(job, rank, i, start_ns - from_ns, head->ns);
        head->ns[RANK_COLLECTIVE] += row->end_ns - row->start_ns;
    }
    const double end_ns =
        simulation->end_ns[(size_t)rank * simulation->collectives + simulation->collectives - 1];
    head->collectives = simulation->collectives;
    head->collectives_all = head->collectives;
    head->first_ns = OWN(FIRST_NS);
    head->last_ns = OWN(end_ns);
    head->steps_all = head->steps = job->steps;
    head->launches = 100u * job->steps;
    const uint32_t each = simulation->collectives / job->steps;
    for (uint32_t i = 0; i < job->steps; i++) {
        const double *ends = &simulation->end_ns[(size_t)rank * simulation->collectives];
        const double from_ns = i > 0 ? ends[i * each - 1] : FIRST_NS, until_ns = ends[i * each + each - 1];
        made->steps[i] =
            (struct digest_step){.start_ns = OWN(from_ns), .end_ns = OWN(until_ns), .first = i, .count = 1};
        int64_t rest_ns = made->steps[i].end_ns - made->steps[i].start_ns;
        for (uint32_t k = 0; k < each; k++)
            for (int class = 0; class < RANK_CLASS_COUNT; class ++) {
                made->steps[i].ns[class] += made->collectives[i * each + k].before_ns[class];
                rest_ns -= made->collectives[i * each + k].before_ns[class];
            }
        made->steps[i].ns[RANK_COLLECTIVE] += rest_ns;
    }
    head->loop_first_ns = made->steps[0].start_ns;
    head->loop_last_ns = made->steps[job->steps - 1].end_ns;
#undef OWN
    const bool late = rank == job->late;
    const double slow = late && job->cause == MADE_SLOW_GPU ? 1.5 : 1;
    const uint64_t launches = 100u * job->steps * (late && job->cause == MADE_UNEVEN ? 3u : 2u) / 2u;
    const double link = late && job->cause == MADE_LINK ? 3 : 1;
    made->kernels[0] = (struct digest_kernel){
        1, launches, 0, llround(9e4 * slow) * (int64_t)launches, 80000, 200000, put_text(made, "gemm"), 0};
    made->kernels[1] = (struct digest_kernel){
        2, launches, 0, llround(9e3 * slow) * (int64_t)launches, 8000, 20000, put_text(made, "gelu"), 0};
    made->kernels[2] = (struct digest_kernel){
        3,      job->steps, UINT64_C(10000000) * job->steps,          llround(4e5 * link) * job->steps,
        300000, 2000000,    put_text(made, "copies, host to device"), 1};
    head->kernels = 3;
    head->texts_bytes = (head->texts_bytes + 7) / 8 * 8;
}

bool made_job_make(const struct made_job *job, made_job_taker *take, void *context, double *true_waits_ns)
{
    struct simulation simulation = {.job = job, .collectives = job->steps * (job->one_host ? 1 : 2)};
    const size_t cells = (size_t)job->ranks * simulation.collectives;
    simulation.start_ns = malloc(cells * sizeof(double));
    simulation.end_ns = malloc(cells * sizeof(double));
    struct made_digest *made = malloc(sizeof *made);
    bool fine = simulation.start_ns && simulation.end_ns && made &&
                simulation.collectives <= DIGEST_COLLECTIVES_MAX && job->steps <= DIGEST_STEPS_MAX;
    if (fine)
        simulate(&simulation);
    for (uint32_t rank = 0; fine && rank < job->ranks; rank++) {
        void *bytes;
        size_t size_bytes;
        make_digest(&simulation, rank, made);
        fine = digest_join(&made->parts, &bytes, &size_bytes, NULL) == STATUS_OK;
        if (fine) {
            fine = take(context, rank, bytes, size_bytes);
            free(bytes);
        }
    }
    *true_waits_ns = simulation.waits_ns;
    free(simulation.start_ns);
    free(simulation.end_ns);
    free(made);
    return fine;
}
