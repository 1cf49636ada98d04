/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict of a job, from its judged collectives: devices against the median by the kernels that they have in common,
 * the rank or host that stands out, and the sentences.
 *
 * Nothing is a verdict that is below JOB_SHARE_LEAST of the job's time beyond what the median rank causes, or that chance
 * explains: random waits, which all ranks cause alike, name nobody.
 */
#include "core/ranks/job.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "core/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAUSE_SHARE 0.25 /* chosen: of the time that the others waited */

bool job_have_no_memory(struct error *error)
{
    error_no_memory(error, "to judge the job");
    return false;
}

#define STATE_WORDS(name, words) words,
const char *collective_state_words(uint8_t state)
{
    static const char *const texts[] = {COLLECTIVE_STATE_LIST(STATE_WORDS)};
    return state < COLLECTIVE_STATE_COUNT ? texts[state] : "";
}

/* ---- kernels ---- */
struct kernel_mean {
    uint64_t key;
    double mean; /* ns a launch; of copies ns a byte; by the median's in the end, 0: it has none */
    double all;  /* launches, or bytes */
    uint32_t rank;
    bool is_copy;
};

static int by_key_and_mean(const void *a, const void *b)
{
    const struct kernel_mean *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->mean > right->mean) - (left->mean < right->mean);
}

static int by_rank_and_mean(const void *a, const void *b)
{
    const struct kernel_mean *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return (left->mean > right->mean) - (left->mean < right->mean);
}

