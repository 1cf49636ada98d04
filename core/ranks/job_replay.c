/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of a job's ranks, joined at their collectives: a rank comes to a collective when the one before it, of any
 * communicator, has ended and its own time since then is over; a judged collective ends when the last rank has come and its
 * transfer is over. So replayed as it was, the job takes what it took. Edits take from a rank's time of a class the share that it
 * has beyond the median rank's; work that ran beside a collective, while it waited, comes after it where the wait is shorter.
 *
 * Of a communicator of which not all collectives are kept, those between two kept ones are part of a rank's own time, and so is
 * its wait in them: of this time all ranks have only that of the rank that had least of it, and the replay errs.
 */
#include "core/ranks/job.h"

#include "core/base/sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RANKED_MOST 6u /* chosen: ranks and classes that are tried, those with most beyond the median */
#define ENTRIES_MOST (UINT64_C(1) << 25)

struct entry { /* of a rank in a collective */
    uint32_t rank, kept;
};

struct graph {
    const struct job *job;
    struct entry *entries;              /* by collective */
    uint64_t *first;                    /* of each collective; one more at the end */
    double (*beyond)[RANK_CLASS_COUNT]; /* of each rank: the share of its time beyond the median rank's */
    int64_t *least_ns;                  /* of each collective: in collectives before it that are not kept */
    int64_t *ends_ns,
        *left_ns; /* replayed, in the order of job->row_of; left: work that ran beside it and no longer fits */
    int64_t *values;
};

static const struct digest_collective *kept_of(const struct graph *graph, struct entry entry)
{
    return &graph->job->ranks[entry.rank].digest.collectives[entry.kept];
}

static bool is_strided(const struct graph *graph, struct entry entry)
{
    const struct digest *digest = &graph->job->ranks[entry.rank].digest;
    return digest->communicators[kept_of(graph, entry)->communicator].stride > 1;
}

/* By how much of its time of a class in its steps a rank is beyond the median rank. While others wait they do their next work, so
 * what they did before one collective says little: all of their time is compared. */
static void find_ratios(struct graph *graph)
{
    const struct job *job = graph->job;
    for (int class = 0; class < RANK_CLASS_COUNT; class ++) {
        for (uint32_t i = 0; i < job->rank_count; i++)
            graph->values[i] = llround(fmin(job->ranks[i].steps_ns[class], 0x1p61));
        const double median_ns =
            (double)select_int64(graph->values, job->rank_count, (job->rank_count - 1) / 2);
        for (uint32_t i = 0; i < job->rank_count && class != RANK_COLLECTIVE; i++)
            graph->beyond[i][class] =
                job->ranks[i].steps_ns[class] > median_ns ? 1 - median_ns / job->ranks[i].steps_ns[class] : 0;
    }
}

static void find_least(struct graph *graph, uint32_t row)
{
    for (uint64_t i = graph->first[row]; i < graph->first[row + 1]; i++) {
        const int64_t ns = kept_of(graph, graph->entries[i])->before_ns[RANK_COLLECTIVE];
        graph->least_ns[row] =
            i == graph->first[row] || ns < graph->least_ns[row] ? ns : graph->least_ns[row];
    }
}

static bool graph_init(struct graph *graph, const struct job *job)
{
    const uint64_t all = job->rows_from[job->rank_count];
    const size_t rows = (size_t)job->collective_count;
    *graph = (struct graph){.job = job};
    graph->entries = malloc((all + 1) * sizeof *graph->entries);
    graph->first = calloc(rows + 2, sizeof *graph->first);
    graph->beyond = calloc((size_t)job->rank_count + 1, sizeof *graph->beyond);
    graph->left_ns = malloc((all + 1) * sizeof *graph->left_ns);
    graph->least_ns = calloc(rows + 1, sizeof *graph->least_ns);
    graph->ends_ns = malloc((all + 1) * sizeof *graph->ends_ns);
    graph->values = malloc(((size_t)job->rank_count + 1) * sizeof *graph->values);
    if (!graph->entries || !graph->first || !graph->beyond || !graph->left_ns || !graph->least_ns ||
        !graph->ends_ns || !graph->values)
        return false;
    for (uint64_t at = 0; at < all; at++)
        graph->first[job->row_of[at] + 2]++;
    for (size_t row = 0; row < rows; row++)
        graph->first[row + 2] += graph->first[row + 1];
    for (uint32_t rank = 0; rank < job->rank_count; rank++)
        for (uint64_t at = job->rows_from[rank]; at < job->rows_from[rank + 1]; at++)
            graph->entries[graph->first[job->row_of[at] + 1]++] =
                (struct entry){rank, (uint32_t)(at - job->rows_from[rank])};
    for (uint32_t row = 0; row < job->collective_count; row++)
        find_least(graph, row);
    find_ratios(graph);
    return true;
}

