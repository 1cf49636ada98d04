/* `lanescope doctor`: what will work here, and what to do about what will not. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdio.h>

void doctor_run(FILE *out);

#endif
