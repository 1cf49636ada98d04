/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangles C++ names, and finds words in them. libstdc++ is opened at run time; if it is missing, names stay
 * mangled. Any thread.
 */
#ifndef CORE_BASE_FUNCTION_NAME_H
#define CORE_BASE_FUNCTION_NAME_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stddef.h>

/* The demangled form, to be freed by the caller; NULL if the name is not mangled, is too long or too complex
 * (it is then shown mangled), or if libstdc++ is missing. */
char *demangle(const char *mangled);

/* Are these whole words of the name, whatever their case? "cast" is a word of "cast_kernel", "castRows",
 * "LoadWithCast<1>" and "cast2d", but not of "forecast"; "to_half" are words of "rows_to_half". Words end at underscores,
 * digits, signs of templates, and where small letters go over to capitals. */
bool name_has_words(const char *name, const char *words);

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
