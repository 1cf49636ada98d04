/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The greedy list, and the sheets. Each round replays every edit that is left on top of those chosen, and
 * takes the one that gains most.
 */
#include "core/replay/what_if.h"

#include "core/analysis/steps.h"
#include "core/session/session_walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

#define PART_SHARE (1.0 / 3) /* chosen: of the gain of fewer launches */
#define NAMED_SHARE 0.75     /* chosen: of the gain of the gaps */
#define READS_LEAST \
    0.05 /* chosen: of the loop's time; results that are read keep a graph from holding the step */
#define PLACE_SHARE \
    0.67               /* chosen: a place that has so much of an edit's gain is named as the one to change */
#define PLACES_TRIED 3 /* of those with most of the critical path */

/* The edits that were taken: what they change, and where. */
struct taking {
    struct replay *replay;
    struct what_if *result;
    struct replay_change change;
    uint8_t *places,
        *trial; /* REPLAY_AT_ by place: of those that were taken; of one that is tried. NULL: no places
                                are known */
    uint8_t *kernels, *kernels_trial; /* by row */
    size_t place_count, kernel_count;
};

/* As a time of the whole loop: by measured time. */
static int64_t scaled_ns(const struct replay_facts *facts, int64_t replayed_ns)
{
    double scaled = (double)replayed_ns / (double)facts->replayed_ns * (double)facts->loop_ns;
    return scaled < 0 ? 0 : (int64_t)scaled;
}

static bool is_chosen(const struct what_if *result, const struct replay_edit *edit)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->steps[i].edit == edit && !result->steps[i].at_place)
            return true;
    return false;
}

static bool lacks_sign(const struct replay_edit *edit, const struct replay_facts *facts)
{
    return edit->assumption && (facts->has & edit->sign) == 0;
}

static bool is_of_kernel(const struct session *session, uint32_t row, uint32_t name)
{
    const struct kernel_row *kernel = session_kernel(session, row);
    const struct shape_row *shape = kernel ? session_shape(session, kernel->shape) : NULL;
    return shape && shape->name == name;
}

/* The change with the edit on top: at one place, for one kernel's name (NONE), or, both NONE, everywhere. */
static struct replay_change change_with(struct taking *taking, const struct replay_edit *edit, size_t place,
                                        uint32_t name)
{
    struct replay_change change = taking->change;
    edit->apply(&change);
    if (!taking->places || edit->at == 0)
        return change;
    if (edit->at & REPLAY_AT_KERNEL) {
        for (uint32_t i = 0; i < taking->kernel_count; i++)
            taking->kernels_trial[i] =
                taking->kernels[i] || name == NONE || is_of_kernel(replay_session(taking->replay), i, name);
        change.kernels = taking->kernels_trial;
        return change;
    }
    for (size_t i = 0; i < taking->place_count; i++)
        taking->trial[i] = (uint8_t)(taking->places[i] | (place == SIZE_MAX || i == place ? edit->at : 0));
    change.places = taking->trial;
    return change;
}

static int64_t edited_ns(struct taking *taking, const struct replay_edit *edit, size_t place, uint32_t name)
{
    const struct replay_change change = change_with(taking, edit, place, name);
    return replay_run(taking->replay, &change);
}

static void take_edit(struct taking *taking, const struct replay_edit *edit, size_t place, uint32_t name)
{
    struct replay_change change = change_with(taking, edit, place, name);
    if (taking->places) {
        memcpy(taking->kernels, change.kernels ? change.kernels : taking->kernels, taking->kernel_count);
        if (change.kernels)
            change.kernels = taking->kernels;
        if (change.places == taking->trial) {
            memcpy(taking->places, taking->trial, taking->place_count);
            change.places = taking->places;
        }
    }
    taking->change = change;
}

