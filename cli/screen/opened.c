/* A recording is found again by its path, and not loaded a second time. */
#include "cli/screen/opened.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_PER_SLICE 20000

void opened_fini(struct opened *opened)
{
    for (size_t i = 0; i < opened->count; i++) {
        loader_close(opened->list[i].loader);
        session_destroy(opened->list[i].session);
        free(opened->list[i].path);
    }
    free(opened->list);
    *opened = (struct opened){0};
}

static struct opened_recording *opened_current(const struct opened *opened)
{
    return opened->shown > 0 ? &opened->list[opened->shown - 1] : NULL;
}

static enum status opened_add(struct opened *opened, const char *path, struct error *error)
{
    struct opened_recording made = {.path = strdup(path)};
    enum status status = STATUS_OK;

    if (!made.path || !array_grow(opened->list, opened->room, opened->count, 1))
        status = error_no_memory(error, "to open %.200s", path);
    if (status == STATUS_OK)
        status = loader_open(&made.loader, &made.session, path, error);
    if (status != STATUS_OK) {
        free(made.path);
        return status;
    }
    opened->list[opened->count++] = made;
    return STATUS_OK;
}

enum status opened_show(struct opened *opened, const char *path, struct error *error)
{
    opened->shown = 0;
    opened->error = (struct error){0};
    for (size_t i = 0; path && i < opened->count; i++)
        if (strcmp(opened->list[i].path, path) == 0)
            opened->shown = i + 1;
    if (!path || opened->shown > 0)
        return STATUS_OK;
    enum status status = opened_add(opened, path, error);

    if (status == STATUS_OK)
        opened->shown = opened->count;
    return status;
}

struct session *opened_session(const struct opened *opened)
{
    return opened->shown > 0 ? opened_current(opened)->session : NULL;
}

bool opened_work(struct opened *opened)
{
    struct opened_recording *current = opened_current(opened);

    if (!current || current->done)
        return false;
    if (loader_step(current->loader, ROWS_PER_SLICE, &current->done, &opened->error) != STATUS_OK)
        current->done = true;
    return true;
}

bool opened_loading(const struct opened *opened, double *progress)
{
    const struct opened_recording *current = opened_current(opened);

    *progress = current ? loader_progress(current->loader) : 1;
    return current && !current->done;
}
