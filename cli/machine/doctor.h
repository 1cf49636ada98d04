/* `lanescope doctor`: shows which functions work on this machine, and what to do about those that do not. */
#ifndef CLI_MACHINE_DOCTOR_H
#define CLI_MACHINE_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>

void doctor_run(FILE *out, bool as_json); /* docs/doctor.schema.json */

#endif
