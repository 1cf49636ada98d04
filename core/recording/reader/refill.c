/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan has, per lane, the folded chunks that are wanted and where the lane becomes known: the order is
 * entered in the middle, and only from an event that all lower lanes refuse can a lane's place be told.
 * Chunks are whole or are not given.
 */
#include "core/recording/reader/refill.h"

#include "core/session/lane.h"
#include "core/session/session_internal.h"

#include <stdlib.h>
#include <string.h>

struct wanted {                /* a folded chunk */
    struct lane_block *blocks; /* NULL: nothing has arrived yet, or it was given away */
    uint32_t events;           /* put so far */
    bool wanted, taken;
};

struct refill_lane {
    const struct lane *lane;
    uint32_t first_chunk, end_chunk;
    struct wanted *chunks; /* end_chunk - first_chunk */
    bool known;            /* from here on: */
    uint64_t next;         /* index of its next event */
    int64_t last_end_ns;
};

struct refill_track {
    uint32_t track, lane_count;
    bool engine;
    struct refill_lane *lanes;
};

struct refill {
    const struct session *session;
    enum clock_kind clock;
    struct refill_track *tracks;
    uint32_t track_count;
    uint32_t *place; /* by track of the session: 1 + its index in `tracks`, 0: none */
    uint32_t place_count;
    uint64_t missing;
    int64_t end_ns; /* of the extent */
    uint64_t rows_after;
    uint32_t next_track, next_lane, next_chunk; /* refill_next */
};

#define KIND(kind) (1u << TRACK_##kind)
const uint32_t refill_groups[REFILL_GROUP_COUNT] = {KIND(STREAM) | KIND(COPY_ENGINE) | KIND(CALLS),
                                                    KIND(RANGES), KIND(SYNCS), KIND(OVERHEAD),
                                                    KIND(MEASUREMENTS)};

/* ---- plan ---- */
static uint32_t chunk_of(uint64_t event)
{
    return lane_place_of(event / LANE_BLOCK).chunk;
}

static int64_t chunk_start_ns(const struct lane *lane, uint32_t chunk)
{
    return lane_head_at(lane, lane_chunk_first(chunk)).start_ns;
}

/* The last event that starts at time_ns or before; the first event if there is none. */
static uint64_t event_at(const struct lane *lane, uint64_t count, int64_t time_ns)
{
    uint64_t after = time_ns == INT64_MAX ? count : lane_find_start(lane, count, time_ns + 1);
    return after > 0 ? after - 1 : 0;
}

static bool plan_lane(struct refill *refill, struct refill_lane *lane, const struct refill_want *want,
                      struct refill_extent *extent)
{
    uint64_t count = lane_count(lane->lane);
    if (count == 0 || lane_find_start(lane->lane, count, want->end_ns) == 0)
        return true;
    uint32_t first = chunk_of(event_at(lane->lane, count, want->start_ns));
    uint32_t end = chunk_of(event_at(lane->lane, count, want->end_ns - 1)) + 1;
    lane->chunks = calloc(end - first, sizeof *lane->chunks);
    if (!lane->chunks)
        return false;
    lane->first_chunk = first;
    lane->end_chunk = end;
    for (uint32_t c = first; c < end && lane_chunk_folds(lane_chunk_at(lane->lane, c)); c++) {
        if (lane_chunk_is_merged(lane->lane, c)) {
            extent->merged++;
            continue;
        }
        extent->all_bytes += lane_chunk_bytes(lane_chunk_blocks(c));
        if (!lane_chunk_is_folded(lane->lane, c))
            continue;
        extent->bytes += lane_chunk_bytes(lane_chunk_blocks(c));
        lane->chunks[c - first].wanted = true;
        refill->missing++;
        extent->chunks++;
        extent->events += (uint64_t)lane_chunk_blocks(c) * LANE_BLOCK;
        int64_t start_ns = chunk_start_ns(lane->lane, c), end_ns = chunk_start_ns(lane->lane, c + 1);
        extent->start_ns = start_ns < extent->start_ns ? start_ns : extent->start_ns;
        extent->end_ns = end_ns > extent->end_ns ? end_ns : extent->end_ns;
    }
    return true;
}

