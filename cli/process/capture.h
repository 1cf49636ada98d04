/* What children print while the screen is up: kept in an unnamed file, printed when the screen is gone. */
#ifndef CLI_PROCESS_CAPTURE_H
#define CLI_PROCESS_CAPTURE_H

#include "core/base/error.h"

#include <stdio.h>

struct capture {
    int fd; /* -1: none */
};

enum status capture_open(struct capture *capture, struct error *error);
void capture_copy(const struct capture *capture, FILE *out);
void capture_close(struct capture *capture);

#endif
