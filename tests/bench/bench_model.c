/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's time, occupancy, DRAM bytes and hit rates beside those of a recording made on a GPU that the
 * model has: bench_model [-v] [RECORDING [WORKLOAD]]. The recording is the one of tests/data unless given;
 * every case in it is run once on the model (n-way and staged-overlap take a minute a case). A table per
 * workload; -v: per case; then the error of the times over the kernels that the model's constants were fitted
 * on, and over the others.
 *
 * Times are those of a kernel's first launch in a run: its L2 holds nothing of its inputs, as the model's.
 * Kernels that ran side by side are compared with the shortest of their launches.
 */
#include "simt/device/device.h"
#include "workloads/frame/workload.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES_MAX 4096

struct figures {
    double ns, occupancy_pct, read_bytes, write_bytes, l1_pct, l2_pct;
};

struct compared {
    char workload[64], kernel[128]; /* kernel: with the workload and its variant */
    struct figures model, gpu;
};

struct launched { /* the first launch of a kernel and shape in a run on the model */
    char kernel[64];
    uint64_t blocks, threads;
    struct figures figures;
};

#define LAUNCHED_MAX 64
struct launches {
    struct launched of[LAUNCHED_MAX];
    size_t count;
};

/* Those whose times chose a constant: all that ever did, and every second of the others in the alphabet. */
static const char *const fitted[] = {
    "atomics",     "bank-stride",    "block-multiple",     "block-size",    "constant",
    "copy-offset", "copy-stride",    "histogram",          "matmul-ab",     "n-way",
    "transpose",   "bank-broadcast", "concurrent-kernels", "divergence",    "issue-order",
    "launch",      "local-array",    "matmul-aat",         "prefetch",      "readonly",
    "registers",   "texture",        "zero-copy",          "staged-overlap"};

static struct compared results[CASES_MAX];
static size_t result_count;
static bool verbose;

/* --- the model's side
 * --------------------------------------------------------------------------------------- */

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

static struct figures *launch_find(struct launches *launches, const char *kernel, uint64_t blocks,
                                   uint64_t threads)
{
    for (size_t i = 0; i < launches->count; i++)
        if (strcmp(launches->of[i].kernel, kernel) == 0 && launches->of[i].blocks == blocks &&
            launches->of[i].threads == threads)
            return &launches->of[i].figures;
    return NULL;
}

static void launched(void *owner, const struct simt_launch *launch)
{
    struct launches *launches = owner;
    const struct device_launch *asked = launch->launch;
    const struct cache_counts *c = &launch->result->caches;
    uint64_t blocks = product(asked->grid), threads = product(asked->block);

    if (!launch->timing || launches->count == LAUNCHED_MAX ||
        launch_find(launches, asked->kernel, blocks, threads))
        return;
    struct launched *made = &launches->of[launches->count++];
    snprintf(made->kernel, sizeof made->kernel, "%s", asked->kernel);
    made->blocks = blocks;
    made->threads = threads;
    made->figures =
        (struct figures){.ns = launch->timing->ns,
                         .occupancy_pct = launch->timing->achieved_occupancy_pct,
                         .read_bytes = (double)c->dram_read_bytes,
                         .write_bytes = (double)c->dram_write_bytes,
                         .l1_pct = c->l1_lookups ? 100.0 * (double)c->l1_hits / (double)c->l1_lookups : NAN,
                         .l2_pct = c->l2_lookups ? 100.0 * (double)c->l2_hits / (double)c->l2_lookups : NAN};
}

