/* SPDX-License-Identifier: Apache-2.0 */
/* Searching the timeline, and the statistics and the overlap of a time range, against sums over all events.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_timeline.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <string.h>

static void start_timeline(void)
{
    start(FIXTURE_TIMELINE, 140, 40);
    press("S-TAB O c 0");
}

/* ---- search ---- */

static int64_t first_after(const char *name, int64_t at)
{
    int64_t best = INT64_MAX;
    for (uint32_t track = 0; track < session_track_count(fixture.session); track++) {
        for (uint64_t i = 0; i < session_lane_count_events(fixture.session, track, 0); i++) {
            struct event_ref ref = {track, 0, i};
            struct item item = session_event_item(fixture.session, ref);
            int64_t start = session_event_start_ns(fixture.session, ref);
            char text[160];
            timeline_item_text(&screen, &item, 0, text, sizeof text);
            if (strcasestr(text, name) != NULL && start > at && start < best)
                best = start;
        }
    }
    return best;
}

Test(range, a_search_goes_from_match_to_match)
{
    static const char *const names[] = {"sum_all", "MEMCPY", "synchronize", "host to device"};
    start_timeline();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        press("g h h /");
        press("C-u");
        int64_t at = timeline_state(&screen)->cursor_ns;
        type(names[i]);
        press("ENTER");
        int found = 0;
        for (int64_t next; (next = first_after(names[i], at)) != INT64_MAX; found++) {
            cr_assert_eq(timeline_state(&screen)->cursor_ns, next, "%s: at %ld, not %ld", names[i],
                         (long)timeline_state(&screen)->cursor_ns, (long)next);
            cr_assert(timeline_state(&screen)->readout.found && timeline_state(&screen)->readout.exact);
            char text[160];
            timeline_item_text(&screen, &timeline_state(&screen)->readout.item, 0, text, sizeof text);
            cr_assert_not_null(strcasestr(text, names[i]), "%s found %s", names[i], text);
            at = next;
            press("n");
        }
        cr_assert_gt(found, 3);
        cr_assert(shows("after the cursor in the rows shown"));
        press("N");
        cr_assert_lt(timeline_state(&screen)->cursor_ns, at);
    }
    cr_assert(shows("find: host to device"));
    stop();
}

Test(range, a_search_takes_durations_and_streams_and_is_cleared)
{
    start_timeline();
    press("/");
    type("scale >110us stream=14");
    press("ENTER");
    cr_assert_eq(timeline_state(&screen)->readout.item.kind, ITEM_LAUNCH);
    cr_assert_eq(session_track(fixture.session, timeline_state(&screen)->readout.track)->stream, 14);
    int64_t first = timeline_state(&screen)->cursor_ns;
    press("n");
    cr_assert_gt(timeline_state(&screen)->cursor_ns, first);
    cr_assert_eq(session_track(fixture.session, timeline_state(&screen)->readout.track)->stream, 14);
    press("/");
    type(" >5parsecs");
    press("ENTER");
    cr_assert(shows("is not a duration"));
    press("/ ESC");
    cr_assert_eq(timeline_state(&screen)->find.text[0], '\0');
    int row = timeline_state(&screen)->rows_list.selected;
    press("n");
    cr_assert_eq(timeline_state(&screen)->rows_list.selected, row, "without a search n stays in its row");
    stop();
}

/* A jump's event is read out, be there a longer one in its column. */
Test(range, what_was_jumped_to_is_read_out)
{
    start_timeline();
    press("- - - - - - -");
    press("/");
    type("copies");
    press("ENTER");
    cr_assert(shows("copies"));
    cr_assert_str_eq(session_string(fixture.session, timeline_state(&screen)->readout.item.range.name),
                     "copies");
    press("h");
    cr_assert(!timeline_state(&screen)->readout.exact);
    stop();
}

/* ---- statistics ---- */

struct sum {
    uint64_t events;
    int64_t total_ns, min_ns, max_ns;
};

