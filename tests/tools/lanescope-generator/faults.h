/* SPDX-License-Identifier: Apache-2.0 */
/* What no honest producer does: records that are none, records that are never written, names made to hurt. */
#ifndef TESTS_TOOLS_LANESCOPE_GENERATOR_FAULTS_H
#define TESTS_TOOLS_LANESCOPE_GENERATOR_FAULTS_H

#include "core/wire/wire.h"

#include <stdint.h>

/* One record, or two, that make no sense; `which` picks the kind of nonsense. */
void fault_malformed(struct wire_producer *producer, uint64_t which);

/* Reserve `count` records that are never published, each followed by one that is. */
void fault_torn(struct wire_producer *producer, uint32_t count);

/* The event with ids that were never announced. */
void fault_wrong_ids(struct event *event, uint64_t which);

/* A name made to hurt; `which` picks it. Not to be freed. */
const char *fault_name(uint64_t which);

#endif
