/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-tap: runs a program under the agent and prints what comes over the wire: counts, notices, the first
 * kernels, what was measured, and whether the wire's promises hold (nothing earlier than a watermark, a call
 * for each kernel, how late a kernel arrives).
 *
 *     agent-tap [--config 'mode=counters;launches=3;'] [--show N] [--agent PATH] -- PROGRAM ARGS
 *     agent-tap --list-counters        the counters of a counter run, separated by commas
 *
 * counters=... is filled in from the catalogue when a counter run names none. Exit status: the program's.
 */
#include "core/hardware/device_info.h"
#include "core/metric/metric.h"
#include "core/wire/agent_config.h"
#include "core/wire/wire.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PROCESSES 16
#define MAX_STRINGS (1u << 16)
#define MAX_SHAPES (1u << 16)
#define MAX_VALUES 4096
#define SEEN_BITS (1u << 26) /* correlation ids */

struct process {
    struct wire_consumer *consumer;
    struct wire_hello hello;
    int fd;
    char **strings;
    uint32_t *shape_name;
    uint64_t counts[EVENT_KIND_COUNT];
    uint8_t *called, *kernels; /* bit sets over correlation ids */
    uint64_t double_calls, late, kernels_without_shape;
    int64_t watermark_ns, first_ns, last_ns, most_late_ns, most_latency_ns;
    double latency_sum_ns;
    uint64_t timed;
    uint32_t measured_name; /* of the measurement whose values come */
    struct measured {
        uint32_t name, counter;
        uint32_t n;
        double least, most;
    } measured[MAX_VALUES];
    size_t measured_count;
};

static struct process *processes[MAX_PROCESSES];
static size_t process_count;
static long show_left = 10;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const char *text_of(const struct process *p, uint32_t id)
{
    return id < MAX_STRINGS && p->strings[id] ? p->strings[id] : "?";
}

static const char *kernel_name(const struct process *p, uint32_t shape)
{
    return shape < MAX_SHAPES ? text_of(p, p->shape_name[shape]) : "?";
}

static bool set_bit(uint8_t *bits, uint32_t id)
{
    uint8_t mask = (uint8_t)(1u << (id & 7));
    bool was = bits[(id % SEEN_BITS) / 8] & mask;
    bits[(id % SEEN_BITS) / 8] |= mask;
    return was;
}

static void take_value(struct process *p, uint32_t counter, double number)
{
    struct measured *m = p->measured, *end = m + p->measured_count;
    while (m < end && (m->name != p->measured_name || m->counter != counter))
        m++;
    if (m == end) {
        if (p->measured_count == MAX_VALUES)
            return;
        p->measured_count++;
        *m = (struct measured){.name = p->measured_name, .counter = counter, .least = number, .most = number};
    }
    m->n++;
    m->least = number < m->least ? number : m->least;
    m->most = number > m->most ? number : m->most;
}

/* An event that ended at end_ns arrives now: is that in order, and how late is it? */
static void timed(struct process *p, int64_t start_ns, int64_t end_ns)
{
    int64_t latency_ns = now_ns() - end_ns;
    p->timed++;
    p->latency_sum_ns += (double)latency_ns;
    if (latency_ns > p->most_latency_ns)
        p->most_latency_ns = latency_ns;
    if (end_ns < p->watermark_ns) {
        p->late++;
        if (p->watermark_ns - end_ns > p->most_late_ns)
            p->most_late_ns = p->watermark_ns - end_ns;
    }
    if (!p->first_ns || start_ns < p->first_ns)
        p->first_ns = start_ns;
    if (end_ns > p->last_ns)
        p->last_ns = end_ns;
}

static void take_blob(struct process *p, const struct event *e, const uint8_t *blob)
{
    if (e->blob.type == BLOB_STRING && e->blob.id < MAX_STRINGS && !p->strings[e->blob.id])
        p->strings[e->blob.id] = strndup((const char *)blob, e->blob.size_bytes);
    if (e->blob.type == BLOB_DEVICE && e->blob.size_bytes == sizeof(struct device_info)) {
        struct device_info info;
        memcpy(&info, blob, sizeof info);
        printf("device %u: %s chip '%s' cc %u, %u multiprocessors, %u KB L2, %u bit bus, %u kHz memory\n",
               e->blob.id, info.name, info.chip, info.compute_capability, info.multiprocessors,
               info.l2_bytes >> 10, info.memory_bus_bits, info.memory_clock_khz);
    }
}

