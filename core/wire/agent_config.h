/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's configuration. The launcher writes it into one environment variable of the profiled process;
 * the agent reads it once, at injection. Text form: "key=value;key=value", values percent-encoded; unknown
 * keys are ignored, so that agent and launcher of different builds can still speak. docs/wire.md lists the
 * keys.
 *
 * Plain data, owned by the caller. Any thread. Links libc only: the agent contains it.
 */
#ifndef CORE_WIRE_AGENT_CONFIG_H
#define CORE_WIRE_AGENT_CONFIG_H

#include "core/base/error.h"
#include "core/base/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_CONFIG_VARIABLE "LANESCOPE_AGENT"
#define AGENT_CONFIG_MAX_BYTES 32768u

/* The range of exponents that CUPTI accepts for the sampling period. */
#define AGENT_PERIOD_LEAST 5
#define AGENT_PERIOD_MOST 31

enum agent_capture { AGENT_CAPTURE_ALL, AGENT_CAPTURE_PROFILER_API, AGENT_CAPTURE_NVTX, AGENT_CAPTURE_DELAY };

enum agent_stacks { AGENT_STACKS_NONE, AGENT_STACKS_PYTHON, AGENT_STACKS_NATIVE /* and Python */ };

struct agent_config {
    enum run_mode mode;
    enum agent_capture capture;
    char capture_range[256];       /* NVTX: the range to capture */
    int64_t delay_ns, duration_ns; /* DELAY: from the agent's start; duration 0 = to the end */
    char kernel_glob[4096];        /* fnmatch(3) over the mangled and the demangled plain name; "" = all */
    uint32_t launches;             /* COUNTERS: of each kernel name and shape; 0 = no limit */
    bool launches_per_sync; /* ... between two synchronisations of a context: a workload's case ends with one
                             */
    uint32_t flush_ms;      /* period of the flush thread; 0 = its own default */
    bool api_calls;         /* TRACE: record API calls */
    enum agent_stacks stacks; /* TRACE: record the call paths of launches and copies */
    char cupti_path[1024];    /* the launcher's libcupti, tried last */
    bool memory_apart;        /* COUNTERS: a memory run measures DRAM and time, so not here */
    bool instructions;        /* LINES: count the instructions of the kernel of kernel_glob; else sample */
    bool serialize;  /* LINES, sampling: one kernel at a time, so that each sample's launch is known */
    uint32_t period; /* LINES, sampling: every 2^period cycles; 0 = the agent's own default */
    bool bursts;     /* TRACE: start a burst of samples at launches of kernels that match: */
    char burst_kernel[256];
    char counters[8192]; /* not TRACE: metric ids and CUPTI names separated by ',', all in one configuration;
                            "": the catalogue's for the run */
};

/* The defaults: trace, everything, 3 launches, API calls on. */
void agent_config_init(struct agent_config *config);

/* Writes the text form to `text`, terminated. STATUS_USAGE if it does not fit. */
enum status agent_config_format(const struct agent_config *config, char *text, size_t size_bytes,
                                struct error *error);

/* Parses the text form. The text is not trusted: lengths are bounded and numbers checked. A missing key keeps
 * its default. */
enum status agent_config_parse(const char *text, struct agent_config *config, struct error *error);

#endif
