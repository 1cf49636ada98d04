/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's life: begun by the driver at cuInit (InitializeInjection) or by NVTX at its first call before
 * that, ended by exit(3), when the collector ends, or with the process. It prints nothing; messages for the
 * user are sent as notices.
 *
 * In a dormant program (core/wire/dormant.h) it begins when lanescope attaches and ends when that leaves, any number
 * of times. Until the first time CUPTI is not loaded, unless the program uses NVTX; between two CUPTI has no
 * subscriber. What the agent has announced, and its tables, stay.
 */
#include "core/base/clock.h"

#include "core/base/rank.h"
#include "core/wire/dormant.h"
#include "cupti/agent/activity.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/bursts.h"
#include "cupti/agent/capture.h"
#include "cupti/agent/counter_lock.h"
#include "cupti/agent/counters/counters.h"
#include "cupti/agent/lines/lines.h"
#include "cupti/agent/lines/source.h"
#include "cupti/agent/stacks/python.h"
#include "cupti/load/load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- devices ---- */

/* The chip's name is known only after the profiler interface was initialised, which only a counter run does.
 */
static void chip_name(size_t ordinal, struct device_info *info)
{
    if (!agent_counts())
        return;
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = ordinal};
    if (agent.cupti.cuptiProfilerInitialize(&start) == CUPTI_SUCCESS &&
        agent.cupti.cuptiDeviceGetChipName(&chip) == CUPTI_SUCCESS && chip.pChipName)
        memcpy(info->chip, chip.pChipName, strnlen(chip.pChipName, sizeof info->chip - 1));
}

bool devices_announce(void)
{
    struct driver driver;
    int count = 0;
    if (!driver_find(&driver, false) || driver.cuDeviceGetCount(&count) != CUDA_SUCCESS)
        return false;
    for (int ordinal = 0; ordinal < count && ordinal < 64; ordinal++) {
        struct device_info info;
        if (!driver_describe(&driver, ordinal, &info))
            continue;
        chip_name((size_t)ordinal, &info);
        wire_emit_blob(agent.wire, BLOB_DEVICE, (uint32_t)ordinal, &info, sizeof info);
    }
    return true;
}

/* ---- inject ---- */

#define EXPORTED __attribute__((visibility("default")))

struct agent agent;

static pthread_once_t once_loaded = PTHREAD_ONCE_INIT, once_begun = PTHREAD_ONCE_INIT;
static enum status load_status;
static struct error load_error;
static bool thread_started;

/* ---- small services ---- */

int64_t agent_now_ns(void)
{
    return clock_real_ns();
}

static void send_notice(enum severity severity, enum status status, const char *text)
{
    struct event event = {.kind = EVENT_NOTICE};
    event.notice.time_ns = agent_now_ns();
    event.notice.text = wire_string(agent.wire, text);
    event.notice.severity = (uint8_t)severity;
    event.notice.status = (uint8_t)status;
    wire_emit(agent.wire, &event);
}

void agent_notice(enum severity severity, enum status status, const char *format, ...)
{
    char text[1536];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send_notice(severity, status, text);
}

void agent_notice_error(const struct error *error)
{
    send_notice(SEVERITY_ERROR, error->status, error->text);
}