static void take_kernel(struct process *p, const struct event *e)
{
    timed(p, e->kernel.start_ns, e->kernel.end_ns);
    set_bit(p->kernels, e->kernel.correlation);
    p->kernels_without_shape += e->kernel.shape == 0 && !(e->flags & KERNEL_FROM_GRAPH_TRACE);
    if (show_left-- > 0)
        printf("kernel %s corr %u ctx %u stream %u graph %u, %lld ns\n", kernel_name(p, e->kernel.shape),
               e->kernel.correlation, e->kernel.context, e->kernel.stream, e->kernel.graph,
               (long long)(e->kernel.end_ns - e->kernel.start_ns));
}

static void take(struct process *p, const struct event *e, const uint8_t *blob)
{
    p->counts[e->kind]++;
    switch (e->kind) {
    case EVENT_BLOB: take_blob(p, e, blob); break;
    case EVENT_SHAPE:
        if (e->shape.id < MAX_SHAPES)
            p->shape_name[e->shape.id] = e->shape.name;
        if (show_left > 0)
            printf("shape %u %s grid %u block %u regs %u static %u dynamic %u\n", e->shape.id,
                   text_of(p, e->shape.name), e->shape.grid[0], e->shape.block[0],
                   e->shape.registers_per_thread, e->shape.static_shared_bytes,
                   e->shape.dynamic_shared_bytes);
        break;
    case EVENT_KERNEL: take_kernel(p, e); break;
    case EVENT_COPY: timed(p, e->copy.start_ns, e->copy.end_ns); break;
    case EVENT_CALL:
        timed(p, e->call.start_ns, e->call.end_ns);
        p->double_calls += set_bit(p->called, e->call.correlation);
        break;
    case EVENT_CALL_BEGIN:
        if (show_left-- > 0)
            printf("runs: %s corr %u ctx %u stream %u since %.1f ms\n", kernel_name(p, e->call.shape),
                   e->call.correlation, e->call.context, e->call.stream,
                   1e-6 * (double)(now_ns() - e->call.start_ns));
        break;
    case EVENT_WATERMARK: p->watermark_ns = e->watermark.time_ns; break;
    case EVENT_MEASUREMENT:
        p->measured_name = e->measurement.shape < MAX_SHAPES ? p->shape_name[e->measurement.shape] : 0;
        timed(p, e->measurement.start_ns, e->measurement.end_ns);
        break;
    case EVENT_VALUE: take_value(p, e->value.counter, e->value.number); break;
    case EVENT_NOTICE:
        printf("notice of %d (%s, %s): %s\n", p->hello.pid,
               e->notice.severity == SEVERITY_ERROR ? "error" : "info",
               status_text((enum status)e->notice.status), text_of(p, e->notice.text));
        break;
    case EVENT_DROPPED:
        printf("dropped %llu of %s, reason %u\n", (unsigned long long)e->dropped.count,
               event_kind_text((enum event_kind)e->dropped.kind), e->dropped.reason);
        break;
    default: break;
    }
}

static void drain(struct process *p)
{
    struct event event;
    const uint8_t *blob;
    while (wire_consumer_next(p->consumer, &event, &blob))
        take(p, &event, blob);
}

static void summary(const struct process *p)
{
    uint64_t calls_of_kernels = 0, kernels = 0;
    struct wire_stats stats;
    wire_consumer_stats(p->consumer, &stats);
    printf("process %d %s:", p->hello.pid, p->hello.program);
    for (int kind = 0; kind < EVENT_KIND_COUNT; kind++)
        if (p->counts[kind])
            printf(" %s %llu", event_kind_text((enum event_kind)kind), (unsigned long long)p->counts[kind]);
    for (uint32_t i = 0; i < SEEN_BITS / 8; i++) {
        kernels += (uint64_t)__builtin_popcount(p->kernels[i]);
        calls_of_kernels += (uint64_t)__builtin_popcount(p->kernels[i] & p->called[i]);
    }
    printf("\n  kernel correlations %llu, with a call %llu; calls with a correlation seen before %llu; "
           "kernels without shape "
           "%llu\n  behind the watermark %llu (most %.1f ms); latency mean %.1f ms, most %.1f ms; span %.1f "
           "ms; malformed "
           "%llu torn %llu\n",
           (unsigned long long)kernels, (unsigned long long)calls_of_kernels,
           (unsigned long long)p->double_calls, (unsigned long long)p->kernels_without_shape,
           (unsigned long long)p->late, 1e-6 * (double)p->most_late_ns,
           p->timed ? 1e-6 * p->latency_sum_ns / (double)p->timed : 0, 1e-6 * (double)p->most_latency_ns,
           1e-6 * (double)(p->last_ns - p->first_ns), (unsigned long long)stats.malformed,
           (unsigned long long)stats.torn);
    for (int kind = 0; kind < EVENT_KIND_COUNT; kind++)
        if (stats.dropped[kind])
            printf("  ring full: %llu of %s\n", (unsigned long long)stats.dropped[kind],
                   event_kind_text((enum event_kind)kind));
    for (size_t i = 0; i < p->measured_count; i++)
        printf("  %s | %s | n %u | %.10g .. %.10g\n", text_of(p, p->measured[i].name),
               text_of(p, p->measured[i].counter), p->measured[i].n, p->measured[i].least,
               p->measured[i].most);
}

