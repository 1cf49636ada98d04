/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of what CUPTI's host API says of chips: which it knows, or the test is skipped with the reason.
 * Runs before the tests.
 */
#ifndef TESTS_SHARED_ORACLE_HOST_API_H
#define TESTS_SHARED_ORACLE_HOST_API_H

#if LANESCOPE_CUDA
#include "cupti/profiler/plan.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void skip(const char *why)
{
    printf("skipped: %s\n", why);
    fflush(stdout);
    _exit(77);
}

#if !LANESCOPE_CUDA
__attribute__((constructor)) static void begin(void)
{
    skip("this build has no CUPTI headers");
}
#else

static const char *const *chips;
static size_t chip_count;

#if defined SANITIZES_ADDRESSES
#define WITH_ADDRESS_SANITIZER 1
#else
#define WITH_ADDRESS_SANITIZER 0
#endif

static const char *cupti_path(void)
{
    const char *path = getenv("LANESCOPE_CUPTI");
    return path ? path : "/usr/local/cuda/lib64/libcupti.so.13";
}

__attribute__((constructor)) static void begin(void)
{
    struct error error;
    if (WITH_ADDRESS_SANITIZER)
        skip("AddressSanitizer does not allow CUPTI's host library to be opened (RTLD_DEEPBIND)");
    if (plan_chips(cupti_path(), &chips, &chip_count, &error) != STATUS_OK)
        skip(error.text);
}
#endif

#endif
