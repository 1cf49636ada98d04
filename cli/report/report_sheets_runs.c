/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheets about runs, devices and the kernels of each run. `run` is the number of a run in the sheet of
 * runs, `kernel` of a kernel in that of shapes, `device` a row of the sheet of devices, all counted from 0.
 */
#include "cli/report/report_sheets.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/data/report_facts.h"
#include "cli/report/data/report_ranges.h"
#include "cli/report/report.h"
#include "cli/report/report_runs.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const clocks[CLOCK_COUNT] = {[CLOCK_WALL] = "wall", [CLOCK_MODEL] = "model"};

/* ---- devices: the rows of several processes that are one device ---- */
static bool same_device(const struct device_row *a, const struct device_row *b)
{
    static const uint8_t no_uuid[sizeof a->info.uuid];
    if (a->info.is_model != b->info.is_model || memcmp(a->info.uuid, b->info.uuid, sizeof a->info.uuid) != 0)
        return false;
    return memcmp(a->info.uuid, no_uuid, sizeof no_uuid) != 0 ||
           (a->ordinal == b->ordinal && strncmp(a->info.name, b->info.name, sizeof a->info.name) == 0);
}

/* The first row of the same device. */
static uint32_t first_of_device(const struct session *session, uint32_t device)
{
    uint32_t first = 0;
    while (first < device && !same_device(session_device(session, first), session_device(session, device)))
        first++;
    return first;
}

/* Its row in the sheet of devices; NAN if not found. */
static double device_index(const struct session *session, uint32_t device)
{
    if (device >= session_device_count(session))
        return NAN;
    uint32_t first = first_of_device(session, device);
    double index = 0;
    for (uint32_t i = 0; i < first; i++)
        index += first_of_device(session, i) == i;
    return index;
}