static void graph_fini(struct graph *graph)
{
    free(graph->entries);
    free(graph->first);
    free(graph->beyond);
    free(graph->left_ns);
    free(graph->least_ns);
    free(graph->ends_ns);
    free(graph->values);
}

/* The share of a rank's time of a class that the edit takes away. */
static double share_of(const struct graph *graph, uint32_t rank, int class, const struct job_edit *edit)
{
    const bool changes = edit && !edit->transfers && (edit->rank == JOB_NOBODY || edit->rank == rank) &&
                         (edit->class == RANK_CLASS_COUNT || edit->class == class);
    return changes ? graph->beyond[rank][class] : 0;
}

static int64_t saved_ns(const struct graph *graph, struct entry entry, uint32_t row,
                        const struct job_edit *edit)
{
    const struct digest_collective *kept = kept_of(graph, entry);
    double saved_ns =
        is_strided(graph, entry) ? (double)(kept->before_ns[RANK_COLLECTIVE] - graph->least_ns[row]) : 0;
    for (int class = 0; class < RANK_CLASS_COUNT && graph->job->collectives[row].state == COLLECTIVE_JUDGED;
         class ++)
        saved_ns += share_of(graph, entry.rank, class, edit) * (double)kept->before_ns[class];
    return llround(fmin(saved_ns, 0x1p61));
}

/* When it would come. What ended before it is replayed already: collectives are in order of their last rank's start. */
static int64_t start_of(const struct graph *graph, struct entry entry, uint32_t row,
                        const struct job_edit *edit)
{
    const struct job *job = graph->job;
    const struct digest *digest = &job->ranks[entry.rank].digest;
    const struct digest_collective *kept = kept_of(graph, entry);
    const int64_t before_ns = job_time(job, entry.rank,
                                       kept->previous > 0 ? digest->collectives[kept->previous - 1].end_ns
                                                          : digest->head->first_ns);
    const int64_t own_ns = job_time(job, entry.rank, kept->start_ns) - before_ns;
    const int64_t saved = saved_ns(graph, entry, row, edit);
    return (kept->previous > 0 ? graph->ends_ns[job->rows_from[entry.rank] + kept->previous - 1]
                               : before_ns) +
           (own_ns > saved ? own_ns - saved : 0) +
           (kept->previous > 0 ? graph->left_ns[job->rows_from[entry.rank] + kept->previous - 1] : 0);
}

/* What ran beside a collective and does not fit beside it any more is left for after it. */
static int64_t left_of(const struct graph *graph, struct entry entry, int64_t time_ns,
                       const struct job_edit *edit)
{
    const double hidden_ns =
        (double)kept_of(graph, entry)->hidden_ns * (1 - share_of(graph, entry.rank, RANK_COMPUTE, edit));
    return (double)time_ns < hidden_ns ? llround(hidden_ns) - time_ns : 0;
}

/* The end of the job, from its time 0. */
static int64_t replay_graph(struct graph *graph, const struct job_edit *edit)
{
    const struct job *job = graph->job;
    int64_t end_ns = 0;
    for (uint32_t rank = 0; rank < job->rank_count; rank++)
        for (uint32_t kept = 0; kept < job->ranks[rank].digest.head->collectives; kept++) {
            const uint64_t at = job->rows_from[rank] + kept;
            graph->ends_ns[at] = job_time(job, rank, job->ranks[rank].digest.collectives[kept].end_ns);
            graph->left_ns[at] = 0;
        }
    for (uint32_t row = 0; row < job->collective_count; row++) {
        const struct job_collective *collective = &job->collectives[row];
        int64_t last_ns = INT64_MIN;
        for (uint64_t i = graph->first[row]; i < graph->first[row + 1]; i++) {
            const struct entry entry = graph->entries[i];
            const struct digest_collective *kept = kept_of(graph, entry);
            const int64_t start_ns = start_of(graph, entry, row, edit);
            last_ns = start_ns > last_ns ? start_ns : last_ns;
            graph->ends_ns[job->rows_from[entry.rank] + entry.kept] =
                start_ns + kept->end_ns - kept->start_ns;
        }
        for (uint64_t i = graph->first[row];
             collective->state == COLLECTIVE_JUDGED && i < graph->first[row + 1]; i++) {
            const struct entry entry = graph->entries[i];
            const int64_t transfer_ns =
                job_time(job, entry.rank, kept_of(graph, entry)->end_ns) - collective->last_ns;
            const uint64_t at = job->rows_from[entry.rank] + entry.kept;
            graph->ends_ns[at] = last_ns + (edit && edit->transfers && transfer_ns > 0 ? 0 : transfer_ns);
            graph->left_ns[at] =
                left_of(graph, entry, graph->ends_ns[at] - graph->values[i - graph->first[row]], edit);
        }
    }
    for (uint32_t rank = 0; rank < job->rank_count; rank++) {
        const struct digest *digest = &job->ranks[rank].digest;
        int64_t last_ns = job_time(job, rank, digest->head->last_ns), latest_ns = INT64_MIN, moved_ns = 0;
        for (uint32_t i = 0; i < digest->head->collectives; i++)
            if (digest->collectives[i].end_ns > latest_ns) {
                latest_ns = digest->collectives[i].end_ns;
                moved_ns = graph->ends_ns[job->rows_from[rank] + i] - job_time(job, rank, latest_ns);
            }
        last_ns += moved_ns;
        end_ns = last_ns > end_ns ? last_ns : end_ns;
    }
    return end_ns;
}

