/* Captures the output of children while the screen is shown: kept in an unnamed file, printed after the
 * screen has closed. */
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
