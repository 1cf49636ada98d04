/*
 * What a program writes, against the files of tests/golden. UPDATE_GOLDEN=1 writes them anew; look at what
 * changed before it is committed.
 */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <stdbool.h>

/* Is the text that of tests/golden/NAME? If not, it is printed, or `instead` when that is not NULL. */
bool golden_equals(const char *name, const char *text, const char *instead);

/* A whole file, for the caller to free; NULL when it cannot be read. */
char *golden_read(const char *path);
/* Fails the test when it cannot be written. */
void golden_write(const char *path, const char *text);

#endif