void agent_kick(void)
{
    if (atomic_exchange(&agent.kick, 1) == 0)
        syscall(SYS_futex, &agent.kick, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

uint32_t agent_stream_id(CUcontext context, CUstream stream, bool per_thread)
{
    static __thread struct {
        CUcontext context;
        CUstream stream;
        uint32_t epoch, id;
        bool per_thread;
    } last;
    uint32_t epoch = atomic_load_explicit(&agent.stream_epoch, memory_order_relaxed);
    if (last.id && last.context == context && last.stream == stream && last.epoch == epoch &&
        last.per_thread == per_thread)
        return last.id;
    uint32_t id = 0;
    if (agent.cupti.cuptiGetStreamIdEx(context, stream, per_thread, &id) != CUPTI_SUCCESS)
        return 0;
    last.context = context;
    last.stream = stream;
    last.epoch = epoch;
    last.per_thread = per_thread;
    last.id = id;
    return id;
}

/* ---- the agent's thread ---- */

static void wait_for_kick(uint32_t milliseconds)
{
    uint32_t rest_ms = milliseconds > AGENT_KICK_MS ? milliseconds - AGENT_KICK_MS : 1;
    const struct timespec rest = timespec_of((int64_t)rest_ms * NS_PER_MS);
    clock_pause(AGENT_KICK_MS * NS_PER_MS);
    if (!atomic_load(&agent.stopping))
        syscall(SYS_futex, &agent.kick, FUTEX_WAIT_PRIVATE, 0, &rest, NULL, 0);
    atomic_store(&agent.kick, 0);
}

/* Nobody listens, or CUPTI cannot be trusted: from now on the agent does nothing in the program. */
static void agent_retire(void)
{
    atomic_store(&agent.capturing, false);
    if (agent_traces())
        activity_stop();
    else if (agent_samples())
        lines_end();
    atomic_store(&agent.running, false);
}

/* Once, before the first records: on the agent's thread, or at the end of a program that was faster. A counter run
 * does it where it counts. */
static void announce_devices_once(void)
{
    static atomic_bool announced;
    if (!agent_counts() && atomic_load(&agent.driver_ready) && !atomic_exchange(&announced, true) &&
        !devices_announce() && agent.dormant)
        atomic_store(&announced, false); /* lanescope attached while the driver starts: later */
}

static void *thread_main(void *unused)
{
    uint32_t period_ms = agent.config.flush_ms ? agent.config.flush_ms : AGENT_FLUSH_MS;
    while (!atomic_load(&agent.stopping)) {
        wait_for_kick(period_ms);
        if (wire_producer_orphaned(agent.wire) || atomic_load(&agent.distrusted)) {
            agent_retire();
            return unused;
        }
        announce_devices_once();
        int64_t now_ns = agent_now_ns();
        capture_tick(now_ns);
        if (agent_traces()) {
            activity_flush(false);
            activity_tick(now_ns, false);
            if (bursts_waiting())
                agent_kick();
        } else if (agent_samples()) {
            lines_tick(now_ns);
        } else {
            counters_tick(now_ns);
            source_send(now_ns + SOURCE_TICK_NS);
        }
    }
    return unused;
}

static int start_thread(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all,
                    &before); /* the agent's thread handles none of the program's signals */
    int failed = pthread_create(&agent.thread, NULL, thread_main, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed)
        pthread_setname_np(agent.thread, "lanescope");
    return failed;
}

/* ---- end ---- */

/* Sends the rest and says goodbye. */
static void capture_over(void)
{
    const struct timespec until = timespec_of(clock_real_ns() + (int64_t)1 * NS_PER_S);
    atomic_store(&agent.stopping, true);
    agent_kick();
    if (thread_started)
        pthread_timedjoin_np(agent.thread, NULL, &until);
    thread_started = false;
    if (atomic_load(&agent.running)) {
        announce_devices_once();
        if (agent_traces()) {
            activity_flush(true);
            activity_tick(agent_now_ns(), true);
        } else if (agent_samples()) {
            lines_end();
        } else {
            counters_end();
        }
        source_end(agent_now_ns() + SOURCE_END_NS);
    }
    atomic_store(&agent.running, false);
    struct event event = {.kind = EVENT_WATERMARK};
    event.watermark.time_ns = agent_now_ns();
    wire_emit(agent.wire, &event);
    event = (struct event){.kind = EVENT_GOODBYE};
    event.goodbye.time_ns = agent_now_ns();
    wire_emit(agent.wire, &event);
    /* The ring stays mapped: other threads may still run. */
}

static void at_exit(void)
{
    if (getpid() != agent.pid || !agent.wire)
        return;
    if (agent.dormant)
        dormant_stop();
    else
        capture_over();
}

/* A forked child shares the ring and the socket with its parent and must touch neither. */
static void in_child(void)
{
    atomic_store(&agent.running, false);
    struct wire_producer *wire = agent.wire;
    agent.wire = NULL;
    wire_producer_abandon(wire);
    counter_lock_abandon();
    dormant_abandon();
}

static void config_load(void)
{
    agent_config_init(&agent.config);
    const char *text = getenv(AGENT_CONFIG_VARIABLE);
    load_status = text ? agent_config_parse(text, &agent.config, &load_error) : STATUS_OK;
    if (load_status == STATUS_OK)
        load_status = cupti_load(&agent.cupti, agent.config.cupti_path, &load_error);
}

static void announce_process(void)
{
    char line[4096];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, line, sizeof line) : -1;
    if (fd >= 0)
        close(fd);
    if (length > 0)
        wire_emit_blob(agent.wire, BLOB_PROCESS, 0, line, (size_t)length);
}