static struct what_if_step *add_step(struct what_if *result, const struct replay_edit *edit,
                                     int64_t before_ns, int64_t after_ns, bool assumed)
{
    struct what_if_step *step = &result->steps[result->count++];
    *step = (struct what_if_step){.edit = edit,
                                  .before_ns = scaled_ns(&result->facts, before_ns),
                                  .after_ns = scaled_ns(&result->facts, after_ns),
                                  .assumed = assumed,
                                  .kernel = NONE,
                                  .place = SIZE_MAX};
    return step;
}

static void taking_fini(struct taking *taking)
{
    free(taking->places);
    free(taking->trial);
    free(taking->kernels);
    free(taking->kernels_trial);
}

/* ---- places ---- */

/* A place of an edit, and what it gains alone. */
struct tried {
    size_t place;    /* SIZE_MAX: none, or a kernel */
    uint32_t kernel; /* row; NONE */
    int64_t weight_ns, after_ns;
};

static uint32_t kernel_name(const struct taking *taking, uint32_t row)
{
    const struct session *session = replay_session(taking->replay);
    return row == NONE ? NONE : session_shape(session, session_kernel(session, row)->shape)->name;
}

static void keep_heaviest(struct tried tried[PLACES_TRIED], struct tried one)
{
    size_t at = PLACES_TRIED;
    for (; at > 0 && tried[at - 1].weight_ns < one.weight_ns; at--)
        if (at < PLACES_TRIED)
            tried[at] = tried[at - 1];
    if (at < PLACES_TRIED)
        tried[at] = one;
}

static void find_kernels_of(const struct taking *taking, const struct replay_weights *weights,
                            struct tried tried[PLACES_TRIED])
{
    for (uint32_t i = 0; i < taking->kernel_count; i++) {
        if (weights->kernels[i] == 0 || taking->kernels[i])
            continue;
        struct tried one = {.place = SIZE_MAX, .kernel = i};
        uint32_t name = kernel_name(taking, i);
        bool first = true;
        for (uint32_t k = 0; k < taking->kernel_count; k++) {
            if (weights->kernels[k] == 0 || kernel_name(taking, k) != name)
                continue;
            first = first && k >= i;
            one.weight_ns +=
                (int64_t)((double)weights->kernels[k] * (1 - (double)replay_bound(taking->replay, k)));
        }
        if (first && one.weight_ns > 0)
            keep_heaviest(tried, one);
    }
}

static void find_places_of(const struct taking *taking, const struct replay_edit *edit,
                           const struct replay_weights *weights, struct tried tried[PLACES_TRIED])
{
    const int64_t *of = edit->at & REPLAY_AT_GAP    ? weights->gaps
                        : edit->at & REPLAY_AT_WAIT ? weights->waits
                                                    : weights->copies;
    for (size_t i = 1; i < weights->places && i < taking->place_count; i++)
        if (of[i] > 0 && (taking->places[i] & edit->at) == 0)
            keep_heaviest(tried, (struct tried){.place = i, .kernel = NONE, .weight_ns = of[i]});
}

/* Makes room for what is taken at places; false: there is no memory. */
static bool know_places(struct taking *taking)
{
    if (taking->places)
        return true;
    if (replay_find_places(taking->replay, NULL) != STATUS_OK) {
        taking->result->no_memory = true;
        return false;
    }
    taking->place_count = replay_place_count(taking->replay);
    taking->kernel_count = session_kernel_count(replay_session(taking->replay));
    taking->places = calloc(taking->place_count + 1, 1);
    taking->trial = calloc(taking->place_count + 1, 1);
    taking->kernels = calloc(taking->kernel_count + 1, 1);
    taking->kernels_trial = calloc(taking->kernel_count + 1, 1);
    if (taking->places && taking->trial && taking->kernels && taking->kernels_trial) {
        /* what was taken so far was taken everywhere */
        for (size_t i = 0; i < taking->result->count; i++) {
            uint32_t at = taking->result->steps[i].edit->at;
            memset(taking->kernels, at & REPLAY_AT_KERNEL ? 1 : taking->kernels[0], taking->kernel_count);
            for (size_t k = 0; k < taking->place_count; k++)
                taking->places[k] |= (uint8_t)at;
        }
        return true;
    }
    free(taking->places);
    free(taking->trial);
    free(taking->kernels);
    free(taking->kernels_trial);
    taking->places = taking->trial = taking->kernels = taking->kernels_trial = NULL;
    taking->result->no_memory = true;
    return false;
}

