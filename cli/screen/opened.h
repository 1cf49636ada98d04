/*
 * Recordings that a presented lesson opens, one shown at a time in place of the live session. They are loaded
 * in slices on the screen's thread, whole, and stay until the end, since the screen may still hold one that
 * is no longer shown.
 */
#ifndef CLI_SCREEN_OPENED_H
#define CLI_SCREEN_OPENED_H

#include "core/base/error.h"
#include "core/recording/recording.h"

#include <stdbool.h>

struct opened_recording {
    char *path;
    struct session *session;
    struct loader *loader;
    bool done;
};

struct opened { /* all zeros: none */
    struct opened_recording *list;
    size_t count, room, shown; /* shown: from 1; 0: none */
    struct error error;        /* of loading */
};

void opened_fini(struct opened *opened);

/* path NULL: none is shown. */
enum status opened_show(struct opened *opened, const char *path, struct error *error);
struct session *opened_session(const struct opened *opened); /* NULL: none is shown */
/* Loads a slice of the one shown. False: there is nothing to load. */
bool opened_work(struct opened *opened);
bool opened_loading(const struct opened *opened, double *progress);

#endif
