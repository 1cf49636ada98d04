/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangles C++ names. libstdc++ is opened at run time; if it is missing, names stay mangled. Any thread.
 */
#ifndef CORE_BASE_FUNCTION_NAME_H
#define CORE_BASE_FUNCTION_NAME_H

#include "core/base/event.h"

#include <stddef.h>

/* The demangled form, to be freed by the caller; NULL if the name is not mangled, is too long or too complex
 * (it is then shown mangled), or if libstdc++ is missing. */
char *demangle(const char *mangled);

/*
 * The plain name of a function of CUDA's API: CUPTI and the symbols of libraries append a version and the
 * variant of the per-thread stream. And what it does, by its name. Pure, any thread.
 */

#define API_NAME_BYTES 96u

/* "cudaLaunchKernel_ptsz_v7000", "__cudaLaunchKernel_v13000", "cuMemAlloc_v2" -> "cudaLaunchKernel",
 * "cuMemAlloc". */
void api_plain_name(const char *name, char *plain, size_t size_bytes);
/* The category of a call with this plain name; HIP's names, too. The agent records no CALL_OTHER. */
enum call_category api_category(const char *plain);

#endif
