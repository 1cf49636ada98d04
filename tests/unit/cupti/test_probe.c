/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's probe, on whatever machine this is: every part of the report is there or says why not. */
#if LANESCOPE_CUDA
#include "cupti/probe/probe.h"
#endif

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !LANESCOPE_CUDA
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI headers");
    fflush(stdout);
    _exit(77);
}
#else

Test(probe, every_part_is_there_or_says_why_not)
{
    static struct probe_report report;
    setenv("CUDA_INJECTION64_PATH", "/somebody/elses.so", 1);
    unsetenv("NVTX_INJECTION64_PATH");
    probe_run(&report, "/usr/local/cuda/lib64/libcupti.so.13", "gpu__time_duration.sum");
    cr_assert_str_eq(report.injection, "/somebody/elses.so");
    cr_assert_str_eq(report.nvtx_injection, "");
    cr_assert((report.cupti.status == STATUS_OK) == (report.cupti_version >= 130001));
    cr_assert(report.cupti.status == STATUS_OK || strlen(report.cupti.text) > 20);
    if (report.driver_text[0]) {
        cr_assert_eq(report.devices.status, STATUS_OK, "%s", report.devices.text);
        cr_assert_gt(report.device_count, 0);
        cr_assert_gt(strlen(report.device[0].name), 0);
        cr_assert(report.counters.status != STATUS_OK || report.counter_passes == 1);
        cr_assert(report.sampling.status != STATUS_OK || report.sampled > 0);
    } else {
        cr_assert_eq(report.devices.status, STATUS_NO_DEVICE);
        cr_assert_gt(strlen(report.devices.text), 20);
        cr_assert_eq(report.device_count, 0);
        cr_assert_eq(report.tracing.status, STATUS_NO_DEVICE);
        cr_assert_eq(report.counters.status, STATUS_NO_DEVICE);
        cr_assert_eq(report.sampling.status, STATUS_NO_DEVICE);
        cr_assert_eq(report.samples.status, STATUS_NO_DEVICE);
        cr_assert_eq(report.instructions.status, STATUS_NO_DEVICE);
        cr_assert_eq(report.restriction, PROBE_RESTRICTION_UNKNOWN);
    }
}
#endif
