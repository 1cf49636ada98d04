/*
 * What a frame costs at 200x60 without a terminal: taking in the session, preparing, painting; over
 * recordings of growing size. Prints a table with the ratio to the smallest: a frame must follow its columns,
 * not the events. Also what one frame allocates.
 */
#include "core/session.h"
#include "tui/screen.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH 200
#define HEIGHT 60
#define STREAMS 40
#define FRAMES 200

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
    if (screen_init(&screen, &host, &options, NULL) != STATUS_OK ||
        canvas_init(&canvas, WIDTH, HEIGHT, false, NULL) != STATUS_OK)
        exit(1);
    screen.focus = PANE_TIMELINE;
    screen_update(&screen, WIDTH, HEIGHT);
    screen_draw(&screen, &canvas);
    size_t before = mallinfo2().uordblks;
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

int main(void)
{
    static const uint64_t sizes[] = {10000, 100000, 1000000, 4000000};
    double first = 0;
    printf("CPU time of a frame of %dx%d, %d streams, %d random moves\n", WIDTH, HEIGHT, STREAMS, FRAMES);
    printf("%12s  %10s  %10s  %8s  %s\n", "events", "median ms", "99th ms", "ratio",
           "bytes more held after all frames");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct session *session = make_session(sizes[i]);
        struct result result = measure(session);
        first = i == 0 ? result.median_ms : first;
        printf("%12llu  %10.3f  %10.3f  %8.2f  %zu\n", (unsigned long long)sizes[i], result.median_ms,
               result.high_ms, result.median_ms / first, result.allocated);
        session_destroy(session);
    }
    return 0;
}
