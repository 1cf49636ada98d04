/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program as its user runs it, for tests: in a fresh folder of its own, without a GPU. One test at a time
 * (a process each).
 */
#ifndef TESTS_CLI_PROGRAM_H
#define TESTS_CLI_PROGRAM_H

#include <stddef.h>

/* A fresh folder to stand in, where HOME, state and temporary files go as well; no GPU is visible, whatever
 * the machine has. */
void program_enter(void);
void program_leave(void);

/* Run `lanescope ARGUMENTS` by the shell; its exit status, what it printed (also in the file "output"), and
 * what it said. */
int program_run(const char *arguments, char *output, char *errors, size_t size_bytes);

/* A file of the folder; "" when it is not there. */
void program_read(const char *name, char *text, size_t size_bytes);
void program_write(const char *name, const char *text);

#define CHECK_JSON TEST_SOURCE_DIR "/tests/tools/check_json.py"

#endif
