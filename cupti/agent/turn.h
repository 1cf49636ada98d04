/*
 * Turns at the counters of a GPU: CUPTI gives them to one process at a time, so processes that lanescope
 * profiles take turns.
 *
 * A turn is a socket bound to a name made of the GPU's UUID, which only one process can have. The kernel
 * releases it when the holder ends for any reason, and nothing is left on disk. Any thread.
 */
#ifndef CUPTI_AGENT_TURN_H
#define CUPTI_AGENT_TURN_H

#include <stddef.h>
#include <stdint.h>

#define TURN_TAKEN (-1)   /* another process has it */
#define TURN_UNKNOWN (-2) /* the system has no such sockets, so it is not known */

/* Returns a descriptor that holds the turn until it is closed, or TURN_TAKEN, or TURN_UNKNOWN. Does not wait.
 */
int turn_take(const uint8_t gpu_uuid[16]);

/* The holder, for a sentence: "process 733 (program)"; "another process" if it is not known. */
void turn_holder(const uint8_t gpu_uuid[16], char *text, size_t size_bytes);

#endif