static struct sum sum_of(uint64_t name, struct window range)
{
    struct sum sum = {.min_ns = INT64_MAX};
    for (uint32_t track = 0; track < session_track_count(fixture.session); track++) {
        const struct track_row *row = session_track(fixture.session, track);
        for (uint32_t lane = 0; row->kind != TRACK_COPY_ENGINE && lane < atomic_load(&row->lane_count);
             lane++) {
            for (uint64_t i = 0; i < session_lane_count_events(fixture.session, track, lane); i++) {
                struct event_ref ref = {track, lane, i};
                struct item item = session_event_item(fixture.session, ref);
                int64_t start = session_event_start_ns(fixture.session, ref),
                        end = session_event_end_ns(fixture.session, ref), own = end - start;
                if (timeline_name_of(fixture.session, &item) != name || end <= range.start_ns ||
                    start >= range.end_ns)
                    continue;
                sum.events++;
                sum.min_ns = own < sum.min_ns ? own : sum.min_ns;
                sum.max_ns = own > sum.max_ns ? own : sum.max_ns;
                sum.total_ns += (end < range.end_ns ? end : range.end_ns) -
                                (start > range.start_ns ? start : range.start_ns);
            }
        }
    }
    return sum;
}

static void expect_sums(void)
{
    const struct range_view *view = range_state(&screen);
    uint64_t events = 0;
    cr_assert_geq(view->shown.count, 3);
    for (size_t i = 0; i < view->shown.count; i++) {
        const struct range_item *item = &view->shown.items[i];
        struct sum sum = sum_of(item->name, view->range);
        cr_assert(sum.events == item->events && sum.total_ns == item->total_ns &&
                      sum.min_ns == item->min_ns && sum.max_ns == item->max_ns,
                  "%s: %lu events, %ld ns", item->text, (unsigned long)item->events, (long)item->total_ns);
        events += item->events;
    }
    uint64_t all = 0;
    for (uint32_t track = 0; track < session_track_count(fixture.session); track++) {
        const struct track_row *row = session_track(fixture.session, track);
        for (uint32_t lane = 0; row->kind != TRACK_COPY_ENGINE && lane < atomic_load(&row->lane_count);
             lane++)
            for (uint64_t i = 0; i < session_lane_count_events(fixture.session, track, lane); i++)
                all += session_event_end_ns(fixture.session, (struct event_ref){track, lane, i}) >
                           view->range.start_ns &&
                       session_event_start_ns(fixture.session, (struct event_ref){track, lane, i}) <
                           view->range.end_ns;
    }
    cr_assert_eq(events, all, "%lu events of %lu", (unsigned long)events, (unsigned long)all);
}

Test(range, statistics_equal_sums_over_the_events)
{
    static const char *const views[] = {"", "+ + +", "L", "+ +", "g [ n n n n n n ]"};
    start_timeline();
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        press(views[i]);
        press("T");
        cr_assert_eq(range_state(&screen)->marked, i == 4);
        expect_sums();
        press("q");
    }
    stop();
}

/* The number in the chosen column of each line, from the first one on. */
static double number_at(size_t line, int column)
{
    struct sheet_table *table = &range_state(&screen)->table;
    list_select(&table->list, (int)line);
    return sheet_kept_cell(&table->kept, sheet_table_row(table), column).number;
}

Test(range, statistics_sort_by_every_column)
{
    start_timeline();
    press("T");
    const struct range_view *view = range_state(&screen);
    for (size_t i = 1; i < view->shown.count; i++)
        cr_assert_geq(number_at(i - 1, 1), number_at(i, 1), "the longest in total first");
    for (int column = 0; column < 6; column++) {
        press("s");
        for (size_t i = 1; i < view->shown.count; i++)
            cr_assert_geq(number_at(i - 1, column), number_at(i, column), "column %d, line %zu", column, i);
        press("S");
        for (size_t i = 1; i < view->shown.count; i++)
            cr_assert_leq(number_at(i - 1, column), number_at(i, column), "column %d, line %zu", column, i);
        press("l");
    }
    stop();
}

/* ENTER goes to the longest event of the name that is selected in the order shown. */
Test(range, the_longest_is_of_the_selected_name)
{
    start_timeline();
    press("T l l s S G");
    const struct range_view *view = range_state(&screen);
    struct event_ref longest = view->shown.items[sheet_table_row(&view->table)].longest;
    cr_assert_neq(sheet_table_row(&view->table), view->shown.count - 1, "the order is another");
    press("ENTER");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, session_event_start_ns(fixture.session, longest));
    stop();
}

