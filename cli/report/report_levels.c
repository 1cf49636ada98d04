/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheet of levels: the bytes that one launch of each kernel moves at each level of the memory, from its counts.
 * A sector has 32 bytes, a wavefront of shared memory 128. What was not counted has no row. Since a level serves what
 * the one before it does not hold, the sheet shows where traffic ends: at L2 what L1 does not serve, at DRAM what L2
 * does not.
 */
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"

#include <math.h>

#define SECTOR_BYTES 32.0
#define WAVEFRONT_BYTES 128.0
#define COUNTS_MAX 2 /* that a level sums: loads and stores */

/* bytes: of one that is counted; least: the counts if no byte were moved in vain */
static const struct level {
    const char *id, *text;
    double bytes;
    enum metric counts[COUNTS_MAX], least[COUNTS_MAX];
    bool has_least;
} levels[] = {{"shared",
               "shared memory",
               WAVEFRONT_BYTES,
               {METRIC_shared_load_wavefronts, METRIC_shared_store_wavefronts},
               {METRIC_shared_load_ideal_wavefronts, METRIC_shared_store_ideal_wavefronts},
               true},
              {"l1_global",
               "L1, global memory",
               SECTOR_BYTES,
               {METRIC_global_load_sectors, METRIC_global_store_sectors},
               {METRIC_global_load_ideal_sectors, METRIC_global_store_ideal_sectors},
               true},
              {"l1_local",
               "L1, local memory",
               SECTOR_BYTES,
               {METRIC_local_load_sectors, METRIC_local_store_sectors},
               {METRIC_COUNT, METRIC_COUNT},
               false},
              {"l2", "L2", 1, {METRIC_l2_bytes, METRIC_COUNT}, {METRIC_COUNT, METRIC_COUNT}, false},
              {"dram_read",
               "DRAM, read",
               1,
               {METRIC_dram_read_bytes, METRIC_COUNT},
               {METRIC_COUNT, METRIC_COUNT},
               false},
              {"dram_written",
               "DRAM, written",
               1,
               {METRIC_dram_write_bytes, METRIC_COUNT},
               {METRIC_COUNT, METRIC_COUNT},
               false}};

/* clang-format off */
static const struct sheet_column level_columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 2, false},
    {"kernel", NULL, "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"level", "level", "level of the memory", SHEET_TEXT, SHEET_NEITHER, 18, 0, false},
    {"bytes", "bytes", "bytes that a launch moves there; of L1 sectors x 32, of shared memory wavefronts x 128", SHEET_BYTES, SHEET_LESS, 7, 0, true},
    {"least_bytes", "least", "the same if no lane moved a byte in vain; null: not known", SHEET_BYTES, SHEET_NEITHER, 7, 1, false},
    {"bytes_per_second", "rate", "the bytes by the launches' median time", SHEET_RATE, SHEET_NEITHER, 9, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

/* NAN: one of them is not known. */
static double sum_counts(const struct report_data *data, uint32_t kernel,
                         const enum metric counts[COUNTS_MAX], enum provenance *weakest)
{
    double sum = 0;
    for (int i = 0; i < COUNTS_MAX && counts[i] != METRIC_COUNT; i++) {
        struct value value = report_statistic(data, kernel, counts[i]).value;
        if (!value.available || value.bound != VALUE_EXACT)
            return NAN;
        sum += value.number;
        *weakest = value.provenance < *weakest ? value.provenance : *weakest;
    }
    return sum;
}

static void make_level(const struct report_data *data, size_t run, uint32_t kernel, const struct level *level,
                       struct sheet_sink *to)
{
    enum provenance weakest = PROVENANCE_MEASURED, unused = PROVENANCE_MEASURED;
    const double bytes = sum_counts(data, kernel, level->counts, &weakest) * level->bytes;
    struct value time = report_statistic(data, kernel, METRIC_time_ns).value;
    if (isnan(bytes))
        return;
    const struct sheet_cell cells[] = {
        {.number = (double)run},
        {.number = kernel},
        {.text = level->text, .id = level->id},
        {.number = bytes, .provenance = (int)weakest},
        {.number =
             level->has_least ? sum_counts(data, kernel, level->least, &unused) * level->bytes : (double)NAN},
        {.number = time.available && time.number > 0 ? bytes / (time.number * 1e-9) : (double)NAN},
        {.text = kernel_full_name(data->session, kernel)}};
    sheet_row(to, cells);
}

static enum status make_levels(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    (void)error;
    for (size_t run = 0; run < data->run_count; run++)
        REPORT_EACH_KERNEL (data, run, kernel)
            for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
                make_level(data, run, kernel, &levels[i], to);
    return STATUS_OK;
}

const struct sheet sheet_levels = {
    .id = "levels",
    .title = "Bytes that a launch of each kernel moves, by level of the memory",
    SHEET_COLUMNS(level_columns),
    .none = "levels: nothing was counted; without a GPU the device model counts",
    .rows = make_levels};
