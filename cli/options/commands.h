/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that main alone calls, each defined in the room of its name. `options` is the command line;
 * *exit_status, if there is one, the status with which the process should end (enum exit_code). An error is a
 * sentence for standard error. The main thread.
 */
#ifndef CLI_OPTIONS_COMMANDS_H
#define CLI_OPTIONS_COMMANDS_H

#include "cli/options/options.h"
#include "core/base/error.h"

#include <stdio.h>

/* `lanescope view FILE`, on the terminal or as a snapshot (cli/screen). */
enum status screen_view(const struct options *options, struct error *error);

/* The live screen: the list of workloads, runs of the named ones, or a program. */
enum status screen_live(const struct options *options, int *exit_status, struct error *error);

/* `lanescope follow HOST:FILE`: replaces this process by ssh ($LANESCOPE_SSH: another program that takes the
 * same arguments), which runs `lanescope view FILE` on another machine, with a terminal there. Returns only
 * when that fails. `place`: HOST:FILE or USER@HOST:FILE; HOST may be an IPv6 address in brackets. */
enum status follow_run(const char *place, struct error *error);

/* `lanescope what-if FILE [RUN...] [--edit ID,...]`: replays the traced runs of a recording, or those whose
 * names match a pattern, with edits, and prints what each would gain (core/replay/what_if.h). Without --edit
 * the edits are chosen in order of gain. docs/what-if.md is its manual. STATUS_USAGE: there is no such edit,
 * or no such run. */
enum status what_if_command(const struct options *options, FILE *out, struct error *error);

/* `lanescope gate BASELINE -- PROGRAM ARGS`, or of workloads: runs on the device model, where every launch is
 * counted, and compares the counts with a text file kept in git. Without the file, and with --update, writes
 * it. docs/gate.md is its manual. EXIT_CHECK: counts differ. A program that ends with a status of its own, or
 * by a signal, gates nothing: STATUS_STATE. STATUS_USAGE: the baseline is malformed, or of another device. */
enum status gate_command(const struct options *options, int *exit_status, struct error *error);

/* `lanescope generations WORKLOAD`: one workload on every modelled GPU, a sheet. */
enum status generations_command(const struct options *options, FILE *out, struct error *error);

/* `lanescope debug WORKLOAD` or `-- PROGRAM ARGS`: steps the launches on the device model by commands from standard
 * input, one a line. docs/debug.md is its manual. */
enum status debug_command(const struct options *options, int *exit_status, struct error *error);

/* `lanescope kernel FILE.ptx`: runs one kernel of the user's PTX in a child, on the device model or under the
 * agent on a GPU, and prints its expected, modelled and measured values side by side, the cost of each source
 * line and the findings of the checks; or the report's kernel object. EXIT_CHECK: a check found something. */
enum status kernel_command(const struct options *options, int *exit_status, struct error *error);

/* `lanescope judge FILE.cu --reference R.cu`: docs/judge.md is its manual. EXIT_CHECK: it does not pass. STATUS_USAGE: R is
 * wrong, or proves nothing; STATUS_UNSUPPORTED: there is no nvcc. */
enum status judge_command(const struct options *options, int *exit_status, struct error *error);

/* `lanescope mcp`: answers an agent's requests from standard input, one a line, until that ends. docs/mcp.md is its manual.
 * STATUS_UNSUPPORTED: it was built without libjansson. run: a command of lanescope in this process, with main's arguments
 * and status. */
enum status mcp_command(int (*run)(int argc, char **argv), struct error *error);

/* `lanescope doctor`: shows which functions work on this machine, and what to do about those that do not.
 * docs/doctor.schema.json. program: also whether the device model can run this file; NULL: none. An error: it
 * is no program, and nothing was printed. */
enum status doctor_run(FILE *out, const char *program, bool as_json, struct error *error);

/* `lanescope doctor --bug-report`: the same as text to paste into an issue, after what print_version prints and the system, with
 * ~, USER and HOST in place of the user's folder and name and the machine's name. */
enum status bug_report(FILE *out, void (*print_version)(FILE *out), const char *program, struct error *error);

#endif
