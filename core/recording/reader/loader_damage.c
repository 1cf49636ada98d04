/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of rows that do not fit. A row that others refer to makes the whole file unusable; any other
 * is counted and left out, and the first one is described. */
#include "core/recording/reader/loader_internal.h"

#include <inttypes.h>
#include <stdio.h>

enum status loader_damaged(const struct loader *loader, const char *table, int64_t id, const char *column,
                           struct error *error)
{
    return error_set(error, STATUS_FORMAT,
                     "%s is damaged, or lanescope did not write it: table %s, row %" PRId64
                     ", column %s. Take another copy of it.",
                     loader->path, table, id, column);
}

void loader_skip(struct loader *loader, enum recording_table table, int64_t id, const char *column)
{
    if (loader->skipped++ == 0)
        snprintf(loader->first_skipped, sizeof loader->first_skipped, "table %s, row %" PRId64 ", column %s",
                 recording_table(table)->name, id, column);
}
