/* SPDX-License-Identifier: Apache-2.0 */
/* What a test program of the stand-in does in a build that has none: it is skipped (ctest's 77) before
 * Criterion begins. */
#ifndef TESTS_NO_STANDIN_H
#define TESTS_NO_STANDIN_H

#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no stand-in: no CUDA headers");
    fflush(stdout);
    _exit(77);
}

#endif