static void accept_process(struct wire_listener *listener)
{
    struct error error;
    struct process *p = calloc(1, sizeof *p);
    if (!p || process_count == MAX_PROCESSES)
        exit(3);
    if (wire_listener_accept(listener, &p->consumer, &p->hello, &p->fd, &error) != STATUS_OK) {
        printf("not accepted: %s\n", error.text);
        free(p);
        return;
    }
    p->strings = calloc(MAX_STRINGS, sizeof *p->strings);
    p->shape_name = calloc(MAX_SHAPES, sizeof *p->shape_name);
    p->called = calloc(1, SEEN_BITS / 8);
    p->kernels = calloc(1, SEEN_BITS / 8);
    if (!p->strings || !p->shape_name || !p->called || !p->kernels)
        exit(3);
    processes[process_count++] = p;
}

static pid_t start(const char *socket, const char *agent, const char *config, char **argv)
{
    pid_t child = fork();
    if (child)
        return child;
    setenv(WIRE_SOCKET_VARIABLE, socket, 1);
    setenv(AGENT_CONFIG_VARIABLE, config, 1);
    setenv("CUDA_INJECTION64_PATH", agent, 1);
    setenv("NVTX_INJECTION64_PATH", agent, 1);
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

/* The catalogue's counters for an H200, if the settings name none. */
static void complete_config(struct agent_config *config)
{
    size_t used = 0;
    if (config->mode != RUN_COUNTERS || config->memory_apart || config->counters[0])
        return;
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        const struct metric_counters counters = metric_counters((enum metric)metric, "GH100");
        for (const char *const *c = counters.names; *c; c++)
            if (!strstr(config->counters, *c))
                used += (size_t)snprintf(config->counters + used, sizeof config->counters - used, "%s%s",
                                         used ? "," : "", *c);
    }
}

int main(int argc, char **argv)
{
    static struct agent_config config;
    static char text[AGENT_CONFIG_MAX_BYTES], agent[4096];
    struct error error;
    struct wire_listener *listener;
    int i = 1, status = -1;
    setvbuf(stdout, NULL, _IOLBF, 0); /* the program prints into the same pipe: whole lines only */
    agent_config_init(&config);
    if (argc == 2 && strcmp(argv[1], "--list-counters") == 0) {
        config.mode = RUN_COUNTERS;
        complete_config(&config);
        puts(config.counters);
        return 0;
    }
    char *self = realpath("/proc/self/exe", NULL);
    char *slash = self ? strrchr(self, '/') : NULL;
    if (slash) {
        *slash = '\0';
        snprintf(agent, sizeof agent, "%s/../lanescope-agent.so", self);
    }
    free(self);
    for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (strcmp(argv[i], "--show") == 0) {
            show_left = atol(argv[i + 1]);
        } else if (strcmp(argv[i], "--agent") == 0) {
            snprintf(agent, sizeof agent, "%s", argv[i + 1]);
        } else if (strcmp(argv[i], "--config") != 0 ||
                   agent_config_parse(argv[i + 1], &config, &error) != STATUS_OK) {
            fprintf(stderr, "agent-tap: what is %s %s?\n", argv[i], argv[i + 1]);
            return 2;
        }
    }
    complete_config(&config);
    if (i + 1 >= argc || agent_config_format(&config, text, sizeof text, &error) != STATUS_OK ||
        wire_listener_create(&listener, &error) != STATUS_OK)
        return 2;

    pid_t child = start(wire_listener_path(listener), agent, text, argv + i + 1);
    for (bool ended = false; !ended;) {
        struct pollfd wait = {.fd = wire_listener_fd(listener), .events = POLLIN};
        ended = waitpid(child, &status, WNOHANG) == child;
        if (poll(&wait, 1, ended ? 0 : 2) > 0)
            accept_process(listener);
        for (size_t k = 0; k < process_count; k++)
            drain(processes[k]);
    }
    for (size_t k = 0; k < process_count; k++) {
        wire_consumer_finish(processes[k]->consumer);
        drain(processes[k]);
        summary(processes[k]);
    }
    wire_listener_destroy(listener);
    printf("ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