/* A lane takes the events that the lanes before it refuse, so those lanes must be known earlier: each by a
 * block that begins, and whose events have all ended, before. Ranges are placed by their depth. */
static int64_t known_from_ns(const struct refill_track *track)
{
    int64_t from_ns = INT64_MAX;
    for (uint32_t l = track->lane_count; l-- > 0;) {
        const struct refill_lane *lane = &track->lanes[l];
        uint64_t count = lane_count(lane->lane);
        if (from_ns != INT64_MAX && count > 0) {
            uint64_t block = event_at(lane->lane, count, from_ns) / LANE_BLOCK;
            if (lane_chunk_is_folded(lane->lane, lane_place_of(block).chunk)) {
                uint64_t before = lane_unit_at(lane->lane, block > 0 ? block - 1 : 0).first;
                int64_t begin_ns = lane_head_at(lane->lane, before).start_ns;
                from_ns = begin_ns < from_ns ? begin_ns : from_ns;
            }
        }
        for (uint32_t c = lane->first_chunk; c < lane->end_chunk; c++)
            if (lane->chunks[c - lane->first_chunk].wanted && chunk_start_ns(lane->lane, c) < from_ns)
                from_ns = chunk_start_ns(lane->lane, c);
    }
    return from_ns;
}

/* An event is recorded after events of lower lanes that were in progress when it began: returns when the last
 * of these ends. */
static int64_t recorded_by_ns(const struct refill_track *track, int64_t end_ns)
{
    int64_t by_ns = end_ns;
    for (uint32_t l = 0; l < track->lane_count; l++) {
        const struct lane *lane = track->lanes[l].lane;
        uint64_t count = lane_count(lane);
        uint64_t at = count > 0 ? event_at(lane, count, end_ns) : 0;
        if (count == 0)
            continue;
        int64_t lasts_ns = lane_start_ns(lane, at) + lane_duration_ns(lane, at);
        if (lane_chunk_is_folded(lane, chunk_of(at)))
            lasts_ns = lane_head_at(lane, lane_unit_at(lane, at / LANE_BLOCK).end).start_ns;
        by_ns = lasts_ns > by_ns ? lasts_ns : by_ns;
    }
    return by_ns;
}

static bool is_wanted(const struct session *session, const struct refill_want *want, uint32_t track)
{
    const struct track_row *row = session_track(session, track);
    bool found = !want->tracks;
    if (row->clock != want->clock || !(want->kinds >> row->kind & 1))
        return false;
    for (size_t i = 0; !found && i < want->track_count; i++)
        found = want->tracks[i] == track;
    return found;
}

static bool plan_track(struct refill *refill, uint32_t number, const struct refill_want *want,
                       struct refill_extent *extent)
{
    const struct track *row = table_at(&refill->session->track_rows, number);
    struct refill_track *track = &refill->tracks[refill->track_count];
    uint32_t lanes = table_count(&row->lanes);
    uint64_t before = refill->missing;
    *track = (struct refill_track){.track = number,
                                   .lane_count = lanes,
                                   .engine = row->row.kind == TRACK_COPY_ENGINE,
                                   .lanes = calloc(lanes + 1u, sizeof *track->lanes)};
    refill->track_count++;
    if (!track->lanes)
        return false;
    for (uint32_t l = 0; l < lanes; l++) {
        track->lanes[l].lane = table_at(&row->lanes, l);
        track->lanes[l].last_end_ns = INT64_MIN;
        if (!plan_lane(refill, &track->lanes[l], want, extent))
            return false;
    }
    if (refill->missing == before)
        return true;
    refill->place[number] = refill->track_count;
    if (row->row.kind != TRACK_RANGES) {
        int64_t from_ns = known_from_ns(track);
        extent->start_ns = from_ns < extent->start_ns ? from_ns : extent->start_ns;
    }
    int64_t by_ns = recorded_by_ns(track, extent->end_ns);
    extent->end_ns = by_ns > extent->end_ns ? by_ns : extent->end_ns;
    return true;
}