/* The place that has most of what the edit gains everywhere; false: none is known. */
static bool find_place(struct taking *taking, const struct replay_edit *edit, int64_t now_ns,
                       struct tried *best)
{
    struct replay_weights weights;
    struct tried tried[PLACES_TRIED] = {{.weight_ns = 0}, {.weight_ns = 0}, {.weight_ns = 0}};
    *best = (struct tried){.place = SIZE_MAX, .kernel = NONE, .after_ns = now_ns};
    if (edit->at == 0 || !know_places(taking))
        return false;
    if (replay_weigh(taking->replay, &taking->change, &weights, NULL) == STATUS_OK)
        if (edit->at & REPLAY_AT_KERNEL)
            find_kernels_of(taking, &weights, tried);
        else
            find_places_of(taking, edit, &weights, tried);
    else
        taking->result->no_memory = true;
    replay_weights_fini(&weights);
    for (size_t i = 0; i < PLACES_TRIED && tried[i].weight_ns > 0; i++) {
        tried[i].after_ns =
            edited_ns(taking, edit, tried[i].place == SIZE_MAX ? SIZE_MAX - 1 : tried[i].place,
                      kernel_name(taking, tried[i].kernel));
        if (tried[i].after_ns < best->after_ns)
            *best = tried[i];
    }
    return best->after_ns < now_ns;
}

static void name_place(const struct taking *taking, const struct replay_edit *edit, const struct tried *at,
                       struct what_if_step *step)
{
    step->kernel = at->kernel;
    if (at->kernel != NONE)
        replay_kernel_text(session_string(replay_session(taking->replay), kernel_name(taking, at->kernel)),
                           step->where);
    else
        replay_place_text(taking->replay, at->place, (edit->at & REPLAY_AT_GAP) != 0, step->where);
}

/* ---- in order of gain ---- */

/* The edit that gains most of those that are left: `assumed`: of those without a sign, else of all others;
 * NULL: none gains enough. */
static const struct replay_edit *find_best(struct taking *taking, int64_t now_ns, bool assumed,
                                           int64_t *best_ns)
{
    const struct replay_facts *facts = &taking->result->facts;
    const struct replay_edit *best = NULL, *edit, *reads = NULL, *named = NULL, *exact = NULL;
    int64_t reads_ns = now_ns, named_ns = now_ns, exact_ns = now_ns;
    *best_ns = now_ns;
    for (size_t i = 0; (edit = replay_edit_at(i)); i++) {
        if ((facts->has & edit->changes) == 0 || is_chosen(taking->result, edit) ||
            lacks_sign(edit, facts) != assumed)
            continue;
        int64_t after_ns = edited_ns(taking, edit, SIZE_MAX, NONE);
        if (after_ns < *best_ns) {
            *best_ns = after_ns;
            best = edit;
        }
        if (edit->at != REPLAY_AT_GAP && after_ns < named_ns) {
            named_ns = after_ns;
            named = edit;
        }
        if (edit->exact && after_ns < exact_ns) {
            exact = edit;
            exact_ns = after_ns;
        }
        if (edit->changes == REPLAY_HAS_WAITS) {
            reads = edit;
            reads_ns = after_ns;
        }
    }
    /* The gap before a call is of no more use than an edit that names what is done in it. */
    if (best && named && (double)(now_ns - named_ns) >= NAMED_SHARE * (double)(now_ns - *best_ns)) {
        *best_ns = named_ns;
        best = named;
    }
    /* Nor is that the host waits, where it is late for another reason: it allocates, or another thread holds the lock. */
    /* That a host sleeps in its waits holds whatever it needs their results for. */
    const double share = exact && exact->changes == REPLAY_HAS_SLEEPS ? PART_SHARE : NAMED_SHARE;
    if (best && exact && best->changes == REPLAY_HAS_WAITS &&
        (double)(now_ns - exact_ns) >= share * (double)(now_ns - *best_ns)) {
        *best_ns = exact_ns;
        best = exact;
    }
    /* Nor is that the launches are too many, where calls between them do what can be done once: no graph holds those. */
    if (best && exact && best->changes == REPLAY_HAS_CALLS &&
        (double)(now_ns - exact_ns) >= PART_SHARE * (double)(now_ns - *best_ns)) {
        *best_ns = exact_ns;
        best = exact;
    }
    /* No graph can hold a step in which the host reads results. */
    if (best && best->changes == REPLAY_HAS_CALLS && reads && (facts->has & REPLAY_HAS_READS) != 0 &&
        (double)(now_ns - reads_ns) >= READS_LEAST * (double)facts->replayed_ns) {
        *best_ns = reads_ns;
        best = reads;
    }
    return best && (double)(now_ns - *best_ns) >= WHAT_IF_LEAST * (double)facts->replayed_ns ? best : NULL;
}

