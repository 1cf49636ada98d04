/*
 * Memory has run out when the count of refused rows grew; after a pause an allocation of PROBE_BYTES shows
 * whether there is memory again.
 */
#include "cli/run/collect_memory.h"

#include "cli/run/connection.h"

#include <stdlib.h>

#define PAUSE_NS 100000000
#define PROBE_BYTES ((size_t)8 << 20) /* this much must be free before events are taken in again */

/* Has memory run out since the last call, or is it still short? */
static bool memory_is_out(struct collect_memory *memory, const struct session *session, int64_t now_ns)
{
    struct session_lost lost;
    session_lost(session, &lost);
    if (lost.no_memory != memory->lost) {
        memory->lost = lost.no_memory;
        memory->is_out = true;
        memory->probe_next_ns = now_ns + PAUSE_NS;
    } else if (memory->is_out && now_ns >= memory->probe_next_ns) {
        void *probe = malloc(PROBE_BYTES);
        memory->is_out = probe == NULL;
        memory->probe_next_ns = now_ns + PAUSE_NS;
        free(probe);
    }
    return memory->is_out;
}

void collect_memory_report(struct collect_memory *memory, struct session *session, int64_t now_ns)
{
    struct session_lost lost;
    session_lost(session, &lost);
    if (lost.no_memory > 0 && !memory->told_out)
        memory->told_out = add_notice(session, now_ns, SEVERITY_ERROR, NONE,
                                      "lanescope ran out of memory: events are missing, also in the "
                                      "recording. Lost events are counted by kind.");
}

bool collect_memory_allows(struct collect_memory *memory, struct session *session, int64_t now_ns)
{
    if (memory_is_out(memory, session, now_ns))
        return false;
    if (!session_recording_lags(session))
        return true;
    if (!memory->told_lag)
        add_notice(session, now_ns, SEVERITY_WARNING, NONE,
                   "Events arrive faster than they are recorded, and memory is full of events that are not "
                   "recorded yet: the rings of programs fill, and events that do not fit are dropped.");
    memory->told_lag = true;
    return false;
}
