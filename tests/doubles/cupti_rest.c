/* SPDX-License-Identifier: Apache-2.0 */
/* What the double of libcupti does not play: each answers that it is not supported. */
#include "cupti/load/load.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattribute-alias"
#endif

CUptiResult not_played(void);
CUptiResult not_played(void)
{
    return CUPTI_ERROR_NOT_SUPPORTED;
}

#define NOT_PLAYED(name) extern __typeof__(name) name __attribute__((weak, alias("not_played")));
CUPTI_FUNCTION_LIST(NOT_PLAYED)
