/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording in a folder of its own, for the tests of recordings: set up and removed around each test. What
 * fails here fails the test.
 */
#ifndef TESTS_SHARED_MADE_TEMPORARY_RECORDING_H
#define TESTS_SHARED_MADE_TEMPORARY_RECORDING_H

#include "core/recording/recording.h"

extern char temporary_folder[64], temporary_path[96];

void temporary_make(void);
void temporary_remove(void);

/* Root is let through everywhere: what is about permission runs as nobody. temporary_remove comes back from
 * it. */
void temporary_be_nobody(void);

void temporary_start(struct recorder **recorder, const struct session *session, uint64_t max_bytes);
void temporary_stop(struct recorder *recorder);
/* A recording of so many random rows. */
void temporary_record(uint64_t seed, size_t rows);
struct session *temporary_load(void);
/* Loading gives this status, and a sentence that names the file and holds `words`. */
void temporary_refused(enum status status, const char *words);

/* Through the sqlite3 library, as any other program would: the first number of a query; a change. */
int64_t temporary_query(const char *sql);
void temporary_change(const char *sql);
/* What a query costs, however fast the machine is: the steps that SQLite's virtual machine takes for all its
 * rows. */
int64_t temporary_steps(const char *sql);

bool temporary_exists(const char *ending);    /* of the path, "-wal" */
uint64_t temporary_bytes(const char *ending); /* 0 when it does not exist */
unsigned char *temporary_read(size_t *size);  /* the caller frees it */
void temporary_write(const void *bytes, size_t size);

bool session_has_notice(const struct session *session, const char *words);
void sleep_ms(long ms);

#endif
