/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sampler's state is a word in the page of core/wire/sampling_control.h; a thread per child waits for its
 * end and then sets the state to SAMPLING_ENDED, so that nobody waits for one that is gone.
 */
#include "cli/run/sampling.h"

#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "core/base/clock.h"
#include "core/base/rank.h"
#include "core/wire/sampling_control.h"
#include "core/wire/wire.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_NS 5000000000 /* the first process on a machine may have to start its driver */
#define BEGIN_NS 500000000
#define END_NS 2000000000
#define BURST_NS 200000000

#if LANESCOPE_CUDA
#include "cupti/sampler/sampler.h"

struct sampler_child {
    struct sampling *sampling;
    struct launch *launch; /* NULL: not started */
    pthread_t thread;
    atomic_bool killed, no_gpu; /* ended by a signal: it can be started again; there is no such GPU */
};

struct sampling {
    const struct options *options;
    struct collector *collector;
    struct sampling_control *control;
    int control_fd;
    uint32_t first; /* the GPU to sample, or the one whose sampler says how many there are */
    bool every_gpu;
    atomic_bool ending;
    pthread_mutex_t mutex; /* held by whoever starts samplers, so that sampling_destroy waits */
    pthread_t others;      /* starts the other samplers, which only the first one knows of */
    bool beginning;        /* that thread was made */
    struct sampler_child gpu[SAMPLING_GPUS_MAX];
};

static void set_state(struct sampling_slot *slot, enum sampling_state state)
{
    atomic_store(&slot->state, state);
    sampling_control_tell(slot);
}

static struct sampling_slot *slot_of(const struct sampling *sampling, uint32_t gpu)
{
    return &sampling->control->gpu[gpu];
}

static enum sampling_state state_of(const struct sampling *sampling, uint32_t gpu)
{
    return (enum sampling_state)atomic_load(&slot_of(sampling, gpu)->state);
}