/* A slower device is slower in all kernels. More work can hide behind equal names and grids: then only some are. */
static void find_least(struct job *job, struct kernel_mean *ratios, uint32_t count)
{
    qsort(ratios, count, sizeof *ratios, by_rank_and_mean);
    for (uint32_t from = 0, end; from < count; from = end) {
        for (end = from; end < count && ratios[end].rank == ratios[from].rank; end++)
            ;
        while (from < end && ratios[from].mean == 0)
            from++;
        if (from < end)
            job->ranks[ratios[from].rank].device_least = ratios[from + (end - from) / 4].mean;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Kernels and copies that at least half of the ranks have, each against its median; of two ranks against the faster. */
bool job_compare_devices(struct job *job, struct error *error)
{
    struct kernel_mean *means = NULL;
    uint32_t room = 0, count = 0;
    double *times = calloc((size_t)job->rank_count * 5, sizeof *times);
    bool fine = times != NULL;
    for (uint32_t i = 0; fine && i < job->rank_count; i++) {
        const struct digest *digest = &job->ranks[i].digest;
        fine = array_grow(means, room, count, digest->head->kernels);
        for (uint32_t j = 0; fine && j < digest->head->kernels; j++) {
            const struct digest_kernel *row = &digest->kernels[j];
            const double all = row->is_copy ? (double)row->bytes : (double)row->count;
            if (all > 0 && row->sum_ns > 0)
                means[count++] =
                    (struct kernel_mean){row->key, (double)row->sum_ns / all, all, i, row->is_copy != 0};
        }
        if (fine)
            times[(size_t)job->rank_count * 4 + i] = (double)digest->head->ns[RANK_COMPUTE];
    }
    if (fine && count > 0) {
        qsort(means, count, sizeof *means, by_key_and_mean);
        for (uint32_t from = 0, end; from < count; from = end) {
            for (end = from; end < count && means[end].key == means[from].key; end++)
                ;
            const double median = means[from + (end - from - 1) / 2].mean;
            if ((end - from) * 2 < job->rank_count || end - from < 2) {
                for (uint32_t i = from; i < end; i++)
                    means[i].mean = 0;
                continue;
            }
            for (uint32_t i = from; i < end; i++) {
                double *own = &times[(size_t)means[i].rank * 4 + (means[i].is_copy ? 2 : 0)];
                own[0] += means[i].mean * means[i].all;
                own[1] += median * means[i].all;
                means[i].mean = means[i].is_copy ? 0 : means[i].mean / median;
            }
        }
        find_least(job, means, count);
        double *compute = times + (size_t)job->rank_count * 4;
        qsort(compute, job->rank_count, sizeof *compute, compare_doubles);
        const double median = compute[(job->rank_count - 1) / 2];
        for (uint32_t i = 0; i < job->rank_count; i++) {
            struct job_rank *rank = &job->ranks[i];
            const double *own = &times[(size_t)i * 4];
            rank->device_factor = own[1] > 0 ? own[0] / own[1] : (double)NAN;
            rank->copy_factor = own[3] > 0 ? own[2] / own[3] : (double)NAN;
            rank->work_factor =
                median > 0 ? (double)rank->digest.head->ns[RANK_COMPUTE] / median : (double)NAN;
        }
    }
    free(means);
    free(times);
    return fine || job_have_no_memory(error);
}

/* ---- the verdict ---- */
static const char *time_text(double ns, char text[32])
{
    const struct value value = {.available = true, .number = ns};
    metric_format(METRIC_time_ns, &value, text, 32);
    return text;
}

static int compare_times(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* What the median of the others causes; of two ranks the other one. */
static bool median_caused(const struct job *job, int64_t *median_ns, struct error *error)
{
    int64_t *caused = malloc(((size_t)job->rank_count + 1) * sizeof *caused);
    if (!caused)
        return job_have_no_memory(error);
    for (uint32_t i = 0; i < job->rank_count; i++)
        caused[i] = job->ranks[i].caused_ns;
    qsort(caused, job->rank_count, sizeof *caused, compare_times);
    *median_ns = caused[(job->rank_count - 1) / 2];
    free(caused);
    return true;
}

static void name_rank(const struct job *job, uint32_t index, char *text, size_t size_bytes)
{
    const struct job_rank *rank = &job->ranks[index];
    const char *host = job->hosts[rank->host].name;
    size_t used = 0;
    *text = '\0';
    append_text(text, size_bytes, &used, "rank %u", rank->number);
    append_text(text, size_bytes, &used, *host ? " (GPU %u of %.60s)" : " (GPU %u)",
                rank->digest.head->device, host);
}

/* The steps in which a wait of at least a tenth of the longest one was caused by it. */
static uint32_t count_steps(const struct job *job, uint32_t culprit)
{
    uint32_t steps = 0, last = UINT32_MAX;
    const int64_t most_ns = job->collectives[job->ranks[culprit].worst].waited_ns;
    for (uint32_t i = 0; i < job->collective_count; i++) {
        const struct job_collective *row = &job->collectives[i];
        if (row->state == COLLECTIVE_JUDGED && row->root == culprit && row->waited_ns >= most_ns / 10 &&
            row->step != UINT32_MAX && row->step != last) {
            steps++;
            last = row->step;
        }
    }
    return steps;
}

/* Of the rank's time beyond the mean of the others. */
static double excess_of(const struct job *job, const struct job_rank *rank, uint8_t class)
{
    const double own_ns = rank->steps_ns[class];
    return job->rank_count > 1 ? own_ns - (job->steps_ns[class] - own_ns) / (job->rank_count - 1) : 0;
}

static uint8_t cause_of(const struct job *job, const struct job_rank *rank)
{
    uint8_t cause = RANK_CLASS_COUNT, by_waits = RANK_CLASS_COUNT;
    double most_ns = CAUSE_SHARE * (double)rank->caused_ns;
    for (uint8_t class = 0; class < RANK_CLASS_COUNT; class ++) {
        const double excess_ns = class == RANK_COLLECTIVE ? 0 : excess_of(job, rank, class);
        if (rank->by_cause_ns[class] > 0 &&
            (by_waits == RANK_CLASS_COUNT || rank->by_cause_ns[class] > rank->by_cause_ns[by_waits]))
            by_waits = class;
        if (excess_ns > most_ns) {
            most_ns = excess_ns;
            cause = class;
        }
    }
    return cause < RANK_CLASS_COUNT && by_waits < RANK_CLASS_COUNT ? cause : by_waits;
}

static void find_causes(struct job *job)
{
    for (uint32_t i = 0; i < job->rank_count; i++) {
        struct job_rank *rank = &job->ranks[i];
        const struct digest *digest = &rank->digest;
        for (uint8_t class = 0; class < RANK_CLASS_COUNT; class ++) {
            rank->steps_ns[class] = digest->head->steps > 0 ? 0 : (double)digest->head->ns[class];
            for (uint32_t k = 0; k < digest->head->steps; k++)
                rank->steps_ns[class] += (double)digest->steps[k].ns[class];
            job->steps_ns[class] += rank->steps_ns[class];
        }
    }
    for (uint32_t i = 0; i < job->rank_count; i++)
        job->ranks[i].cause = cause_of(job, &job->ranks[i]);
}

static void find_evidence(const struct job *job, struct job_verdict *verdict)
{
    const struct job_rank *rank = &job->ranks[verdict->culprit];
    const struct job_collective *worst = &job->collectives[rank->worst];
    char *text = verdict->evidence, excess[32];
    const size_t size = sizeof verdict->evidence;
    const char *range = digest_text(&rank->digest, worst->range);
    size_t used = 0;
    if (verdict->cause == RANK_COMPUTE && rank->device_least >= 1.1)
        append_text(
            text, size, &used,
            "The same kernels take %.2fx as long as on the median rank: its GPU is slower (clocks, heat, or "
            "another program on it).",
            rank->device_factor);
    else if (verdict->cause == RANK_COMPUTE && rank->work_factor >= 1.1)
        append_text(text, size, &used,
                    "It has %.2fx the kernel time of the median rank%s: the work is uneven.",
                    rank->work_factor,
                    rank->device_factor < 1.1 ? ", and the same kernels are as fast there"
                                              : ", and not all of the same kernels are slower there");
    else if (verdict->cause == RANK_COPY && rank->copy_factor >= 1.2)
        append_text(text, size, &used,
                    "Its copies need %.2fx the time for a byte of the median rank's: its link is slower.",
                    rank->copy_factor);
    const double more_ns = verdict->cause < RANK_CLASS_COUNT ? excess_of(job, rank, verdict->cause) : 0;
    if (verdict->cause < RANK_CLASS_COUNT && (worst->cause == verdict->cause || more_ns > 0))
        append_text(text, size, &used, "%s%s it had %s more than the mean of the others (%s)%s%s%s.",
                    used > 0 ? " " : "",
                    worst->cause == verdict->cause ? "Before its worst collective" : "In all",
                    time_text(worst->cause == verdict->cause ? (double)worst->excess_ns : more_ns, excess),
                    rank_class_words(verdict->cause), *range ? ", most in the range \"" : "",
                    *range ? range : "", *range ? "\"" : "");
}

static void say_culprit(const struct job *job, struct job_verdict *verdict)
{
    const struct job_rank *rank = &job->ranks[verdict->culprit];
    const struct job_collective *worst = &job->collectives[rank->worst];
    char caused[32], most[32], text[160];
    uint32_t times = 0, of = 0;
    size_t used = 0;
    name_rank(job, verdict->culprit, verdict->who, sizeof verdict->who);
    for (uint32_t i = 0; i < job->collective_count; i++) {
        times +=
            job->collectives[i].state == COLLECTIVE_JUDGED && job->collectives[i].root == verdict->culprit;
        of += job->collectives[i].state == COLLECTIVE_JUDGED;
    }
    verdict->cause = rank->cause;
    verdict->step = worst->step;
    verdict->steps = count_steps(job, verdict->culprit);
    verdict->caused_ns = rank->caused_ns;
    if (rank->gain_ns > 0 && rank->gain_ns < verdict->span_ns)
        verdict->speedup = (double)verdict->span_ns / (double)(verdict->span_ns - rank->gain_ns);
    snprintf(text, sizeof text, "in %u of %u collectives", times, of);
    append_text(verdict->why, sizeof verdict->why, &used,
                "The others waited %s each for it, %.3g %% of the time, %s, at most %s in one",
                time_text((double)rank->caused_ns, caused),
                100 * (double)rank->caused_ns / (double)verdict->span_ns, text,
                time_text((double)worst->waited_ns, most));
    if (worst->step != UINT32_MAX)
        append_text(verdict->why, sizeof verdict->why, &used, " (step %u)", worst->step);
    append_text(verdict->why, sizeof verdict->why, &used, ": %s.", rank_class_cause(verdict->cause));
    find_evidence(job, verdict);
}

/* A host whose ranks are late in turn: those of the others are not. */
static void try_hosts(const struct job *job, struct job_verdict *verdict, int64_t least_ns)
{
    int64_t most_ns = 0, rest_ns = 0;
    uint32_t most = JOB_NOBODY;
    for (uint32_t i = 0; i < job->host_count; i++) {
        int64_t caused_ns = 0;
        for (uint32_t j = 0; j < job->hosts[i].ranks; j++)
            caused_ns = session_add_ns(caused_ns, job->ranks[job->order[job->hosts[i].first + j]].caused_ns);
        rest_ns = session_add_ns(rest_ns, most_ns < caused_ns ? most_ns : caused_ns);
        if (caused_ns > most_ns) {
            most_ns = caused_ns;
            most = i;
        }
    }
    if (job->host_count < 2 || most == JOB_NOBODY || job->hosts[most].ranks < 2 ||
        most_ns - rest_ns / (job->host_count - 1) < least_ns || most_ns < rest_ns)
        return;
    verdict->host = most;
    verdict->silent = false;
    verdict->caused_ns = most_ns;
    for (uint32_t j = 0; j < job->hosts[most].ranks; j++) {
        const struct job_rank *rank = &job->ranks[job->order[job->hosts[most].first + j]];
        if (verdict->culprit == JOB_NOBODY || rank->caused_ns > job->ranks[verdict->culprit].caused_ns)
            verdict->culprit = job->order[job->hosts[most].first + j];
    }
    say_culprit(job, verdict);
    snprintf(verdict->who, sizeof verdict->who, "the %u ranks of host %.100s", job->hosts[most].ranks,
             job->hosts[most].name);
}

/* The time in which collectives are judged: the steps of the longest loop, else the whole job. */
static int64_t span_of(const struct job *job)
{
    int64_t longest_ns = 0;
    for (uint32_t i = 0; i < job->rank_count; i++) {
        const struct digest_head *head = job->ranks[i].digest.head;
        const int64_t ns =
            head->steps_all > 0 ? head->loop_last_ns - head->loop_first_ns : head->last_ns - head->first_ns;
        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    return longest_ns > 0 ? longest_ns : 1;
}

static void say_silence(const struct job *job, struct job_verdict *verdict)
{
    uint32_t judged = 0, states[COLLECTIVE_STATE_COUNT] = {0};
    uint8_t most = COLLECTIVE_JUDGED;
    double waited_ns = 0;
    char text[32], residual[32];
    for (uint32_t i = 0; i < job->collective_count; i++) {
        judged += job->collectives[i].state == COLLECTIVE_JUDGED;
        states[job->collectives[i].state]++;
    }
    for (uint32_t i = 0; i < job->rank_count; i++)
        waited_ns += (double)job->ranks[i].waited_ns / job->rank_count;
    for (uint8_t state = COLLECTIVE_JUDGED + 1; state < COLLECTIVE_STATE_COUNT; state++)
        if (states[state] > 0 && (most == COLLECTIVE_JUDGED || states[state] > states[most]))
            most = state;
    if (job->rank_count < 2)
        snprintf(verdict->silence, sizeof verdict->silence,
                 "One rank was gathered: there is nobody to compare it with.");
    else if (job->collective_count == 0)
        snprintf(verdict->silence, sizeof verdict->silence,
                 "No rank ran a collective, so nobody waited for another one on the GPU.");
    else if (judged == 0)
        snprintf(verdict->silence, sizeof verdict->silence,
                 "None of the %u collectives could be judged; most of them are %s.", job->collective_count,
                 collective_state_words(most));
    else
        snprintf(
            verdict->silence, sizeof verdict->silence,
            "No rank stands out: in %u collectives a rank waited %s for the last one on average, %.2g %% of the time; that is "
            "spread over the ranks as chance spreads it%s%s.",
            judged, time_text(waited_ns, text), 100 * waited_ns / (double)verdict->span_ns,
            job->residual_ns > 0 ? "; the hosts' clocks agree to " : "",
            job->residual_ns > 0 ? time_text((double)job->residual_ns, residual) : "");
}

bool job_decide(struct job *job, struct error *error)
{
    struct job_verdict *verdict = &job->verdict;
    int64_t median_ns;
    *verdict = (struct job_verdict){.silent = true,
                                    .culprit = JOB_NOBODY,
                                    .host = JOB_NOBODY,
                                    .cause = RANK_CLASS_COUNT,
                                    .step = UINT32_MAX,
                                    .span_ns = span_of(job)};
    if (!median_caused(job, &median_ns, error))
        return false;
    find_causes(job);
    const int64_t least_ns = (int64_t)(JOB_SHARE_LEAST * (double)verdict->span_ns);
    for (uint32_t i = 0; i < job->rank_count; i++) {
        const struct job_rank *rank = &job->ranks[i];
        if (job->rank_count < 2 || rank->worst == JOB_NOBODY || rank->caused_ns - median_ns < least_ns ||
            (rank->chance < JOB_CHANCE_LEAST && job->collectives[rank->worst].waited_ns < least_ns))
            continue;
        verdict->culprits++;
        if (verdict->culprit == JOB_NOBODY ||
            job->ranks[i].caused_ns > job->ranks[verdict->culprit].caused_ns)
            verdict->culprit = i;
    }
    verdict->silent = verdict->culprit == JOB_NOBODY;
    if (!verdict->silent)
        say_culprit(job, verdict);
    else
        try_hosts(job, verdict, least_ns);
    if (verdict->silent)
        say_silence(job, verdict);
    return true;
}
