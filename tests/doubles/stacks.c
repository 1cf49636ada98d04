/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's capture of call paths, for a program that loads this library: a Python (ctypes.PyDLL holds the
 * GIL during a call, ctypes.CDLL does not) or a native one. What is announced is kept here and read back as
 * text, a frame a line, the innermost first: "FILE:LINE NAME".
 */
#include "cupti/agent/stacks/stacks.h"
#include "core/base/clock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (1u << 18)

static struct stacks *stacks;
static char *strings[MOST];
static struct event events[MOST];
static uint32_t string_count, event_count, refused, last;

uint32_t stacks_double_capture(void);
const char *stacks_double_text(uint32_t id);
double stacks_double_cost(uint32_t captures);
uint32_t stacks_double_announced(void);
void stacks_double_refuse(uint32_t announcements);
int stacks_double_full(void);
void stacks_double_pending(void *exception);
uint32_t stacks_double_last(void);
uint32_t stacks_double_thread(void);
void stacks_double_at_end(void);

/* As wire_string: equal texts have one id. */
static uint32_t keep_string(void *user, const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)user;
    pthread_mutex_lock(&lock);
    uint32_t id = 1;
    while (id <= string_count && strcmp(strings[id], text) != 0)
        id++;
    if (id > string_count)
        strings[++string_count] = strdup(text);
    pthread_mutex_unlock(&lock);
    return id;
}

static bool keep_event(void *user, const struct event *event)
{
    (void)user;
    if (refused > 0) {
        refused--;
        return false;
    }
    events[event->stack.id] = *event;
    event_count++;
    return true;
}

static void make_stacks(void)
{
    const struct stacks_out out = {.string = keep_string,
                                   .emit = keep_event,
                                   .native = true,
                                   .public_api = getenv("STACKS_PUBLIC_API") != NULL};
    stacks = stacks_create(&out);
}

static struct stacks *stacks_of_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_stacks);
    return stacks;
}

uint32_t stacks_double_capture(void)
{
    return stacks_capture(stacks_of_process());
}

uint32_t stacks_double_announced(void)
{
    return event_count;
}

/* The ring is full for so many more events. */
void stacks_double_refuse(uint32_t announcements)
{
    refused = announcements;
}

int stacks_double_full(void)
{
    return stacks_full(stacks_of_process());
}

const char *stacks_double_text(uint32_t id)
{
    static char text[1 << 18];
    size_t length = 0;
    text[0] = '\0';
    for (; id != 0; id = events[id].stack.caller) {
        const struct event *event = &events[id];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s:%u %s\n",
                                   event->stack.file ? strings[event->stack.file] : "", event->stack.line,
                                   event->stack.name ? strings[event->stack.name] : "");
    }
    return text;
}

/* A launch while an exception of Python is pending, which the caller sees then. */
void stacks_double_pending(void *exception)
{
    void (*set)(void *);
    void *symbol = dlsym(RTLD_DEFAULT, "PyErr_SetNone");
    memcpy(&set, &symbol, sizeof symbol);
    set(exception);
    last = stacks_double_capture();
}

static void *capture_in_thread(void *id)
{
    *(uint32_t *)id = stacks_double_capture();
    return id;
}

/* By a thread that Python does not know. */
uint32_t stacks_double_thread(void)
{
    pthread_t thread;
    uint32_t id = 0;
    if (pthread_create(&thread, NULL, capture_in_thread, &id) == 0)
        pthread_join(thread, NULL);
    return id;
}

uint32_t stacks_double_last(void)
{
    return last;
}

static void capture_at_end(void)
{
    const char *text = stacks_double_text(stacks_double_capture());
    printf("captured after the end: %s\n", strstr(text, "<module>") ? "Python" : "native");
}

/* exit(3) calls it when Python has been finalized. */
void stacks_double_at_end(void)
{
    atexit(capture_at_end);
}

/* ns of one capture from here. */
double stacks_double_cost(uint32_t captures)
{
    uint32_t sum = stacks_double_capture();
    int64_t start_ns = clock_monotonic_ns();
    for (uint32_t i = 0; i < captures; i++)
        sum += stacks_double_capture();
    int64_t end_ns = clock_monotonic_ns();
    return sum == 0 ? -1 : (double)(end_ns - start_ns) / (double)captures;
}
