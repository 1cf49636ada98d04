#include "tests/unit/fixture_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint32_t add_sampling(struct session *session, uint32_t process, uint32_t device,
                             const char *const *names, uint16_t count, uint32_t interval_ns, uint8_t flags)
{
    uint32_t strings[SAMPLING_SERIES_MAX];
    for (uint16_t i = 0; i < count; i++)
        strings[i] = session_add_string(session, names[i], strlen(names[i]));
    struct sampling_row row = {
        .process = process, .device = device, .interval_ns = interval_ns, .series = count, .flags = flags};
    uint32_t sampling = sampling_add(session, &row, strings);
    must(sampling != NONE);
    return sampling;
}

static void add(struct session *session, uint32_t sampling, int64_t start_ns, uint32_t duration_ns,
                const float *numbers)
{
    must(sample_add(session, sampling, start_ns, duration_ns, numbers) == SAMPLE_ADDED);
}

/* A hill of a given height about the middle of [0, length). */
static float hill(int64_t at, int64_t length, float height)
{
    int64_t from_middle = at % length - length / 2;
    float part = 1 - (float)(from_middle < 0 ? -from_middle : from_middle) / (float)(length / 2);
    return height * part;
}

void fixture_samples_fill(struct session *session)
{
    static const char *const names[] = {"sm__warps_active.avg.pct_of_peak_sustained_active",
                                        "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
                                        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                        "pcie__read_bytes.sum"};
    static const char *const bursts[] = {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"};
    uint32_t sampling = add_sampling(session, 0, 0, names, 4, FIXTURE_SAMPLE_NS, 0);
    for (int64_t at = 500000; at < 12500000; at += FIXTURE_SAMPLE_NS) {
        bool quiet = at < 1000000;
        const float numbers[] = {at < FIXTURE_STEP_NS ? FIXTURE_LOW : FIXTURE_HIGH,
                                 quiet ? 0 : hill(at - 1000000, 3000000, 90),
                                 quiet ? 0 : hill(at - 1000000, 1000000, 400000),
                                 at % 500000 == 0 ? NAN : 1000 + (float)(at % 300000)};
        if (at < FIXTURE_GAP_NS || at >= FIXTURE_GAP_END_NS)
            add(session, sampling, at, FIXTURE_SAMPLE_NS, numbers);
    }
    sampling = add_sampling(session, 0, 0, bursts, 1, 10000, SERIES_BURST);
    for (int64_t burst = 0; burst < 2; burst++)
        for (int64_t i = 0; i < 120; i++) {
            const float number = hill(i, 120, burst == 0 ? 60000 : 4000);
            add(session, sampling, 2200000 + burst * 6000000 + i * 10000, 10000, &number);
        }
}

void fixture_unsampled_fill(struct session *session, const char *why)
{
    add_sampling(session, 0, 0, &why, 1, 0, SERIES_CANNOT);
}

void fixture_watch_fill(struct session *session)
{
    static const char *const names[] = {
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
        "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__write_throughput.avg.pct_of_peak_sustained_elapsed",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
        "lts__t_sectors.sum",
        "pcie__read_bytes.sum",
        "pcie__write_bytes.sum",
        "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed"};
    struct process_row process = {
        .pid = 77, .rank = -1, .program = session_add_string(session, "lanescope", 9)};
    atomic_init(&process.end_ns, INT64_MIN);
    session_add_process(session, &process);
    struct device_row device = {.info = {.name = "NVIDIA H200",
                                         .chip = "GH100",
                                         .compute_capability = 90,
                                         .multiprocessors = 132,
                                         .memory_bytes = UINT64_C(150754820096)}};
    session_add_device(session, &device);
    uint32_t sampling = add_sampling(session, 0, 0, names, 10, 1000000, 0);
    for (int64_t i = 0; i < 3000; i++) {
        bool works = i % 1000 < 700;
        const float numbers[] = {works ? 40 + hill(i, 100, 50) : NAN,
                                 works ? 95 : 0,
                                 works ? hill(i, 700, 80) : 0,
                                 works ? hill(i + 350, 700, 40) : 0,
                                 works ? 2e6f : 0,
                                 works && i % 1000 < 350 ? 8e5f : 0,
                                 works ? hill(i, 50, 3e6f) : 0,
                                 i % 100 == 0 ? 5e6f : 100,
                                 i % 100 == 50 ? 2e6f : 100,
                                 works && i >= 2000 ? 66 : 0};
        add(session, sampling, 300000000 + i * 1000000, 1000000, numbers);
    }
}
