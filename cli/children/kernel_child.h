/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that runs one kernel of the user's PTX: lanescope re-executed as
 *     lanescope --kernel-child MODE DEVICE GPU [--model ID] [--cc X.Y] [--check] [--no-merge] kernel FILE ...
 * the words from "kernel" on as the user gave them. It announces one run, makes the arguments, launches the
 * kernel once, writes what --dump-arg asks for (in the trace run), and on the device model prints what each
 * source line cost. One thread.
 */
#ifndef CLI_CHILDREN_KERNEL_CHILD_H
#define CLI_CHILDREN_KERNEL_CHILD_H

#include "cli/options/options.h"
#include "core/base/error.h"

/* The most words of a command line that this and the child of workloads need, besides the names of workloads.
 */
#define KERNEL_CHILD_WORDS_MAX (2 * 2 * OPTIONS_TEXTS_MAX + 24)

/* "kernel", FILE, ...: the kernel's options as words of a child's argv; ends with NULL. The words point into
 * the options. */
void kernel_child_words(const struct options *options, char **words);

/* argv after "--kernel-child". Returns the exit status, as workload_child_main does. */
int kernel_child_main(int argc, char **argv, struct error *error);

#endif