/* Takes the edit: at the place that has most of its gain, of kernels always at one, else everywhere. Returns the
 * loop's time with it. */
static int64_t take_best(struct taking *taking, const struct replay_edit *edit, int64_t now_ns,
                         int64_t best_ns)
{
    struct tried at;
    bool found = find_place(taking, edit, now_ns, &at);
    double gain_ns = (double)(now_ns - best_ns),
           least_ns = WHAT_IF_LEAST * (double)taking->result->facts.replayed_ns;
    bool one = found && (double)(now_ns - at.after_ns) >=
                            (edit->at & REPLAY_AT_KERNEL ? least_ns : fmax(least_ns, PLACE_SHARE * gain_ns));
    if (one)
        best_ns = at.after_ns;
    take_edit(taking, edit, one && at.kernel == NONE ? at.place : SIZE_MAX,
              one ? kernel_name(taking, at.kernel) : NONE);
    struct what_if_step *step = add_step(taking->result, edit, now_ns, best_ns, false);
    step->at_place = one;
    step->place = one ? at.place : SIZE_MAX;
    if (found)
        name_place(taking, edit, &at, step);
    else if ((edit->changes & (REPLAY_HAS_LOADING | REPLAY_HAS_HANDS)) != 0)
        replay_most_text(taking->replay, edit->changes, step->where);
    return best_ns;
}

/* Of the piece that was replayed its times are those of the whole loop now. */
static void scale_facts(struct replay_facts *facts)
{
    if (facts->measured_ns > 0)
        facts->replayed_ns =
            (int64_t)((double)facts->replayed_ns / (double)facts->measured_ns * (double)facts->loop_ns);
    facts->measured_ns = facts->loop_ns;
}

void what_if_make(struct replay *replay, const struct replay_edit *const *chosen, size_t count,
                  struct what_if *result)
{
    struct taking taking = {.replay = replay, .result = result, .change = replay_as_measured};
    *result = (struct what_if){.facts = *replay_facts(replay)};
    int64_t now_ns = result->facts.replayed_ns, best_ns;
    const struct replay_edit *best;
    if (result->facts.why[0] || now_ns <= 0) {
        scale_facts(&result->facts);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_chosen(result, chosen[i]))
            continue;
        best_ns = edited_ns(&taking, chosen[i], SIZE_MAX, NONE);
        add_step(result, chosen[i], now_ns, best_ns, lacks_sign(chosen[i], &result->facts));
        take_edit(&taking, chosen[i], SIZE_MAX, NONE);
        now_ns = best_ns;
    }
    while (count == 0 && result->count < WHAT_IF_STEPS_MAX &&
           (best = find_best(&taking, now_ns, false, &best_ns)))
        now_ns = take_best(&taking, best, now_ns, best_ns);
    /* Assumptions may be alternatives: each stands on the edits before, none on another. */
    while (count == 0 && result->count < WHAT_IF_STEPS_MAX &&
           (best = find_best(&taking, now_ns, true, &best_ns)))
        add_step(result, best, now_ns, best_ns, true);
    taking_fini(&taking);
    scale_facts(&result->facts);
}

