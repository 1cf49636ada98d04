/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite files that may come from a stranger: opened read-only, and nothing of their schema is run. A
 * connection belongs to the thread that uses it.
 */
#ifndef CORE_BASE_DATABASE_H
#define CORE_BASE_DATABASE_H

#include <sqlite3.h>

/* "file:PATH?immutable=1", with every special byte escaped, for a file that nobody writes: no lock is taken and
 * no file made beside it. NULL: no memory. Free with sqlite3_free. */
char *database_immutable_uri(const char *path);
/* Limits on what a hostile file can make SQLite do. longest_bytes: of a text or blob that is read. */
void database_distrust(sqlite3 *database, int longest_bytes);

#endif
