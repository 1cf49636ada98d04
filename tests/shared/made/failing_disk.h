/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that fails, for SQLite: a VFS around the default one that takes so many bytes and no more. Installed
 * for the process; one at a time.
 */
#ifndef TESTS_SHARED_MADE_FAILING_DISK_H
#define TESTS_SHARED_MADE_FAILING_DISK_H

#include <stdint.h>

/* From now on all files opened take `bytes` bytes together; then every write gives `result`, SQLite's code
 * (SQLITE_FULL). */
void failing_disk_install(int64_t bytes, int result);
/* Let it take so many bytes more. */
void failing_disk_allow(int64_t bytes);
int64_t failing_disk_failures(void);

#endif
