/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job's digests say together. The collectives of all ranks are joined by communicator and number; of each, the
 * last rank to come is the one that the others waited for. Passes over all kept collectives: to number them, to fit the
 * clocks of hosts by their ends, and to find first, last and sums.
 *
 * Why the last rank was late: it may have left the collective before, of any communicator, later than the other ranks
 * left theirs. If that is more than half of its lateness, then the root is that of this earlier collective, and so on back
 * in time. Else the cause is, of its time since then, the class in which it has most beyond the mean of the others.
 */
#include "core/ranks/job.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/idmap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- hosts' clocks ---- */

/* Slopes are those between at most 64 points spread over all of them; the offset is of all points. */

#define SLOPE_POINTS 64u /* 2,016 slopes */

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of two middle ones the mean; sorts the numbers. */
static double median_of(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, compare_doubles);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static double drift_of(const struct clock_point *points, size_t count, double *scratch)
{
    const size_t chosen = count < SLOPE_POINTS ? count : SLOPE_POINTS;
    size_t slopes = 0;
    for (size_t i = 0; i < chosen; i++)
        for (size_t j = i + 1; j < chosen; j++) {
            const struct clock_point *a = &points[i * count / chosen], *b = &points[j * count / chosen];
            if (fabs(b->at_ns - a->at_ns) > CLOCK_DRIFT_NS / 100)
                scratch[slopes++] = (b->apart_ns - a->apart_ns) / (b->at_ns - a->at_ns);
        }
    return slopes > 0 ? median_of(scratch, slopes) : 0;
}

