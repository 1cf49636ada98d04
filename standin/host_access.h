/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host that reads or writes memory of the device: what a program with a GPU is killed for. The addresses
 * are reserved (simt/memory/memory.h), so that such an access is a fault; its handler says what the program
 * did, in which function and line, and the program ends with status 1. Other faults, and programs that have
 * a handler of SIGSEGV of their own from later on, are left alone.
 */
#ifndef STANDIN_HOST_ACCESS_H
#define STANDIN_HOST_ACCESS_H

#include "simt/device/device.h"

void host_access_begin(void); /* installs the handler */

/* With --check: managed and pinned memory that operations access which the host has not waited for is guarded
 * while no call of the API runs. The first access of the host to such a page is compared with them; the
 * program continues. Under the lock of standin.c. */
void host_guard(struct device *device);
void host_unguard(void);

/* With --check: a call of the API failed; the program has asked for the error, or has named the code (0: that
 * of its last failed call). */
void host_call_failed(const char *name, int code);
void host_error_seen(int code);

/* At the end of the run: says what was found; true: something was. `ended_well`: the program's status is 0.
 */
bool host_findings_tell(bool ended_well);

#endif
