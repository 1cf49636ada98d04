/*
 * The buffers that CUPTI fills with records: a pool of equal ones. Any thread; one short lock.
 */
#ifndef CUPTI_AGENT_BUFFERS_H
#define CUPTI_AGENT_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#define BUFFERS_BYTES 262144u /* works as well as 1 MB, and is full sooner: docs/cupti-notes.md */
#define BUFFERS_MAX 1024u

/* A buffer and its size; NULL (and size 0) if all are in use: CUPTI then drops records and counts them. */
uint8_t *buffers_take(size_t *size_bytes);
void buffers_give_back(uint8_t *buffer);

/* How often there was no free buffer since the last call. */
uint64_t buffers_refused(void);

#endif