/* clang-format off */
static const struct sheet_column device_columns[] = {
    {"name", "device", "the device's name", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"chip", "chip", "the chip, as the driver names it", SHEET_TEXT, SHEET_NEITHER, 6, 2, false},
    {"uuid", NULL, "32 hexadecimal digits; null: it has none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"is_model", "model", "is it the device model", SHEET_YES, SHEET_NEITHER, 5, 0, false},
    {"ordinal", "ordinal", "its number in the process that found it", SHEET_COUNT, SHEET_NEITHER, 7, 3, false},
    {"compute_capability", "cc", "compute capability", SHEET_TEXT, SHEET_NEITHER, 4, 0, false},
    {"multiprocessors", "SMs", "multiprocessors", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"memory_bytes", "memory", "size of the device's memory", SHEET_BYTES, SHEET_NEITHER, 8, 1, false},
    {"l2_bytes", "L2", "size of the L2 cache", SHEET_BYTES, SHEET_NEITHER, 8, 1, false},
    {"core_clock_khz", NULL, "clock of the multiprocessors in kHz", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"memory_clock_khz", NULL, "clock of the memory in kHz", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"memory_bus_bits", NULL, "width of the memory's bus", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"driver_version", NULL, "version of CUDA that the driver has, 13000 for 13.0", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

/* In a device's facts 0 means "not known". */
static double known_fact(uint64_t number)
{
    return number == 0 ? (double)NAN : (double)(number & INT64_MAX);
}

static void make_device(const struct device_row *device, struct sheet_sink *to)
{
    const struct device_info *info = &device->info;
    char name[sizeof info->name + 1] = {0}, chip[sizeof info->chip + 1] = {0};
    char uuid[2 * sizeof info->uuid + 1];
    memcpy(name, info->name, sizeof info->name);
    memcpy(chip, info->chip, sizeof info->chip);
    for (size_t i = 0; i < sizeof info->uuid; i++)
        snprintf(uuid + 2 * i, 3, "%02x", info->uuid[i]);
    struct capability_text capability = capability_text(info->compute_capability);
    const struct sheet_cell cells[] = {{.text = name},
                                       {.text = chip},
                                       {.text = strspn(uuid, "0") == sizeof uuid - 1 ? NULL : uuid},
                                       {.number = info->is_model},
                                       {.number = device->ordinal},
                                       {.text = capability.text},
                                       {.number = known_fact(info->multiprocessors)},
                                       {.number = known_fact(info->memory_bytes)},
                                       {.number = known_fact(info->l2_bytes)},
                                       {.number = known_fact(info->core_clock_khz)},
                                       {.number = known_fact(info->memory_clock_khz)},
                                       {.number = known_fact(info->memory_bus_bits)},
                                       {.number = known_fact(info->driver_version)}};
    sheet_row(to, cells);
}

static enum status make_devices(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    (void)error;
    for (uint32_t i = 0; i < session_device_count(data->session); i++)
        if (first_of_device(data->session, i) == i)
            make_device(session_device(data->session, i), to);
    return STATUS_OK;
}

const struct sheet sheet_devices = {.id = "devices",
                                    .title = "Devices of the session",
                                    SHEET_COLUMNS(device_columns),
                                    .none = "devices: none in this recording",
                                    .rows = make_devices};

/* ---- runs ---- */
/* clang-format off */
static const struct sheet_column run_columns[] = {
    {"run", NULL, "number of the run, from 0", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"device_time_ns", "device time", "time in which the run had something on a device", SHEET_TIME, SHEET_LESS, 11, 0, false},
    {"of_best", "of best", "device time by that of the best run of the same work and size", SHEET_RATIO, SHEET_LESS, 7, 0, false},
    {"first_to_last_ns", "first to last", "from the first operation's start to the last one's end", SHEET_TIME, SHEET_LESS, 13, 2, false},
    {"span_ns", "whole run", "the whole run, set-up included", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"copies_ns", "copies", "time in which copies or sets ran", SHEET_TIME, SHEET_LESS, 9, 1, false},
    {"copies_hidden", "hidden", "share of it that kernels hide", SHEET_SHARE, SHEET_MORE, 9, 1, false},
    {"clock", NULL, "wall: measured; model: modelled", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"workload", NULL, "the bundled workload; null: a program", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"variant", NULL, "the workload's variant", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"params", NULL, "parameters, NAME=VALUE separated by commas", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"program", NULL, "the program; null: a bundled workload", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"verified", "verified", "was its result right; null: not known, or a program", SHEET_YES, SHEET_NEITHER, 8, 3, false},
    {"output_digest", NULL, "16 digits of the result; null: none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"device", NULL, "row of the sheet of devices", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"pid", NULL, "process", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"host", NULL, "its host", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"rank", NULL, "its rank; null: none", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"exit_status", NULL, "its exit status; null: not known", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"fidelity", NULL, "of a program on the device model: what of the run is exact, approximated, refused; else null", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"verdict_span_ns", NULL, "the time that is judged", SHEET_TIME, SHEET_NEITHER, 0, 0, false},
    {"verdict_uncounted_ns", NULL, "time in it of kernels without counters", SHEET_TIME, SHEET_NEITHER, 0, 0, false},
    {"verdict_left_out", NULL, "problems that are not among the findings", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"detail", NULL, "why the result is wrong, or was not verified; null: nothing is said", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"why", NULL, "its own advice, most to gain first: the first, and three if it is the only run; null: none", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"name", "run", "its name, without parameters that all runs of its workload share", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
enum {
    RUN_NUMBER, RUN_DEVICE_TIME, RUN_OF_BEST, RUN_FIRST_TO_LAST, RUN_SPAN, RUN_COPIES, RUN_HIDDEN, RUN_CLOCK, RUN_WORKLOAD,
    RUN_VARIANT, RUN_PARAMS, RUN_PROGRAM, RUN_VERIFIED, RUN_DIGEST, RUN_DEVICE, RUN_PID, RUN_HOST, RUN_RANK, RUN_EXIT, RUN_FIDELITY,
    RUN_VERDICT_SPAN, RUN_VERDICT_UNCOUNTED, RUN_VERDICT_MORE, RUN_DETAIL, RUN_WHY, RUN_NAME, RUN_CELLS
};
/* clang-format on */
_Static_assert(RUN_CELLS == sizeof run_columns / sizeof *run_columns, "a cell for each column");

static void fill_process(struct sheet_cell *cells, const struct session *session, const struct run_row *row)
{
    const struct process_row *process = session_process(session, row->process);
    cells[RUN_PID].number = cells[RUN_RANK].number = cells[RUN_EXIT].number = NAN;
    if (!process)
        return;
    int32_t exit_status = atomic_load_explicit(&process->exit_status, memory_order_acquire);
    cells[RUN_PID].number = process->pid;
    cells[RUN_HOST].text = session_string(session, process->host);
    cells[RUN_RANK].number = process->rank < 0 ? (double)NAN : process->rank;
    cells[RUN_EXIT].number = exit_status < 0 ? (double)NAN : exit_status;
}

static void fill_identity(struct sheet_cell *cells, const struct session *session,
                          const struct report_run *run)
{
    const struct run_row *row = report_run_row(session, run);
    int verified = report_verified(session, run);
    cells[RUN_CLOCK].text = clocks[row->clock];
    if (row->workload) {
        cells[RUN_WORKLOAD].text = session_string(session, row->workload);
        cells[RUN_VARIANT].text = session_string(session, row->variant);
    } else {
        cells[RUN_PROGRAM].text = session_string(session, row->program);
    }
    cells[RUN_PARAMS].text = session_string(session, row->params);
    cells[RUN_VERIFIED].number = verified < 0 || !row->workload ? (double)NAN : verified > 0;
    cells[RUN_DIGEST].text = report_digest(session, run);
    cells[RUN_FIDELITY].text = report_fidelity(session, row);
    cells[RUN_DEVICE].number = device_index(session, row->device);
    fill_process(cells, session, row);
}

static enum status fill_times(struct sheet_cell *cells, const struct report_data *data,
                              const struct report_run *run, const struct report_row *row, struct error *error)
{
    static const int numbers[] = {RUN_DEVICE_TIME,  RUN_OF_BEST,      RUN_FIRST_TO_LAST,
                                  RUN_SPAN,         RUN_COPIES,       RUN_HIDDEN,
                                  RUN_VERDICT_SPAN, RUN_VERDICT_MORE, RUN_VERDICT_UNCOUNTED};
    const uint32_t traced = run->runs[RUN_TRACE];
    struct run_times times;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cells[numbers[i]].number = NAN;
    if (traced == NONE)
        return STATUS_OK;
    if (atomic_load_explicit(&session_run(data->session, traced)->end_ns, memory_order_acquire) != INT64_MIN)
        cells[RUN_SPAN].number = (double)run_whole_ns(data->session, traced);
    enum status status = memory_check(run_times_of(data->session, traced, &times, error));
    if (status != STATUS_OK)
        return status;
    const struct verdict *verdict = report_verdict(data, run);
    cells[RUN_DEVICE_TIME].number = (double)times.ns[RUN_TIME_DEVICE];
    cells[RUN_FIRST_TO_LAST].number = (double)times.ns[RUN_TIME_SPAN];
    cells[RUN_VERDICT_SPAN].number = verdict->span_ns;
    cells[RUN_VERDICT_UNCOUNTED].number = verdict->uncounted_ns;
    cells[RUN_VERDICT_MORE].number = (double)verdict->more;
    if (row && row->bound)
        cells[RUN_OF_BEST].text = "bound";
    else if (row && row->of_best > 0)
        cells[RUN_OF_BEST].number = row->of_best;
    const struct overlap *overlap;
    if (row && report_overlap(data, run, &overlap, error) == STATUS_OK && overlap->copy_busy_ns > 0) {
        cells[RUN_COPIES].number = (double)overlap->copy_busy_ns;
        cells[RUN_HIDDEN].number = (double)overlap->copy_hidden_ns / (double)overlap->copy_busy_ns;
    }
    return STATUS_OK;
}

/* What the runs are made of: `rows` are those with work on a device, the longest first. */
struct runs {
    const struct report_data *data;
    struct report_row *rows;
    size_t count;
    enum status left; /* STATUS_STATE: events of one were evicted */
};

static uint32_t first_of(const struct report_run *run)
{
    int mode = 0;
    while (mode < RUN_MODE_COUNT - 1 && run->runs[mode] == NONE)
        mode++;
    return run->runs[mode];
}

#define ADVICE_OF_ONE 3 /* lines of advice if there is one run; else one line */
#define WHY_BYTES 2400

static void advise_run(const struct report_data *data, const struct report_row *row, size_t most, char *why,
                       size_t size_bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < row->facts->advice_count && i < most; i++) {
        const struct advice *advice = &row->facts->advice[i];
        append_text(why, size_bytes, &used, "%s: %s (%s; <= %s to gain)", i == 0 ? "why" : "\nand",
                    advice->text, provenance_text(advice->provenance),
                    number_gain(report_gain(data->session, row->facts, advice)).text);
    }
}

/* `row` NULL: it did nothing on a device. */
static enum status make_run(struct runs *runs, const struct report_run *run, const struct report_row *row,
                            struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = runs->data;
    struct sheet_cell cells[RUN_CELLS] = {{.number = (double)(run - data->runs)}};
    char name[1400], text[1500], why[WHY_BYTES] = "";
    const char *detail = report_detail(data->session, run);
    enum status status = fill_times(cells, data, run, row, error);
    if (!report_run_is_left_out(&status, &runs->left) && status != STATUS_OK)
        return status;
    fill_identity(cells, data->session, run);
    if (row)
        advise_run(data, row, runs->count == 1 ? ADVICE_OF_ONE : 1, why, sizeof why);
    report_run_name(data->session, runs->rows, runs->count, first_of(run), data->is_wide, name, sizeof name);
    snprintf(text, sizeof text, "%s%s", report_run_row(data->session, run)->clock == CLOCK_MODEL ? "~" : " ",
             name);
    cells[RUN_DETAIL].text = *detail ? detail : NULL;
    cells[RUN_WHY].text = *why ? why : NULL;
    cells[RUN_NAME] = (struct sheet_cell){.text = text, .id = name};
    sheet_row(to, cells);
    return STATUS_OK;
}

/* As the report's table of runs: by device time, the longest first; then those that did nothing on a device.
 */
static enum status make_runs(const void *from, struct sheet_sink *to, struct error *error)
{
    struct runs runs = {.data = from};
    const struct report_data *data = from;
    bool *made = memory_zeroed(data->run_count, sizeof *made);
    enum status status = report_rows(data, &runs.rows, &runs.count, error);
    report_run_is_left_out(&status, &runs.left);
    for (size_t i = 0; status == STATUS_OK && i < runs.count; i++) {
        made[runs.rows[i].of - data->runs] = true;
        status = make_run(&runs, runs.rows[i].of, &runs.rows[i], to, error);
    }
    for (size_t i = 0; status == STATUS_OK && !data->is_full && i < data->run_count; i++)
        if (!made[i])
            status = make_run(&runs, &data->runs[i], NULL, to, error);
    free(runs.rows);
    free(made);
    return status == STATUS_OK ? runs.left : status;
}

const struct sheet sheet_runs = {.id = "runs",
                                 .title = "Runs: their times, and what each was",
                                 SHEET_COLUMNS(run_columns),
                                 .none = "runs: none in this recording",
                                 .rows = make_runs};

/* ---- where the time went ---- */
/* clang-format off */
static const struct sheet_column time_columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"of", "of", "run: from its first operation to its last; steps: its steps", SHEET_TEXT, SHEET_NEITHER, 5, 0, false},
    {"part", NULL, "number of the device's partition, from 0", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"device", "device", "the device's name", SHEET_TEXT, SHEET_NEITHER, 14, 2, false},
    {"share", "share", "share of the span; the classes of the partition add up to it", SHEET_SHARE, SHEET_NEITHER, 8, 0, false},
    {"ns", "time", "time of the class", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"class", "what ran, or what the host did", "class of the partition; copies_hidden and collectives_hidden lie beside it, while kernels ran", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"mostly", NULL, "of idle time: the call, code or range that most of it was; null: not known", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

/* A partition of a list, and whose it is. */
struct parted {
    const struct report_data *data;
    const struct partition *partition;
    double run, number;
    const char *of, *device;
};

static const struct partition_blame *blame_of(const struct partition *partition, int part)
{
    for (uint32_t i = 0; i < partition->blame_count; i++) /* longest first */
        if (partition->blames[i].part == part && partition_blame_named(&partition->blames[i]))
            return &partition->blames[i];
    return NULL;
}

#define CLASS_CELLS 63 /* of 100 columns, what the share, its bar and the time leave */
/* Readers of the full report get the name behind the class. */
static void make_time_row(const struct parted *parted, int64_t ns, const char *id, const char *text,
                          const struct partition_blame *blame, struct sheet_sink *to)
{
    const double span_ns = (double)partition_span_ns(parted->partition);
    char name[400], shown[400], both[600];
    if (parted->data->is_full && ns <= 0)
        return;
    if (blame) {
        partition_blame_name(parted->data->session, blame, name, sizeof name);
        text_shorten(name, parted->data->is_wide ? (int)sizeof shown : CLASS_CELLS - 3 - (int)strlen(text),
                     shown, sizeof shown);
        snprintf(both, sizeof both, "%s (%s)", text, shown);
    }
    const struct sheet_cell cells[] = {{.number = parted->run},
                                       {.text = parted->of},
                                       {.number = parted->number},
                                       {.text = parted->device},
                                       {.number = span_ns > 0 ? (double)ns / span_ns : (double)NAN},
                                       {.number = (double)ns},
                                       {.text = blame && parted->data->is_full ? both : text, .id = id},
                                       {.text = blame ? name : NULL}};
    sheet_row(to, cells);
}

static void make_partition(const struct parted *parted, struct sheet_sink *to)
{
    for (int part = 0; part < PARTITION_COUNT; part++)
        make_time_row(parted, parted->partition->ns[part], partition_class_id((enum partition_class)part),
                      partition_class_text((enum partition_class)part),
                      part < PARTITION_IDLE_FIRST ? NULL : blame_of(parted->partition, part), to);
    make_time_row(parted, parted->partition->copy_hidden_ns, "copies_hidden",
                  "beside it: copies that kernels hid", NULL, to);
    make_time_row(parted, parted->partition->collective_hidden_ns, "collectives_hidden",
                  "beside it: collectives that kernels hid", NULL, to);
}

/* "where the time of 39 steps went, 101 us each with 195 launches, on NVIDIA H200:" */
static void begin_time(const struct parted *parted, const struct steps *steps, struct sheet_sink *to)
{
    char text[400];
    if (steps)
        snprintf(text, sizeof text, "where the time of %s steps went, %s each with %s launches, on %s:",
                 number_exact((int64_t)steps->count).text,
                 number_time((steps->end_ns - steps->start_ns) / (int64_t)steps->count).text,
                 number_exact((int64_t)steps->launches).text, parted->device ? parted->device : "the device");
    else
        snprintf(text, sizeof text, "where the time went, %s from the first operation to the last on %s:",
                 number_time(partition_span_ns(parted->partition)).text,
                 parted->device ? parted->device : "the device");
    sheet_group(to, text);
}

/* The full report shows them of an only run. `steps` NULL: they are of the whole run. */
static void make_partitions(const struct report_data *data, const struct partition_list *list, double run,
                            const struct steps *steps, struct sheet_sink *to)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct device_row *device = session_device(data->session, list->items[i].device);
        const struct parted parted = {.data = data,
                                      .partition = &list->items[i],
                                      .run = run,
                                      .number = (double)i,
                                      .of = steps ? "steps" : "run",
                                      .device = device ? device->info.name : NULL};
        if (data->is_full && (partition_span_ns(parted.partition) <= 0 || !report_only_run(data)))
            continue;
        if (data->is_full)
            begin_time(&parted, steps, to);
        make_partition(&parted, to);
    }
}

typedef void make_of_facts(const struct report_data *data, double run, const struct report_facts *facts,
                           struct sheet_sink *to);
struct of_facts {
    struct sheet_sink *to;
    make_of_facts *make;
};

static enum status visit_facts(const struct report_data *data, size_t run, void *context, struct error *error)
{
    const struct of_facts *of = context;
    const struct report_facts *facts;
    enum status status = report_facts(data, &data->runs[run], &facts, error);
    if (status == STATUS_OK)
        of->make(data, (double)run, facts, of->to);
    return status;
}

/* Calls `make` for each traced run with its facts. */
static enum status walk_facts(const struct report_data *data, struct sheet_sink *to, make_of_facts *make,
                              struct error *error)
{
    struct of_facts of = {to, make};
    return report_visit_traced(data, visit_facts, &of, error);
}

static void make_time_rows(const struct report_data *data, double run, const struct report_facts *facts,
                           struct sheet_sink *to)
{
    make_partitions(data, &facts->time, run, NULL, to);
    make_partitions(data, &facts->steps_time, run, &facts->figures.steps, to);
}

static enum status make_time(const void *from, struct sheet_sink *to, struct error *error)
{
    return walk_facts(from, to, make_time_rows, error);
}

const struct sheet sheet_time = {.id = "time",
                                 .title = "Where the time of each run's devices went",
                                 SHEET_COLUMNS(time_columns),
                                 .none = "time: no work on a device was traced",
                                 .rows = make_time};

/* clang-format off */
static const struct sheet_column blame_columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"of", "of", "run or steps, as in the sheet of time", SHEET_TEXT, SHEET_NEITHER, 5, 0, false},
    {"part", NULL, "number of the device's partition, from 0", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"ns", "time", "idle time of this cause", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"times", "times", "idle times that have some of it", SHEET_COUNT, SHEET_LESS, 7, 0, false},
    {"class", "what the host did", "class of the partition", SHEET_TEXT, SHEET_NEITHER, 36, 0, false},
    {"name", "call, code or range", "what the host was in, or before which line it issued nothing; null: not known", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static void make_blames(const struct partition_list *list, const struct session *session, double run,
                        const char *of, struct sheet_sink *to)
{
    for (size_t i = 0; i < list->count; i++) {
        for (uint32_t k = 0; k < list->items[i].blame_count; k++) {
            const struct partition_blame *blame = &list->items[i].blames[k];
            char name[400];
            partition_blame_name(session, blame, name, sizeof name);
            const struct sheet_cell cells[] = {{.number = run},
                                               {.text = of},
                                               {.number = (double)i},
                                               {.number = (double)blame->ns},
                                               {.number = (double)blame->times},
                                               {.text = report_idle_text((enum partition_class)blame->part),
                                                .id = partition_class_id((enum partition_class)blame->part)},
                                               {.text = partition_blame_named(blame) ? name : NULL}};
            sheet_row(to, cells);
        }
    }
}

static void make_blame_rows(const struct report_data *data, double run, const struct report_facts *facts,
                            struct sheet_sink *to)
{
    make_blames(&facts->time, data->session, run, "run", to);
    make_blames(&facts->steps_time, data->session, run, "steps", to);
}

static enum status make_run_idle(const void *from, struct sheet_sink *to, struct error *error)
{
    return walk_facts(from, to, make_blame_rows, error);
}

const struct sheet sheet_run_idle = {.id = "run_idle",
                                     .title = "Idle time of each run by what the host did",
                                     SHEET_COLUMNS(blame_columns),
                                     .none = "run_idle: no idle time was traced",
                                     .rows = make_run_idle};

/* ---- overlap ---- */
/* clang-format off */
static const struct sheet_column overlap_columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"span_ns", "first to last", "from the first operation's start to the last one's end", SHEET_TIME, SHEET_LESS, 13, 0, false},
    {"kernel_busy_ns", "kernels", "time in which kernels ran", SHEET_TIME, SHEET_NEITHER, 9, 0, false},
    {"copy_busy_ns", "copies", "time in which copies or sets ran", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"copy_hidden_ns", "hidden", "of that, the time in which kernels ran too", SHEET_TIME, SHEET_MORE, 9, 0, false},
    {"mean_active_streams", "streams", "streams that ran something, while any did", SHEET_NUMBER, SHEET_MORE, 7, 0, false},
    {"name", "run", "its name", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
static const struct sheet_column serial_columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"ns", "time", "time in which one stream ran alone while another operation waited for this", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"reason", "what the others waited for", "the reason", SHEET_TEXT, SHEET_NEITHER, 40, 0, false}};
/* clang-format on */

static enum status make_overlap_row(const struct report_data *data, size_t run, void *context,
                                    struct error *error)
{
    const struct report_run *of = &data->runs[run];
    const struct overlap *overlap;
    char name[1400], streams[32];
    enum status status = report_overlap(data, of, &overlap, error);
    if (status != STATUS_OK || (data->is_full && overlap->any_busy_ns <= 0))
        return status;
    report_run_name(data->session, NULL, 0, of->runs[RUN_TRACE], true, name, sizeof name);
    snprintf(streams, sizeof streams, "%.2f", overlap->mean_active_streams);
    const struct sheet_cell cells[] = {{.number = (double)run},
                                       {.number = (double)overlap->span_ns},
                                       {.number = (double)overlap->kernel_busy_ns},
                                       {.number = (double)overlap->copy_busy_ns},
                                       {.number = (double)overlap->copy_hidden_ns},
                                       {.number = overlap->mean_active_streams, .text = streams},
                                       {.text = name}};
    sheet_row(context, cells);
    return STATUS_OK;
}

/* Of the runs on a clock; nothing if there is one run, which has its row. */
static void note_overlap(const struct report_data *data, enum clock_kind clock, struct sheet_sink *to)
{
    struct overlap all = {0};
    double weighted_streams = 0;
    char note[400];
    size_t used = 0, runs = 0;
    for (size_t i = 0; i < data->run_count; i++) {
        const struct overlap *one;
        uint32_t traced = data->runs[i].runs[RUN_TRACE];
        if (traced == NONE || session_run(data->session, traced)->clock != clock ||
            report_overlap(data, &data->runs[i], &one, &(struct error){0}) != STATUS_OK)
            continue;
        all.span_ns = session_add_ns(all.span_ns, one->span_ns);
        all.copy_busy_ns = session_add_ns(all.copy_busy_ns, one->copy_busy_ns);
        all.copy_hidden_ns = session_add_ns(all.copy_hidden_ns, one->copy_hidden_ns);
        all.any_busy_ns = session_add_ns(all.any_busy_ns, one->any_busy_ns);
        weighted_streams += one->mean_active_streams * (double)one->any_busy_ns;
        runs++;
    }
    if (runs < 2 || all.any_busy_ns <= 0)
        return;
    append_text(note, sizeof note, &used, "%zu runs%s: %s %s, %s %s;", runs,
                clock == CLOCK_MODEL ? ", modelled" : "", run_time_name(RUN_TIME_DEVICE),
                number_time(all.any_busy_ns).text, run_time_name(RUN_TIME_SPAN),
                number_time(all.span_ns).text);
    if (all.copy_busy_ns > 0)
        append_text(note, sizeof note, &used, " %.0f %% of %s of copies hidden;",
                    100.0 * (double)all.copy_hidden_ns / (double)all.copy_busy_ns,
                    number_time(all.copy_busy_ns).text);
    append_text(note, sizeof note, &used, " %.2f streams", weighted_streams / (double)all.any_busy_ns);
    sheet_note(to, note);
}

static enum status make_overlap(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    enum status status = report_visit_traced(data, make_overlap_row, to, error);
    for (enum clock_kind clock = 0; status == STATUS_OK && data->is_full && clock < CLOCK_COUNT; clock++)
        note_overlap(data, clock, to);
    return status;
}

static enum status make_serial_rows(const struct report_data *data, size_t run, void *context,
                                    struct error *error)
{
    const struct overlap *overlap;
    enum status status = report_overlap(data, &data->runs[run], &overlap, error);
    for (int reason = 0; status == STATUS_OK && reason < SERIAL_COUNT; reason++) {
        const struct sheet_cell cells[] = {{.number = (double)run},
                                           {.number = (double)overlap->serialised_ns[reason]},
                                           {.text = serial_reason_text((enum serial_reason)reason),
                                            .id = serial_reason_id((enum serial_reason)reason)}};
        if (overlap->serialised_ns[reason] > 0)
            sheet_row(context, cells);
    }
    return status;
}

static enum status make_serialised(const void *from, struct sheet_sink *to, struct error *error)
{
    return report_visit_traced(from, make_serial_rows, to, error);
}

const struct sheet sheet_overlap = {.id = "overlap",
                                    .title = "What ran side by side in each run",
                                    SHEET_COLUMNS(overlap_columns),
                                    .none = "overlap: no work on a device was traced",
                                    .rows = make_overlap};
const struct sheet sheet_serialised = {.id = "serialised",
                                       .title = "Why streams did not run side by side",
                                       SHEET_COLUMNS(serial_columns),
                                       .none = "serialised: nothing waited while one stream ran alone",
                                       .rows = make_serialised};

/* ---- notices ---- */
/* clang-format off */
static const struct sheet_column notice_columns[] = {
    {"time_ns", "at", "since the start of the session", SHEET_TIME, SHEET_NEITHER, 8, 0, false},
    {"severity", "severity", "info, warning or error", SHEET_TEXT, SHEET_NEITHER, 8, 0, false},
    {"pid", "pid", "the process; null: none", SHEET_NUMBER, SHEET_NEITHER, 8, 1, false},
    {"text", "notice", "the sentence", SHEET_SENTENCE, SHEET_NEITHER, 60, 0, false}};
/* clang-format on */

/* Which kinds of run a recording of a GPU has none of: what they would have measured is not known, which is not 0. */
static void note_missing_runs(const struct session *session, struct sheet_sink *to)
{
    static const struct {
        enum run_mode mode;
        const char *what;
    } kinds[] = {{RUN_TRACE, "times (--runs trace)"},
                 {RUN_COUNTERS, "counters (--runs counters)"},
                 {RUN_LINES, "the cost of source lines (--runs lines)"}};
    char text[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool has = false;
        for (uint32_t run = 0; run < session_run_count(session); run++)
            has |= run_is_of(session_run(session, run), kinds[i].mode);
        if (!has)
            append_text(text, sizeof text, &used, "%s%s",
                        used > 0 ? ", " : "Not measured in this recording: ", kinds[i].what);
    }
    if (used > 0 && session_run_count(session) > 0)
        sheet_note(to, text);
}

static enum status make_notices(const void *from, struct sheet_sink *to, struct error *error)
{
    static const struct sheet_cell severities[] = {[SEVERITY_INFO] = {.text = "note:", .id = "info"},
                                                   [SEVERITY_WARNING] = {.text = "warning:", .id = "warning"},
                                                   [SEVERITY_ERROR] = {.text = "error:", .id = "error"}};
    const struct session *session = ((const struct report_data *)from)->session;
    char text[400];
    (void)error;
    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);
        const struct process_row *process = session_process(session, notice->process);
        const int severity = notice->severity <= SEVERITY_ERROR ? notice->severity : SEVERITY_ERROR;
        const struct sheet_cell cells[] = {{.number = (double)notice->time_ns},
                                           severities[severity],
                                           {.number = process ? process->pid : (double)NAN},
                                           {.text = session_string(session, notice->text)}};
        sheet_row(to, cells);
    }
    for (size_t i = 0; report_loss(session, i, text, sizeof text); i++) {
        const struct sheet_cell cells[] = {{.number = (double)session_now_ns(session, CLOCK_WALL)},
                                           severities[SEVERITY_WARNING],
                                           {.number = NAN},
                                           {.text = text}};
        sheet_row(to, cells);
    }
    note_missing_runs(session, to);
    return STATUS_OK;
}

const struct sheet sheet_notices = {.id = "notices",
                                    .title = "Notices and losses",
                                    SHEET_COLUMNS(notice_columns),
                                    .none = "notices: none, and no event was lost",
                                    .rows = make_notices};
