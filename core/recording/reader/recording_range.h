/*
 * Reads evicted events of a range of time from the recording that a session was loaded from, or is recorded
 * to. The recording is open only while it is read, so that its writer can close it. One thread at a time,
 * any; other threads may read the session, and its writer may write it.
 */
#ifndef CORE_RECORDING_READER_RECORDING_RANGE_H
#define CORE_RECORDING_READER_RECORDING_RANGE_H

#include "core/recording/reader/refill.h"

struct range_reader;

/* NULL: out of memory. The session must stay until range_reader_destroy. */
struct range_reader *range_reader_create(const struct session *session, const char *path);
void range_reader_destroy(struct range_reader *reader);

/* Open or close the recording. STATUS_STATE: it is locked, or has been replaced. */
enum status range_reader_open(struct range_reader *reader, struct error *error);
void range_reader_close(struct range_reader *reader);

/* While it is open: offers recorded events to the plan of `want` until the plan has all of them. Chunks may
 * be missing although the status is OK: their events were deleted, never recorded, or lie too far apart in
 * the recording. *stop, set by any thread, ends the read soon. */
enum status range_reader_read(struct range_reader *reader, struct refill *refill,
                              const struct refill_want *want, const struct refill_extent *extent,
                              const _Atomic bool *stop, struct error *error);

#endif
