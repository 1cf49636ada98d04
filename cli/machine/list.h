/* `lanescope list`: the bundled workloads, as text or as JSON. */
#ifndef CLI_MACHINE_LIST_H
#define CLI_MACHINE_LIST_H

#include <stdbool.h>
#include <stdio.h>

void list_workloads(FILE *out, bool json);

#endif
