/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are indices into the job; a cell's text is the job's, or a buffer of the row's function. */
#include "core/ranks/job_sheets.h"

#include "core/base/append.h"
#include "core/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
static const struct sheet_column rank_columns[] = {
    {"rank", "rank", "number of the process in the job; where the trace does not say it, its place in the list", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"host", "host", "its host; null: not known", SHEET_TEXT, SHEET_NEITHER, 12, 5, false},
    {"gpu", "GPU", "ordinal of the device in its process", SHEET_COUNT, SHEET_NEITHER, 3, 6, false},
    {"caused_ns", "caused", "mean wait of the other ranks for it, over all collectives whose delay began with it", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"caused_share", "share", "caused_ns by the time of the steps, or of the job", SHEET_SHARE, SHEET_LESS, 7, 1, false},
    {"cause", "cause", "class of time that made it late, for most of caused_ns; null: it caused no wait", SHEET_TEXT, SHEET_NEITHER, 12, 1, false},
    {"last_times", "last", "judged collectives in which it was the last to come", SHEET_COUNT, SHEET_LESS, 6, 3, false},
    {"waited_ns", "waited", "its own wait for the last rank, over all judged collectives", SHEET_TIME, SHEET_NEITHER, 9, 2, false},
    {"exposed_share", "exposed", "share of its time in which a collective ran and no other kernel", SHEET_SHARE, SHEET_LESS, 8, 2, false},
    {"compute_share", "kernels", "share of its time in which kernels ran", SHEET_SHARE, SHEET_NEITHER, 8, 4, false},
    {"device_factor", "GPU time", "time of its kernels by that of the same kernels on the median rank; null: none in common", SHEET_RATIO, SHEET_LESS, 9, 3, false},
    {"copy_factor", NULL, "time for a byte of its copies by that of the median rank; null: none in common", SHEET_RATIO, SHEET_LESS, 0, 0, false},
    {"work_factor", NULL, "time of all its kernels by the median rank's; null: it has none", SHEET_RATIO, SHEET_LESS, 0, 0, false},
    {"hidden_ns", NULL, "time of its collectives while other kernels ran", SHEET_TIME, SHEET_MORE, 0, 0, false},
    {"copies_ns", NULL, "copies that nothing hid, and calls that copy while the GPU was idle", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"launching_ns", NULL, "idle: launching, allocating, loading code", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"host_waited_ns", NULL, "idle: the host waited", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"host_ns", NULL, "idle: outside CUDA", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"loader_ns", NULL, "idle: outside CUDA, in a range whose name is that of a data loader", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"span_ns", NULL, "from its first operation to its last", SHEET_TIME, SHEET_NEITHER, 0, 0, false},
    {"collectives", NULL, "that it ran", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"steps", NULL, "of its loop; 0: none were found", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"lost", NULL, "events that its recording lacks", SHEET_COUNT, SHEET_LESS, 0, 0, false},
    {"pid", NULL, "process", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"device", NULL, "name of its device", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"file", "file", "what its digest was made from", SHEET_TEXT, SHEET_NEITHER, 16, 7, false}};
