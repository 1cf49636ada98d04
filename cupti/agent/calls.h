/*
 * Classifies an API call by its name: the plain name for users and the category. Pure functions, any thread.
 */
#ifndef CUPTI_AGENT_CALLS_H
#define CUPTI_AGENT_CALLS_H

#include "core/base/event.h"

#include <stddef.h>

#define CALLS_NAME_BYTES 96u

/* "cudaLaunchKernel_ptsz_v7000" and "__cudaLaunchKernel_v13000" -> "cudaLaunchKernel": CUPTI appends versions
 * and the per-thread-stream variant. */
void calls_plain_name(const char *name, char *plain, size_t size_bytes);

/* The category of a plain name; CALL_OTHER calls are not recorded. */
enum call_category calls_category(const char *plain);

#endif
