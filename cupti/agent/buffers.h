/*
 * The buffers that CUPTI fills with records: a pool of equal ones. Any thread; one short lock.
 */
#ifndef CUPTI_AGENT_BUFFERS_H
#define CUPTI_AGENT_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#define BUFFERS_BYTES 262144u /* as good as 1 MB, and on its way sooner: docs/cupti-notes.md */
#define BUFFERS_MAX 1024u

/* A buffer and its size; NULL (and size 0) when all are out: CUPTI then drops records and counts them. */
uint8_t *buffers_take(size_t *size_bytes);
void buffers_give_back(uint8_t *buffer);

/* How often no buffer was left since the last call. */
uint64_t buffers_refused(void);

#endif