static bool model_run(const char *text, const struct gpu *gpu, struct launches *launches)
{
    struct simt_options options = {.gpu = gpu, .sink = {.launched = launched, .owner = launches}};
    struct workload_case *cases = NULL;
    struct workload_result result = {0};
    struct workbench bench;
    struct device *device = NULL;
    struct error error;
    size_t count = 0;
    enum status status = workload_model_open(&options, &device, &error);

    if (status == STATUS_OK)
        status = workload_parse(text, &cases, &count, &error);
    if (status == STATUS_OK && count > 0) {
        workbench_init(&bench, device, 1, 1);
        cases[0].info = device->ops->info(device);
        status = cases[0].workload->resolve(&cases[0], &error);
        if (status == STATUS_OK)
            status = cases[0].workload->run(&cases[0], &bench, &result, &error);
        workbench_fini(&bench);
    }
    if (status || result.verified != 1)
        fprintf(stderr, "%s: %s\n", text, status ? error.text : result.detail);
    if (device)
        device->ops->close(device);
    free(cases);
    return status == STATUS_OK;
}

/* --- the recording's
 * ---------------------------------------------------------------------------------------- */

static double number_of(sqlite3 *db, const char *sql, int64_t id, const char *text)
{
    sqlite3_stmt *query;
    double number = NAN;

    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
        exit(1);
    }
    sqlite3_bind_int64(query, 1, id);
    if (text)
        sqlite3_bind_text(query, 2, text, -1, SQLITE_STATIC);
    if (sqlite3_step(query) == SQLITE_ROW && sqlite3_column_type(query, 0) != SQLITE_NULL)
        number = sqlite3_column_double(query, 0);
    sqlite3_finalize(query);
    return number;
}

static double counter_of(sqlite3 *db, int64_t group, const char *counter)
{
    return number_of(
        db,
        "SELECT v.number FROM runs r JOIN kernel k ON k.run = r.id JOIN measurement m ON m.kernel "
        "= k.id JOIN value v ON v.measurement = m.id JOIN string s ON s.id = v.counter WHERE "
        "r.run_group = ?1 AND r.mode <> 'trace' AND s.text = ?2 LIMIT 1",
        group, counter);
}

static void case_print(const char *text, const struct compared *c)
{
    printf("%-52s %9.2f %9.2f %5.2f %6.1f %6.1f %7.2f %7.2f %7.2f %7.2f %6.1f %6.1f %6.1f %6.1f\n", text,
           c->model.ns / 1e3, c->gpu.ns / 1e3, c->model.ns / c->gpu.ns, c->model.occupancy_pct,
           c->gpu.occupancy_pct, c->model.read_bytes / 1e6, c->gpu.read_bytes / 1e6,
           c->model.write_bytes / 1e6, c->gpu.write_bytes / 1e6, c->model.l1_pct, c->gpu.l1_pct,
           c->model.l2_pct, c->gpu.l2_pct);
    fflush(stdout);
}

/* One kernel of a run. */
static void kernel_compare(sqlite3 *db, const struct compared *names, const char *text, int64_t group,
                           int64_t kernel, const struct figures *model)
{
    bool beside = strcmp(names->workload, "n-way") == 0 || strcmp(names->workload, "staged-overlap") == 0 ||
                  strcmp(names->workload, "concurrent-kernels") == 0;
    struct compared *c = &results[result_count++];

    *c = *names;
    c->model = *model;
    c->gpu = (struct figures){
        .ns = number_of(db,
                        beside ? "SELECT min(duration_ns) FROM launch WHERE kernel = ?1"
                               : "SELECT duration_ns FROM launch WHERE kernel = ?1 ORDER BY start_ns LIMIT 1",
                        kernel, NULL),
        .occupancy_pct = counter_of(db, group, "sm__warps_active.avg.pct_of_peak_sustained_active"),
        .read_bytes = counter_of(db, group, "dram__bytes_read.sum"),
        .write_bytes = counter_of(db, group, "dram__bytes_write.sum"),
        .l1_pct = counter_of(db, group, "l1tex__t_sector_hit_rate.pct"),
        .l2_pct = counter_of(db, group, "lts__t_sector_hit_rate.pct")};
    if (verbose)
        case_print(text, c);
}

static sqlite3_stmt *query_make(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *query;

    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK)
        return query;
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    exit(1);
}