struct refill *refill_plan(const struct session *session, const struct refill_want *want,
                           struct refill_extent *extent)
{
    struct refill *refill = calloc(1, sizeof *refill);
    *extent = (struct refill_extent){.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    if (!refill)
        return NULL;
    refill->session = session;
    refill->clock = want->clock;
    refill->place_count = session_track_count(session);
    refill->tracks = calloc(refill->place_count + 1u, sizeof *refill->tracks);
    refill->place = calloc(refill->place_count + 1u, sizeof *refill->place);
    bool planned = refill->tracks && refill->place;
    for (uint32_t t = 0; planned && t < refill->place_count; t++)
        if (is_wanted(session, want, t))
            planned = plan_track(refill, t, want, extent);
    refill->end_ns = extent->end_ns;
    if (planned)
        return refill;
    refill_destroy(refill);
    return NULL;
}

void refill_destroy(struct refill *refill)
{
    if (!refill)
        return;
    for (uint32_t t = 0; t < refill->track_count; t++) {
        struct refill_track *track = &refill->tracks[t];
        for (uint32_t l = 0; track->lanes && l < track->lane_count; l++) {
            struct refill_lane *lane = &track->lanes[l];
            for (uint32_t c = 0; lane->chunks && c < lane->end_chunk - lane->first_chunk; c++)
                free(lane->chunks[c].blocks);
            free(lane->chunks);
        }
        free(track->lanes);
    }
    free(refill->tracks);
    free(refill->place);
    free(refill);
}

/* ---- taking ---- */

/* The first event of the lane with these times; UINT64_MAX: none. */
static uint64_t event_of(const struct lane *lane, uint64_t at, int64_t start_ns, int64_t end_ns)
{
    uint64_t found = UINT64_MAX;
    for (; lane_start_ns(lane, at) == start_ns; at--) {
        found = start_ns + lane_duration_ns(lane, at) == end_ns ? at : found;
        if (at == 0)
            break;
    }
    return found;
}

/* Does this event, which all lanes before refuse, determine the lane's position? *nobodys: not known, and so
 * neither whether a later lane has the event. */
static bool becomes_known(struct refill_lane *lane, int64_t start_ns, int64_t end_ns, bool *nobodys)
{
    uint64_t count = lane_count(lane->lane), index;
    *nobodys = false;
    if (count == 0)
        return false;
    uint64_t at = event_at(lane->lane, count, start_ns), block = at / LANE_BLOCK;
    if (lane_chunk_is_folded(lane->lane, chunk_of(at))) {
        *nobodys = lane_unit_at(lane->lane, block).first != block ||
                   lane_head_at(lane->lane, block).start_ns != start_ns;
        index = *nobodys ? UINT64_MAX : block * LANE_BLOCK;
    } else {
        index = event_of(lane->lane, at, start_ns, end_ns);
    }
    lane->known = index != UINT64_MAX;
    lane->next = index;
    return lane->known;
}

static bool event_put(struct refill *refill, struct refill_lane *lane, int64_t start_ns, int64_t end_ns,
                      const struct item *item)
{
    uint64_t index = lane->next++;
    uint32_t chunk = chunk_of(index);
    lane->last_end_ns = end_ns;
    if (chunk < lane->first_chunk || chunk >= lane->end_chunk)
        return true;
    struct wanted *wanted = &lane->chunks[chunk - lane->first_chunk];
    uint64_t place = index - lane_chunk_first(chunk) * LANE_BLOCK;
    if (!wanted->wanted || wanted->taken || wanted->events != place)
        return true; /* its beginning is not known */
    if (!wanted->blocks && !(wanted->blocks = lane_refill_begin(chunk)))
        return false;
    if (!lane_refill_put(lane->lane, wanted->blocks, index, start_ns, end_ns, item))
        return true;
    wanted->events++;
    if (wanted->events < lane_chunk_blocks(chunk) * LANE_BLOCK)
        return true;
    wanted->taken = lane_refill_fits(lane->lane, chunk, wanted->blocks);
    refill->missing -= wanted->taken;
    return true;
}

/* The start of a block is known: an event with another start is in the wrong place, for example if the lane's
 * position was determined by the first of two events with the same start. */
static bool chunk_agrees(const struct refill_lane *lane, int64_t start_ns)
{
    uint64_t block = lane->next / LANE_BLOCK;
    return lane->next % LANE_BLOCK != 0 || lane->next >= lane_count(lane->lane) ||
           lane_unit_at(lane->lane, block).first != block ||
           lane_head_at(lane->lane, block).start_ns == start_ns;
}

/* As track_add does. */
static bool take_in_track(struct refill *refill, struct refill_track *track, int64_t start_ns, int64_t end_ns,
                          const struct item *item)
{
    for (uint32_t l = item->kind == ITEM_RANGE ? item->range.depth : 0; l < track->lane_count; l++) {
        struct refill_lane *lane = &track->lanes[l];
        bool nobodys = false;
        if (lane->known && lane->last_end_ns <= start_ns && !chunk_agrees(lane, start_ns))
            lane->known = false;
        bool takes =
            lane->known ? lane->last_end_ns <= start_ns : becomes_known(lane, start_ns, end_ns, &nobodys);
        if (takes)
            return event_put(refill, lane, start_ns, end_ns, item);
        if (nobodys)
            return true;
    }
    return true;
}

/* The session adds a copy to the track of its engine as well. */
static bool is_engine_of(const struct refill *refill, uint32_t engine, uint32_t stream, uint8_t copy_kind)
{
    const struct track_row *row = session_track(refill->session, engine);
    const struct track_row *from = session_track(refill->session, stream);
    uint8_t kind = copy_kind < COPY_KIND_COUNT ? copy_kind : COPY_OTHER;
    return row->process == from->process && row->device == from->device && row->copy_kind == kind;
}

bool refill_take(struct refill *refill, uint32_t track, int64_t start_ns, int64_t end_ns,
                 const struct item *item)
{
    const struct track_row *row = session_track(refill->session, track);
    if (!row)
        return true;
    if (row->clock == refill->clock)
        refill->rows_after = end_ns > refill->end_ns ? refill->rows_after + 1 : 0;
    uint32_t place = track < refill->place_count ? refill->place[track] : 0;
    if (place != 0 && !take_in_track(refill, &refill->tracks[place - 1], start_ns, end_ns, item))
        return false;
    if (item->kind != ITEM_COPY || row->kind != TRACK_STREAM)
        return true;
    for (uint32_t t = 0; t < refill->track_count; t++) {
        struct refill_track *engine = &refill->tracks[t];
        if (engine->engine && refill->place[engine->track] != 0 &&
            is_engine_of(refill, engine->track, track, item->a) &&
            !take_in_track(refill, engine, start_ns, end_ns, item))
            return false;
    }
    return true;
}

uint64_t refill_missing(const struct refill *refill)
{
    return refill->missing;
}

uint64_t refill_rows_after(const struct refill *refill)
{
    return refill->rows_after;
}

void refill_again(struct refill *refill)
{
    refill->rows_after = 0;
    for (uint32_t t = 0; t < refill->track_count; t++)
        for (uint32_t l = 0; l < refill->tracks[t].lane_count; l++) {
            struct refill_lane *lane = &refill->tracks[t].lanes[l];
            lane->known = false;
            lane->last_end_ns = INT64_MIN;
            for (uint32_t c = 0; c < lane->end_chunk - lane->first_chunk; c++)
                if (!lane->chunks[c].taken)
                    lane->chunks[c].events = 0;
        }
}

bool refill_next(struct refill *refill, struct refill_chunk *chunk)
{
    for (; refill->next_track < refill->track_count; refill->next_track++, refill->next_lane = 0)
        for (const struct refill_track *track = &refill->tracks[refill->next_track];
             refill->next_lane < track->lane_count; refill->next_lane++, refill->next_chunk = 0)
            for (struct refill_lane *lane = &track->lanes[refill->next_lane];
                 refill->next_chunk < lane->end_chunk - lane->first_chunk; refill->next_chunk++) {
                struct wanted *wanted = &lane->chunks[refill->next_chunk];
                if (!wanted->taken || !wanted->blocks)
                    continue;
                *chunk = (struct refill_chunk){.lane = (struct lane *)lane->lane,
                                               .chunk = lane->first_chunk + refill->next_chunk,
                                               .blocks = wanted->blocks};
                wanted->blocks = NULL;
                return true;
            }
    return false;
}
