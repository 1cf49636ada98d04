/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of `lanescope doctor`: driver, GPUs, libcupti, permission for counters by the driver's settings
 * and by a real try, and other profilers. The try runs in a child process, so that it can neither crash nor
 * change the caller. One thread.
 */
#ifndef CUPTI_PROBE_PROBE_H
#define CUPTI_PROBE_PROBE_H

#include "core/base/error.h"
#include "core/hardware/device_info.h"

#include <stdbool.h>
#include <stdint.h>

#define PROBE_MAX_DEVICES 16

enum probe_restriction { PROBE_RESTRICTION_UNKNOWN, PROBE_RESTRICTION_NONE, PROBE_RESTRICTION_ADMIN };

struct probe_report {
    /* From files and the environment. */
    char driver_text[256]; /* first line of /proc/driver/nvidia/version, empty if there is none */
    enum probe_restriction restriction; /* RmProfilingAdminOnly of /proc/driver/nvidia/params */
    char cupti_path[1024];
    uint32_t cupti_version;    /* 130001; 0: none */
    struct error cupti;        /* OK, or why libcupti cannot be used */
    char injection[1024];      /* the file in CUDA_INJECTION64_PATH; empty: nothing */
    char nvtx_injection[1024]; /* NVTX_INJECTION64_PATH */

    /* Found by a try in a child process. */
    struct error devices; /* OK, or why CUDA does not work */
    uint32_t device_count;
    struct device_info device[PROBE_MAX_DEVICES];
    struct error tracing;    /* STATUS_OK, or why tracing is not possible: another tool is set */
    struct error counters;   /* of device 0: STATUS_OK, or the first failure */
    uint32_t counter_passes; /* that the counters tried would take */
    struct error sampling;   /* of device 0: counters over time, likewise */
    uint32_t sampled;        /* counters that are sampled together */
    struct error samples,
        instructions; /* of device 0: lines, that is program counters and counts of instructions */
};

/* Fills the report. cupti_path: tried last, may be NULL. counters: CUPTI metric names separated by ',', to be
 * tried. Never fails as a whole: each field that cannot be determined has its own reason. Takes up to 20 s.
 */
void probe_run(struct probe_report *report, const char *cupti_path, const char *counters);

#endif
