/*
 * `lanescope gate BASELINE -- PROGRAM ARGS`, or of workloads: runs on the device model, where every launch is
 * counted, and compares the counts with a text file kept in git. Without the file, and with --update, writes
 * it. docs/gate.md is its manual. One thread.
 */
#ifndef CLI_GATE_GATE_H
#define CLI_GATE_GATE_H

#include "cli/options/options.h"

/* EXIT_CHECK: counts differ. A program that ends with a status of its own, or by a signal, gates nothing:
 * STATUS_STATE. STATUS_USAGE: the baseline is malformed, or of another device. */
enum status gate_command(const struct options *options, int *exit_status, struct error *error);

#endif
