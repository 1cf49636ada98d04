/* `lanescope doctor`: shows which functions work on this machine, and what to do about those that do not. */
#ifndef CLI_MACHINE_DOCTOR_H
#define CLI_MACHINE_DOCTOR_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* docs/doctor.schema.json. program: also whether the device model can run this file; NULL: none. An error: it
 * is no program, and nothing was printed. */
enum status doctor_run(FILE *out, const char *program, bool as_json, struct error *error);

#endif