int64_t what_if_edited_ns(struct replay *replay, const struct what_if *list, struct what_if_set set)
{
    struct what_if none = {.facts = *replay_facts(replay)};
    struct taking taking = {.replay = replay, .result = &none, .change = replay_as_measured};
    const struct replay_edit *edit;
    for (size_t i = 0; i < list->count; i++) {
        const struct what_if_step *step = &list->steps[i];
        if ((set.steps >> i & 1u) == 0)
            continue;
        if (step->at_place) /* of no memory the list was made without places, too */
            know_places(&taking);
        take_edit(&taking, step->edit, step->at_place ? step->place : SIZE_MAX,
                  step->at_place ? kernel_name(&taking, step->kernel) : NONE);
        none.steps[none.count++] = *step;
    }
    for (size_t i = 0; (edit = replay_edit_at(i)); i++)
        if (set.edits >> i & 1u)
            take_edit(&taking, edit, SIZE_MAX, NONE);
    int64_t after_ns = scaled_ns(&none.facts, replay_run(replay, &taking.change));
    taking_fini(&taking);
    return after_ns;
}

/* From the start of the first kernel to the end of the last. */
static bool take_kernel(void *context, const struct walk_event *event)
{
    int64_t *range_ns = context;
    range_ns[0] = event->start_ns < range_ns[0] ? event->start_ns : range_ns[0];
    range_ns[1] = event->end_ns > range_ns[1] ? event->end_ns : range_ns[1];
    return true;
}

static void find_kernels(const struct session *session, uint32_t run, int64_t *start_ns, int64_t *end_ns)
{
    int64_t range_ns[] = {INT64_MAX, INT64_MIN};
    const struct walk walk = {.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(LAUNCH)};
    session_walk(session, &walk, take_kernel, range_ns);
    if (range_ns[0] < range_ns[1]) {
        *start_ns = range_ns[0];
        *end_ns = range_ns[1];
    }
}

bool what_if_assumes(const struct replay_edit *edit, const struct replay_facts *facts)
{
    return lacks_sign(edit, facts);
}

enum status what_if_range(const struct session *session, uint32_t run, const struct steps *steps,
                          int64_t *start_ns, int64_t *end_ns, uint64_t *count, struct error *error)
{
    const struct run_row *row = session_run(session, run);
    struct steps found;
    enum status status = STATUS_OK;
    *start_ns = INT64_MIN;
    *end_ns = INT64_MAX;
    *count = 0;
    if (row && row->workload != 0) {
        find_kernels(session, run, start_ns, end_ns);
        return STATUS_OK;
    }
    if (!steps) {
        status = steps_find(session, run, &found, error);
        steps = &found;
    }
    if (status == STATUS_OK && steps->count > 0) {
        *start_ns = steps->start_ns;
        *end_ns = steps->end_ns;
        *count = steps->count;
    }
    return status;
}

const char *what_if_title(const struct what_if_step *step, char text[WHAT_IF_TITLE])
{
    const char *where = step->where;
    if (!where[0])
        snprintf(text, WHAT_IF_TITLE, "%s", step->edit->title);
    else if (step->edit->at & REPLAY_AT_KERNEL)
        snprintf(text, WHAT_IF_TITLE,
                 step->at_place ? "%s takes the time that what was measured leaves it"
                                : "%s and others take the time that what was measured leaves them",
                 where);
    else
        snprintf(text, WHAT_IF_TITLE, step->at_place ? "%s (%s)" : "%s (most of all %s)", step->edit->title,
                 where);
    return text;
}

