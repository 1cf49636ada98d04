/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of places, one row for each combination that occurs, and its row for each call and for the gap before
 * each. The range of a thread is kept until it ends, since calls come in order.
 */
#include "core/replay/replay_places.h"

#include "core/analysis/partition.h"
#include "core/base/append.h"
#include "core/base/array.h"
#include "core/replay/replay_internal.h"
#include "core/replay/replay_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a call issues, beside kernels' names (strings, which are above 0). */
enum { WHAT_NOTHING, WHAT_KERNEL, WHAT_IN, WHAT_OUT, WHAT_COPY, WHAT_SET };

struct range_cursor { /* of a thread: its innermost range in [from_ns, until_ns) */
    uint32_t track, name;
    int64_t from_ns, until_ns;
};

struct finding_places {
    struct replay *replay;
    struct replay_places *places;
    struct range_cursor *threads;
    uint32_t *names, *commons; /* ranges' names, and the first name like each */
    size_t name_count, name_room, common_room;
    size_t room;
    bool no_memory;
};

/* The first name like it that was met. */
static uint32_t common_name(struct finding_places *finding, uint32_t name)
{
    const struct session *session = finding->replay->session;
    uint32_t common = name;
    if (name == 0)
        return 0;
    for (size_t i = finding->name_count; i-- > 0;)
        if (finding->names[i] == name)
            return finding->commons[i];
    for (size_t i = 0; i < finding->name_count && common == name; i++)
        if (finding->commons[i] == finding->names[i] &&
            partition_names_alike(session_string(session, finding->names[i]), session_string(session, name)))
            common = finding->names[i];
    if (finding->name_count >= REPLAY_PLACES_MAX)
        return common;
    if (!array_grow(finding->names, finding->name_room, finding->name_count, 1) ||
        !array_grow(finding->commons, finding->common_room, finding->name_count, 1)) {
        finding->no_memory = true;
        return name;
    }
    finding->names[finding->name_count] = name;
    finding->commons[finding->name_count++] = common;
    return common;
}

static uint32_t range_at(struct finding_places *finding, uint16_t thread, int64_t time_ns)
{
    struct range_cursor *cursor = &finding->threads[thread];
    if (cursor->track == NONE || (time_ns >= cursor->from_ns && time_ns < cursor->until_ns))
        return cursor->track == NONE ? 0 : cursor->name;
    cursor->from_ns = time_ns;
    cursor->name = common_name(
        finding, partition_range_at(finding->replay->session, cursor->track, time_ns, &cursor->until_ns));
    return cursor->name;
}

static uint16_t place_row(struct finding_places *finding, struct replay_place place)
{
    struct replay_places *places = finding->places;
    for (size_t i = places->count; i-- > 1;) /* the newest are met again first */
        if (memcmp(&places->items[i], &place, sizeof place) == 0)
            return (uint16_t)i;
    if (places->count >= REPLAY_PLACES_MAX)
        return 0;
    if (!array_grow(places->items, finding->room, places->count, 1)) {
        finding->no_memory = true;
        return 0;
    }
    places->items[places->count] = place;
    return (uint16_t)places->count++;
}

static struct replay_place issued_of(const struct replay *replay, size_t call)
{
    struct replay_place place = {.call = replay->calls[call].name};
    const uint32_t at = replay->calls[call].operations;
    if (at >= replay_operations_end(replay, call))
        return place;
    const struct replay_operation *operation = &replay->operations[at];
    switch (operation->kind) {
    case REPLAY_KERNEL:
    case REPLAY_GRAPH: place.what = WHAT_KERNEL; break;
    case REPLAY_IN_PAGEABLE:
    case REPLAY_IN_PINNED: place.what = WHAT_IN; break;
    case REPLAY_OUT_PAGEABLE:
    case REPLAY_OUT_PINNED: place.what = WHAT_OUT; break;
    case REPLAY_SET: place.what = WHAT_SET; break;
    default: place.what = WHAT_COPY; break;
    }
    const struct kernel_row *kernel = place.what == WHAT_KERNEL && operation->kernel != NONE
                                          ? session_kernel(replay->session, operation->kernel)
                                          : NULL;
    const struct shape_row *shape = kernel ? session_shape(replay->session, kernel->shape) : NULL;
    place.kernel = shape && operation->kind != REPLAY_GRAPH ? shape->name : 0;
    return place;
}

static void find_call_places(struct finding_places *finding)
{
    struct replay *replay = finding->replay;
    int64_t *ended_ns = calloc(replay->thread_count + 1, sizeof *ended_ns);
    finding->no_memory |= !ended_ns;
    for (size_t i = 0; ended_ns && i < replay->thread_count; i++)
        ended_ns[i] = INT64_MIN;
    for (size_t i = 0; i < replay->end_call && !finding->no_memory; i++) {
        const struct replay_call *call = &replay->calls[i];
        int64_t ended = ended_ns[call->thread];
        ended_ns[call->thread] = call->end_ns;
        if (i < replay->first_call)
            continue;
        struct replay_place place = issued_of(replay, i);
        int64_t gap_ns = ended == INT64_MIN ? 0 : call->start_ns - ended;
        uint32_t gap_range = gap_ns > 0 ? range_at(finding, call->thread, ended + gap_ns / 2) : 0;
        struct replay_place gap = {.range = gap_range};
        if (gap_range == 0)
            gap = place;
        place.range = range_at(finding, call->thread, call->start_ns);
        finding->places->of_gap[i] = place_row(finding, gap);
        finding->places->of_call[i] = place_row(finding, place);
    }
    free(ended_ns);
}

