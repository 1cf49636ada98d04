/*
 * A table of counters in order of priority, each with its names on different chips. In this order, each
 * counter is chosen if it fits into one pass together with those chosen before it.
 */
#include "cupti/sampler/sampler_series.h"

#include <string.h>

#define NAMES_MAX 3

/* A SAMPLE event carries ten numbers, so there are at most ten wishes. */
static const char *const wishes[][NAMES_MAX] = {
    {"sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"dram__read_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram__write_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"lts__t_sectors.sum"},
    /* GB10x has these in its triage group only. */
    {"pcie__read_bytes.sum", "PCI.TriageCompute.pcie__read_bytes.sum"},
    {"pcie__write_bytes.sum", "PCI.TriageCompute.pcie__write_bytes.sum"},
    /* The plain name takes another pass on chips that have the real-time one. */
    {"sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
};

#define WISHES (sizeof wishes / sizeof *wishes)

enum status sampler_chip_check(const char *chip, struct error *error)
{
    /* CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL, in cupti_pmsampling.h: GA10x and later. */
    if (strncmp(chip, "GV", 2) == 0)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "Chip %s cannot sample its counters over time; the first chip that can is Ampere's GA10x.", chip);
    if (strncmp(chip, "TU", 2) == 0 || strcmp(chip, "GA100") == 0)
        return error_set(error, STATUS_UNSUPPORTED,
                         "Chip %s samples its counters by its own clock, which varies in frequency, and not "
                         "by time, as Ampere's GA10x and later chips do.",
                         chip);
    return STATUS_OK;
}

/* The plan for these names; NULL if one is unknown or they need more than one pass. */
static struct plan *plan_if_it_fits(const struct plan_request *request, struct error *error)
{
    struct plan *plan;
    if (plan_create(&plan, request, error) != STATUS_OK)
        return NULL;
    if (plan_left_out_count(plan) == 0 && plan_passes(plan) == 1)
        return plan;
    plan_destroy(plan);
    return NULL;
}

enum status sampler_plan(struct plan **plan, const char *cupti_path, const char *chip,
                         const uint8_t *availability, struct error *error)
{
    const char *names[WISHES];
    struct plan_request request = {.cupti_path = cupti_path,
                                   .chip = chip,
                                   .names = names,
                                   .count = WISHES,
                                   .sampling = true,
                                   .availability = availability};
    struct error why = {0};
    enum status status = sampler_chip_check(chip, error);
    *plan = NULL;
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < WISHES; i++)
        names[i] = wishes[i][0];
    *plan = plan_if_it_fits(&request, &why);
    if (*plan)
        return STATUS_OK;
    request.count = 0;
    for (size_t i = 0; i < WISHES; i++) {
        for (size_t k = 0; k < NAMES_MAX && wishes[i][k]; k++) {
            names[request.count++] = wishes[i][k];
            struct plan *longer = plan_if_it_fits(&request, &why);
            if (longer) {
                plan_destroy(*plan);
                *plan = longer;
                break;
            }
            request.count--;
        }
    }
    if (*plan)
        return STATUS_OK;
    return error_set(error, why.status == STATUS_OK ? STATUS_UNSUPPORTED : why.status,
                     "Chip %s has no counters that can be sampled over time%s%s", chip,
                     why.status == STATUS_OK ? "." : ": ", why.status == STATUS_OK ? "" : why.text);
}
