/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/watched_program.h"

#include "core/wire/agent_config.h"
#include "core/wire/wire.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct play play;
struct seen seen;

#ifdef TEST_AGENT

static void *library(const char *path)
{
    void *opened = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!opened) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(9);
    }
    return opened;
}

static void find(void *from, const char *name, void *function)
{
    void *symbol = dlsym(from, name);
    memcpy(function, &symbol, sizeof symbol);
    if (!symbol)
        _exit(9);
}

pid_t watched_start(const char *socket, const char *config, const char *environment, watched_program *run)
{
    char own[64], words[256], *rest = words, *word;
    pid_t child = fork();
    if (child != 0)
        return child;
    if (socket)
        setenv(WIRE_SOCKET_VARIABLE, socket, 1);
    else
        unsetenv(WIRE_SOCKET_VARIABLE);
    setenv(AGENT_CONFIG_VARIABLE, config, 1);
    snprintf(own, sizeof own, "%d of the tests", (int)getpid());
    setenv("CUDA_DOUBLE_UUID", own, 1);
    snprintf(words, sizeof words, "%s", environment);
    while ((word = strsep(&rest, ";"))) {
        char *equals = strchr(word, '=');
        if (equals) {
            *equals = '\0';
            setenv(word, equals + 1, 1);
        }
    }
    library(TEST_BUILD_DIR "/tests/cuda_double.so");
    if (getenv("CUPTI_DOUBLE_TWELVE"))
        library(TEST_BUILD_DIR "/tests/cupti12_double.so");
    void *cupti = library(TEST_BUILD_DIR "/tests/cupti_double.so");
    find(cupti, "double_context", &play.context);
    find(cupti, "double_module", &play.module);
    find(cupti, "double_launch", &play.launch);
    find(cupti, "double_call", &play.call);
    find(cupti, "double_edge", &play.edge);
    find(cupti, "double_sampled", &play.sampled);
    int (*begin)(void);
    find(library(TEST_AGENT), "InitializeInjection", &begin);
    if (begin() != 1)
        _exit(9);
    run();
    exit(0);
}

void watched_read(struct wire_consumer *consumer)
{
    struct event *event = &seen.events[seen.count];
    const uint8_t *blob;
    while (seen.count < WATCHED_EVENTS - 1 && wire_consumer_next(consumer, event, &blob)) {
        if (event->kind == EVENT_BLOB && event->blob.type == BLOB_STRING && event->blob.id < WATCHED_STRINGS)
            snprintf(seen.strings[event->blob.id], sizeof seen.strings[0], "%.*s",
                     (int)event->blob.size_bytes, (const char *)blob);
        if (event->kind == EVENT_NOTICE)
            snprintf(seen.notices + strlen(seen.notices), sizeof seen.notices - strlen(seen.notices), "%s\n",
                     seen.strings[event->notice.text]);
        event = &seen.events[++seen.count];
    }
}

void watch(const char *config, const char *environment, watched_program *run,
           void (*after)(const char *socket))
{
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct wire_hello hello;
    struct error error;
    int fd, status;
    memset(&seen, 0, sizeof seen);
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK, "%s", error.text);
    const char *socket = wire_listener_path(listener);
    pid_t child = watched_start(socket, config, environment, run);
    struct pollfd wait = {.fd = wire_listener_fd(listener), .events = POLLIN};
    cr_assert(poll(&wait, 1, 60000) == 1 &&
              wire_listener_accept(listener, &consumer, &hello, &fd, &error) == STATUS_OK);
    cr_assert_eq(waitpid(child, &status, 0), child);
    watched_read(consumer);
    if (after)
        after(socket);
    wire_consumer_destroy(consumer);
    close(fd);
    wire_listener_destroy(listener);
    cr_assert_eq(status, 0, "the program ended with %d; it was told: %s", status, seen.notices);
    cr_assert_eq(seen.events[seen.count - 1].kind, EVENT_GOODBYE);
}

#endif

const struct event *nth(enum event_kind kind, size_t n)
{
    for (size_t i = 0; i < seen.count; i++)
        if (seen.events[i].kind == kind && n-- == 0)
            return &seen.events[i];
    return NULL;
}

size_t count(enum event_kind kind)
{
    size_t found = 0;
    while (nth(kind, found))
        found++;
    return found;
}
