/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result: `states` has a row for each match, with the state of each limit. A side's argument is split in
 * place: the text behind the colon becomes the compare_pick. The whole session is loaded before its index is
 * made. A run has many kernels: its device time is looked up once for each pair of runs.
 */
#include "cli/diff/diff.h"
#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/report_sheets.h"
#include "core/base/append.h"
#include "core/recording/recording.h"
#include "tui/widgets/name_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t traced_run(const struct compare_kernel *side)
{
    uint32_t traced = kernel_index_in_mode(side->index, side->kernel, RUN_TRACE);
    return traced == NONE ? NONE : session_kernel(kernel_index_session(side->index), traced)->run;
}

static struct compare_run *find_pair(const struct diff_runs *runs, uint32_t a, uint32_t b)
{
    for (size_t i = runs->count; i-- > 0;) /* the kernels of a run are neighbours */
        if (runs->rows[i].run[0] == a && runs->rows[i].run[1] == b)
            return &runs->rows[i];
    return NULL;
}

enum status diff_runs_make(struct diff_runs *runs, const struct diff *diff, struct error *error)
{
    enum status status = STATUS_OK;
    *runs = (struct diff_runs){.rows = memory_zeroed(diff->matches.count, sizeof *runs->rows)};
    for (int s = 0; s < 2; s++)
        runs->kernels[s] = memory_zeroed(diff->matches.count, sizeof **runs->kernels);
    for (size_t i = 0; status == STATUS_OK && i < diff->matches.count; i++) {
        struct compare_kernel a = diff_kernel(diff, &diff->matches.rows[i], 0),
                              b = diff_kernel(diff, &diff->matches.rows[i], 1);
        uint32_t run_a = traced_run(&a), run_b = traced_run(&b);
        if (run_a == NONE || run_b == NONE)
            continue;
        struct compare_run *pair = find_pair(runs, run_a, run_b);
        if (pair) {
            pair->work = compare_work(&a, &b) == COMPARE_WORK_OTHER ? COMPARE_WORK_OTHER : pair->work;
            continue;
        }
        runs->kernels[0][runs->count] = a.kernel;
        runs->kernels[1][runs->count] = b.kernel;
        status = memory_check(compare_run_of(&runs->rows[runs->count++], &a, &b, error));
    }
    return status;
}

void diff_runs_fini(struct diff_runs *runs)
{
    free(runs->rows);
    free(runs->kernels[0]);
    free(runs->kernels[1]);
    *runs = (struct diff_runs){0};
}

/* Where the selection begins: after the first colon at which a file's name can end; NULL: all of it is the
 * file's name. */
static char *find_selection(char *text)
{
    if (access(text, F_OK) == 0)
        return NULL;
    for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        bool there = access(text, F_OK) == 0;
        if (there)
            return colon + 1;
        *colon = ':';
    }
    return NULL;
}

static enum status parse_device(struct compare_pick *pick, const char *value, struct error *error)
{
    pick->device = strcmp(value, "simt") == 0   ? COMPARE_MODEL
                   : strcmp(value, "cuda") == 0 ? COMPARE_GPU
                                                : COMPARE_ANY_DEVICE;
    return pick->device != COMPARE_ANY_DEVICE
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "device=%.40s: give device=cuda (a GPU) or device=simt (the device model).",
                           value);
}

/* Splits "WORKLOAD:variant,param=value,device=simt" into the pick. Moves the parameters together, without the
 * device. */
