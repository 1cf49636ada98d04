/* SPDX-License-Identifier: Apache-2.0 */
/* lanescope-generator: a program that speaks the wire, to test everything behind it without a GPU. See
 * --help. */
#include "faults.h"
#include "load.h"
#include "options.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static enum status connect_producer(struct load *load, const struct options *options, struct error *error)
{
    load->base_ns = options->base_ns ? options->base_ns : load_clock_ns();
    load->period_ns = options->rate > 0 ? 1e9 * options->threads / options->rate : 1000;
    const struct wire_hello hello = {
        .role = options->role,
        .start_ns = options->model ? load_clock_ns() : load->base_ns,
        .clock = options->model ? CLOCK_MODEL : CLOCK_WALL,
        .run_mode = options->mode,
        .rank = options->rank,
    };
    return wire_producer_create(&load->producer, options->socket, &hello, (size_t)options->ring_bytes, error);
}

/* The program's end, as asked for. */
static int end(const struct options *options, struct load *load)
{
    const struct timespec hold = {.tv_sec = (time_t)options->hold_s,
                                  .tv_nsec =
                                      (long)((options->hold_s - (double)(time_t)options->hold_s) * 1e9)};
    nanosleep(&hold, NULL);
    fault_torn(load->producer, options->torn);
    switch (options->ending) {
    case ENDING_QUICK_EXIT: _exit(options->exit_status);
    case ENDING_ABORT: abort();
    case ENDING_SEGV: raise(SIGSEGV); break;
    case ENDING_KILL: raise(SIGKILL); break;
    case ENDING_HANG:
        for (;;)
            pause();
    case ENDING_RETURN: break;
    }
    if (options->goodbye) {
        const struct event goodbye = {.kind = EVENT_GOODBYE, .goodbye = {.time_ns = load_end_ns(load)}};
        load_send(load, &goodbye);
    }
    wire_producer_destroy(load->producer);
    return options->exit_status;
}

/* Makes the children that do the same; in a child gives its number (from 1), in the parent 0. */
static uint32_t fork_children(uint32_t count, struct wire_producer *producer)
{
    for (uint32_t i = 1; i <= count; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            wire_producer_abandon(producer);
            return i;
        }
        if (pid < 0)
            perror("lanescope-generator: fork");
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct load load;
    struct options options;
    struct error error;
    int parsed = options_parse(&options, argc, argv);
    if (parsed != 0)
        return parsed == 1 ? 0 : 2;
    if (!options.socket) {
        fputs("lanescope-generator: no socket: run it under lanescope, or give --socket.\n", stderr);
        return 2;
    }
    load.options = &options;
    enum status status = connect_producer(&load, &options, &error);
    uint32_t child = status == STATUS_OK ? fork_children(options.forks, load.producer) : 0;
    if (child > 0) {
        options.seed += child;
        options.forks = 0;
        status = connect_producer(&load, &options, &error);
    }
    if (status != STATUS_OK) {
        fprintf(stderr, "lanescope-generator: %s\n", error.text);
        return 3;
    }
    load_announce(&load);
    bool listening = load_run(&load);
    load_conclude(&load);
    if (options.report)
        printf("sent %" PRIu64 " dropped %" PRIu64 " last %" PRIu64 "\n", atomic_load(&load.sent),
               atomic_load(&load.dropped), atomic_load(&load.last_number));
    fflush(stdout);
    for (uint32_t i = 0; i < options.forks; i++)
        wait(NULL);
    if (!listening)
        return 4;
    return end(&options, &load);
}