static bool announce_event(void *wire, const struct event *event)
{
    return wire_emit(wire, event);
}

static uint32_t announce_string(void *wire, const char *text)
{
    return wire_string(wire, text);
}

static enum status set_up(struct error *error)
{
    const struct stacks_out out = {.string = announce_string,
                                   .emit = announce_event,
                                   .user = agent.wire,
                                   .native = agent.config.stacks == AGENT_STACKS_NATIVE};
    bool stacks =
        agent_traces() && (out.native || (agent.config.stacks == AGENT_STACKS_PYTHON && python_is_loaded()));
    static struct stacks *kept_stacks;
    if (!agent.shapes)
        agent.shapes = shapes_create(announce_event, agent.wire);
    if (!agent.launches)
        agent.launches = launches_create();
    if (stacks && !kept_stacks)
        kept_stacks = stacks_create(&out);
    agent.stacks = stacks ? kept_stacks : NULL;
    if (!agent.shapes || !agent.launches || (stacks && !agent.stacks))
        return error_set(error, STATUS_MEMORY, "There is no memory for the agent: nothing is recorded.");
    enum status status = callbacks_subscribe(error);
    if (status == STATUS_OK)
        status = agent_traces()    ? activity_start(error)
                 : agent_samples() ? lines_start(error)
                                   : counters_start(error);
    if (status != STATUS_OK)
        return status;
    bursts_start();
    atomic_store(&agent.running, true);
    capture_start(agent_now_ns());
    if (start_thread() != 0)
        return error_set(error, STATUS_MEMORY,
                         "The agent's thread could not be started: nothing is recorded.");
    thread_started = true;
    return STATUS_OK;
}

static void hello_fill(struct wire_hello *hello)
{
    *hello = (struct wire_hello){.role = WIRE_ROLE_AGENT,
                                 .start_ns = agent_now_ns(),
                                 .clock = CLOCK_WALL,
                                 .run_mode = (uint32_t)agent.config.mode,
                                 .rank = rank_of_job()};
}

/* ---- a dormant program ---- */

/* Of loading CUPTI, and of subscribing: a thread may use NVTX for the first time while lanescope attaches. */
static pthread_mutex_t cupti_lock = PTHREAD_MUTEX_INITIALIZER;

/* Once; then CUPTI is loaded, and has no subscriber. The lock is held. */
static enum status cupti_ready(struct error *error)
{
    static bool loaded;
    enum status status = loaded ? STATUS_OK : cupti_load(&agent.cupti, agent.config.cupti_path, error);
    loaded |= status == STATUS_OK;
    return status;
}

static enum status capture_set_up(const char *socket, const char *config, struct error *error)
{
    struct wire_hello hello;
    agent_config_init(&agent.config);
    enum status status = agent_config_parse(config, &agent.config, error);
    if (status == STATUS_OK && agent.config.mode != RUN_TRACE)
        status = error_set(error, STATUS_UNSUPPORTED, "A program that runs can be traced, not counted.");
    if (status == STATUS_OK)
        status = cupti_ready(error);
    hello_fill(&hello);
    if (status == STATUS_OK)
        status = wire_producer_connect(agent.wire, socket, &hello, error);
    if (status != STATUS_OK)
        return status;
    atomic_store(&agent.stopping, false);
    atomic_store(&agent.driver_ready, true);
    atomic_store(&agent.stream_captures, 0);
    status = set_up(error);
    if (status != STATUS_OK) {
        atomic_store(&agent.running, false);
        callbacks_unsubscribe();
        wire_producer_disconnect(agent.wire);
    }
    return status;
}