enum status replay_find_places(struct replay *replay, struct error *error)
{
    if (replay->places)
        return STATUS_OK;
    struct finding_places finding = {.replay = replay};
    struct replay_places *places = finding.places = replay->places = calloc(1, sizeof *places);
    finding.threads = calloc(replay->thread_count + 1, sizeof *finding.threads);
    if (places) {
        places->of_call = calloc(replay->call_count + 1, sizeof *places->of_call);
        places->of_gap = calloc(replay->call_count + 1, sizeof *places->of_gap);
    }
    finding.no_memory = !places || !finding.threads || !places->of_call || !places->of_gap;
    for (size_t i = 0; !finding.no_memory && i < replay->thread_count; i++) {
        finding.threads[i] = (struct range_cursor){.track = NONE, .from_ns = INT64_MAX};
        for (uint32_t row = 0; row < session_track_count(replay->session); row++) {
            const struct track_row *track = session_track(replay->session, row);
            if (track->kind == TRACK_RANGES && track->process == replay->threads[i].process &&
                track->thread == replay->threads[i].thread)
                finding.threads[i].track = row;
        }
    }
    if (!finding.no_memory) {
        finding.no_memory = !array_grow(places->items, finding.room, places->count, 1);
        places->count = 1; /* all others */
    }
    if (!finding.no_memory) {
        places->items[0] = (struct replay_place){0};
        find_call_places(&finding);
    }
    free(finding.threads);
    free(finding.names);
    free(finding.commons);
    if (!finding.no_memory)
        return STATUS_OK;
    replay_places_free(replay);
    return error_no_memory(error, "to find the places of a run's calls");
}

void replay_places_free(struct replay *replay)
{
    if (replay->places) {
        free(replay->places->items);
        free(replay->places->of_call);
        free(replay->places->of_gap);
    }
    free(replay->places);
    replay->places = NULL;
}

size_t replay_place_count(const struct replay *replay)
{
    return replay->places ? replay->places->count : 0;
}

#define KERNEL_NAME_BYTES 32u

void replay_kernel_text(const char *name, char text[REPLAY_PLACE_TEXT])
{
    size_t end = strcspn(name, "<("), from = end;
    while (from > 0 && name[from - 1] != ' ' && name[from - 1] != ':')
        from--;
    if (from == end) { /* "(anonymous namespace)::f", "<lambda>" */
        from = 0;
        end = strlen(name);
    }
    size_t length = end - from < KERNEL_NAME_BYTES ? end - from : KERNEL_NAME_BYTES;
    snprintf(text, REPLAY_PLACE_TEXT, "%.*s%s", (int)length, name + from, end - from > length ? ".." : "");
}

#define LOADED_SOON 16u /* calls: kernels are launched soon after their code is loaded */
#define MOST_KNOWN 64u  /* names */
#define RANGE_SHOWN 44  /* bytes of its name */
void replay_place_text(const struct replay *replay, size_t place, bool gap, char text[REPLAY_PLACE_TEXT])
{
    static const char *const whats[] = {[WHAT_NOTHING] = "",
                                        [WHAT_KERNEL] = "",
                                        [WHAT_IN] = " to the device",
                                        [WHAT_OUT] = " to the host",
                                        [WHAT_COPY] = " on the device",
                                        [WHAT_SET] = ""};
    const struct session *session = replay->session;
    const struct replay_place *row = &replay->places->items[place];
    size_t used = 0;
    text[0] = '\0';
    if (place == 0) {
        append_text(text, REPLAY_PLACE_TEXT, &used, "other places");
        return;
    }
    if (row->call)
        append_text(text, REPLAY_PLACE_TEXT, &used, "%s%.32s%s", gap ? "before " : "",
                    session_string(session, row->call), whats[row->what]);
    if (row->kernel) {
        char name[REPLAY_PLACE_TEXT];
        replay_kernel_text(session_string(session, row->kernel), name);
        append_text(text, REPLAY_PLACE_TEXT, &used, " of %.40s", name);
    }
    if (row->range) {
        char name[160];
        const struct partition_blame blame = {.name = row->range, .alike = true};
        partition_blame_name(session, &blame, name, sizeof name);
        const char *shown = name, *line = strstr(name, ".py("); /* "vllm/model.py(#): forward" */
        while (line && (shown = line) > name && line[-1] != '/')
            line--;
        append_text(text, REPLAY_PLACE_TEXT, &used, "%sthe range %.*s%s", row->call ? " in " : "",
                    RANGE_SHOWN, shown, strlen(shown) > RANGE_SHOWN ? ".." : "");
    }
}

