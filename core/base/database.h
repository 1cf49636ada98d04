/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite files that may come from a stranger: opened read-only, and nothing of their schema is run. A
 * connection belongs to the thread that uses it.
 */
#ifndef CORE_BASE_DATABASE_H
#define CORE_BASE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* "file:PATH?immutable=1", with every special byte escaped, for a file that nobody writes: no lock is taken and
 * no file made beside it. NULL: no memory. Free with sqlite3_free. */
char *database_immutable_uri(const char *path);
/* Limits on what a hostile file can make SQLite do. longest_bytes: of a text or blob that is read. */
void database_distrust(sqlite3 *database, int longest_bytes);

/* Is there a table of this name? A view is none. */
bool database_has_table(sqlite3 *database, const char *name);

/* Values of a row: a number out of the type's range is its nearest end, a text that is not there "". */
uint32_t row_u32(sqlite3_stmt *row, int column);
uint16_t row_u16(sqlite3_stmt *row, int column);
const char *row_text(sqlite3_stmt *row, int column);

#endif
