/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler: lanescope executed again, as one process per GPU, which samples the GPU's counters over time
 * for all programs on it. It runs no kernels and touches no other process. It is started with
 *     lanescope --sampler GPU INTERVAL_NS on|burst [LIBCUPTI]
 * beside programs that are traced and for `lanescope watch`, finds the session by LANESCOPE_SOCKET, is
 * controlled by the words of core/wire/sampling_control.h and ends on SIGTERM or with the session. It sends
 * samples over the wire as SERIES and SAMPLE, messages for the user as NOTICE.
 *
 * One thread.
 */
#ifndef CUPTI_SAMPLER_SAMPLER_H
#define CUPTI_SAMPLER_SAMPLER_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define SAMPLER_LEAST_NS 2000u
#define SAMPLER_MOST_NS 1000000000u

enum sampler_exit { SAMPLER_FINE = 0, SAMPLER_CANNOT = 1, SAMPLER_NO_GPU = 3, SAMPLER_FAILED = 125 };

struct sampler_options {
    uint32_t gpu;
    uint64_t interval_ns;
    bool bursts; /* only on request; else as long as samples are wanted */
    const char *cupti_path;
};

/* argv after "--sampler". The options point into it. */
enum status sampler_parse(int argc, char **argv, struct sampler_options *options, struct error *error);

/* Runs until the end; returns an enum sampler_exit. *error is set unless it is 0. */
int sampler_main(const struct sampler_options *options, struct error *error);

#endif
