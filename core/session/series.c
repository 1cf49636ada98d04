/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of series that lanescope knows, by what of CUPTI's name stands before its first point; the rest
 * of the name ("avg", "pct", "per_second") says how it counts and its unit.
 */
#include "core/session/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *base;        /* part of CUPTI's name before the first point */
    enum series_model model; /* SERIES_MODEL_COUNT: the model does not have this series */
    const char *title, *meaning;
} known[] = {
    {"sm__warps_active", SERIES_MODEL_OCCUPANCY, "achieved occupancy",
     "resident warps, as a share of the most that fit, on multiprocessors with at least one warp"},
    {"sm__cycles_active", SERIES_MODEL_ACTIVE_SMS, "active SMs",
     "share of the multiprocessors' time with at least one warp resident"},
    {"sm__inst_executed_realtime", SERIES_MODEL_COUNT, "instructions issued",
     "of what the multiprocessors could"},
    {"dram__read_throughput", SERIES_MODEL_DRAM_READ, "DRAM read", "of what the device's memory could carry"},
    {"dram__write_throughput", SERIES_MODEL_DRAM_WRITE, "DRAM write",
     "of what the device's memory could carry"},
    {"dramc__read_throughput", SERIES_MODEL_COUNT, "DRAM read", "of what the device's memory could carry"},
    {"dramc__write_throughput", SERIES_MODEL_COUNT, "DRAM write", "of what the device's memory could carry"},
    {"dram__bytes_read", SERIES_MODEL_COUNT, "DRAM read", "bytes from the device's memory"},
    {"dram__bytes_write", SERIES_MODEL_COUNT, "DRAM write", "bytes to the device's memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared", SERIES_MODEL_WAVEFRONTS, "shared wavefronts",
     "passes that accesses to shared memory took"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared", SERIES_MODEL_CONFLICTS, "bank conflicts",
     "passes that accesses to shared memory took beyond those that they needed"},
    {"lts__t_sectors", SERIES_MODEL_L2_SECTORS, "L2 sectors", "sectors of 32 bytes requested from L2"},
    {"lts__average_t_sector_hit_rate_realtime", SERIES_MODEL_COUNT, "L2 hit rate",
     "of the sectors requested"},
    {"pcie__read_bytes", SERIES_MODEL_COUNT, "PCIe read", "bytes received over PCI Express"},
    {"pcie__write_bytes", SERIES_MODEL_COUNT, "PCIe write", "bytes sent over PCI Express"},
    {"nvlrx__bytes", SERIES_MODEL_COUNT, "NVLink received", "bytes from other GPUs"},
    {"nvltx__bytes", SERIES_MODEL_COUNT, "NVLink sent", "bytes to other GPUs"},
    {"sm__pipe_tensor_cycles_active_realtime", SERIES_MODEL_COUNT, "tensor pipe",
     "share of the time in which it was busy"},
    {"sm__pipe_tensor_cycles_active", SERIES_MODEL_COUNT, "tensor pipe",
     "share of the time in which it was busy"},
    {"gr__cycles_active", SERIES_MODEL_COUNT, "graphics and compute engine",
     "share of the time in which it was busy"},
};
#define KNOWN (sizeof known / sizeof known[0])

static const char *const model_names[SERIES_MODEL_COUNT] = {
#define SERIES_MODEL_NAME(id, name) [SERIES_MODEL_##id] = "model." name,
    SERIES_MODEL_LIST(SERIES_MODEL_NAME)
#undef SERIES_MODEL_NAME
};

const char *series_model_name(enum series_model which)
{
    return (unsigned)which < SERIES_MODEL_COUNT ? model_names[which] : "";
}

/* The part of the name with the counter: "PCI.TriageCompute.pcie__read_bytes.sum" begins with a group. */
static bool is_base(const char *name, const char *base)
{
    const char *at = strstr(name, base);
    size_t length = strlen(base);
    return at && (at == name || at[-1] == '.') && (at[length] == '.' || at[length] == '\0');
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static size_t find_series(const char *name)
{
    for (size_t i = 0; i < KNOWN; i++) {
        bool model = known[i].model != SERIES_MODEL_COUNT && strcmp(name, model_names[known[i].model]) == 0;
        if (model || is_base(name, known[i].base))
            return i;
    }
    return KNOWN;
}

struct series_description series_describe(const char *name)
{
    size_t at = find_series(name);
    bool model = strncmp(name, "model.", 6) == 0, rate = ends_with(name, ".per_second");
    struct series_description found = {.title = at < KNOWN ? known[at].title : name,
                                       .meaning = at < KNOWN ? known[at].meaning : "",
                                       .order = (unsigned)at,
                                       .unit = SERIES_NUMBER};
    found.counted = ends_with(name, ".sum") || (model && at < KNOWN && !ends_with(name, "_pct"));
    if (strstr(name, ".pct") || ends_with(name, "_pct"))
        found.unit = SERIES_PERCENT;
    else if (found.counted || rate)
        found.unit = strstr(name, "bytes") ? SERIES_BYTES_PER_SECOND : SERIES_PER_SECOND;
    return found;
}

enum provenance series_provenance(enum clock_kind clock)
{
    return clock == CLOCK_MODEL ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
}

void series_format(enum series_unit unit, double number, char *text, size_t size_bytes)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    static const char *const units[] = {[SERIES_PERCENT] = "%",
                                        [SERIES_PER_SECOND] = "/s",
                                        [SERIES_BYTES_PER_SECOND] = "B/s",
                                        [SERIES_NUMBER] = ""};
    size_t step = 0;
    double size = fabs(number);
    if (!isfinite(number)) {
        snprintf(text, size_bytes, "n/a");
        return;
    }
    while (unit != SERIES_PERCENT && step + 1 < sizeof prefixes / sizeof prefixes[0] && size >= 999.5) {
        size /= 1000;
        number /= 1000;
        step++;
    }
    bool whole = number == floor(number) && size < 1000;
    int decimals = whole ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    const char *gap = unit == SERIES_NUMBER && step == 0 ? "" : " ";
    if (size >= 1e6)
        snprintf(text, size_bytes, "%.3g%s%s%s", number, gap, prefixes[step], units[unit]);
    else
        snprintf(text, size_bytes, "%.*f%s%s%s", decimals, number, gap, prefixes[step], units[unit]);
}

double series_scale(enum series_unit unit, double most)
{
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    if (unit == SERIES_PERCENT && !(most > 100))
        return 100;
    if (!(most > 0) || !isfinite(most))
        return 1;
    double power = pow(10, floor(log10(most)));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (most <= steps[i] * power)
            return steps[i] * power;
    return 10 * power;
}
