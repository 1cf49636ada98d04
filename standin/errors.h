/* errors.h: what CUDA's codes are called. Any thread. */
#ifndef LANESCOPE_STANDIN_ERRORS_H
#define LANESCOPE_STANDIN_ERRORS_H

#include "standin/standin.h"

struct error_code {
    int code;
    const char *name, *driver_name; /* of the runtime and of the driver; NULL: it does not have the code */
    const char *text;
};

const struct error_code *error_code_find(int code); /* NULL: neither has it */

#endif
