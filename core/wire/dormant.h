/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a running program is attached to. `lanescope --dormant -- PROGRAM` names a folder in the program's environment
 * (DORMANT_VARIABLE) and starts it. A process of it that uses CUDA listens on the socket FOLDER/PID, with a thread
 * that sleeps, and does nothing else. `lanescope attach PID` connects and sends one message: the path of its
 * collector's socket and the agent's settings, each terminated. The process connects there as any producer does, and
 * answers with an empty message, or with a sentence that says why not. The capture lasts as long as this connection:
 * when lanescope closes it, or is killed, the process ends the capture and sleeps again.
 *
 * The folder is its user's alone (mode 0700), and each side asks the kernel who the other one is.
 */
#ifndef CORE_WIRE_DORMANT_H
#define CORE_WIRE_DORMANT_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DORMANT_VARIABLE "LANESCOPE_DORMANT"

/* ---- in the program ---- */

/* What a process does when it is attached to. All functions are called on one thread. */
struct dormant_process {
    /* Connects to the collector at `socket` and begins to send. On failure nothing has begun. */
    enum status (*begin)(const char *socket, const char *config, struct error *error);
    bool (*goes_on)(void); /* asked every 20 ms; false: the collector has gone */
    void (*end)(void);
};

/* Listens, if the environment names a folder. False: it does not. Once per process. */
bool dormant_start(const struct dormant_process *process);

/* The process ends: ends the capture and removes the socket. From then on nothing begins. */
void dormant_stop(void);

/* In a forked child, which shares the descriptors: closes them. */
void dormant_abandon(void);

/* ---- in lanescope ---- */

/* The folder for programs that are about to start, made if it is not there; sockets of killed processes are removed. */
enum status dormant_folder(char *path, size_t size_bytes, struct error *error);

/* Attaches. *connection: readable with EOF when the process has ended the capture; shut down its writing side to ask
 * for that. Waits until the capture has begun. STATUS_STATE, STATUS_PERMISSION or STATUS_IO with a sentence for the user. */
enum status dormant_attach(pid_t pid, const char *socket, const char *config, int *connection,
                           struct error *error);

#endif