static enum status parse_selection(struct diff_side *side, char *selection, struct error *error)
{
    struct compare_pick *pick = &side->pick;
    char *rest = strchr(selection, ','), *param, *params = NULL, *end = NULL;
    if (!rest && strchr(selection, '=')) {
        rest = selection; /* nothing but a parameter */
    } else if (rest && memchr(selection, '=', (size_t)(rest - selection))) {
        rest = selection;
    } else {
        if (rest)
            *rest++ = '\0';
        char *colon = strchr(selection, ':');
        if (colon) {
            *colon = '\0';
            pick->variant = colon + 1;
        }
        pick->work = selection;
    }
    while ((param = strsep(&rest, ","))) {
        size_t length = strlen(param);
        if (!strchr(param, '=') || *param == '=') {
            return error_set(error, STATUS_USAGE,
                             "\"%.60s\" in %.120s is not a parameter: after a recording, give "
                             ":WORKLOAD[:variant][,param=value]...",
                             param, side->text);
        }
        if (strncmp(param, "device=", 7) == 0) {
            enum status status = parse_device(pick, param + 7, error);
            if (status != STATUS_OK)
                return status;
            continue;
        }
        if (!params)
            params = end = param;
        else
            *end++ = ',';
        memmove(end, param, length + 1);
        end += length;
    }
    pick->params = params;
    return STATUS_OK;
}