void job_edit_text(const struct job *job, const struct job_edit *edit, char *text, size_t size_bytes)
{
    char who[40] = "All ranks spend";
    if (edit->rank != JOB_NOBODY)
        snprintf(who, sizeof who, "Rank %u spends", job->ranks[edit->rank].number);
    if (edit->transfers)
        snprintf(text, size_bytes, "Collectives take no time once the last rank has come");
    else
        snprintf(text, size_bytes, "%s no more time than the median rank%s%s", who,
                 edit->class < RANK_CLASS_COUNT ? " in: " : "",
                 edit->class < RANK_CLASS_COUNT ? rank_class_words(edit->class) : "");
}

/* ---- which edits ---- */
static void try_edit(struct graph *graph, struct job_replays *replays, struct job_edit edit)
{
    edit.gain_ns = replays->replayed_ns - replay_graph(graph, &edit);
    if ((double)edit.gain_ns < JOB_SHARE_LEAST * (double)graph->job->verdict.span_ns ||
        edit.gain_ns >= graph->job->verdict.span_ns)
        return;
    uint32_t at = replays->count++;
    for (; at > 0 && replays->edits[at - 1].gain_ns < edit.gain_ns; at--)
        replays->edits[at] = replays->edits[at - 1];
    replays->edits[at] = edit;
}

/* Ranks and classes with most beyond the median. */
static uint32_t choose_ranked(const struct graph *graph, struct job_edit ranked[RANKED_MOST])
{
    const struct job *job = graph->job;
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < job->rank_count; rank++)
        for (uint8_t class = 0; class < RANK_CLASS_COUNT; class ++) {
            const int64_t ns =
                llround(graph->beyond[rank][class] * fmin(job->ranks[rank].steps_ns[class], 0x1p61));
            uint32_t at = count < RANKED_MOST ? count++ : RANKED_MOST;
            if (at == RANKED_MOST && ranked[--at].gain_ns >= ns)
                continue;
            for (; at > 0 && ranked[at - 1].gain_ns < ns; at--)
                ranked[at] = ranked[at - 1];
            ranked[at] = (struct job_edit){.rank = rank, .class = class, .gain_ns = ns};
        }
    return count;
}

enum status job_replay(const struct job *job, struct job_replays *replays, struct error *error)
{
    struct graph graph = {0};
    struct job_edit ranked[RANKED_MOST] = {0};
    uint32_t judged = 0;
    *replays = (struct job_replays){0};
    for (uint32_t i = 0; i < job->collective_count; i++)
        judged += job->collectives[i].state == COLLECTIVE_JUDGED;
    if (judged == 0 || job->rows_from[job->rank_count] > ENTRIES_MOST)
        return STATUS_OK;
    const bool fine = graph_init(&graph, job);
    if (fine) {
        replays->replayed_ns = replay_graph(&graph, NULL);
        replays->error = (double)(replays->replayed_ns - job->end_ns) / (double)job->verdict.span_ns;
        const uint32_t count = choose_ranked(&graph, ranked);
        for (uint32_t i = 0; i < count && ranked[i].gain_ns > 0; i++)
            try_edit(&graph, replays, (struct job_edit){.rank = ranked[i].rank, .class = ranked[i].class});
        if (job->verdict.culprit != JOB_NOBODY)
            try_edit(&graph, replays,
                     (struct job_edit){.rank = job->verdict.culprit, .class = RANK_CLASS_COUNT});
        try_edit(&graph, replays, (struct job_edit){.rank = JOB_NOBODY, .class = RANK_CLASS_COUNT});
        try_edit(&graph, replays,
                 (struct job_edit){.rank = JOB_NOBODY, .class = RANK_CLASS_COUNT, .transfers = true});
    }
    graph_fini(&graph);
    return fine ? STATUS_OK : error_no_memory(error, "to replay the job");
}
