/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many events a second the collector takes in: from the generator's ring over the wire into a session.
 * Prints a table: the wire alone (events are read and thrown away), then the same through collector, intake
 * and session, for one kind and for the mix; the ratio is to the wire alone. The generator waits when its
 * ring is full, so the slower of the two sides sets the pace. Usage: bench_wire [MILLIONS]
 */
#include "cli/run/collect.h"
#include "core/session/session.h"
#include "core/wire/wire.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pid_t start_generator(const char *socket, const char *events, const char *kind)
{
    pid_t child = fork();
    if (child == 0) {
        setenv(WIRE_SOCKET_VARIABLE, socket, 1);
        execl(TEST_BUILD_DIR "/tests/lanescope-generator", "lanescope-generator", "--rate", "0", "--events",
              events, kind, NULL);
        _exit(127);
    }
    return child;
}

/* Events a second with nobody behind the wire. */
static double measure_wire(const char *events, const char *kind, uint64_t *count)
{
    struct error error;
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct wire_hello hello;
    struct event event;
    const uint8_t *blob;
    int fd;
    if (wire_listener_create(&listener, &error) != STATUS_OK)
        return 0;
    pid_t child = start_generator(wire_listener_path(listener), events, kind);
    struct pollfd door = {.fd = wire_listener_fd(listener), .events = POLLIN};
    poll(&door, 1, 10000);
    if (wire_listener_accept(listener, &consumer, &hello, &fd, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        wire_listener_destroy(listener);
        return 0;
    }
    double begin_s = now_s();
    struct pollfd connection = {.fd = fd, .events = POLLIN};
    for (bool gone = false;;) {
        if (wire_consumer_next(consumer, &event, &blob))
            continue;
        if (gone)
            break;
        if (poll(&connection, 1, 1) == 1) {
            gone = true;
            wire_consumer_finish(consumer);
        }
    }
    double seconds = now_s() - begin_s;
    struct wire_stats stats;
    wire_consumer_stats(consumer, &stats);
    *count = stats.received;
    waitpid(child, NULL, 0);
    wire_consumer_destroy(consumer);
    close(fd);
    wire_listener_destroy(listener);
    return (double)*count / seconds;
}

/* Events a second into a session. */
static double measure_session(const char *events, const char *kind, struct collector_stats *stats,
                              size_t *bytes)
{
    struct error error;
    struct session *session;
    struct collector *collector;
    struct timespec start;
    clock_gettime(CLOCK_REALTIME, &start);
    if (session_create(&session, (int64_t)start.tv_sec * 1000000000 + start.tv_nsec, &error) != STATUS_OK ||
        collector_start(&collector, session, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 0;
    }
    pid_t child = start_generator(collector_socket_path(collector), events, kind);
    const struct timespec pause = {.tv_nsec = 1000000};
    do {
        nanosleep(&pause, NULL);
        collector_stats(collector, stats);
    } while (stats->events == 0);
    double begin_s = now_s();
    uint64_t before = stats->events;
    int status;
    waitpid(child, &status, 0);
    collector_child_exited(collector, child, status);
    while (collector_live_processes(collector) > 0)
        nanosleep(&pause, NULL);
    double seconds = now_s() - begin_s;
    collector_stats(collector, stats);
    *bytes = session_memory_bytes(session);
    collector_stop(collector);
    session_destroy(session);
    return (double)(stats->events - before) / seconds;
}

int main(int argc, char **argv)
{
    char events[32];
    snprintf(events, sizeof events, "%sM", argc > 1 ? argv[1] : "3");
    static const struct {
        const char *title, *option;
    } rows[] = {{"kernels only", "--numbered"}, {"the mix", "--wait"}};
    printf("%-14s %-22s %12s %10s %9s %8s %6s\n", "events", "way", "taken in", "M/s", "ns/event", "dropped",
           "ratio");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t count = 0;
        struct collector_stats stats = {0};
        size_t bytes = 0;
        double wire = measure_wire(events, rows[i].option, &count);
        double session = measure_session(events, rows[i].option, &stats, &bytes);
        if (wire <= 0 || session <= 0)
            return 1;
        printf("%-14s %-22s %12llu %10.2f %9.1f %8s %6s\n", rows[i].title, "wire", (unsigned long long)count,
               wire / 1e6, 1e9 / wire, "0", "1.00");
        printf("%-14s %-22s %12llu %10.2f %9.1f %8llu %6.2f  session %.0f MB\n", rows[i].title,
               "wire into session", (unsigned long long)stats.events, session / 1e6, 1e9 / session,
               (unsigned long long)stats.dropped, session / wire, (double)bytes / 1e6);
    }
    return 0;
}