/* Lets nobody wait for a sampler that is gone. */
static void *watch_child(void *context)
{
    struct sampler_child *child = context;
    int wait_status = 0;
    pid_t pid = launch_pid(child->launch);
    uint32_t gpu = (uint32_t)(child - child->sampling->gpu);
    char text[256];
    launch_wait(child->launch, &wait_status);
    if (atomic_load(&child->sampling->ending)) {
        if (wait_status != 0)
            set_state(slot_of(child->sampling, gpu), SAMPLING_ENDED);
        return NULL;
    }
    atomic_store(&child->no_gpu, WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == SAMPLER_NO_GPU);
    set_state(slot_of(child->sampling, gpu), SAMPLING_ENDED);
    collector_child_exited(child->sampling->collector, pid, wait_status);
    if (WIFSIGNALED(wait_status)) {
        atomic_store(&child->killed, true);
        snprintf(text, sizeof text,
                 "The sampler of GPU %u was ended by signal %d (%s): from here on this run has no counters "
                 "over time.",
                 gpu, WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
        collector_notice(child->sampling->collector, SEVERITY_WARNING, text);
    }
    return NULL;
}

static enum status start_child(struct sampling *sampling, uint32_t gpu, struct error *error)
{
    struct sampler_child *child = &sampling->gpu[gpu];
    const struct options *options = sampling->options;
    char program[PATH_BYTES], cupti[PATH_BYTES] = "", number[16], interval[32];
    bool bursts = options->burst_ns != 0;
    int exit_status;
    enum status status = path_of_program(program, error);
    if (status != STATUS_OK)
        return status;
    path_of_libcupti(cupti, NULL);
    snprintf(number, sizeof number, "%u", gpu);
    snprintf(interval, sizeof interval, "%llu",
             (unsigned long long)(bursts ? options->burst_ns : options->sample_ns));
    char *argv[] = {program,
                    (char[]){"--sampler"},
                    number,
                    interval,
                    bursts ? (char[]){"burst"} : (char[]){"on"},
                    cupti[0] ? cupti : NULL,
                    NULL};
    /* Libraries that others inject into programs are not for the sampler. */
    const struct launch_variable variables[] = {
        {WIRE_SOCKET_VARIABLE, collector_socket_path(sampling->collector)},
        {"CUDA_INJECTION64_PATH", NULL},
        {"NVTX_INJECTION64_PATH", NULL},
        {NULL, NULL}};
    const struct launch_options launch = {.argv = argv, .variables = variables, .output = -1, .errors = -1};
    child->sampling = sampling;
    set_state(slot_of(sampling, gpu), SAMPLING_STARTING);
    status = launch_start(&child->launch, &launch, &exit_status, error);
    if (status != STATUS_OK) {
        child->launch = NULL;
        set_state(slot_of(sampling, gpu), SAMPLING_ENDED);
        return status;
    }
    int failure = pthread_create(&child->thread, NULL, watch_child, child);
    if (failure == 0)
        return STATUS_OK;
    launch_stop(child->launch);
    launch_wait(child->launch, NULL);
    launch_destroy(child->launch);
    child->launch = NULL;
    set_state(slot_of(sampling, gpu), SAMPLING_ENDED);
    return error_set_errno(error, STATUS_MEMORY, failure,
                           "Cannot start the thread that waits for the sampler");
}

/* Processes of a launcher divide the GPUs of their host among them. */
static uint32_t first_gpu(const struct options *options)
{
    int32_t rank = rank_of_host();
    bool sampled = rank >= 0 && rank < (int32_t)SAMPLING_GPUS_MAX;
    return options->program && sampled ? (uint32_t)rank : options->gpu;
}

static void control_close(struct sampling *sampling)
{
    sampling_control_close(sampling->control);
    if (sampling->control_fd >= 0)
        close(sampling->control_fd);
}

enum status sampling_create(struct sampling **sampling, const struct options *options, bool every_gpu,
                            struct collector *collector, struct error *error)
{
    struct sampling *made = calloc(1, sizeof *made);
    enum status status = STATUS_MEMORY;
    if (!made)
        return error_set(error, status, "Out of memory while preparing the sampling of counters.");
    pthread_mutex_init(&made->mutex, NULL);
    made->options = options;
    made->collector = collector;
    made->first = options->gpu_given ? options->gpu : first_gpu(options);
    made->every_gpu = every_gpu && !options->gpu_given && made->first == options->gpu && rank_of_host() < 0;
    made->control = sampling_control_create(collector_socket_path(collector), &made->control_fd, error);
    status = made->control ? STATUS_OK : STATUS_IO;
    if (status == STATUS_OK && made->first >= SAMPLING_GPUS_MAX)
        status = error_set(error, STATUS_UNSUPPORTED,
                           "Counters over time are sampled on the first %u GPUs only.", SAMPLING_GPUS_MAX);
    if (status == STATUS_OK)
        status = start_child(made, made->first, error);
    if (status != STATUS_OK) {
        pthread_mutex_destroy(&made->mutex);
        control_close(made);
        free(made);
        return status;
    }
    *sampling = made;
    return STATUS_OK;
}

static bool is_starting(enum sampling_state state)
{
    return state == SAMPLING_STARTING;
}

static bool is_not_running(enum sampling_state state)
{
    return state == SAMPLING_READY || state == SAMPLING_STARTING || state == SAMPLING_CLOSING;
}

static bool is_running(enum sampling_state state)
{
    return state == SAMPLING_RUNNING;
}

static bool has_counters(enum sampling_state state)
{
    return state == SAMPLING_RUNNING || state == SAMPLING_CLOSING;
}

static bool is_alive(enum sampling_state state)
{
    return state != SAMPLING_NONE && state != SAMPLING_ENDED;
}

/* Waits until no sampler is in such a state. */
static void wait_while(struct sampling *sampling, bool (*waiting)(enum sampling_state), int64_t most_ns)
{
    int64_t until_ns = clock_monotonic_ns() + most_ns;
    for (uint32_t i = 0; i < SAMPLING_GPUS_MAX; i++) {
        struct sampling_slot *slot = slot_of(sampling, i);
        for (int64_t left_ns; (left_ns = until_ns - clock_monotonic_ns()) > 0;) {
            uint32_t changes = atomic_load(&slot->changes);
            if (!waiting(state_of(sampling, i)))
                break;
            sampling_control_wait(slot, changes, left_ns);
        }
    }
}

static void samples_want(struct sampling *sampling, bool wanted)
{
    for (uint32_t i = 0; i < SAMPLING_GPUS_MAX; i++) {
        atomic_store(&slot_of(sampling, i)->wanted, wanted);
        sampling_control_tell(slot_of(sampling, i));
    }
}

/* The first sampler knows how many GPUs there are. */
static void start_others(struct sampling *sampling)
{
    uint32_t gpus = atomic_load(&slot_of(sampling, sampling->first)->gpus);
    if (!sampling->every_gpu || !is_alive(state_of(sampling, sampling->first)))
        return;
    sampling->every_gpu = false;
    for (uint32_t i = 0; i < gpus && i < SAMPLING_GPUS_MAX; i++) {
        struct error error = {0};
        if (state_of(sampling, i) == SAMPLING_NONE && start_child(sampling, i, &error) != STATUS_OK)
            collector_notice(sampling->collector, SEVERITY_WARNING, error.text);
    }
}

static void end_child(struct sampler_child *child)
{
    if (!child->launch)
        return;
    pthread_join(child->thread, NULL);
    launch_destroy(child->launch);
    child->launch = NULL;
}

/* If a launcher started several processes, each may see only one GPU, with the number 0. */
static void start_instead(struct sampling *sampling)
{
    uint32_t gpu = sampling->options->gpu;
    struct error error = {0};
    if (sampling->first == gpu || is_alive(state_of(sampling, sampling->first)))
        return;
    end_child(&sampling->gpu[sampling->first]); /* for its exit status */
    if (!atomic_load(&sampling->gpu[sampling->first].no_gpu))
        return;
    sampling->first = gpu;
    if (start_child(sampling, gpu, &error) != STATUS_OK)
        collector_notice(sampling->collector, SEVERITY_WARNING, error.text);
}

/* Somebody killed a sampler: start it again for the next run. */
static void start_killed(struct sampling *sampling)
{
    for (uint32_t i = 0; i < SAMPLING_GPUS_MAX; i++) {
        struct error error = {0};
        if (!atomic_exchange(&sampling->gpu[i].killed, false))
            continue;
        end_child(&sampling->gpu[i]);
        if (start_child(sampling, i, &error) != STATUS_OK)
            collector_notice(sampling->collector, SEVERITY_WARNING, error.text);
    }
}

static void *begin_others(void *context)
{
    struct sampling *sampling = context;
    wait_while(sampling, is_starting, READY_NS);
    pthread_mutex_lock(&sampling->mutex);
    if (!atomic_load(&sampling->ending)) {
        start_others(sampling);
        start_instead(sampling);
    }
    pthread_mutex_unlock(&sampling->mutex);
    return NULL;
}

static void join_others(struct sampling *sampling)
{
    if (sampling->beginning)
        pthread_join(sampling->others, NULL);
    sampling->beginning = false;
}

unsigned sampling_begin(struct sampling *sampling, bool patient)
{
    if (!sampling)
        return 0;
    join_others(sampling);
    start_killed(sampling);
    samples_want(sampling, true); /* before the samplers are ready, so that they begin at once */
    bool more = sampling->every_gpu || sampling->first != sampling->options->gpu;
    /* A burst is requested only if the sampler reports that it runs. */
    if (!patient && !sampling->options->burst_ns) {
        if (more)
            sampling->beginning = pthread_create(&sampling->others, NULL, begin_others, sampling) == 0;
        if (!more || sampling->beginning)
            return sampling_alive(sampling);
    }
    begin_others(sampling);
    wait_while(sampling, is_starting, READY_NS);
    wait_while(sampling, is_not_running, BEGIN_NS);
    return sampling_alive(sampling);
}

void sampling_end(struct sampling *sampling)
{
    if (sampling)
        samples_want(sampling, false);
}

void sampling_free(struct sampling *sampling)
{
    if (sampling)
        wait_while(sampling, has_counters, END_NS);
}

unsigned sampling_alive(const struct sampling *sampling)
{
    unsigned alive = 0;
    for (uint32_t i = 0; sampling && i < SAMPLING_GPUS_MAX; i++)
        alive += is_alive(state_of(sampling, i));
    return alive;
}

bool sampling_burst(struct sampling *sampling)
{
    bool any = false;
    for (uint32_t i = 0; sampling && sampling->options->burst_ns && i < SAMPLING_GPUS_MAX; i++)
        any |= is_running(state_of(sampling, i)) && sampling_burst_ask(slot_of(sampling, i), BURST_NS) != 0;
    return any;
}

void sampling_destroy(struct sampling *sampling)
{
    if (!sampling)
        return;
    wait_while(sampling, is_starting, READY_NS); /* one that cannot sample says why */
    pthread_mutex_lock(&sampling->mutex);
    atomic_store(&sampling->ending, true);
    for (uint32_t i = 0; i < SAMPLING_GPUS_MAX; i++)
        if (sampling->gpu[i].launch)
            launch_stop(sampling->gpu[i].launch);
    pthread_mutex_unlock(&sampling->mutex);
    join_others(sampling);
    wait_while(sampling, is_running, END_NS);
    for (uint32_t i = 0; i < SAMPLING_GPUS_MAX; i++) {
        if (sampling->gpu[i].launch)
            launch_release(sampling->gpu[i].launch);
        end_child(&sampling->gpu[i]);
    }
    pthread_mutex_destroy(&sampling->mutex);
    control_close(sampling);
    free(sampling);
}

#else

enum status sampling_create(struct sampling **sampling, const struct options *options, bool every_gpu,
                            struct collector *collector, struct error *error)
{
    (void)sampling, (void)options, (void)every_gpu, (void)collector;
    return error_set(error, STATUS_UNSUPPORTED,
                     "This build has no CUPTI part, and therefore no counters over time: build lanescope "
                     "with a CUDA 13 toolkit.");
}

unsigned sampling_begin(struct sampling *sampling, bool patient)
{
    (void)sampling, (void)patient;
    return 0;
}

void sampling_end(struct sampling *sampling)
{
    (void)sampling;
}

void sampling_free(struct sampling *sampling)
{
    (void)sampling;
}

unsigned sampling_alive(const struct sampling *sampling)
{
    (void)sampling;
    return 0;
}

bool sampling_burst(struct sampling *sampling)
{
    (void)sampling;
    return false;
}

void sampling_destroy(struct sampling *sampling)
{
    (void)sampling;
}

#endif