/* What the timeline hides or filters is in no sum; ENTER goes to the longest. */
Test(range, statistics_are_of_what_is_shown)
{
    start_timeline();
    press("F");
    type("scale");
    press("ENTER T");
    cr_assert_eq(range_state(&screen)->shown.count, 1);
    cr_assert(shows("only: scale"));
    struct event_ref longest = range_state(&screen)->shown.items[0].longest;
    press("ENTER");
    cr_assert_eq(screen.stack_count, 0);
    cr_assert_eq(timeline_state(&screen)->cursor_ns, session_event_start_ns(fixture.session, longest));
    cr_assert_eq(timeline_state(&screen)->rows[timeline_state(&screen)->rows_list.selected].track,
                 longest.track);
    press("F ESC T");
    size_t with_calls = range_state(&screen)->shown.count;
    press("q c T");
    cr_assert_lt(range_state(&screen)->shown.count, with_calls);
    stop();
}

/* Frozen, they stand still while events come in. */
Test(range, freezing_holds_the_numbers)
{
    start(FIXTURE_PROGRAM, 140, 40);
    press("S-TAB f SPACE T");
    const struct timeline_row *row = NULL;
    for (int i = 0; i < timeline_state(&screen)->rows_list.count && row == NULL; i++)
        if (timeline_state(&screen)->rows[i].kind == ROW_TRACK)
            row = &timeline_state(&screen)->rows[i];
    uint64_t before = 0, after = 0;
    for (size_t i = 0; i < range_state(&screen)->shown.count; i++)
        before += range_state(&screen)->shown.items[i].events;
    uint32_t track = row->track;
    uint64_t last = session_lane_count_events(fixture.session, track, 0) - 1;
    int64_t end = session_event_end_ns(fixture.session, (struct event_ref){track, 0, last});
    struct item item = session_event_item(fixture.session, (struct event_ref){track, 0, last});
    cr_assert_lt(end + 2, range_state(&screen)->range.end_ns);
    cr_assert(session_add_event(fixture.session, track, end + 1, end + 2, &item));
    for (int pass = 0; pass < 2; pass++) {
        screen.clock_ms += 5000;
        screen_update(&screen, canvas.width, canvas.height);
        after = 0;
        for (size_t i = 0; i < range_state(&screen)->shown.count; i++)
            after += range_state(&screen)->shown.items[i].events;
        cr_assert_eq(after, before + (uint64_t)pass);
        press("SPACE");
    }
    stop();
}

Test(range, statistics_say_why_there_are_none)
{
    start(FIXTURE_EMPTY, 100, 30);
    fixture.host.run = NULL; /* a recording */
    press("T");
    cr_assert(shows("The rows shown have no events in this range."));
    press("ENTER s S j G");
    stop();
}

/* ---- slices ---- */

/* Many more events than a slice has, on the fixture's tracks and on many lanes: of several names, with gaps
 * and without. */
#define MANY 110000

static void add_many(void)
{
    uint32_t tracks[8], track_count = 0, count = session_track_count(fixture.session);
    for (uint32_t track = 0; track < count && track_count < 8; track++)
        if (session_track(fixture.session, track)->kind == TRACK_STREAM)
            tracks[track_count++] = track;
    uint32_t kernels = session_kernel_count(fixture.session);
    int64_t now_ns = session_now_ns(fixture.session, CLOCK_WALL);
    for (uint32_t i = 0; i < MANY; i++) {
        struct item item = {.kind = ITEM_SET};
        if (draw(4) > 0)
            item = (struct item){.kind = ITEM_LAUNCH, .launch = {.kernel = (uint32_t)draw(kernels)}};
        now_ns += (int64_t)draw(300);
        cr_assert(session_add_event(fixture.session, tracks[draw(track_count)], now_ns,
                                    now_ns + (int64_t)draw(2000), &item));
    }
}

static void work_to_the_end(void)
{
    for (int slices = 0; range_state(&screen)->making.running; slices++) {
        uint64_t before = range_state(&screen)->making.done;
        cr_assert(screen_work(&screen));
        cr_assert(!range_state(&screen)->making.running ||
                  range_state(&screen)->making.done - before == RANGE_SLICE);
        cr_assert_lt(slices, 100);
    }
    for (int slices = 0; screen_work(&screen); slices++) /* the runs' verdicts take their turn */
        cr_assert(!range_state(&screen)->making.running && slices < 100);
    screen_update(&screen, canvas.width, canvas.height);
}