/* By the names that PyTorch gives to the ranges of its operators, of their backward passes and of modules. */
static bool is_of_framework(const char *where)
{
    static const char *const begins[] = {"the range aten::", "the range autograd::", "the range torch::",
                                         "the range nn.Module:", "the range Optimizer."};
    const size_t length = strlen(where), forward = strlen(": forward");
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(where, begins[i], strlen(begins[i])) == 0)
            return true;
    return strncmp(where, "the range ", 10) == 0 &&
           (strstr(where, "Backward") ||
            (length >= forward && strcmp(where + length - forward, ": forward") == 0));
}

const char *what_if_now(const struct what_if_step *step, const struct replay_facts *facts)
{
    if (step->edit->changes == REPLAY_HAS_CALLS &&
        (facts->has & (REPLAY_HAS_KERNELS_BESIDE | REPLAY_HAS_GRAPHS)) == REPLAY_HAS_KERNELS_BESIDE)
        return "capture the calls of a step, those of all its streams, into one graph";
    return (step->edit->at & REPLAY_AT_GAP) != 0 && is_of_framework(step->where)
               ? "compile the model (torch.compile) or capture its step into a CUDA graph, since the host is in "
                 "the framework's operators; or use larger batches"
               : replay_edit_now(step->edit, facts);
}

/* ---- the sheets ---- */

/* clang-format off */
static const struct sheet_column gain_columns[] = {
    {"run", NULL, "number of the run among those that were traced, from 0", SHEET_COUNT, SHEET_NEITHER, 4, 3, false},
    {"name", NULL, "the run: workload, variant and parameters, or the program", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"step", NULL, "0: the loop as it was measured; else the place of the edit, which stands on those before it, but an assumption on no other", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"edit", "edit", "id of the edit", SHEET_TEXT, SHEET_NEITHER, 15, 0, false},
    {"gain", "gain", "of the loop's measured time, by this edit on top of those that it stands on; null: no gain is claimed", SHEET_SHARE, SHEET_MORE, 8, 0, false},
    {"before_ns", "before", "time of the loop before it", SHEET_TIME, SHEET_LESS, 9, 1, false},
    {"after_ns", "after", "time of the loop with it; of step 0 the time of the replay without edits", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"faster", "faster", "measured time by that which is left", SHEET_RATIO, SHEET_MORE, 7, 2, false},
    {"error", NULL, "of the replay: the second half of the loop, replayed with delays learnt from the first, by its measured time, minus 1", SHEET_SHARE, SHEET_NEITHER, 0, 0, false},
    {"operations", NULL, "kernels, copies and sets of the loop", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"calls", NULL, "calls of the loop", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"assumption", NULL, "the trace does not show whether the program allows it, and the run has no sign that it does", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"title", "what is done, and what must hold", "what is done, and what must hold for it; of step 0 what was judged, or why no gain is claimed", SHEET_SENTENCE, SHEET_NEITHER, 36, 0, false}};
