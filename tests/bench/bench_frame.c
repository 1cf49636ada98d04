/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a frame of the timeline costs at 200x60: its time without a terminal (taking in the session,
 * preparing, painting) over sessions of growing size, with the ratio to the smallest, since a frame must
 * follow its columns and not the events; and the bytes it writes to a terminal, by what was done. Usage:
 * bench_frame [EVENTS] (default 10,000,000).
 */
#include "core/session/samples.h"
#include "core/session/session.h"
#include "tests/bench/figure.h"
#include "tui/frame/screen.h"
#include "tui/terminal/term.h"
#include "tui/timeline/view_timeline.h"

#include <malloc.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 200
#define HEIGHT 60
#define STREAMS 40
#define FRAMES 400

static double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static struct session *host_session(void *context)
{
    return context;
}

static void host_state(void *context, struct tui_host_state *state)
{
    (void)context;
    *state = (struct tui_host_state){.overhead_pct = -1};
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static struct session *make_session(uint64_t events)
{
    struct session *session = NULL;
    struct error error;
    if (session_create(&session, 0, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    struct process_row process = {.pid = 1, .rank = -1, .program = session_add_string(session, "bench", 5)};
    atomic_init(&process.end_ns, INT64_MIN);
    session_add_process(session, &process);
    struct device_row device = {.info = {.name = "bench"}};
    session_add_device(session, &device);
    struct run_row run = {.process = 0, .program = process.program};
    atomic_init(&run.end_ns, INT64_MIN);
    atomic_init(&run.verified, (int8_t)-1);
    session_add_run(session, &run);
    uint32_t kernels[12], tracks[STREAMS];
    for (uint32_t i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%u", i);
        struct shape_row shape = {
            .name = session_add_string(session, name, strlen(name)), .grid = {1, 1, 1}, .block = {32, 1, 1}};
        kernels[i] = session_add_kernel(session, 0, session_add_shape(session, &shape), 0);
    }
    int64_t at[STREAMS] = {0};
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct track_row track = {.kind = TRACK_STREAM, .context = 1, .stream = i + 1};
        tracks[i] = session_add_track(session, &track);
    }
    for (uint64_t i = 0; i < events; i++) {
        uint32_t stream = (uint32_t)(i % STREAMS);
        struct item item = {.kind = ITEM_LAUNCH};
        item.launch.call_start_ns = INT64_MIN;
        item.launch.kernel = kernels[random_below(12)];
        int64_t start = at[stream] + 500 + random_below(20000), end = start + 1000 + random_below(60000);
        session_add_event(session, tracks[stream], start, end, &item);
        at[stream] = end;
    }
    session_set_now(session, CLOCK_WALL, at[0]);
    return session;
}

/* So many series over all of the session's time, of so many samples each. */
static void add_samples(struct session *session, uint16_t series, uint64_t samples)
{
    uint32_t names[SAMPLING_SERIES_MAX];
    float numbers[SAMPLING_SERIES_MAX];
    for (uint16_t i = 0; i < series; i++) {
        char name[32];
        snprintf(name, sizeof name, i % 2 ? "counter_%u.sum" : "counter_%u.pct", i);
        names[i] = session_add_string(session, name, strlen(name));
    }
    struct sampling_row row = {.series = series, .interval_ns = 1000000};
    uint32_t sampling = sampling_add(session, &row, names);
    int64_t each_ns = session_now_ns(session, CLOCK_WALL) / (int64_t)samples;
    for (uint64_t i = 0; i < samples; i++) {
        for (uint16_t s = 0; s < series; s++)
            numbers[s] = (float)random_below(100);
        sample_add(session, sampling, (int64_t)i * each_ns, (uint32_t)each_ns, numbers);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct result {
    double median_ms, high_ms;
    size_t allocated;
};

/* Pans and zooms at random, as a person would. */
static struct result measure(struct session *session)
{
    static const enum action moves[] = {ACTION_ZOOM_IN, ACTION_PAN_RIGHT, ACTION_PAN_LEFT, ACTION_ZOOM_OUT,
                                        ACTION_RIGHT,   ACTION_DOWN,      ACTION_ZOOM_IN,  ACTION_NEXT};
    struct tui_host host = {
        .context = session, .session = host_session, .state = host_state, .title = "bench"};
    struct tui_options options = {.color = true};
    static struct screen screen;
    struct canvas canvas;
    double ms[FRAMES];
    if (screen_init(&screen, view_table, &host, &options, NULL) != STATUS_OK ||
        canvas_init(&canvas, WIDTH, HEIGHT, false, NULL) != STATUS_OK)
        exit(1);
    screen.focus = PANE_TIMELINE;
    screen.maximised = true; /* a line for each stream */
    screen_update(&screen, WIDTH, HEIGHT);
    screen_draw(&screen, &canvas);
    size_t before = mallinfo2().uordblks;
    random_state = 20261121; /* the same moves at every size */
    for (int i = 0; i < FRAMES; i++) {
        enum action action = moves[random_below(8)];
        if (i % 40 == 39)
            action = ACTION_FIT;
        screen_key(&screen, action_info(action)->key[0]);
        double start = clock_ms();
        screen_update(&screen, WIDTH, HEIGHT);
        screen_draw(&screen, &canvas);
        ms[i] = clock_ms() - start;
    }
    struct result result = {.allocated = mallinfo2().uordblks - before};
    qsort(ms, FRAMES, sizeof ms[0], compare);
    result.median_ms = ms[FRAMES / 2];
    result.high_ms = ms[FRAMES * 99 / 100];
    screen_fini(&screen);
    canvas_fini(&canvas);
    return result;
}

/* ---- bytes to the terminal ---- */

/* What is done before a frame; the window is moved by a part of itself. */
struct move {
    const char *name;
    enum action action; /* ACTION_NONE: a pan by columns */
    int columns;
    int64_t aim; /* bytes at most; 0: none stated */
};

static const struct move moves_shown[] = {
    {"pan by 1 column", ACTION_NONE, 1, 6144},   {"pan by 4 columns", ACTION_NONE, 4, 6144},
    {"pan by 8 columns", ACTION_NONE, 8, 6144},  {"pan back by 8 columns", ACTION_NONE, -8, 6144},
    {"cursor to the right", ACTION_RIGHT, 0, 0}, {"next event", ACTION_NEXT, 0, 0},
    {"half a screen", ACTION_PAN_RIGHT, 0, 0},   {"zoom in and out", ACTION_ZOOM_IN, 0, 0},
    {"the screen anew", ACTION_REDRAW, 0, 0},
};
#define MOVES (sizeof moves_shown / sizeof moves_shown[0])
#define NO_MOVE MOVES /* a frame of what there is */
#define BYTE_FRAMES 40

static void move_once(struct screen *screen, const struct move *move, int round)
{
    if (move->action == ACTION_NONE) {
        struct timeline *timeline = timeline_state(screen);
        int64_t span = timeline->window.end_ns - timeline->window.start_ns;
        timeline->follow = timeline->follow_whole = false;
        timeline->window = axis_pan(timeline->window, axis_scale(span, move->columns, timeline->columns));
        return;
    }
    enum action action = move->action;
    if (action == ACTION_ZOOM_IN && round % 2 == 1)
        action = ACTION_ZOOM_OUT;
    screen_key(screen, action_info(action)->key[0]);
}

/* The child: draws a frame for each command it gets, and gives a byte back when the frame is out: whether it
 * put something off. */
static void draw_frames(struct session *session, int64_t span_ns, int commands, int answers)
{
    struct tui_host host = {
        .context = session, .session = host_session, .state = host_state, .title = "bench"};
    struct tui_options options = {.color = true};
    static struct screen screen;
    struct canvas canvas;
    struct term *term;
    struct error error = {0};
    if (screen_init(&screen, view_table, &host, &options, &error) != STATUS_OK ||
        term_start(&term, &(struct term_options){.color = true}, &error) != STATUS_OK ||
        canvas_init(&canvas, WIDTH, HEIGHT, false, &error) != STATUS_OK)
        _exit(1);
    screen.focus = PANE_TIMELINE;
    screen.maximised = true;
    screen_update(&screen, WIDTH, HEIGHT);
    timeline_state(&screen)->follow = false;
    timeline_state(&screen)->window = axis_make(1000000, 1000000 + span_ns);
    timeline_state(&screen)->cursor_ns = 1000000 + span_ns / 2;
    char command[2];
    while (read(commands, command, 2) == 2) {
        if ((size_t)command[0] < MOVES)
            move_once(&screen, &moves_shown[(size_t)command[0]], command[1]);
        screen_update(&screen, WIDTH, HEIGHT);
        screen_draw(&screen, &canvas);
        char later = (char)term_paint(term, &canvas, screen.theme, screen.repaint);
        screen.repaint = false;
        if (write(answers, &later, 1) != 1)
            break;
    }
    term_stop(term);
    _exit(0);
}

/* The bytes of one frame: all that comes until the child has said that it is out. */
static uint64_t frame_bytes(int master, int commands, int answers, size_t move, int round, bool *later)
{
    static char bytes[65536];
    char command[2] = {(char)move, (char)round}, answer = 0;
    uint64_t count = 0;
    bool out = false;
    if (write(commands, command, 2) != 2)
        exit(1);
    for (;;) {
        struct pollfd ready[2] = {{.fd = master, .events = POLLIN}, {.fd = answers, .events = POLLIN}};
        if (poll(ready, 2, out ? 0 : -1) == 0 && out)
            return count;
        if (ready[0].revents & POLLIN) {
            ssize_t got = read(master, bytes, sizeof bytes);
            count += got > 0 ? (uint64_t)got : 0;
        } else if (ready[1].revents & POLLIN) {
            out = read(answers, &answer, 1) == 1;
            *later = answer != 0;
        } else if ((ready[0].revents | ready[1].revents) & POLLHUP) {
            fprintf(stderr, "the screen ended early\n");
            exit(1);
        }
    }
}

static void bench_bytes(struct session *session, const char *density, int64_t span_ns)
{
    struct winsize size = {.ws_row = HEIGHT, .ws_col = WIDTH};
    int master, slave, commands[2], answers[2];
    if (openpty(&master, &slave, NULL, NULL, &size) != 0 || pipe(commands) != 0 || pipe(answers) != 0)
        exit(1);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        unsetenv("TERM_PROGRAM");
        dup2(slave, STDIN_FILENO);
        dup2(slave, STDOUT_FILENO);
        close(commands[1]);
        close(answers[0]);
        draw_frames(session, span_ns, commands[0], answers[1]);
    }
    close(commands[0]);
    close(answers[1]);
    bool later;
    uint64_t first = frame_bytes(master, commands[1], answers[0], NO_MOVE, 0, &later);
    printf("%s; the first frame %llu bytes\n", density, (unsigned long long)first);
    for (size_t move = 0; move < MOVES; move++) {
        double bytes[BYTE_FRAMES], most_after = 0;
        int after = 0;
        for (int round = 0; round < BYTE_FRAMES; round++) {
            bytes[round] = (double)frame_bytes(master, commands[1], answers[0], move, round, &later);
            while (later) {
                double more = (double)frame_bytes(master, commands[1], answers[0], NO_MOVE, 0, &later);
                most_after = more > most_after ? more : most_after;
                after++;
            }
        }
        qsort(bytes, BYTE_FRAMES, sizeof bytes[0], compare);
        printf("  %-24s %8.0f %8.0f %8.1f %8.0f", moves_shown[move].name, bytes[BYTE_FRAMES / 2],
               bytes[BYTE_FRAMES - 1], (double)after / BYTE_FRAMES, most_after);
        printf("\n");
        double most = bytes[BYTE_FRAMES - 1] > most_after ? bytes[BYTE_FRAMES - 1] : most_after;
        int64_t aim = moves_shown[move].aim > 0 ? moves_shown[move].aim : (int64_t)first;
        figure_print(most, "bytes", FIGURE_AT_MOST, (double)aim, "%s, %s", moves_shown[move].name, density);
    }
    close(commands[1]);
    waitpid(child, NULL, 0);
    close(answers[0]);
    close(master);
    close(slave);
}

int main(int argc, char **argv)
{
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    struct result base = {0};
    printf("CPU time of a frame of %dx%d, %d streams, %d random moves; ratios to that at 100,000 events\n",
           WIDTH, HEIGHT, STREAMS, FRAMES);
    printf("%12s  %10s  %10s  %8s  %8s  %s\n", "events", "median ms", "99 % ms", "median", "99 %",
           "bytes more held after all frames");
    for (uint64_t events = 10000; events <= most; events *= 10) {
        struct session *session = make_session(events);
        struct result result = measure(session);
        base = events <= 100000 ? result : base;
        double median = result.median_ms / base.median_ms, high = result.high_ms / base.high_ms;
        printf("%12llu  %10.3f  %10.3f  %8.2f  %8.2f  %zu\n", (unsigned long long)events, result.median_ms,
               result.high_ms, median, high, result.allocated);
        figure_print(result.median_ms, "ms", FIGURE_AT_MOST, 2, "a frame at %llu events, median",
                     (unsigned long long)events);
        figure_print(result.high_ms, "ms", FIGURE_AT_MOST, 8, "a frame at %llu events, 99 %%",
                     (unsigned long long)events);
        if (events > 100000) {
            figure_print(median, "x", FIGURE_AT_MOST, 2, "to that at 100,000 events, median");
            figure_print(high, "x", FIGURE_AT_MOST, 2, "to that at 100,000 events, 99 %%");
        }
        session_destroy(session);
    }
    struct session *session = make_session(most < 1000000 ? most : 1000000);
    struct result without = measure(session);
    size_t held = session_memory_bytes(session);
    add_samples(session, 12, 1000000);
    struct result with = measure(session);
    printf(
        "\nwith 12 charts of 1,000,000 samples each: median %.3f ms, 99 %% %.3f ms; without %.3f, %.3f; %.1f "
        "bytes a sample of 12\n",
        with.median_ms, with.high_ms, without.median_ms, without.high_ms,
        (double)(session_memory_bytes(session) - held) / 1e6);
    session_destroy(session);
    session = make_session(most < 1000000 ? most : 1000000);
    printf("\nbytes to the terminal for a frame of %dx%d, xterm-256color: median and most of %d; frames that "
           "bring "
           "colours\nput off, for each, and the most bytes of one\n",
           WIDTH, HEIGHT, BYTE_FRAMES);
    bench_bytes(session, "an event is some 8 columns wide", 700000);
    bench_bytes(session, "an event is some column wide", 6000000);
    bench_bytes(session, "some 15 events in a column", 100000000);
    session_destroy(session);
    return 0;
}