Test(range, statistics_of_many_events_come_in_slices)
{
    start(FIXTURE_TIMELINE, 140, 40);
    random_state = 20261122;
    add_many();
    press("S-TAB O c 0 T");
    const struct range_view *view = range_state(&screen);
    cr_assert_eq(view->making.done, RANGE_SLICE, "%lu in the first frame", (unsigned long)view->making.done);
    cr_assert(shows("Examining") && shows(" 30 %"));
    cr_assert_eq(view->shown.count, 0);
    press("s S j ENTER"); /* nothing is there yet */
    cr_assert_eq(view->making.done, RANGE_SLICE, "a frame does no work that is not asked for");
    work_to_the_end();
    cr_assert(view->made && !shows("Examining"));
    expect_sums();
    stop();
}

/* Another range, or another filter, half way: all begins anew. Other views have the time for themselves. */
Test(range, statistics_of_another_range_begin_anew)
{
    start(FIXTURE_TIMELINE, 140, 40);
    random_state = 20261123;
    add_many();
    press("S-TAB O c 0 T");
    cr_assert(screen_work(&screen));
    press("q");
    cr_assert(!screen_work(&screen), "the view is closed");
    press("- T");
    cr_assert(range_state(&screen)->making.running);
    cr_assert_eq(range_state(&screen)->making.done, RANGE_SLICE);
    work_to_the_end();
    expect_sums();
    press("q F");
    type("no such name");
    press("ENTER T");
    work_to_the_end();
    cr_assert_eq(range_state(&screen)->shown.count, 0);
    cr_assert(shows("The rows shown have no events"));
    stop();
}

/* While new events are looked at, what was made of the others stays. */
Test(range, statistics_stay_until_there_are_newer_ones)
{
    start(FIXTURE_TIMELINE, 140, 40);
    random_state = 20261124;
    add_many();
    press("S-TAB O c 0 T");
    work_to_the_end();
    const struct range_view *view = range_state(&screen);
    size_t count = view->shown.count;
    uint64_t events = 0, more = 0;
    for (size_t i = 0; i < count; i++)
        events += view->shown.items[i].events;
    struct item item = {.kind = ITEM_SET};
    for (uint32_t track = 0; track < session_track_count(fixture.session); track++)
        if (session_track(fixture.session, track)->kind == TRACK_STREAM)
            more +=
                session_add_event(fixture.session, track, view->range.end_ns - 1, view->range.end_ns, &item);
    cr_assert_gt(more, 0);
    screen.clock_ms += 5000;
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(view->making.running && view->made);
    cr_assert_eq(view->shown.count, count);
    work_to_the_end();
    uint64_t now = 0;
    for (size_t i = 0; i < view->shown.count; i++)
        now += view->shown.items[i].events;
    cr_assert_eq(now, events + more);
    stop();
}

Test(range, overlap_of_many_operations_comes_in_slices)
{
    start(FIXTURE_TIMELINE, 140, 40);
    random_state = 20261125;
    add_many();
    press("S-TAB O c 0 o");
    const struct overlap_view *view = overlap_state(&screen);
    cr_assert(!view->made && view->job != NULL);
    cr_assert(shows("Examining 110 k operations: "));
    press("ENTER j");
    press("q");
    cr_assert(!screen_work(&screen), "the view is closed");
    press("- o");
    int slices = 0;
    for (; screen_work(&screen); slices++)
        cr_assert_lt(slices, 1000);
    cr_assert_gt(slices, 10);
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(view->made && view->job == NULL && shows("streams busy at once"));
    struct overlap whole;
    cr_assert_eq(
        overlap_compute(fixture.session, view->run, view->range.start_ns, view->range.end_ns, &whole, NULL),
        STATUS_OK);
    cr_assert_eq(view->overlap.operations, whole.operations);
    cr_assert_eq(view->overlap.least_ns, whole.least_ns);
    cr_assert_arr_eq(view->overlap.serialised_ns, whole.serialised_ns, sizeof whole.serialised_ns);
    stop();
}
