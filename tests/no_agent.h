/* SPDX-License-Identifier: Apache-2.0 */
/* What a test program of the agent does in a build that has none: it is skipped (ctest's 77) before Criterion
 * begins. */
#ifndef TESTS_NO_AGENT_H
#define TESTS_NO_AGENT_H

#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no agent: no CUPTI headers");
    fflush(stdout);
    _exit(77);
}

#endif
