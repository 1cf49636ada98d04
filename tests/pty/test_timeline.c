/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline in a real pseudo-terminal: what the terminal shows after it was told to move its cells equals
 * what is drawn anew, for few bytes; and any size at any time while events come in.
 */
#include "terminal.h"

#include "tests/shared/fixture/fixture_session.h"
#include "tui/tui.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct terminal terminal;

static int run_screen(void *context)
{
    const enum fixture_content *content = context;
    struct fixture fixture;
    struct error error = {0};
    fixture_init(&fixture, *content);
    const struct tui_options options = {.color = true, .mouse = true};
    enum status status = tui_run(&fixture.host, &options, &error);
    fixture_fini(&fixture);
    return status == STATUS_OK ? 0 : 2;
}

static void quit(void)
{
    terminal_type(&terminal, "Q");
    cr_assert(terminal_ends(&terminal), "the screen did not end");
    cr_assert(terminal_is_restored(&terminal));
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0);
    terminal_fini(&terminal);
}

/* ---- panning ---- */

/* Drawn anew, the screen is the same, with its colours: nothing was moved to where it does not belong, or
 * left behind. */
static void expect_the_same_anew(const char *after)
{
    static struct vt before;
    cr_assert(terminal_is_quiet(&terminal));
    char *shown = vt_text(&terminal.vt);
    before = terminal.vt;
    terminal_type(&terminal, "\x0c");
    cr_assert(terminal_is_quiet(&terminal));
    char *anew = vt_text(&terminal.vt);
    cr_assert_str_eq(shown, anew, "after %s it showed\n%s\nand anew\n%s", after, shown, anew);
    for (int y = 0; y < before.height; y++)
        for (int x = 0; x < before.width; x++) {
            const struct vt_look *now = &terminal.vt.looks[y][x], *then = &before.looks[y][x];
            bool blank = terminal.vt.cells[y][x] == ' '; /* whose letter's colour is not seen */
            cr_assert(then->background == now->background &&
                          (blank || (then->foreground == now->foreground && then->bold == now->bold)),
                      "after %s the look of %d,%d is another anew in\n%s", after, x, y, anew);
        }
    free(shown);
    free(anew);
}

static void check_panning(enum fixture_content content, int width, int height, uint32_t random)
{
    static const char *const choices[] = {">", "<", ">", "<", "L", "H", "+",
                                          "-", "l", "h", "j", "k", "n", ">"};
    char keys[16] = "";
    terminal_start(&terminal, width, height, NULL, run_screen, &content);
    cr_assert(terminal_shows(&terminal, "Timeline"));
    terminal_type(&terminal, "\t\tOc0++");
    for (int i = 0; i < 60; i++) {
        random = random * 1664525u + 1013904223u;
        const char *key = choices[(random >> 16) % (sizeof choices / sizeof choices[0])];
        terminal_type(&terminal, key);
        keys[i % 5] = key[0];
        if (i % 5 == 4)
            expect_the_same_anew(keys);
        else if (i % 2 == 0) /* sometimes several keys come before a frame */
            cr_assert(terminal_is_quiet(&terminal));
    }
    quit();
}

Test(timeline, moved_cells_equal_those_drawn_anew)
{
    check_panning(FIXTURE_TIMELINE, 120, 40, 1);
    check_panning(FIXTURE_TIMELINE, 61, 17, 2);
}

/* Names with wide glyphs are not moved, but drawn. */
Test(timeline, wide_names_survive_panning)
{
    check_panning(FIXTURE_BOTH, 100, 30, 3);
}

Test(timeline, a_pan_costs_few_bytes)
{
    enum fixture_content content = FIXTURE_TIMELINE;
    terminal_start(&terminal, 200, 60, NULL, run_screen, &content);
    cr_assert(terminal_shows(&terminal, "Timeline"));
    terminal_type(&terminal, "\t\tOc0++");
    cr_assert(terminal_is_quiet(&terminal));
    uint64_t before = terminal.bytes;
    terminal_type(&terminal, "L");
    cr_assert(terminal_is_quiet(&terminal));
    uint64_t half = terminal.bytes - before;
    for (int i = 0; i < 6; i++) {
        before = terminal.bytes;
        terminal_type(&terminal, i < 3 ? "<" : ">");
        cr_assert(terminal_is_quiet(&terminal));
        uint64_t bytes = terminal.bytes - before;
        cr_assert(bytes > 0 && bytes <= 2500, "%lu bytes, and %lu for half a screen", (unsigned long)bytes,
                  (unsigned long)half);
    }
    quit();
}