bool clock_fit(struct clock_fit *fit, const struct clock_point *points, size_t count, double *scratch)
{
    *fit = (struct clock_fit){0};
    if (count < CLOCK_POINTS_LEAST)
        return false;
    double first_ns = points[0].at_ns, last_ns = first_ns;
    for (size_t i = 1; i < count; i++) {
        first_ns = fmin(first_ns, points[i].at_ns);
        last_ns = fmax(last_ns, points[i].at_ns);
    }
    if (count >= CLOCK_DRIFT_POINTS && last_ns - first_ns >= CLOCK_DRIFT_NS)
        fit->drift = drift_of(points, count, scratch);
    for (size_t i = 0; i < count; i++)
        scratch[i] = points[i].apart_ns - fit->drift * points[i].at_ns;
    fit->offset_ns = median_of(scratch, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(points[i].apart_ns - fit->drift * points[i].at_ns - fit->offset_ns);
    qsort(scratch, count, sizeof *scratch, compare_doubles);
    fit->residual_ns = scratch[(size_t)((double)(count - 1) * 0.95 + 0.5)];
    return fabs(fit->drift) <= CLOCK_DRIFT_MOST && fabs(fit->offset_ns) < 0x1p60;
}

/* Chosen: ends of one collective on ranks with one clock are at most so far apart (a rank's last blocks), and a start
 * this close to another's is not later. */
#define SLACK_NS 20000
#define LEFT_MOST 0.2 /* chosen: with more of its collectives left early a communicator's ranks are not one */

struct sums {                      /* of a collective, beside struct job_collective */
    double starts_ns, previous_ns; /* from the start of its first met rank; ends of the collectives before */
    uint32_t previous;             /* ranks that have one before */
    double before_ns[RANK_CLASS_COUNT];
    int64_t from_ns;
    uint64_t last; /* kept collective of the last rank: index into row_of */
    uint32_t host;
    bool several_hosts, differ;
};

struct judging {
    struct job *job;
    struct sums *sums;
    uint32_t row_room, sum_room, host_room, communicator_room;
    struct idmap rows, hosts, communicators;
    uint32_t *communicator_of; /* of each rank's communicators, DIGEST_COMMUNICATORS_MAX each */
};

static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- numbering ---- */
static uint32_t number_host(struct judging *judging, const struct digest *digest)
{
    struct job *job = judging->job;
    const uint64_t key = hash_text(digest_text(digest, digest->head->clock));
    uint32_t host = idmap_find(&judging->hosts, key);
    if (host != IDMAP_NONE)
        return host;
    if (!array_grow_zeroed(job->hosts, judging->host_room, job->host_count, 1) ||
        !idmap_put(&judging->hosts, key, job->host_count))
        return IDMAP_NONE;
    job->hosts[job->host_count].name = digest_text(digest, digest->head->host);
    return job->host_count++;
}

static uint32_t number_communicator(struct judging *judging, const struct digest *digest, uint32_t index)
{
    struct job *job = judging->job;
    const struct digest_communicator *row = &digest->communicators[index];
    uint32_t found = idmap_find(&judging->communicators, row->key);
    if (found == IDMAP_NONE) {
        if (!array_grow_zeroed(job->communicators, judging->communicator_room, job->communicator_count, 1) ||
            !idmap_put(&judging->communicators, row->key, job->communicator_count))
            return IDMAP_NONE;
        found = job->communicator_count++;
        job->communicators[found].key = row->key;
        job->communicators[found].name = digest_text(digest, row->name);
        job->communicators[found].named =
            strncmp(job->communicators[found].name, DIGEST_BY_STREAM, strlen(DIGEST_BY_STREAM)) != 0;
    }
    job->communicators[found].ranks++;
    return found;
}

static uint32_t number_row(struct judging *judging, uint32_t communicator,
                           const struct digest_collective *kept)
{
    struct job *job = judging->job;
    const uint64_t key = (uint64_t)communicator << 32 | kept->sequence;
    uint32_t row = idmap_find(&judging->rows, key);
    if (row != IDMAP_NONE)
        return row;
    if (!array_grow(job->collectives, judging->row_room, job->collective_count, 1) ||
        !array_grow(judging->sums, judging->sum_room, job->collective_count, 1) ||
        !idmap_put(&judging->rows, key, job->collective_count))
        return IDMAP_NONE;
    job->collectives[job->collective_count] = (struct job_collective){.communicator = communicator,
                                                                      .sequence = kept->sequence,
                                                                      .operation = kept->operation,
                                                                      .cause = RANK_CLASS_COUNT,
                                                                      .bytes = kept->bytes,
                                                                      .last = JOB_NOBODY,
                                                                      .root = JOB_NOBODY,
                                                                      .step = UINT32_MAX};
    judging->sums[job->collective_count] = (struct sums){0};
    return job->collective_count++;
}

static bool number_all(struct judging *judging, struct error *error)
{
    struct job *job = judging->job;
    uint64_t all = 0;
    job->rows_from = calloc((size_t)job->rank_count + 1, sizeof *job->rows_from);
    judging->communicator_of =
        calloc(job->rank_count, DIGEST_COMMUNICATORS_MAX * sizeof *judging->communicator_of);
    if (!job->rows_from || !judging->communicator_of)
        return job_have_no_memory(error);
    for (uint32_t i = 0; i < job->rank_count; i++) {
        job->rows_from[i] = all;
        all += job->ranks[i].digest.head->collectives;
    }
    job->rows_from[job->rank_count] = all;
    job->row_of = malloc((all + 1) * sizeof *job->row_of);
    if (!job->row_of)
        return job_have_no_memory(error);
    for (uint32_t i = 0; i < job->rank_count; i++) {
        struct job_rank *rank = &job->ranks[i];
        const struct digest *digest = &rank->digest;
        uint32_t *own = judging->communicator_of + (size_t)i * DIGEST_COMMUNICATORS_MAX;
        rank->number = digest->head->rank >= 0 ? (uint32_t)digest->head->rank : i;
        rank->worst = JOB_NOBODY;
        rank->device_factor = rank->device_least = rank->copy_factor = rank->work_factor = (double)NAN;
        rank->host = number_host(judging, digest);
        if (rank->host == IDMAP_NONE)
            return job_have_no_memory(error);
        job->hosts[rank->host].ranks++;
        for (uint32_t j = 0; j < digest->head->communicators; j++)
            if ((own[j] = number_communicator(judging, digest, j)) == IDMAP_NONE)
                return job_have_no_memory(error);
        for (uint32_t j = 0; j < digest->head->collectives; j++) {
            const struct digest_collective *kept = &digest->collectives[j];
            const uint32_t row = number_row(judging, own[kept->communicator], kept);
            if (row == IDMAP_NONE)
                return job_have_no_memory(error);
            job->row_of[job->rows_from[i] + j] = row;
            if (job->collectives[row].ranks++ == 0)
                judging->sums[row].host = rank->host;
            judging->sums[row].several_hosts |= judging->sums[row].host != rank->host;
            judging->sums[row].differ |= job->collectives[row].operation != kept->operation;
        }
    }
    return true;
}

static bool order_by_host(struct job *job, struct error *error)
{
    uint32_t from = 0;
    job->order = malloc(((size_t)job->rank_count + 1) * sizeof *job->order);
    if (!job->order)
        return job_have_no_memory(error);
    for (uint32_t i = 0; i < job->host_count; i++) {
        job->hosts[i].first = from;
        from += job->hosts[i].ranks;
        job->hosts[i].ranks = 0;
    }
    for (uint32_t i = 0; i < job->rank_count; i++) {
        struct job_host *host = &job->hosts[job->ranks[i].host];
        job->order[host->first + host->ranks++] = i;
    }
    return true;
}

/* ---- clocks ---- */
/* The time by the rank's own host's clock. */
static int64_t own_time(const struct job *job, uint32_t rank, int64_t ns)
{
    return job->ranks[rank].digest.head->utc_ns - job->base_ns + ns;
}

int64_t job_time(const struct job *job, uint32_t rank, int64_t ns)
{
    const int64_t own_ns = own_time(job, rank, ns);
    const struct job_host *host = &job->hosts[job->ranks[rank].host];
    return own_ns - (int64_t)llround(host->offset_ns + host->drift * (double)own_ns);
}

struct host_end {
    uint32_t row, count;
    double sum_ns; /* of ends, by the host's clock */
};

static int by_row(const void *a, const void *b)
{
    const uint32_t left = ((const struct host_end *)a)->row, right = ((const struct host_end *)b)->row;
    return (left > right) - (left < right);
}

/* The mean end of each collective among the host's ranks, of those that other hosts share and that all leave together. */
static bool collect_ends(const struct judging *judging, const struct job_host *host, struct host_end **ends,
                         uint32_t *room, uint32_t *count)
{
    const struct job *job = judging->job;
    *count = 0;
    for (uint32_t i = 0; i < host->ranks; i++) {
        const uint32_t rank = job->order[host->first + i];
        const struct digest *digest = &job->ranks[rank].digest;
        if (!array_grow(*ends, *room, *count, digest->head->collectives))
            return false;
        for (uint32_t j = 0; j < digest->head->collectives; j++) {
            const struct digest_collective *kept = &digest->collectives[j];
            const uint32_t row = job->row_of[job->rows_from[rank] + j];
            if (judging->sums[row].several_hosts &&
                (rank_operation_is_together(kept->operation) || job->collectives[row].ranks == 2))
                (*ends)[(*count)++] = (struct host_end){row, 1, (double)own_time(job, rank, kept->end_ns)};
        }
    }
    if (*count > 0)
        qsort(*ends, *count, sizeof **ends, by_row);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (kept > 0 && (*ends)[kept - 1].row == (*ends)[i].row) {
            (*ends)[kept - 1].count++;
            (*ends)[kept - 1].sum_ns += (*ends)[i].sum_ns;
        } else {
            (*ends)[kept++] = (*ends)[i];
        }
    *count = kept;
    return true;
}

/* Hosts that share collectives with those whose clock is known, until no more are found. known_ns: of each collective
 * its end on the clock of the first host; NAN: not known. */
static bool fit_clocks(const struct judging *judging, struct error *error)
{
    struct job *job = judging->job;
    struct host_end *ends = NULL;
    struct clock_point *points = NULL;
    double *scratch = NULL, *known_ns = malloc(((size_t)job->collective_count + 1) * sizeof *known_ns);
    uint32_t room = 0, point_room = 0, scratch_room = 0, count = 0;
    bool fine = known_ns != NULL, more = true;
    for (uint32_t i = 0; fine && i < job->collective_count; i++)
        known_ns[i] = (double)NAN;
    while (fine && more) {
        more = false;
        for (uint32_t i = 0; fine && i < job->host_count; i++) {
            struct job_host *host = &job->hosts[i];
            if (host->fitted)
                continue;
            fine = collect_ends(judging, host, &ends, &room, &count) &&
                   array_grow(points, point_room, 0, count + 1) &&
                   array_grow(scratch, scratch_room, 0, count + CLOCK_SCRATCH);
            uint32_t shared = 0;
            for (uint32_t j = 0; fine && i > 0 && j < count; j++)
                if (!isnan(known_ns[ends[j].row])) {
                    const double own_ns = ends[j].sum_ns / ends[j].count;
                    points[shared++] = (struct clock_point){own_ns, own_ns - known_ns[ends[j].row]};
                }
            struct clock_fit fit = {0};
            if (!fine || (i > 0 && !clock_fit(&fit, points, shared, scratch)))
                continue;
            host->fitted = more = true;
            host->points = shared;
            host->offset_ns = fit.offset_ns;
            host->drift = fit.drift;
            host->residual_ns = fit.residual_ns;
            job->residual_ns = fmax((double)job->residual_ns, ceil(fit.residual_ns)) < 0x1p60
                                   ? (int64_t)fmax((double)job->residual_ns, ceil(fit.residual_ns))
                                   : job->residual_ns;
            for (uint32_t j = 0; j < count; j++)
                if (isnan(known_ns[ends[j].row])) {
                    const double own_ns = ends[j].sum_ns / ends[j].count;
                    known_ns[ends[j].row] = own_ns - fit.offset_ns - fit.drift * own_ns;
                }
        }
    }
    free(ends);
    free(points);
    free(scratch);
    free(known_ns);
    return fine || job_have_no_memory(error);
}

/* ---- first, last, sums ---- */
static void add_up(struct judging *judging)
{
    struct job *job = judging->job;
    for (uint32_t i = 0; i < job->rank_count; i++) {
        const struct digest *digest = &job->ranks[i].digest;
        for (uint32_t j = 0; j < digest->head->collectives; j++) {
            const struct digest_collective *kept = &digest->collectives[j];
            const uint64_t at = job->rows_from[i] + j;
            struct job_collective *row = &job->collectives[job->row_of[at]];
            struct sums *sums = &judging->sums[job->row_of[at]];
            const int64_t start_ns = job_time(job, i, kept->start_ns),
                          end_ns = job_time(job, i, kept->end_ns);
            if (row->last == JOB_NOBODY) {
                row->first_ns = row->last_ns = sums->from_ns = start_ns;
                row->second_ns = INT64_MIN;
                row->least_end_ns = row->end_ns = end_ns;
                row->last = i;
                sums->last = at;
            } else if (start_ns > row->last_ns) {
                row->second_ns = row->last_ns;
                row->last_ns = start_ns;
                row->last = i;
                sums->last = at;
            } else if (start_ns > row->second_ns) {
                row->second_ns = start_ns;
            }
            row->first_ns = start_ns < row->first_ns ? start_ns : row->first_ns;
            row->least_end_ns = end_ns < row->least_end_ns ? end_ns : row->least_end_ns;
            row->end_ns = end_ns > row->end_ns ? end_ns : row->end_ns;
            sums->starts_ns += (double)(start_ns - sums->from_ns);
            if (kept->previous > 0) {
                const int64_t ns = job_time(job, i, digest->collectives[kept->previous - 1].end_ns);
                sums->previous_ns += (double)(ns - sums->from_ns);
                sums->previous++;
            }
            for (int class = 0; class < RANK_CLASS_COUNT; class ++)
                sums->before_ns[class] += (double)kept->before_ns[class];
        }
        const int64_t end_ns = job_time(job, i, digest->head->last_ns);
        job->end_ns = end_ns > job->end_ns ? end_ns : job->end_ns;
    }
}

/* ---- states ---- */
static enum collective_state state_of(const struct judging *judging, uint32_t index)
{
    const struct job *job = judging->job;
    const struct job_collective *row = &job->collectives[index];
    const struct sums *sums = &judging->sums[index];
    const int64_t slack_ns = SLACK_NS + (sums->several_hosts ? 2 * job->residual_ns : 0);
    const struct digest_head *last = job->ranks[row->last].digest.head;
    const int64_t own_ns =
        job->ranks[row->last].digest.collectives[sums->last - job->rows_from[row->last]].start_ns;
    if (row->ranks < 2)
        return COLLECTIVE_ALONE;
    if (row->ranks < job->communicators[row->communicator].ranks)
        return COLLECTIVE_PARTIAL;
    if (sums->differ)
        return COLLECTIVE_OTHERS;
    if (row->sequence == 0)
        return COLLECTIVE_FIRST;
    if (row->least_end_ns < row->last_ns - slack_ns)
        return COLLECTIVE_LEFT;
    if (last->steps_all == 0)
        return COLLECTIVE_JUDGED;
    /* Steps that a kernel begins end at its last launch: the one that this begins is as good as the others. */
    const int64_t step_ns = (last->loop_last_ns - last->loop_first_ns) / (int64_t)last->steps_all;
    return own_ns < last->loop_first_ns || own_ns > last->loop_last_ns + step_ns ? COLLECTIVE_OUTSIDE
                                                                                 : COLLECTIVE_JUDGED;
}

static void set_states(struct judging *judging)
{
    struct job *job = judging->job;
    for (uint32_t i = 0; i < job->rank_count; i++)
        for (uint64_t at = job->rows_from[i]; at < job->rows_from[i + 1]; at++)
            if (!job->hosts[job->ranks[i].host].fitted && judging->sums[job->row_of[at]].several_hosts)
                job->collectives[job->row_of[at]].state = COLLECTIVE_CLOCKS;
    for (uint32_t i = 0; i < job->collective_count; i++) {
        struct job_collective *row = &job->collectives[i];
        struct job_communicator *communicator = &job->communicators[row->communicator];
        row->state = row->state == COLLECTIVE_CLOCKS ? row->state : (uint8_t)state_of(judging, i);
        communicator->judged += row->state == COLLECTIVE_JUDGED;
        communicator->left += row->state == COLLECTIVE_LEFT;
    }
    for (uint32_t i = 0; i < job->collective_count; i++) {
        struct job_collective *row = &job->collectives[i];
        const struct job_communicator *communicator = &job->communicators[row->communicator];
        if (row->state == COLLECTIVE_JUDGED &&
            communicator->left > LEFT_MOST * (double)(communicator->left + communicator->judged))
            row->state = COLLECTIVE_LEFT;
        if (row->state != COLLECTIVE_JUDGED)
            continue;
        const double wait_ns =
            ((double)(row->last_ns - judging->sums[i].from_ns) * row->ranks - judging->sums[i].starts_ns) /
            (row->ranks - 1);
        row->waited_ns = wait_ns < 0x1p61 ? llround(wait_ns) : 0;
        if (judging->sums[i].several_hosts && row->waited_ns <= job->residual_ns)
            row->waited_ns = 0;
    }
}

/* ---- causes ---- */
static uint32_t step_at(const struct digest *digest, int64_t ns)
{
    for (uint32_t i = 0; i < digest->head->steps; i++) {
        const struct digest_step *step = &digest->steps[i];
        if (ns >= step->start_ns && ns < step->end_ns)
            return step->first + (uint32_t)((double)(ns - step->start_ns) /
                                            (double)(step->end_ns - step->start_ns) * step->count);
    }
    return UINT32_MAX;
}

/* Did the last rank leave the collective before so much later than the others left theirs that this explains more than
 * half of its lateness? Then the root of that one is this one's too. One of the same communicator held all of them. */
static bool follow_previous(const struct job *job, struct job_collective *row, const struct sums *sums,
                            const struct digest_collective *kept)
{
    if (kept->previous == 0 || sums->previous != row->ranks)
        return false;
    const struct digest *digest = &job->ranks[row->last].digest;
    const uint32_t before = job->row_of[job->rows_from[row->last] + kept->previous - 1];
    const struct job_collective *earlier = &job->collectives[before];
    const double left_ns =
        (double)(job_time(job, row->last, digest->collectives[kept->previous - 1].end_ns) - sums->from_ns);
    const double inherited_ns = left_ns - (sums->previous_ns - left_ns) / (row->ranks - 1);
    if (inherited_ns <= (double)row->waited_ns / 2 || earlier->communicator == row->communicator ||
        earlier->state != COLLECTIVE_JUDGED || earlier->root == JOB_NOBODY ||
        earlier->last_ns >= row->last_ns)
        return false;
    row->root = earlier->root;
    row->cause = earlier->cause;
    row->range = earlier->range;
    row->excess_ns = earlier->excess_ns;
    row->chain = earlier->chain < UINT8_MAX ? (uint8_t)(earlier->chain + 1) : UINT8_MAX;
    return true;
}

static void find_cause(struct judging *judging, struct job_collective *row, const struct sums *sums)
{
    const struct job *job = judging->job;
    const struct digest *digest = &job->ranks[row->last].digest;
    const struct digest_collective *kept = &digest->collectives[sums->last - job->rows_from[row->last]];
    double most_ns = 0;
    row->step = step_at(digest, kept->start_ns);
    if (follow_previous(job, row, sums, kept))
        return;
    row->root = row->last;
    row->range = kept->range;
    for (uint8_t class = 0; class < RANK_CLASS_COUNT; class ++) {
        const double own_ns = (double)kept->before_ns[class];
        const double excess_ns = own_ns - (sums->before_ns[class] - own_ns) / (row->ranks - 1);
        if (class != RANK_COLLECTIVE && excess_ns > most_ns) {
            most_ns = excess_ns;
            row->cause = class;
        }
    }
    row->excess_ns = llround(fmin(most_ns, 0x1p60));
}

struct timed {
    int64_t ns;
    uint32_t row;
};

static int by_ns(const void *a, const void *b)
{
    const struct timed *left = a, *right = b;
    if (left->ns != right->ns)
        return left->ns < right->ns ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

/* In order of time, so that an earlier one's root is known. */
static bool sort_rows(struct judging *judging, struct error *error)
{
    struct job *job = judging->job;
    const uint32_t count = job->collective_count;
    struct timed *order = malloc(((size_t)count + 1) * sizeof *order);
    struct job_collective *rows = malloc(((size_t)count + 1) * sizeof *rows);
    struct sums *sums = malloc(((size_t)count + 1) * sizeof *sums);
    uint32_t *place = malloc(((size_t)count + 1) * sizeof *place);
    const bool fine = order && rows && sums && place;
    if (fine) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = (struct timed){job->collectives[i].last_ns, i};
        qsort(order, count, sizeof *order, by_ns);
        for (uint32_t i = 0; i < count; i++) {
            rows[i] = job->collectives[order[i].row];
            sums[i] = judging->sums[order[i].row];
            place[order[i].row] = i;
        }
        for (uint64_t at = 0; at < job->rows_from[job->rank_count]; at++)
            job->row_of[at] = place[job->row_of[at]];
        free(job->collectives);
        free(judging->sums);
        job->collectives = rows;
        judging->sums = sums;
    } else {
        free(rows);
        free(sums);
    }
    free(order);
    free(place);
    return fine || job_have_no_memory(error);
}

/* Were each member of a collective as likely to be its root, a rank would cause this much, and deviate by so much. */
static void find_chances(struct job *job)
{
    for (uint32_t i = 0; i < job->rank_count; i++) {
        double mean_ns = 0, variance = 0;
        for (uint64_t at = job->rows_from[i]; at < job->rows_from[i + 1]; at++) {
            const struct job_collective *row = &job->collectives[job->row_of[at]];
            const double wait_ns = (double)row->waited_ns, share = 1.0 / row->ranks;
            if (row->state != COLLECTIVE_JUDGED)
                continue;
            mean_ns += wait_ns * share;
            variance += wait_ns * wait_ns * share * (1 - share);
        }
        job->ranks[i].chance =
            variance > 0 ? ((double)job->ranks[i].caused_ns - mean_ns) / sqrt(variance) : 0;
    }
}

static void blame_roots(struct judging *judging)
{
    struct job *job = judging->job;
    for (uint32_t i = 0; i < job->collective_count; i++) {
        struct job_collective *row = &job->collectives[i];
        if (row->state != COLLECTIVE_JUDGED)
            continue;
        find_cause(judging, row, &judging->sums[i]);
        struct job_rank *last = &job->ranks[row->last], *root = &job->ranks[row->root];
        last->last_times++;
        root->caused_ns = session_add_ns(root->caused_ns, row->waited_ns);
        if (row->cause < RANK_CLASS_COUNT)
            root->by_cause_ns[row->cause] = session_add_ns(root->by_cause_ns[row->cause], row->waited_ns);
        if (row->chain == 0 && row->second_ns > INT64_MIN)
            root->gain_ns = session_add_ns(root->gain_ns, row->last_ns - row->second_ns);
        if (root->worst == JOB_NOBODY || row->waited_ns > job->collectives[root->worst].waited_ns)
            root->worst = i;
    }
    for (uint32_t i = 0; i < job->rank_count; i++)
        for (uint64_t at = job->rows_from[i]; at < job->rows_from[i + 1]; at++) {
            const int64_t late_ns = job_lateness(job, i, (uint32_t)(at - job->rows_from[i]));
            const struct job_collective *row = &job->collectives[job->row_of[at]];
            if (late_ns >= 0)
                job->ranks[i].waited_ns =
                    session_add_ns(job->ranks[i].waited_ns, row->last_ns - row->first_ns - late_ns);
        }
}

int64_t job_lateness(const struct job *job, uint32_t rank, uint32_t collective)
{
    const struct job_collective *row = &job->collectives[job->row_of[job->rows_from[rank] + collective]];
    if (row->state != COLLECTIVE_JUDGED)
        return -1;
    return job_time(job, rank, job->ranks[rank].digest.collectives[collective].start_ns) - row->first_ns;
}

/* ---- all of it ---- */
static void note_order(struct job *job)
{
    uint32_t unnamed = 0, unknown = 0, numbered = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < job->communicator_count; i++)
        unnamed += !job->communicators[i].named;
    for (uint32_t i = 0; i < job->rank_count; i++) {
        unknown += job->ranks[i].digest.head->rank < 0;
        numbered += (job->ranks[i].digest.head->flags & DIGEST_NUMBERED) != 0;
    }
    if (unnamed == 0 && numbered == job->rank_count && numbered > 0)
        append_text(job->order_note, sizeof job->order_note, &used,
                    "Collectives are matched by the numbers that NCCL gave them (its profiler plug-in). ");
    else if (unnamed == 0 && job->communicator_count > 0)
        append_text(job->order_note, sizeof job->order_note, &used,
                    "Collectives are matched by the communicators that the traces name, and order. ");
    if (unnamed > 0)
        append_text(job->order_note, sizeof job->order_note, &used,
                    "The traces do not name communicators: collectives are matched by stream and order. ");
    if (unknown > 0)
        append_text(job->order_note, sizeof job->order_note, &used,
                    "%u traces do not say their rank: they have their place in the list.", unknown);
}

enum status job_judge(struct job *job, struct error *error)
{
    struct judging judging = {.job = job};
    const uint64_t seed = (uint64_t)(uintptr_t)job->bytes * UINT64_C(0x9e3779b97f4a7c15);
    idmap_init(&judging.rows, UINT32_MAX - 1, seed);
    idmap_init(&judging.hosts, JOB_RANKS_MAX, seed);
    idmap_init(&judging.communicators, UINT32_MAX - 1, seed);
    job->base_ns = job->ranks[0].digest.head->utc_ns + job->ranks[0].digest.head->first_ns;
    bool fine = number_all(&judging, error) && order_by_host(job, error) && fit_clocks(&judging, error);
    if (fine) {
        add_up(&judging);
        fine = sort_rows(&judging, error);
    }
    if (fine) {
        set_states(&judging);
        blame_roots(&judging);
        find_chances(job);
        note_order(job);
        fine = job_compare_devices(job, error) && job_decide(job, error);
    }
    idmap_fini(&judging.rows);
    idmap_fini(&judging.hosts);
    idmap_fini(&judging.communicators);
    free(judging.sums);
    free(judging.communicator_of);
    return fine ? STATUS_OK : STATUS_MEMORY;
}