enum status diff_side_open(struct diff_side *side, const char *text, struct error *error)
{
    *side = (struct diff_side){.text = text, .words = memory_copy_text(text)};
    char *selection = find_selection(side->words);
    side->file = side->words;
    enum status status = selection && *selection ? parse_selection(side, selection, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    if (memory_check(recording_load(&side->session, side->file, error)) != STATUS_OK) {
        if (error)
            error->status = STATUS_USAGE; /* the text names no recording that can be read */
        return STATUS_USAGE;
    }
    memory_check(kernel_index_create(&side->index, side->session, error));
    return STATUS_OK;
}

void diff_side_close(struct diff_side *side)
{
    kernel_index_destroy(side->index);
    if (side->session)
        session_destroy(side->session);
    free(side->words);
    *side = (struct diff_side){0};
}

static void run_name(const struct session *session, const struct run_row *run, bool params, char *text,
                     size_t size_bytes)
{
    const char *variant = session_string(session, run->variant),
               *given = session_string(session, run->params);
    snprintf(text, size_bytes, "%s%s%s%s%s",
             session_string(session, run->workload ? run->workload : run->program), *variant ? ":" : "",
             variant, params && *given ? " " : "", params ? given : "");
}

void diff_side_run_name(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct kernel_row *row = session_kernel(side->session, kernel);
    run_name(side->session, session_run(side->session, row->run), true, text, size_bytes);
}

void diff_side_device(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct device_row *device =
        session_device(side->session, session_kernel(side->session, kernel)->device);
    bool model = kernel_on_model(side->session, kernel);
    snprintf(text, size_bytes, "%s%.*s", model ? "device model of " : "",
             device ? (int)sizeof device->info.name : 9, device ? device->info.name : "a device");
}

void diff_side_works(const struct diff_side *side, char *text, size_t size_bytes)
{
    size_t length = 0;
    char name[200], last[200] = "";
    text[0] = '\0';
    for (uint32_t i = 0; i < session_run_count(side->session); i++) {
        run_name(side->session, session_run(side->session, i), false, name, sizeof name);
        if (strcmp(name, last) == 0) /* a sweep, or the run's other modes */
            continue;
        if (length + strlen(name) + 8 > size_bytes) {
            snprintf(text + length, size_bytes - length, ", ...");
            return;
        }
        append_text(text, size_bytes, &length, "%s%s", length ? ", " : "", name);
        memcpy(last, name, sizeof last);
    }
}

struct compare_kernel diff_kernel(const struct diff *diff, const struct compare_match *match, int side)
{
    return (struct compare_kernel){diff->sides[side].index, side == 0 ? match->a : match->b};
}

struct compare_metric diff_metric(const struct diff *diff, const struct compare_match *match,
                                  enum metric metric)
{
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    struct compare_metric result;
    memory_check(compare_metric(&a, &b, metric, &result, NULL));
    return result;
}

enum limit_state diff_state(const struct diff *diff, size_t limit, size_t match)
{
    return (enum limit_state)diff->states[limit * diff->matches.count + match];
}

enum limit_state diff_limit(const struct diff *diff, size_t limit)
{
    enum limit_state worst = LIMIT_UNCHECKED;
    for (size_t match = 0; match < diff->matches.count; match++) {
        enum limit_state state = diff_state(diff, limit, match);
        worst = state > worst ? state : worst;
    }
    return worst;
}

bool diff_is_fine(const struct diff *diff)
{
    bool fine = diff->matches.count > 0;
    for (size_t i = 0; i < diff->limit_count; i++)
        fine = fine && diff_limit(diff, i) == LIMIT_KEPT;
    return fine;
}

void diff_kernel_name(const struct diff *diff, int side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct session *session = diff->sides[side].session;
    if (diff->wide)
        name_print_plain(kernel_full_name(session, kernel), text, size_bytes);
    else
        report_short_name(diff->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, text, size_bytes);
}

/*
 * The comparison as sheets: the pairs of kernels are numbered in their order. A row of changes has one metric of a
 * pair; where both sides have the same number there is none, unless `wide` asks for all, as the document of --json does.
 */

#define TEXT_BYTES 2048

/* clang-format off */
#define PAIR_COLUMN {"pair", "pair", "number of the pair of kernels, from 0", SHEET_COUNT, SHEET_NEITHER, 4, 3, false}
#define SIDE_COLUMNS(side)                                                                                              \
    {side "_n", NULL, "launches behind the median of this side", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},               \
    {side "_min", NULL, "least of the launches", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},                              \
    {side "_max", NULL, "most of the launches", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},                               \
    {side "_bound", NULL, "exact, or which way the value is a bound", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},           \
    {side "_why", NULL, "why the value is not available; null: it is", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},          \
    {side "_sum", NULL, "over all launches of this side", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false}
static const struct sheet_column change_columns[] = {
    PAIR_COLUMN,
    {"metric", "metric", "id of the metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 32, 0, false},
    {"a", "A", "median over A's launches; null: not available", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"b", "B", "of B's", SHEET_NUMBER, SHEET_NEITHER, 12, 0, true},
    {"unit", NULL, "unit of both", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"difference", NULL, "B - A; null: not known", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"ratio", "B / A", "B / A; null: not known", SHEET_RATIO, SHEET_NEITHER, 8, 1, false},
    {"b_is", "B is", "worse, neither or better", SHEET_TEXT, SHEET_NEITHER, 7, 0, false},
    {"weight", "weight", "how sure the difference is", SHEET_TEXT, SHEET_NEITHER, 10, 2, false},
    {"chance", NULL, "probability of such a difference by chance", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel of B", "its whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false},
    SIDE_COLUMNS("a"),
    SIDE_COLUMNS("b"),
    {"sum_b_is", NULL, "as b_is, of the sums; null: the metric has none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
static const struct sheet_column pair_columns[] = {
    PAIR_COLUMN,
    {"matched_by", "by", "what the two have in common", SHEET_TEXT, SHEET_NEITHER, 12, 1, false},
    {"work", "work", "is it the same work", SHEET_TEXT, SHEET_NEITHER, 8, 0, false},
    {"work_difference", NULL, "what differs in the work; null: nothing", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"same_clock", NULL, "are both measured, or both modelled", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"a_launches", "A", "launches of A", SHEET_COUNT, SHEET_NEITHER, 7, 2, false},
    {"b_launches", "B", "launches of B", SHEET_COUNT, SHEET_NEITHER, 7, 2, false},
    {"a_run", "run of A", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 3, false},
    {"b_run", "run of B", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 3, false},
    {"a_name", NULL, "A's kernel", SHEET_KERNEL, SHEET_NEITHER, 0, 0, false},
    {"b_name", "kernel of B", "B's kernel", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column run_columns[] = {
    {"a_ns", "A", "device time of A's run", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"b_ns", "B", "of B's", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"times_as_fast", "B is faster", "A's time / B's; null: of different work or clocks", SHEET_RATIO, SHEET_MORE, 11, 0, false},
    {"work", "work", "is it the same work", SHEET_TEXT, SHEET_NEITHER, 8, 1, false},
    {"same_clock", NULL, "are both measured, or both modelled", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"a", "run of A", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 2, false},
    {"b", "run of B", "its run", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
static const struct sheet_column limit_columns[] = {
    {"limit", "limit", "as it was given", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"metric", NULL, "id of its metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"state", "state", "broken, kept, or unchecked, which fails too if it holds of all pairs", SHEET_TEXT, SHEET_NEITHER, 10, 0, false},
    {"pair", "pair", "number of the pair; null: all", SHEET_COUNT, SHEET_NEITHER, 4, 0, false}};
static const struct sheet_column kernel_columns[] = {
    {"side", "side", "a or b", SHEET_TEXT, SHEET_NEITHER, 4, 0, false},
    {"pair", "pair", "number of its pair; null: it has no counterpart", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"work", "work", "the workload, or the program", SHEET_TEXT, SHEET_NEITHER, 14, 1, false},
    {"variant", "variant", "of the workload", SHEET_TEXT, SHEET_NEITHER, 10, 2, false},
    {"params", "parameters", "of the run", SHEET_TEXT, SHEET_NEITHER, 16, 3, false},
    {"device", "device", "the GPU, or its model", SHEET_TEXT, SHEET_NEITHER, 12, 4, false},
    {"grid_x", NULL, "blocks", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"grid_y", NULL, "blocks", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"grid_z", NULL, "blocks", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"block_x", NULL, "threads", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"block_y", NULL, "threads", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"block_z", NULL, "threads", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"dynamic_shared_bytes", NULL, "shared memory of the launch", SHEET_BYTES, SHEET_NEITHER, 0, 0, false},
    {"short_name", NULL, "as readers see it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "its whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column result_columns[] = {
    {"result", "result", "fine is exit status 0, limits-failed and nothing-compared are 1", SHEET_TEXT, SHEET_NEITHER, 16, 0, false},
    {"a", "A", "as typed", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"b", "B", "as typed", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column only_columns[] = {
    {"side", "only in", "a or b", SHEET_TEXT, SHEET_NEITHER, 7, 0, false},
    {"run", "run", "its run", SHEET_TEXT, SHEET_NEITHER, 30, 1, false},
    {"name", "kernel", "its whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static const char *name_of(const struct diff *diff, int side, uint32_t kernel)
{
    return kernel_full_name(diff->sides[side].session, kernel);
}

static struct sheet_cell number_cell(bool known, double number)
{
    return (struct sheet_cell){.number = known ? number : (double)NAN};
}

/* The cells of SIDE_COLUMNS. */
#define SIDE_CELLS 6
static void fill_side(struct sheet_cell *cells, const struct kernel_statistic *statistic,
                      const struct compare_sums *sums, int side)
{
    const struct value *value = &statistic->value;
    const bool number = value->available && !value->word;
    cells[0].number = value->available ? statistic->n : 0;
    cells[1] = number_cell(number, statistic->min);
    cells[2] = number_cell(number, statistic->max);
    cells[3].text = value_bound_text(value->available ? value->bound : VALUE_EXACT);
    cells[4].text = value->available ? NULL : value->why ? value->why : "not known";
    cells[5] = number_cell(sums->change.known, sums->sums[side]);
}

static void make_change(const struct diff *diff, size_t pair, enum metric metric, struct sheet_sink *to)
{
    const struct compare_match *match = &diff->matches.rows[pair];
    struct compare_metric compared = diff_metric(diff, match, metric);
    const struct compare_change *change = &compared.change;
    char texts[2][40];
    if (!diff->wide && (!change->known || change->difference == 0))
        return;
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    struct compare_sums sums = compare_sums(&a, &b, metric);
    struct sheet_cell cells[sizeof change_columns / sizeof *change_columns] = {
        {.number = (double)pair},
        {.text = metric_info(metric)->id},
        report_metric_cell(metric, &compared.a.value, texts[0]),
        report_metric_cell(metric, &compared.b.value, texts[1]),
        {.text = metric_info(metric)->unit},
        number_cell(change->known, change->difference),
        number_cell(change->known && change->has_ratio, change->ratio),
        {.text = compare_change_text(change)},
        {.text = compare_weight_text(compared.weight)},
        {.number = compared.chance},
        {.text = name_of(diff, 1, match->b)}};
    fill_side(&cells[11], &compared.a, &sums, 0);
    fill_side(&cells[11 + SIDE_CELLS], &compared.b, &sums, 1);
    cells[11 + 2 * SIDE_CELLS].text = sums.change.known ? compare_change_text(&sums.change) : NULL;
    sheet_row(to, cells);
}

static enum status make_changes(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++)
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
            make_change(diff, i, metric, to);
    return STATUS_OK;
}

static enum status make_pairs(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++) {
        const struct compare_match *match = &diff->matches.rows[i];
        struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
        char runs[2][TEXT_BYTES], differs[300];
        compare_work_difference(&a, &b, differs, sizeof differs);
        diff_side_run_name(&diff->sides[0], match->a, runs[0], sizeof runs[0]);
        diff_side_run_name(&diff->sides[1], match->b, runs[1], sizeof runs[1]);
        const struct sheet_cell cells[] = {{.number = (double)i},
                                           {.text = compare_how_text(match->how)},
                                           {.text = compare_work_text(compare_work(&a, &b))},
                                           {.text = *differs ? differs : NULL},
                                           {.number = compare_same_clock(&a, &b)},
                                           {.number = (double)kernel_index_times(a.index, a.kernel).launches},
                                           {.number = (double)kernel_index_times(b.index, b.kernel).launches},
                                           {.text = runs[0]},
                                           {.text = runs[1]},
                                           {.text = name_of(diff, 0, match->a)},
                                           {.text = name_of(diff, 1, match->b)}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static enum status make_runs(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    struct diff_runs runs;
    enum status status = diff_runs_make(&runs, diff, error);
    for (size_t i = 0; status == STATUS_OK && i < runs.count; i++) {
        const struct compare_run *run = &runs.rows[i];
        const double factor = compare_run_factor(run);
        char names[2][TEXT_BYTES];
        for (int s = 0; s < 2; s++)
            diff_side_run_name(&diff->sides[s], runs.kernels[s][i], names[s], sizeof names[s]);
        sheet_row(to, (const struct sheet_cell[]){{.number = (double)run->device_ns[0]},
                                                  {.number = (double)run->device_ns[1]},
                                                  {.number = factor > 0 ? factor : (double)NAN},
                                                  {.text = compare_work_text(run->work)},
                                                  {.number = run->same_clock},
                                                  {.text = names[0]},
                                                  {.text = names[1]}});
    }
    diff_runs_fini(&runs);
    return status;
}

static enum status make_limits(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->limit_count; i++) {
        sheet_row(to, (const struct sheet_cell[]){{.text = diff->limits[i].text},
                                                  {.text = metric_info(diff->limits[i].metric)->id},
                                                  {.text = limit_state_text(diff_limit(diff, i))},
                                                  {.number = NAN}});
        for (size_t match = 0; match < diff->matches.count; match++)
            sheet_row(to, (const struct sheet_cell[]){{.text = diff->limits[i].text},
                                                      {.text = metric_info(diff->limits[i].metric)->id},
                                                      {.text = limit_state_text(diff_state(diff, i, match))},
                                                      {.number = (double)match}});
    }
    return STATUS_OK;
}

/* `pair` NAN: none. */
static void make_kernel(const struct diff *diff, int s, uint32_t kernel, double pair, struct sheet_sink *to)
{
    const struct diff_side *side = &diff->sides[s];
    const struct session *session = side->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = session_run(session, row->run);
    const struct shape_row *shape = session_shape(session, row->shape);
    char device[TEXT_BYTES], name[TEXT_BYTES];
    report_short_name(diff->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, name, sizeof name);
    diff_side_device(side, kernel, device, sizeof device);
    sheet_row(to, (const struct sheet_cell[]){
                      {.text = s ? "b" : "a"},
                      {.number = pair},
                      {.text = session_string(session, run->workload ? run->workload : run->program)},
                      {.text = session_string(session, run->variant)},
                      {.text = session_string(session, run->params)},
                      {.text = device},
                      {.number = shape->grid[0]},
                      {.number = shape->grid[1]},
                      {.number = shape->grid[2]},
                      {.number = shape->block[0]},
                      {.number = shape->block[1]},
                      {.number = shape->block[2]},
                      {.number = (double)shape->dynamic_shared_bytes},
                      {.text = name},
                      {.text = session_string(session, shape->name)}});
}

static enum status make_kernels(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (size_t i = 0; i < diff->matches.count; i++) {
        make_kernel(diff, 0, diff->matches.rows[i].a, (double)i, to);
        make_kernel(diff, 1, diff->matches.rows[i].b, (double)i, to);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < diff->matches.only_count[s]; i++)
            make_kernel(diff, s, diff->matches.only[s][i], NAN, to);
    return STATUS_OK;
}

static enum status make_result(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    sheet_row(to, (const struct sheet_cell[]){{.text = diff->matches.count == 0 ? "nothing-compared"
                                                       : diff_is_fine(diff)     ? "fine"
                                                                                : "limits-failed"},
                                              {.text = diff->sides[0].text},
                                              {.text = diff->sides[1].text}});
    return STATUS_OK;
}

static enum status make_only(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct diff *diff = from;
    (void)error;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < diff->matches.only_count[s]; i++) {
            const uint32_t kernel = diff->matches.only[s][i];
            char run[TEXT_BYTES];
            diff_side_run_name(&diff->sides[s], kernel, run, sizeof run);
            sheet_row(to, (const struct sheet_cell[]){
                              {.text = s ? "b" : "a"}, {.text = run}, {.text = name_of(diff, s, kernel)}});
        }
    }
    return STATUS_OK;
}

#define COMPARED(name, words, list, nothing, function)                                               \
    {                                                                                                \
        .id = name, .title = words, SHEET_COLUMNS(list), .none = name ": " nothing, .rows = function \
    }
static const struct sheet sheets[] = {
    COMPARED("result", "What was compared, and how it ended", result_columns, "none", make_result),
    COMPARED("changes", "Metrics that differ", change_columns, "nothing differs", make_changes),
    COMPARED("pairs", "Kernels that are compared", pair_columns, "no kernel is on both sides", make_pairs),
    COMPARED("runs", "Runs by their device time", run_columns, "no run is on both sides", make_runs),
    COMPARED("limits", "Limits of --fail-on", limit_columns, "none was given", make_limits),
    COMPARED("kernels", "Kernels of both sides", kernel_columns, "no kernels", make_kernels),
    COMPARED("only", "Kernels of one side alone", only_columns, "none", make_only)};

const struct sheet *diff_sheet_at(size_t index)
{
    return index < sizeof sheets / sizeof *sheets ? &sheets[index] : NULL;
}

const struct sheet_document diff_document = {
    .title = "lanescope diff --json",
    .description =
        "Two recordings, or two selections of one, compared. Times are ns, sizes bytes; null means: not known or not "
        "there, never 0. --table NAME --format json prints one of the sheets.",
    .version = 2,
    .list = diff_sheet_at};