/* ---- any size at any time ---- */

struct stream {
    struct fixture fixture;
    atomic_bool ended;
};

static void *write_events(void *context)
{
    struct stream *stream = context;
    struct session *session = stream->fixture.session;
    int64_t now = session_now_ns(session, CLOCK_WALL);
    const struct timespec pause = {.tv_nsec = 2000000};
    for (int burst = 0; burst < 600; burst++) {
        for (uint32_t i = 0; i < 40; i++) {
            struct item item = {.kind = ITEM_LAUNCH};
            item.launch.call_start_ns = INT64_MIN;
            item.launch.kernel = i % session_kernel_count(session);
            for (uint32_t track = 0; track < session_track_count(session); track++)
                if (session_track(session, track)->kind == TRACK_STREAM && (track + i) % 3 == 0)
                    session_add_event(session, track, now, now + 20000 + i * 500, &item);
            now += 50000;
        }
        session_set_now(session, CLOCK_WALL, now);
        nanosleep(&pause, NULL);
    }
    atomic_store(&stream->ended, true);
    return NULL;
}

static void stream_state(void *context, struct tui_host_state *state)
{
    struct stream *stream = context; /* the fixture comes first in it */
    bool ended = atomic_load(&stream->ended);
    *state = (struct tui_host_state){.live = !ended, .overhead_pct = -1};
    snprintf(state->text, sizeof state->text, "%s", ended ? "all has come" : "coming");
}

static int run_stream(void *context)
{
    static struct stream stream;
    struct error error = {0};
    pthread_t writer;
    (void)context;
    fixture_init(&stream.fixture, FIXTURE_PROGRAM);
    stream.fixture.host.state = stream_state;
    const struct tui_options options = {.color = true, .mouse = true};
    if (pthread_create(&writer, NULL, write_events, &stream) != 0)
        return 3;
    enum status status = tui_run(&stream.fixture.host, &options, &error);
    pthread_join(writer, NULL);
    fixture_fini(&stream.fixture);
    return status == STATUS_OK ? 0 : 2;
}

Test(timeline, takes_any_size_while_events_come_in)
{
    static const char *const keys[] = {"f", ">", "+", "-", "\t", "O", "c", "j",
                                       "0", "z", "n", "L", "o",  "q", " ", " "};
    uint32_t random = 5;
    terminal_start(&terminal, 120, 40, NULL, run_stream, NULL);
    cr_assert(terminal_shows(&terminal, "Timeline"));
    for (int i = 0; i < 150; i++) {
        random = random * 1664525u + 1013904223u;
        terminal_resize(&terminal, 1 + (int)(random >> 8) % 300, 1 + (int)(random >> 20) % 100);
        const char *key = keys[(random >> 4) % (sizeof keys / sizeof keys[0])];
        if (i % 3 == 0 && (key[0] != 'q' || i % 2 == 0))
            terminal_type(&terminal, key[0] == 'q' ? "\x1b" : key);
    }
    terminal_resize(&terminal, 150, 50);
    terminal_type(&terminal, "\x1b");
    cr_assert(terminal_shows(&terminal, "all has come"));
    expect_the_same_anew("sizes at random");
    quit();
}

/* ---- work between frames ---- */

/* More events than one frame looks at. */
static int run_many(void *context)
{
    struct fixture fixture;
    struct error error = {0};
    uint32_t track = 0;
    (void)context;
    fixture_init(&fixture, FIXTURE_TIMELINE);
    while (session_track(fixture.session, track)->kind != TRACK_STREAM)
        track++;
    int64_t now_ns = session_now_ns(fixture.session, CLOCK_WALL);
    const struct item item = {.kind = ITEM_SET};
    for (int64_t i = 0; i < 200000; i++)
        session_add_event(fixture.session, track, now_ns + 100 * i, now_ns + 100 * i + 50, &item);
    const struct tui_options options = {.color = true, .mouse = true};
    enum status status = tui_run(&fixture.host, &options, &error);
    fixture_fini(&fixture);
    return status == STATUS_OK ? 0 : 2;
}

/* Without a further key it goes on, and its end is drawn. */
Test(timeline, statistics_of_many_events_come_by_themselves)
{
    terminal_start(&terminal, 140, 40, NULL, run_many, NULL);
    cr_assert(terminal_shows(&terminal, "Timeline"));
    terminal_type(&terminal, "\t\tO0T");
    cr_assert(terminal_shows(&terminal, "   200 k ")); /* the sets, and some of the fixture's */
    terminal_type(&terminal, "q");
    quit();
}