static enum status capture_begin(const char *socket, const char *config, struct error *error)
{
    pthread_mutex_lock(&cupti_lock);
    enum status status = capture_set_up(socket, config, error);
    pthread_mutex_unlock(&cupti_lock);
    return status;
}

static bool capture_goes_on(void)
{
    return atomic_load(&agent.running) && !wire_producer_orphaned(agent.wire);
}

/* Kernels that run now are still recorded if they end before the last flush. */
static void capture_end(void)
{
    activity_pause();
    capture_over();
    callbacks_unsubscribe();
    wire_producer_disconnect(agent.wire);
}

static void dormant_begin(void)
{
    static const struct dormant_process process = {capture_begin, capture_goes_on, capture_end};
    struct error error;
    if (!getenv(DORMANT_VARIABLE) || wire_producer_create_dormant(&agent.wire, &error) != STATUS_OK)
        return;
    agent.dormant = true;
    agent.pid = getpid();
    announce_process();
    if (dormant_start(&process)) {
        pthread_atfork(NULL, NULL, in_child);
        atexit(at_exit);
    }
}

/* ---- begin ---- */

static __thread bool beginning;

static void begin_once(void)
{
    const char *path = getenv(WIRE_SOCKET_VARIABLE);
    struct wire_hello hello;
    struct error error;
    if (!path || !path[0]) {
        dormant_begin();
        return;
    }
    pthread_once(&once_loaded, config_load);
    source_start(path);
    hello_fill(&hello);
    agent.pid = getpid();
    if (wire_producer_create(&agent.wire, path, &hello, 0, &error) != STATUS_OK) {
        agent.wire = NULL; /* nobody listens: the program runs without the agent */
        return;
    }
    announce_process();
    enum status status = load_status;
    if (status == STATUS_OK)
        status = set_up(&error);
    else
        error = load_error;
    if (status != STATUS_OK) {
        atomic_store(&agent.running, false);
        agent_notice_error(&error);
    }
    pthread_atfork(NULL, NULL, in_child);
    atexit(at_exit);
}

static void agent_begin(void)
{
    beginning = true;
    begin_once();
    beginning = false;
}

EXPORTED int InitializeInjection(void);
EXPORTED int InitializeInjectionNvtx(void *get_export_table);
EXPORTED int InitializeInjectionNvtx2(void *get_export_table);

/* The driver calls it at cuInit. Always returns 1 (success): the program must not fail because of the agent.
 */
int InitializeInjection(void)
{
    if (!beginning) /* agent_begin() itself may start the driver */
        pthread_once(&once_begun, agent_begin);
    return 1;
}

/* CUPTI's NVTX functions crash if CUPTI is not set up, as on a machine without a driver. A dormant program that uses
 * NVTX pays for its calls: names that it registers before an attach are known then. */
static bool may_forward(void)
{
    struct error error;
    InitializeInjection();
    if (!agent.dormant)
        return atomic_load(&agent.running);
    pthread_mutex_lock(&cupti_lock);
    bool may =
        atomic_load(&agent.running) || (agent.wire && cupti_ready(&error) == STATUS_OK && callbacks_try());
    pthread_mutex_unlock(&cupti_lock);
    return may;
}

/* NVTX calls it at a library's first NVTX call, before or after cuInit. For NVTX 0 is failure, after which it
 * drops every later call; for CUPTI 0 is success. */
int InitializeInjectionNvtx(void *get_export_table)
{
    return may_forward() && agent.cupti.cuptiNvtxInitialize(get_export_table) == CUPTI_SUCCESS;
}

int InitializeInjectionNvtx2(void *get_export_table)
{
    return may_forward() && agent.cupti.cuptiNvtxInitialize2(get_export_table) == CUPTI_SUCCESS;
}