/* The name of the kernel that a loading call comes before, or of none; *at: the next operation that its thread issues. */
static uint32_t loaded_name(const struct replay *replay, size_t call)
{
    for (size_t i = call; i < replay->end_call && i < call + LOADED_SOON; i++) {
        const struct replay_operation *own = &replay->operations[replay->calls[i].operations];
        if (replay->calls[i].thread == replay->calls[call].thread &&
            replay->calls[i].operations < replay_operations_end(replay, i) && own->kind <= REPLAY_GRAPH &&
            own->kernel != NONE)
            return session_shape(replay->session, session_kernel(replay->session, own->kernel)->shape)->name;
    }
    return 0;
}

/* A call that loads code, with the gap before it that goes with it, and of one that waits for another thread's that call. */
static uint32_t place_name(const struct replay *replay, uint64_t changes, size_t call, size_t *hand)
{
    if (changes == REPLAY_HAS_LOADING)
        return (replay->calls[call].flags & REPLAY_CALL_LOADS) != 0 ? loaded_name(replay, call) : 0;
    while (*hand < replay->hand_count && replay->hands[*hand].to < call)
        ++*hand;
    return changes == REPLAY_HAS_HANDS && *hand < replay->hand_count && replay->hands[*hand].to == call
               ? replay->calls[replay->hands[*hand].from].name
               : 0;
}

void replay_most_text(const struct replay *replay, uint64_t changes, char text[REPLAY_PLACE_TEXT])
{
    struct {
        uint32_t name;
        int64_t ns;
    } known[MOST_KNOWN];
    size_t count = 0, hand = 0, most = 0;
    char name[REPLAY_PLACE_TEXT];
    text[0] = '\0';
    int64_t *ends_ns = calloc(replay->thread_count + 1, sizeof *ends_ns);
    for (size_t i = replay->first_call; ends_ns && i < replay->end_call; i++) {
        const struct replay_call *call = &replay->calls[i];
        uint32_t found = place_name(replay, changes, i, &hand);
        int64_t ns = call->end_ns - (ends_ns[call->thread] > 0 ? ends_ns[call->thread] : call->start_ns);
        ends_ns[call->thread] = call->end_ns;
        size_t at = 0;
        while (at < count && known[at].name != found)
            at++;
        if (found == 0 || at == MOST_KNOWN)
            continue;
        if (at == count) {
            known[count].name = found;
            known[count++].ns = 0;
        }
        known[at].ns += ns;
        most = known[at].ns > known[most].ns ? at : most;
    }
    free(ends_ns);
    if (count == 0)
        return;
    replay_kernel_text(session_string(replay->session, known[most].name), name);
    snprintf(text, REPLAY_PLACE_TEXT, "%s %.60s", changes == REPLAY_HAS_LOADING ? "before" : "behind", name);
}

/* ---- weights ---- */

static void weigh_segment(const struct replay *replay, const struct replay_segment *segment,
                          struct replay_weights *weights)
{
    const struct replay_places *places = replay->places;
    int64_t ns = segment->end_ns - segment->start_ns;
    if (segment->at == NONE)
        return;
    const struct replay_operation *operation = &replay->operations[segment->at]; /* of KERNEL and COPY */
    switch ((enum replay_part)segment->part) {
    case REPLAY_PART_KERNEL:
        if (operation->kernel != NONE)
            weights->kernels[operation->kernel] += ns;
        break;
    case REPLAY_PART_COPY: weights->copies[places->of_call[operation->call]] += ns; break;
    case REPLAY_PART_GAP: weights->gaps[places->of_gap[segment->at]] += ns; break;
    case REPLAY_PART_RETURN: weights->waits[places->of_call[segment->at]] += ns; /* fall through */
    case REPLAY_PART_CALL: weights->copies[places->of_call[segment->at]] += ns; break;
    default: break;
    }
}

enum status replay_weigh(struct replay *replay, const struct replay_change *change,
                         struct replay_weights *weights, struct error *error)
{
    struct replay_path path;
    *weights = (struct replay_weights){0};
    enum status status = replay_find_places(replay, error);
    if (status == STATUS_OK)
        status = replay_keep_trace(replay, error);
    if (status != STATUS_OK)
        return status;
    weights->places = replay->places->count;
    weights->kernel_count = replay->kernels;
    weights->gaps = calloc(weights->places, sizeof *weights->gaps);
    weights->waits = calloc(weights->places, sizeof *weights->waits);
    weights->copies = calloc(weights->places, sizeof *weights->copies);
    weights->kernels = calloc(weights->kernel_count + 1, sizeof *weights->kernels);
    if (!weights->gaps || !weights->waits || !weights->copies || !weights->kernels)
        return error_no_memory(error, "to weigh a critical path");
    replay_go(replay, change, replay->first_call, replay->end_call);
    status = replay_path_make(replay, &path, error);
    for (size_t i = 0; status == STATUS_OK && i < path.count; i++)
        weigh_segment(replay, &path.segments[i], weights);
    replay_path_fini(&path);
    return status;
}

void replay_weights_fini(struct replay_weights *weights)
{
    free(weights->gaps);
    free(weights->waits);
    free(weights->copies);
    free(weights->kernels);
    *weights = (struct replay_weights){0};
}