static void run_compare(sqlite3 *db, int64_t run, int64_t group, const char *text, const struct gpu *gpu)
{
    struct launches launches = {0};
    sqlite3_stmt *query = query_make(
        db, "SELECT k.id, n.text, s.grid_x * s.grid_y * s.grid_z, s.block_x * s.block_y * s.block_z FROM "
            "kernel k JOIN shape s ON s.id = k.shape JOIN string n ON n.id = s.name WHERE k.run = ?1");

    sqlite3_bind_int64(query, 1, run);
    if (!model_run(text, gpu, &launches)) {
        sqlite3_finalize(query);
        return;
    }
    while (sqlite3_step(query) == SQLITE_ROW && result_count < CASES_MAX) {
        struct compared names = {0};
        const char *kernel = (const char *)sqlite3_column_text(query, 1);
        const struct figures *model = launch_find(&launches, kernel, (uint64_t)sqlite3_column_int64(query, 2),
                                                  (uint64_t)sqlite3_column_int64(query, 3));
        snprintf(names.workload, sizeof names.workload, "%.*s", (int)strcspn(text, ":"), text);
        snprintf(names.kernel, sizeof names.kernel, "%.*s %s", (int)strcspn(text, ","), text, kernel);
        if (model)
            kernel_compare(db, &names, text, group, sqlite3_column_int64(query, 0), model);
    }
    sqlite3_finalize(query);
}

/* The modelled GPU that has the name of the recording's. */
static const struct gpu *gpu_of(sqlite3 *db)
{
    sqlite3_stmt *query = query_make(db, "SELECT name FROM device LIMIT 1");
    const struct gpu *gpu = NULL;

    if (sqlite3_step(query) == SQLITE_ROW)
        for (size_t i = 0; (gpu = gpu_at(i)); i++)
            if (strcmp(gpu->info.name, (const char *)sqlite3_column_text(query, 0)) == 0)
                break;
    sqlite3_finalize(query);
    return gpu ? gpu : gpu_at(0);
}

static void recording_compare(sqlite3 *db, const char *only)
{
    const struct gpu *gpu = gpu_of(db);
    sqlite3_stmt *query =
        query_make(db, "SELECT r.id, r.work, r.variant, r.params, r.run_group FROM runs r WHERE r.mode = "
                       "'trace' AND r.work IS NOT NULL ORDER BY r.id");

    while (sqlite3_step(query) == SQLITE_ROW && result_count < CASES_MAX) {
        const char *work = (const char *)sqlite3_column_text(query, 1),
                   *variant = (const char *)sqlite3_column_text(query, 2);
        char text[512];
        bool library = variant && (strcmp(variant, "cub") == 0 || strcmp(variant, "cublas") == 0);
        if (library || !workload_find(work) || (only && strcmp(only, work) != 0))
            continue;
        snprintf(text, sizeof text, "%s:%s,%s", work, variant, sqlite3_column_text(query, 3));
        run_compare(db, sqlite3_column_int64(query, 0), sqlite3_column_int64(query, 4), text, gpu);
    }
    sqlite3_finalize(query);
}

/* --- the table
 * ---------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts; not-a-numbers were left out. */
static double middle(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return count ? values[count / 2] : NAN;
}

