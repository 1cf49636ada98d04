/* What a report says of a race: the earlier access, and what would have ordered the two. */
#ifndef SIMT_CHECK_RACE_H
#define SIMT_CHECK_RACE_H

#include "simt/check/check.h"
#include "simt/check/shadow.h"

/* Fills the report of an access that races with `other`, except for the fields of every report. `program`,
 * `grid` and `block`: of the launch. */
void race_describe(const struct order *order, const struct shadow_now *now, bool shared,
                   const struct shadow_access *other, const struct program *program, const uint32_t grid[3],
                   const uint32_t block[3], struct check_report *report);

#endif
