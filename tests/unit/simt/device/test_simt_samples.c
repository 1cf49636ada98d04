/* SPDX-License-Identifier: Apache-2.0 */
/* Counters over time of the model: what its samples add up to is what its launches counted, and they lie
 * where its kernels ran. */
#include "tests/shared/made/model_log.h"

#include "core/session/series.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Of one series, over all samples: numbers added up, and numbers x ns. */
struct sums {
    double added, times_ns, ns;
    uint32_t count;
};

static struct sums sums_of(const struct model_log *log, enum series_model series)
{
    struct sums sums = {0};
    for (size_t i = 0; i < log->count; i++) {
        const struct event *event = &log->events[i];
        if (event->kind != EVENT_SAMPLE || isnan(event->sample.numbers[series]))
            continue;
        sums.added += (double)event->sample.numbers[series];
        sums.times_ns += (double)event->sample.numbers[series] * event->sample.duration_ns;
        sums.ns += event->sample.duration_ns;
        sums.count++;
    }
    return sums;
}

/* A counter's values of all launches added up. */
static double counted(const struct model_log *log, const char *counter)
{
    double sum = 0;
    for (size_t i = 0; i < log->count; i++)
        if (log->events[i].kind == EVENT_VALUE &&
            strcmp(log->strings[log->events[i].value.counter - 1], counter) == 0)
            sum += log->events[i].value.number;
    return sum;
}

/* Pairs of kernels that run at the same time. */
static size_t side_by_side(const struct model_log *log)
{
    size_t pairs = 0;
    for (size_t i = 0; i < log->count; i++)
        for (size_t k = i + 1; k < log->count && log->events[i].kind == EVENT_KERNEL; k++)
            pairs += log->events[k].kind == EVENT_KERNEL &&
                     log->events[k].kernel.start_ns < log->events[i].kernel.end_ns &&
                     log->events[i].kernel.start_ns < log->events[k].kernel.end_ns;
    return pairs;
}

static size_t add_up(const char *const *cases, size_t count)
{
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);
    for (size_t i = 0; i < count; i++)
        model_log_run(device, NULL, cases[i], true);
    const struct device_info info = *device->ops->info(device);
    device->ops->close(device);
    double wavefronts =
        counted(&log, "model.shared_load_wavefronts") + counted(&log, "model.shared_store_wavefronts");
    double conflicts =
        counted(&log, "model.shared_load_conflicts") + counted(&log, "model.shared_store_conflicts");
    double read = counted(&log, "model.dram_read_bytes"), write = counted(&log, "model.dram_write_bytes");
    double peak_per_ns = device_info_peak_bandwidth(&info) / 1e9;
    cr_assert_gt(sums_of(&log, SERIES_MODEL_WAVEFRONTS).count, 0);
    cr_assert_float_eq(sums_of(&log, SERIES_MODEL_WAVEFRONTS).added, wavefronts, 1e-5 * (1 + wavefronts));
    cr_assert_float_eq(sums_of(&log, SERIES_MODEL_CONFLICTS).added, conflicts, 1e-5 * (1 + conflicts));
    cr_assert_float_eq(sums_of(&log, SERIES_MODEL_DRAM_READ).times_ns / 100 * peak_per_ns, read,
                       1e-5 * (1 + read));
    cr_assert_float_eq(sums_of(&log, SERIES_MODEL_DRAM_WRITE).times_ns / 100 * peak_per_ns, write,
                       1e-5 * (1 + write));
    model_log_check(&log);
    size_t pairs = side_by_side(&log);
    model_log_fini(&log);
    return pairs;
}

Test(simt_samples, add_up_to_what_the_launches_counted)
{
    const char *const cases[] = {"bank-stride:32-bit,stride=32", "transpose:tile", "transpose:pad",
                                 "copy-offset:copy,offset=3"};
    add_up(cases, 4);
}

Test(simt_samples, of_kernels_side_by_side_add_up_too)
{
    const char *const cases[] = {"n-way:4-way,n=65536,rounds=400"};
    cr_assert_gt(add_up(cases, 1), 0);
}

/* They follow each other without a gap, none is longer than the wire says, and those in which something runs
 * are the kernels' times less their launches. */
Test(simt_samples, lie_where_kernels_run)
{
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);
    model_log_run(device, NULL, "transpose:tile", true);
    device->ops->close(device);
    int64_t before_ns = -1;
    double busy_ns = 0, kernels_ns = 0;
    for (size_t i = 0; i < log.count; i++) {
        const struct event *event = &log.events[i];
        if (event->kind == EVENT_KERNEL)
            kernels_ns += (double)(event->kernel.end_ns - event->kernel.start_ns);
        if (event->kind != EVENT_SAMPLE)
            continue;
        cr_assert(before_ns < 0 || event->sample.start_ns == before_ns);
        cr_assert_gt(event->sample.duration_ns, 0);
        before_ns = event->sample.start_ns + event->sample.duration_ns;
        bool active = event->sample.numbers[SERIES_MODEL_ACTIVE_SMS] > 0;
        cr_assert_eq(active, !isnan(event->sample.numbers[SERIES_MODEL_OCCUPANCY]));
        busy_ns += active ? event->sample.duration_ns : 0;
    }
    cr_assert_gt(before_ns, 0);
    cr_assert_lt(busy_ns, kernels_ns);
    cr_assert_gt(busy_ns, kernels_ns / 4, "%g of %g", busy_ns, kernels_ns);
    model_log_fini(&log);
}

/* A kernel with conflicts, then its padded twin: the samples of the one have them, those of the other have
 * none. */
Test(simt_samples, tell_a_kernel_with_conflicts_from_its_padded_twin)
{
    static const char *const cases[] = {"transpose:tile", "transpose:pad"};
    for (int i = 0; i < 2; i++) {
        struct model_log log = {0};
        struct device *device = model_log_device(&log, NULL);
        model_log_run(device, NULL, cases[i], true);
        device->ops->close(device);
        double conflicts = sums_of(&log, SERIES_MODEL_CONFLICTS).added;
        cr_assert(i == 0 ? conflicts > 1000 : conflicts == 0, "%s: %g", cases[i], conflicts);
        model_log_fini(&log);
    }
}

Test(simt_samples, are_announced_once)
{
    struct model_log log = {0};
    struct device *device = model_log_device(&log, NULL);
    model_log_run(device, NULL, "transpose:tile", true);
    model_log_run(device, NULL, "transpose:tile", true);
    device->ops->close(device);
    uint32_t announced = 0;
    for (size_t i = 0; i < log.count; i++)
        if (log.events[i].kind == EVENT_SERIES) {
            cr_assert_eq(log.events[i].series.id, ++announced);
            cr_assert_str_eq(log.strings[log.events[i].series.name - 1],
                             series_model_name((enum series_model)(announced - 1)));
        }
    cr_assert_eq(announced, SERIES_MODEL_COUNT);
    model_log_fini(&log);
}