static const struct sheet_column edit_columns[] = {
    {"edit", "edit", "id of the edit", SHEET_TEXT, SHEET_NEITHER, 15, 0, false},
    {"assumption", "assumed", "the trace does not show whether the program allows it", SHEET_YES, SHEET_NEITHER, 7, 1, false},
    {"title", "what is done", "what is done", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false},
    {"assumes", NULL, "what must hold for it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

static void make_measured(size_t number, const struct what_if_run *run, struct sheet_sink *to)
{
    const struct replay_facts *facts = &run->result.facts;
    char text[400], error[24] = "below 0.1 %";
    if (fabs(facts->error) >= 5e-4)
        snprintf(error, sizeof error, "%+.1f %%", 100 * facts->error);
    if (run->failed[0])
        snprintf(text, sizeof text, "%s", run->failed);
    else if (facts->why[0])
        snprintf(text, sizeof text, "Replayed without edits. %s", facts->why);
    else if (run->steps > 0)
        snprintf(text, sizeof text, "%llu steps, replayed without edits: error %s.",
                 (unsigned long long)run->steps, error);
    else
        snprintf(text, sizeof text, "No steps were found%s; replayed without edits: error %s.",
                 facts->set_up_ns > 0 ? ", and the set-up that loads code is left out" : "", error);
    const bool failed = run->failed[0];
    const struct sheet_cell cells[] = {{.number = (double)number},
                                       {.text = run->name},
                                       {.number = 0},
                                       {.text = "as measured", .id = "none"},
                                       {.number = NAN},
                                       {.number = failed ? (double)NAN : (double)facts->measured_ns},
                                       {.number = failed ? (double)NAN : (double)facts->replayed_ns},
                                       {.number = NAN},
                                       {.number = failed ? (double)NAN : facts->error},
                                       {.number = (double)facts->operations},
                                       {.number = (double)facts->calls},
                                       {.number = 0},
                                       {.text = text}};
    sheet_row(to, cells);
}

static void make_step(size_t number, const struct what_if_run *run, size_t index, struct sheet_sink *to)
{
    const struct replay_facts *facts = &run->result.facts;
    const struct what_if_step *step = &run->result.steps[index];
    char text[700], title[WHAT_IF_TITLE];
    what_if_title(step, title);
    snprintf(text, sizeof text, "%s%s; %s %s", step->assumed ? "ASSUMED: " : "", title,
             step->assumed ? "only if" : "if", step->edit->assumes);
    const struct sheet_cell cells[] = {
        {.number = (double)number},
        {.text = run->name},
        {.number = (double)(index + 1)},
        {.text = step->edit->id},
        {.number = (double)(step->before_ns - step->after_ns) / (double)facts->measured_ns},
        {.number = (double)step->before_ns},
        {.number = (double)step->after_ns},
        {.number =
             step->after_ns > 0 ? (double)facts->measured_ns / (double)step->after_ns : (double)INFINITY},
        {.number = facts->error},
        {.number = (double)facts->operations},
        {.number = (double)facts->calls},
        {.number = step->assumed},
        {.text = text}};
    sheet_row(to, cells);
}

static enum status make_gains(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct what_if_runs *runs = from;
    (void)error;
    for (size_t i = 0; i < runs->count; i++) {
        sheet_group(to, runs->items[i].name);
        make_measured(i, &runs->items[i], to);
        for (size_t k = 0; k < runs->items[i].result.count; k++)
            make_step(i, &runs->items[i], k, to);
    }
    sheet_note(to, "Times of the loop. Each edit stands on those above it; ASSUMED ones not on each other.");
    sheet_note(to, "A gain is no more exact than the error of the replay and what the edit assumes.");
    return STATUS_OK;
}

static enum status make_edits(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct replay_edit *edit;
    (void)from, (void)error;
    for (size_t i = 0; (edit = replay_edit_at(i)); i++) {
        char text[400];
        snprintf(text, sizeof text, "%s; if %s", edit->title, edit->assumes);
        const struct sheet_cell cells[] = {{.text = edit->id},
                                           {.number = edit->assumption},
                                           {.text = text, .id = edit->title},
                                           {.text = edit->assumes}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

const struct sheet sheet_gains = {.id = "gains",
                                  .title = "What would help, and how much: the run replayed with edits",
                                  SHEET_COLUMNS(gain_columns),
                                  .none = "gains: no run was traced",
                                  .rows = make_gains};
const struct sheet sheet_edits = {.id = "edits",
                                  .title = "The edits, and what they assume",
                                  SHEET_COLUMNS(edit_columns),
                                  .none = "edits: there are none",
                                  .rows = make_edits};