static const struct sheet_column collective_columns[] = {
    {"communicator", "communicator", "name that the trace gives it, or its stream's number", SHEET_TEXT, SHEET_NEITHER, 20, 3, false},
    {"sequence", "#", "in its communicator, from 0", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"operation", "operation", "what it does", SHEET_TEXT, SHEET_NEITHER, 16, 1, false},
    {"bytes", "bytes", "message of a rank; null: the trace does not say", SHEET_BYTES, SHEET_NEITHER, 9, 5, false},
    {"ranks", "ranks", "that were gathered and ran it", SHEET_COUNT, SHEET_NEITHER, 6, 4, false},
    {"start_ns", "last at", "when the last rank came, from the job's begin", SHEET_TIME, SHEET_NEITHER, 9, 2, false},
    {"step", "step", "of the last rank; null: in none", SHEET_COUNT, SHEET_NEITHER, 6, 4, false},
    {"waited_ns", "waited", "mean wait of the other ranks for the last one; null: not judged", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"spread_ns", NULL, "from the first rank's start to the last one's", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"ahead_ns", NULL, "from the start of the last but one to the last one's; null: there is none", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"transfer_ns", "together", "from the last rank's start to the last end", SHEET_TIME, SHEET_LESS, 9, 3, false},
    {"last_rank", "last", "rank that came last; null: not judged", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"root_rank", "root", "rank whose delay it was: the last one, or that of an earlier collective that it had waited in", SHEET_COUNT, SHEET_NEITHER, 6, 1, false},
    {"chain", NULL, "earlier collectives that were followed to the root", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"cause", "cause", "class of time in which the root had more than the others' mean; null: none", SHEET_TEXT, SHEET_NEITHER, 12, 1, false},
    {"excess_ns", NULL, "by how much", SHEET_TIME, SHEET_NEITHER, 0, 0, false},
    {"range", NULL, "the root's range with most of its idle time outside CUDA; null: none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"state", "state", "judged, or why not", SHEET_SENTENCE, SHEET_NEITHER, 12, 0, false}};
static const struct sheet_column host_columns[] = {
    {"host", "host", "its name; null: not known, each file then has a clock of its own", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"ranks", "ranks", "that were gathered of it", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"points", "shared", "collectives by whose ends its clock was fitted", SHEET_COUNT, SHEET_MORE, 7, 1, false},
    {"compared", "compared", "could its clock be compared with the first host's", SHEET_YES, SHEET_NEITHER, 8, 0, false},
    {"offset_ns", "ahead (ns)", "its clock minus the first host's, at the job's begin; null: not known", SHEET_NUMBER, SHEET_NEITHER, 16, 0, false},
    {"drift_ppm", "drift (ppm)", "ns by which it gains in each ms; 0 where too few or too short", SHEET_NUMBER, SHEET_NEITHER, 12, 0, false},
    {"residual_ns", "agrees to", "95 % of the ends lie closer: nothing finer is said between this host and others", SHEET_TIME, SHEET_LESS, 10, 0, false}};
static const struct sheet_column communicator_columns[] = {
    {"communicator", "communicator", "name that the trace gives it, or its stream's number", SHEET_TEXT, SHEET_NEITHER, 32, 0, false},
    {"ranks", "ranks", "that were gathered of it", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"named", "named", "does the trace name it; else it is matched by stream and order", SHEET_YES, SHEET_NEITHER, 6, 0, false},
    {"judged", "judged", "collectives", SHEET_COUNT, SHEET_MORE, 8, 0, false},
    {"left", "left early", "collectives that a rank left before the last one came: with many the ranks are not of one communicator", SHEET_COUNT, SHEET_LESS, 10, 0, false}};
static const struct sheet_column verdict_columns[] = {
    {"silent", "silent", "nobody stands out", SHEET_YES, SHEET_NEITHER, 6, 0, false},
    {"culprit", "culprit", "rank; null: none", SHEET_COUNT, SHEET_NEITHER, 7, 0, false},
    {"cause", "cause", "class of time that made it late; null: none", SHEET_TEXT, SHEET_NEITHER, 12, 0, false},
    {"step", "step", "of the longest wait; null: in none", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"steps", NULL, "with waits of at least a tenth of the longest", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"culprits", NULL, "ranks that stand out", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"caused_ns", "caused", "mean wait of the others, added up", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"caused_share", "share", "of the time of the steps, or of the job", SHEET_SHARE, SHEET_LESS, 7, 0, false},
    {"speedup", "speedup", "of the job, were it no later than the next one: by the waits, not by a replay; null: none", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"residual_ns", NULL, "to which the hosts' clocks agree", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"who", "who", "the culprit in words; null: none", SHEET_TEXT, SHEET_NEITHER, 20, 1, false},
    {"why", NULL, "what it caused; null: nothing", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"evidence", NULL, "what shows the cause; null: nothing", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"text", "verdict", "the verdict in a sentence", SHEET_SENTENCE, SHEET_NEITHER, 30, 0, false}};
/* clang-format on */

/* clang-format off */
static const struct sheet_column remedy_columns[] = {
    {"gain_ns", "gain", "by which the job would be shorter", SHEET_TIME, SHEET_MORE, 9, 0, false},
    {"gain_share", "share", "gain_ns by the time of the steps, or of the job", SHEET_SHARE, SHEET_MORE, 7, 0, false},
    {"speedup", "speedup", "of that time", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"rank", "rank", "whose time is changed; null: all, or the collectives'", SHEET_COUNT, SHEET_NEITHER, 6, 1, false},
    {"class", NULL, "class of time that is changed; null: all of them, or the collectives", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"error", NULL, "of the replay without edits, by the time of the steps, or of the job", SHEET_SHARE, SHEET_NEITHER, 0, 0, false},
    {"text", "what if", "the edit in a sentence", SHEET_SENTENCE, SHEET_NEITHER, 30, 0, false}};
/* clang-format on */

static struct sheet_cell text_cell(const char *text)
{
    return (struct sheet_cell){.text = text && *text ? text : NULL};
}

static struct sheet_cell number_cell(bool known, double number)
{
    return (struct sheet_cell){.number = known ? number : (double)NAN};
}

static double share_of(int64_t ns, int64_t of_ns)
{
    return of_ns > 0 ? (double)ns / (double)of_ns : (double)NAN;
}

/* ---- ranks ---- */
struct late {
    int64_t caused_ns;
    uint32_t rank;
};

static int by_lateness(const void *a, const void *b)
{
    const struct late *left = a, *right = b;
    if (left->caused_ns != right->caused_ns)
        return left->caused_ns < right->caused_ns ? 1 : -1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

uint32_t *job_ranks_by_lateness(const struct job *job)
{
    struct late *late = malloc(((size_t)job->rank_count + 1) * sizeof *late);
    uint32_t *order = malloc(((size_t)job->rank_count + 1) * sizeof *order);
    if (late && order) {
        for (uint32_t i = 0; i < job->rank_count; i++)
            late[i] = (struct late){job->ranks[i].caused_ns, i};
        qsort(late, job->rank_count, sizeof *late, by_lateness);
        for (uint32_t i = 0; i < job->rank_count; i++)
            order[i] = late[i].rank;
    } else {
        free(order);
        order = NULL;
    }
    free(late);
    return order;
}

static void make_rank(const struct job *job, const struct job_rank *rank, struct sheet_sink *to)
{
    const struct digest_head *head = rank->digest.head;
    const int64_t span_ns = head->last_ns - head->first_ns;
    sheet_row(to, (const struct sheet_cell[]){{.number = rank->number},
                                              text_cell(job->hosts[rank->host].name),
                                              {.number = head->device},
                                              {.number = (double)rank->caused_ns},
                                              {.number = share_of(rank->caused_ns, job->verdict.span_ns)},
                                              text_cell(rank_class_id(rank->cause)),
                                              {.number = rank->last_times},
                                              {.number = (double)rank->waited_ns},
                                              {.number = share_of(head->ns[RANK_COLLECTIVE], span_ns)},
                                              {.number = share_of(head->ns[RANK_COMPUTE], span_ns)},
                                              {.number = rank->device_factor},
                                              {.number = rank->copy_factor},
                                              {.number = rank->work_factor},
                                              {.number = (double)head->hidden_ns},
                                              {.number = (double)head->ns[RANK_COPY]},
                                              {.number = (double)head->ns[RANK_LAUNCH]},
                                              {.number = (double)head->ns[RANK_WAIT]},
                                              {.number = (double)head->ns[RANK_HOST]},
                                              {.number = (double)head->ns[RANK_LOADER]},
                                              {.number = (double)span_ns},
                                              {.number = (double)head->collectives_all},
                                              {.number = (double)head->steps_all},
                                              {.number = (double)head->lost},
                                              {.number = head->pid},
                                              text_cell(digest_text(&rank->digest, head->device_name)),
                                              text_cell(digest_text(&rank->digest, head->file))});
}

static enum status make_ranks(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct job *job = from;
    uint32_t *order = job_ranks_by_lateness(job);
    if (!order)
        return error_no_memory(error, "to sort the ranks");
    for (uint32_t i = 0; i < job->rank_count; i++)
        make_rank(job, &job->ranks[order[i]], to);
    free(order);
    return STATUS_OK;
}

/* ---- collectives, hosts, communicators, the verdict ---- */
static enum status make_collectives(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct job *job = from;
    (void)error;
    for (uint32_t i = 0; i < job->collective_count; i++) {
        const struct job_collective *row = &job->collectives[i];
        const bool judged = row->state == COLLECTIVE_JUDGED;
        const bool compared = judged || row->state == COLLECTIVE_FIRST || row->state == COLLECTIVE_LEFT;
        const struct job_rank *root = judged ? &job->ranks[row->root] : NULL;
        sheet_row(to, (const struct sheet_cell[]){
                          text_cell(job->communicators[row->communicator].name),
                          {.number = row->sequence},
                          {.text = rank_operation_words(row->operation)},
                          number_cell(row->bytes != UINT64_MAX, (double)row->bytes),
                          {.number = row->ranks},
                          {.number = (double)row->last_ns},
                          number_cell(row->step != UINT32_MAX, row->step),
                          number_cell(judged, (double)row->waited_ns),
                          number_cell(compared, (double)row->last_ns - (double)row->first_ns),
                          number_cell(judged && row->second_ns > INT64_MIN,
                                      (double)row->last_ns - (double)row->second_ns),
                          number_cell(compared, (double)row->end_ns - (double)row->last_ns),
                          number_cell(judged, judged ? job->ranks[row->last].number : 0),
                          number_cell(judged, root ? root->number : 0),
                          number_cell(judged, row->chain),
                          text_cell(judged ? rank_class_id(row->cause) : NULL),
                          number_cell(judged, (double)row->excess_ns),
                          text_cell(root ? digest_text(&root->digest, row->range) : NULL),
                          {.text = collective_state_words(row->state)}});
    }
    return STATUS_OK;
}

static enum status make_hosts(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct job *job = from;
    (void)error;
    for (uint32_t i = 0; i < job->host_count; i++) {
        const struct job_host *row = &job->hosts[i];
        sheet_row(to, (const struct sheet_cell[]){text_cell(row->name),
                                                  {.number = row->ranks},
                                                  {.number = row->points},
                                                  {.number = row->fitted},
                                                  number_cell(row->fitted, round(row->offset_ns)),
                                                  number_cell(row->fitted, round(row->drift * 1e9) / 1e3),
                                                  number_cell(row->fitted && i > 0, row->residual_ns)});
    }
    return STATUS_OK;
}

static enum status make_communicators(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct job *job = from;
    (void)error;
    for (uint32_t i = 0; i < job->communicator_count; i++) {
        const struct job_communicator *row = &job->communicators[i];
        sheet_row(to, (const struct sheet_cell[]){text_cell(row->name),
                                                  {.number = row->ranks},
                                                  {.number = row->named},
                                                  {.number = row->judged},
                                                  {.number = row->left}});
    }
    return STATUS_OK;
}

static enum status make_verdict(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct job *job = from;
    const struct job_verdict *verdict = &job->verdict;
    const bool speaks = !verdict->silent;
    char text[1000];
    (void)error;
    snprintf(text, sizeof text, speaks ? "%s. %s %s" : "%s", speaks ? verdict->who : verdict->silence,
             verdict->why, verdict->evidence);
    sheet_row(
        to, (const struct sheet_cell[]){{.number = verdict->silent},
                                        number_cell(speaks, speaks ? job->ranks[verdict->culprit].number : 0),
                                        text_cell(speaks ? rank_class_id(verdict->cause) : NULL),
                                        number_cell(verdict->step != UINT32_MAX, verdict->step),
                                        number_cell(speaks, verdict->steps),
                                        {.number = verdict->culprits},
                                        {.number = (double)verdict->caused_ns},
                                        {.number = share_of(verdict->caused_ns, verdict->span_ns)},
                                        number_cell(verdict->speedup > 0, verdict->speedup),
                                        {.number = (double)job->residual_ns},
                                        text_cell(verdict->who),
                                        text_cell(verdict->why),
                                        text_cell(verdict->evidence),
                                        {.text = text}});
    return STATUS_OK;
}

/* ---- the sheets ---- */
const struct sheet sheet_job_verdict = {"verdict", "Who holds the others up, and why",
                                        SHEET_COLUMNS(verdict_columns), "", make_verdict};
const struct sheet sheet_job_ranks = {"ranks", "Ranks, by the waits that they cause",
                                      SHEET_COLUMNS(rank_columns), "No rank was gathered.", make_ranks};
const struct sheet sheet_job_collectives = {"collectives", "Collectives by time",
                                            SHEET_COLUMNS(collective_columns), "No rank ran a collective.",
                                            make_collectives};
const struct sheet sheet_job_hosts = {"hosts", "Hosts and their clocks", SHEET_COLUMNS(host_columns),
                                      "No rank was gathered.", make_hosts};
const struct sheet sheet_job_communicators = {"communicators", "Communicators",
                                              SHEET_COLUMNS(communicator_columns),
                                              "No rank ran a collective.", make_communicators};

static enum status make_remedies(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct job *job = from;
    struct job_replays replays;
    const enum status status = job_replay(job, &replays, error);
    const double span_ns = (double)job->verdict.span_ns;
    for (uint32_t i = 0; status == STATUS_OK && i < replays.count; i++) {
        const struct job_edit *edit = &replays.edits[i];
        char text[200];
        job_edit_text(job, edit, text, sizeof text);
        struct sheet_cell cells[] = {
            number_cell(true, (double)edit->gain_ns),
            number_cell(true, (double)edit->gain_ns / span_ns),
            number_cell(true, span_ns / (span_ns - (double)edit->gain_ns)),
            number_cell(edit->rank != JOB_NOBODY,
                        edit->rank != JOB_NOBODY ? job->ranks[edit->rank].number : 0),
            text_cell(edit->class < RANK_CLASS_COUNT ? rank_class_id(edit->class) : NULL),
            number_cell(true, replays.error),
            text_cell(text)};
        sheet_row(to, cells);
    }
    return status;
}

const struct sheet sheet_job_remedies = {
    "remedies", "What would help: the ranks, joined at their collectives, replayed with an edit each",
    SHEET_COLUMNS(remedy_columns), "No edit gains 2 % of the job's time, or no collective could be judged.",
    make_remedies};

const struct sheet *job_sheet_at(size_t index)
{
    static const struct sheet *const sheets[] = {&sheet_job_verdict,       &sheet_job_ranks,
                                                 &sheet_job_collectives,   &sheet_job_hosts,
                                                 &sheet_job_communicators, &sheet_job_remedies};
    return index < sizeof sheets / sizeof *sheets ? sheets[index] : NULL;
}

void job_notes(const struct job *job, char *text, size_t size_bytes)
{
    size_t used = 0;
    char residual[32];
    uint32_t apart = 0;
    *text = '\0';
    for (uint32_t i = 0; i < job->host_count; i++)
        apart += !job->hosts[i].fitted;
    if (job->host_count > 1) {
        const struct value value = {.available = true, .number = (double)job->residual_ns};
        metric_format(METRIC_time_ns, &value, residual, sizeof residual);
        append_text(
            text, size_bytes, &used,
            "The clocks of %u %s were fitted by the ends of collectives and agree to %s: nothing finer is said "
            "between them. ",
            job->host_count, *job->hosts[0].name ? "hosts" : "files", residual);
    }
    if (apart > 0)
        append_text(text, size_bytes, &used, "The clocks of %u could not be compared. ", apart);
    append_text(text, size_bytes, &used, "%s", job->order_note);
}
