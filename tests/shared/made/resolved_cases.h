/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of the bundled workloads, small and resolved for a GPU of the H200's size, for tests of what they
 * expect. The caller frees them with free(). The test fails, with a sentence, where a case is refused.
 */
#ifndef TESTS_SHARED_MADE_RESOLVED_CASES_H
#define TESTS_SHARED_MADE_RESOLVED_CASES_H

#include "workloads/frame/workload.h"

/* Of a text as the command line has it, or of "--all". */
struct workload_case *resolved_cases(const char *text, size_t *count);

#endif
