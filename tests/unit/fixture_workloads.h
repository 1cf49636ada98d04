/*
 * The workloads that the tests of the screen list: with variants, parameters, a lesson and documents'
 * figures.
 */
#ifndef TESTS_UNIT_FIXTURE_WORKLOADS_H
#define TESTS_UNIT_FIXTURE_WORKLOADS_H

#include "tui/workload.h"

#define FIXTURE_WORKLOAD_COUNT 5
extern const struct tui_workload fixture_workloads[FIXTURE_WORKLOAD_COUNT];

#endif