static void table_row(const char *workload)
{
    static double time[CASES_MAX], read[CASES_MAX], occupancy[CASES_MAX], l1[CASES_MAX], l2[CASES_MAX];
    size_t times = 0, reads = 0, occupancies = 0, l1s = 0, l2s = 0;

    for (size_t i = 0; i < result_count; i++) {
        const struct figures *m = &results[i].model, *g = &results[i].gpu;
        if (strcmp(results[i].workload, workload) != 0)
            continue;
        time[times++] = m->ns / g->ns;
        if (g->read_bytes > 1e5)
            read[reads++] = m->read_bytes / g->read_bytes;
        if (!isnan(g->occupancy_pct))
            occupancy[occupancies++] = fabs(m->occupancy_pct - g->occupancy_pct);
        if (!isnan(g->l1_pct) && !isnan(m->l1_pct))
            l1[l1s++] = fabs(m->l1_pct - g->l1_pct);
        if (!isnan(g->l2_pct) && !isnan(m->l2_pct))
            l2[l2s++] = fabs(m->l2_pct - g->l2_pct);
    }
    double time_middle = middle(time, times);
    printf("%-16s %5zu %8.2f %8.2f %8.2f %10.2f %11.1f %8.1f %8.1f\n", workload, times, time[0], time_middle,
           time[times - 1], middle(read, reads), middle(occupancy, occupancies), middle(l1, l1s),
           middle(l2, l2s));
}

static bool is_fitted(const char *workload)
{
    for (size_t i = 0; i < sizeof fitted / sizeof *fitted; i++)
        if (strcmp(fitted[i], workload) == 0)
            return true;
    return false;
}

static double ratio_of(const struct compared *c)
{
    return c->model.ns / c->gpu.ns;
}

/* Of a kernel's cases, the median; NAN: it came before. */
static double kernel_ratio(size_t first)
{
    static double ratios[CASES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < result_count; i++) {
        if (strcmp(results[i].kernel, results[first].kernel) != 0)
            continue;
        if (i < first)
            return NAN;
        ratios[count++] = ratio_of(&results[i]);
    }
    return middle(ratios, count);
}

static void quantiles_print(const char *what, double *ratios, size_t count)
{
    qsort(ratios, count, sizeof *ratios, ascending);
    if (count)
        printf(" %6zu %s %5.2f %5.2f %5.2f", count, what, ratios[(count - 1) / 10], ratios[count / 2],
               ratios[count - 1 - (count - 1) / 10]);
}

static void set_print(const char *name, bool which)
{
    static double kernels[CASES_MAX], cases[CASES_MAX];
    size_t kernel_count = 0, case_count = 0;

    for (size_t i = 0; i < result_count; i++) {
        double ratio = kernel_ratio(i);
        if (is_fitted(results[i].workload) != which)
            continue;
        cases[case_count++] = ratio_of(&results[i]);
        if (!isnan(ratio))
            kernels[kernel_count++] = ratio;
    }
    printf("%-16s", name);
    quantiles_print("kernels", kernels, kernel_count);
    quantiles_print("cases", cases, case_count);
    putchar('\n');
}

int main(int argc, char **argv)
{
    const char *path = TEST_SOURCE_DIR "/tests/data/h200.lsr";
    char uri[1024];
    sqlite3 *db;

    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    argc -= verbose;
    argv += verbose;
    snprintf(uri, sizeof uri, "file:%s?immutable=1", argc > 1 ? argv[1] : path);
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", uri, sqlite3_errmsg(db));
        return 1;
    }
    if (verbose)
        printf("%-52s %19s %5s %13s %15s %15s %13s %13s\n", "model, GPU", "us", "ratio", "occupancy %",
               "MB read", "MB written", "L1 hit %", "L2 hit %");
    recording_compare(db, argc > 2 ? argv[2] : NULL);
    sqlite3_close(db);
    printf("%-16s %5s %26s %10s %11s %17s\n%-16s %5s %8s %8s %8s %10s %11s %8s %8s\n", "", "",
           "time: model / GPU", "DRAM read", "occupancy", "hit rates", "workload", "cases", "least", "median",
           "most", "median", "% off", "L1 % off", "L2 % off");
    for (size_t i = 0; i < result_count; i++)
        if (i == 0 || strcmp(results[i].workload, results[i - 1].workload) != 0)
            table_row(results[i].workload);
    printf("\ntime, model / GPU: 10 %%, median and 90 %% of the kernels (the median of each), and of all "
           "cases\n");
    set_print("fitted", true);
    set_print("judged", false);
    return 0;
}
