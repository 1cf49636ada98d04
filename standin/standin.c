/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the stand-in: one device, one lock, the sticky error, and the result of the program's run.
 * `device` is opened by the first call and closed when the program ends; `lost` stays once it is set.
 *
 * A thread is in one call at a time. While it is in one, it cannot be cancelled; a second call, by a function of
 * a stream or a handler of a signal, is refused; and a call that was left by a jump, or whose thread has ended,
 * ends the run, since the model is in the middle of it. If the program ends within a call, what had ended before
 * is sent, and the device stays open.
 */
#include "standin/standin.h"

#include "core/base/clock.h"
#include "core/hardware/arch.h"
#include "simt/debug/debug.h"
#include "standin/absent.h"
#include "standin/driver.h"
#include "standin/host_access.h"
#include "standin/interrupt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define END_AFTER_NS 900000000 /* a signal: how long to wait for the call that runs */
#define EXIT_FOUND 1           /* exit status after a kernel's fault, or if --check found something */

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    struct device *device;
    int gpus;
    bool tried;                 /* opening was tried */
    cudaError_t lost;           /* cudaSuccess: not lost */
    bool refused, check, fault; /* fault: a kernel was stopped by a check */
    atomic_bool ended;          /* the end of the run is sent, or being sent */
    const char *running;        /* the call that holds the lock; NULL: its name is not known */
    atomic_uint handlers_calls; /* that were refused: calls of handlers within another call */
    pthread_key_t thread_key;
} state = {.once = PTHREAD_ONCE_INIT};

static __thread cudaError_t last_error;
static __thread int current_gpu;
static __thread struct {
    unsigned held;    /* calls that hold the lock: one, or those that it is made of */
    unsigned refused; /* calls within it that were refused and have not returned */
    int cancel;       /* the thread's cancellation state before it */
    bool watched;     /* its end is noticed */
} thread;

/* ---- a call within a call ---- */
/* The calls of the thread, from the innermost on, until one of this library's that is not of this call. */
struct walk {
    bool left, handler,
        found;     /* left: past the frames of this call; handler: a signal's handler is between */
    uint64_t last; /* address of the outermost one */
};

bool standin_is_own(const void *address)
{
    Dl_info there, here;

    return dladdr(address, &there) && dladdr(&state, &here) && there.dli_fbase == here.dli_fbase;
}

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *owner)
{
    struct walk *walk = owner;
    int interrupted = 0;
    const uint64_t at = _Unwind_GetIPInfo(context, &interrupted);

    if (at == 0)
        return _URC_NORMAL_STOP; /* beyond the outermost one */
    walk->last = at - (interrupted ? 0 : 1);
    walk->handler |= interrupted;
    const bool own = standin_is_own((const void *)(uintptr_t)walk->last);
    walk->found = own && walk->left;
    walk->left |= !own;
    return walk->found ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static _Noreturn void end_left(void)
{
    static const char text[] =
        "%s has not returned: the program left it by a jump, or by the end of its thread, in a handler of a "
        "signal or a function of a stream. The device model is in the middle of it, and the run ends here. "
        "Return from the handler or the function, and jump from code that is outside of CUDA's calls.";
    char said[500];

    snprintf(said, sizeof said, text, state.running ? state.running : "A call of CUDA");
    fprintf(stderr, "lanescope: %s\n", said);
    if (!atomic_exchange(&state.ended, true) && state.device) {
        told_notice(SEVERITY_ERROR, STATUS_UNSUPPORTED, said);
        told_end(state.device);
        told_close();
    }
    fflush(NULL);
    _exit(STANDIN_EXIT_REFUSED);
}

static void thread_ends(void *unused)
{
    (void)unused;
    if (thread.held > 0)
        end_left();
}

/* In a handler only what a handler may call. */
static cudaError_t enter_again(void)
{
    struct walk walk = {.left = false};
    Dl_info outermost;
    char text[500];

    thread.refused++;
    _Unwind_Backtrace(walk_frame, &walk);
    /* Code without a table of its frames, as a compiler makes it at run time, ends the walk early. */
    if (!walk.found && dladdr((const void *)(uintptr_t)walk.last, &outermost))
        end_left();
    if (!walk.handler)
        return cudaErrorNotPermitted; /* a function of a stream, which may not call CUDA on a GPU either */
    int length =
        snprintf(text, sizeof text,
                 "lanescope: A handler of a signal calls CUDA while its thread is in %s: the device model is "
                 "in one call of a thread at a time, and the handler's is refused (cudaErrorNotPermitted). "
                 "Set a variable in the handler, and call CUDA where the program reads it.\n",
                 state.running ? state.running : "a call of CUDA");
    if (atomic_fetch_add(&state.handlers_calls, 1) == 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        return cudaErrorNotPermitted; /* there is nowhere else to say it; the recording has it */
    return cudaErrorNotPermitted;
}

/* ---- the device ---- */
static void make_lock(void)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&state.lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

static void forget_in_child(void)
{
    told_forget();
    interrupt_forget();
    state.device = NULL; /* the workers are threads of the parent */
    state.tried = true;
    state.lost = cudaErrorInitializationError;
    state.refused = state.fault = false;
    make_lock(); /* a thread of the parent may hold it */
    for (unsigned i = 0; i < thread.held; i++)
        pthread_mutex_lock(&state.lock);
}

static void prepare_lock(void)
{
    make_lock();
    pthread_key_create(&state.thread_key, thread_ends);
    pthread_atfork(NULL, NULL, forget_in_child);
}

/* CUDA_VISIBLE_DEVICES: numbers, up to the first one that no GPU has. All GPUs of the model are equal, so
 * that their number alone matters. */
static cudaError_t hide_gpus(uint32_t *gpus)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *at = visible;
    uint32_t seen = 0, count = 0;
    char *end;
    char text[400];

    while (at) {
        const long number = strtol(at, &end, 10);
        if (end == at || number < 0 || number >= (long)*gpus)
            break;
        if (seen & UINT32_C(1) << number)
            return cudaErrorInvalidDevice; /* as an H200 says it of a number that is there twice */
        seen |= UINT32_C(1) << number;
        count++;
        at = strchr(end, ',');
        at = at ? at + 1 : NULL;
    }
    if (!visible || count > 0) {
        *gpus = visible ? count : *gpus;
        return cudaSuccess;
    }
    snprintf(
        text, sizeof text,
        "CUDA_VISIBLE_DEVICES is \"%.200s\", which names none of the %u modelled GPU%s: the program finds no "
        "device. Unset it, or set it to 0.",
        visible, *gpus, *gpus == 1 ? "" : "s");
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_WARNING, STATUS_OK, text);
    return cudaErrorNoDevice;
}

/* Of the process that the debugger has started, not of those that it starts itself. */
static struct stepper *stepper_of_debugger(void)
{
    const char *socket = getenv(STANDIN_DEBUG_VARIABLE);
    struct stepper *stepper =
        socket ? debug_serve((int)strtol(socket, NULL, 10), getenv(STANDIN_STEPPED_VARIABLE), 1) : NULL;
    unsetenv(STANDIN_DEBUG_VARIABLE);
    return stepper;
}

static void open_device(void)
{
    const char *model = getenv(STANDIN_MODEL_VARIABLE), *rules = getenv(STANDIN_RULES_VARIABLE),
               *launches = getenv(STANDIN_LAUNCHES_VARIABLE), *gpus = getenv(STANDIN_GPUS_VARIABLE);
    struct simt_options options = {.gpu = model ? gpu_find(model) : NULL,
                                   .rules = rules ? arch_parse(rules) : NULL,
                                   .gpus = gpus ? (uint32_t)strtoul(gpus, NULL, 10) : 1,
                                   .check = getenv(STANDIN_CHECK_VARIABLE) != NULL,
                                   .checked = getenv(STANDIN_CHECK_VARIABLE),
                                   .launches = launches ? (uint32_t)strtoul(launches, NULL, 10) : 0,
                                   .keep_ptx = getenv(STANDIN_KEEP_VARIABLE) != NULL,
                                   .reverse = getenv(STANDIN_REVERSE_VARIABLE) != NULL,
                                   .unified = true,
                                   .cancel = interrupt_flag(),
                                   .ptx = image_ptx,
                                   .registers = image_registers};
    char text[300];
    struct error error;

    state.tried = true;
    state.check = options.check;
    waiting_begin();
    told_connect(&options);
    options.stepper = stepper_of_debugger();
    state.lost = hide_gpus(&options.gpus);
    if (state.lost)
        return;
    state.gpus = (int)options.gpus;
    if (!options.gpu) {
        options.gpu = binary_gpu(gpu_at(0));
        snprintf(
            text, sizeof text,
            "The program's PTX is for compute capability %s and newer alone: it runs on the model of the %s.",
            capability_text(options.gpu->info.compute_capability).text, options.gpu->info.name);
        if (options.gpu != gpu_at(0)) {
            fprintf(stderr, "lanescope: %s\n", text);
            told_notice(SEVERITY_INFO, STATUS_OK, text);
        }
    }
    image_choose_code(options.gpu->info.compute_capability);
    if (simt_device_open(&options, &state.device, &error) != STATUS_OK) {
        state.lost = cudaErrorInitializationError;
        standin_refuse("%s", error.text);
        return;
    }
    told_begin(state.device, options.gpus);
    interrupt_begin();
    host_access_begin();
}

struct device *standin_device(void)
{
    return state.device;
}

const struct device_info *standin_info(void)
{
    return simt_device_info(state.device);
}

/* ---- entering and leaving calls ---- */
void standin_enter_closed(void)
{
    int cancel;

    pthread_once(&state.once, prepare_lock);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (thread.held++ == 0)
        thread.cancel = cancel;
    if (!thread.watched)
        thread.watched = pthread_setspecific(state.thread_key, &thread) == 0;
    pthread_mutex_lock(&state.lock);
}

/* The program has called a function of the driver API. */
static bool standin_of_driver(void)
{
    const char *name = called_name();

    return name && strncmp(name, "cuda", 4) != 0;
}

/* needs_context: the driver API says so where the thread has none; calls of the runtime API make one. */
static cudaError_t enter_call(bool needs_context)
{
    if (thread.held > 0)
        return enter_again();
    standin_enter_closed();
    state.running = called_name();
    if (!state.tried)
        open_device();
    if (state.check)
        host_unguard();
    if (state.device) {
        simt_device_select(state.device, (uint32_t)current_gpu);
        const uint32_t number = standin_thread();
        simt_device_caller(state.device,
                           (struct simt_caller){.call = (uint64_t)number << 32 | called_number(),
                                                .name = state.running,
                                                .thread = number});
    }
    const cudaError_t closed = standin_of_driver()
                                   ? driver_opens(needs_context, current_gpu)
                                   : driver_takes_runtime(needs_context && !state.lost, current_gpu);
    return closed ? closed : !needs_context && state.fault ? cudaSuccess : state.lost;
}

cudaError_t standin_enter(void)
{
    return enter_call(true);
}

cudaError_t standin_enter_facts(void)
{
    return enter_call(false);
}

uint32_t standin_thread(void)
{
    static __thread uint32_t number;

    if (number == 0)
        number = gettid() == getpid() ? MODEL_THREAD : (uint32_t)gettid();
    return number;
}

int standin_gpu(void)
{
    return current_gpu;
}

void standin_gpu_set(int gpu)
{
    current_gpu = gpu;
}

bool standin_checks(void)
{
    return state.check;
}

int standin_gpus(void)
{
    return state.gpus;
}

/* Another thread ends the program by a signal. */
static _Noreturn void wait_for_signal(void)
{
    for (;;)
        pause();
}

cudaError_t standin_leave(cudaError_t code)
{
    if (code != cudaSuccess && !standin_of_driver())
        last_error = code;
    if (thread.refused > 0) {
        thread.refused--;
        return code;
    }
    if (state.check && code != cudaSuccess && code != state.lost)
        host_call_failed(called_name(), (int)code);
    if (state.check && state.device)
        host_guard(state.device);
    if (thread.held == 1)
        state.running = NULL;
    pthread_mutex_unlock(&state.lock);
    if (--thread.held == 0)
        pthread_setcancelstate(thread.cancel, NULL);
    if (atomic_load(interrupt_flag()))
        wait_for_signal(); /* the program would take the cancelled launch for a failed one */
    return code;
}

cudaError_t standin_null(void)
{
    cudaError_t lost = standin_enter_facts();

    return standin_leave(lost ? lost : cudaErrorInvalidValue);
}

cudaError_t standin_leave_status(enum status status, const struct error *error)
{
    enum check_kind kind = told_stopped();

    if (status == STATUS_OK)
        return standin_leave(cudaSuccess);
    if (status == STATUS_UNSUPPORTED || status == STATUS_FORMAT || status == STATUS_VERSION)
        return standin_leave(state.lost = standin_refuse("%s", error->text));
    if (status == STATUS_CHECK && kind != CHECK_KIND_COUNT) {
        /* The launch has been issued: as on a GPU, the next call returns the error. */
        fprintf(stderr, "lanescope: %s\n", error->text);
        state.lost = (cudaError_t)check_cuda_error(kind);
        state.fault = true;
        return standin_leave(getenv("CUDA_LAUNCH_BLOCKING") ? state.lost : cudaSuccess);
    }
    if (status == STATUS_USAGE || status == STATUS_MEMORY)
        fprintf(stderr, "lanescope: %s\n", error->text); /* the code alone is not informative */
    return standin_leave(error_of_status(status));
}

/* Calls return a kernel's fault from then on, but the thread's last error is taken as any other. */
cudaError_t standin_last_error(bool reset)
{
    if (!state.tried && getenv("CUDA_VISIBLE_DEVICES")) /* perhaps there is none */
        standin_leave(standin_enter_facts());
    cudaError_t error = state.lost == cudaErrorNoDevice ? state.lost : last_error;

    if (error != cudaSuccess)
        host_error_seen(0);
    if (reset)
        last_error = cudaSuccess;
    return error;
}

cudaError_t standin_lose(cudaError_t code)
{
    return state.lost = code;
}

bool standin_reset(cudaError_t code)
{
    if (state.fault && state.lost != cudaErrorContextIsDestroyed)
        state.lost = code;
    return state.fault;
}

cudaError_t standin_refuse(const char *format, ...)
{
    char text[1100];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    state.refused = true;
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_ERROR, STATUS_UNSUPPORTED, text);
    return cudaErrorNotSupported;
}

void lanescope_library_say(const char *text, bool refuse)
{
    standin_enter();
    if (refuse)
        standin_refuse("%s", text);
    else
        told_notice(SEVERITY_INFO, STATUS_OK, text);
    standin_leave(cudaSuccess);
    if (refuse)
        exit(STANDIN_EXIT_REFUSED);
}

/* ---- the end ---- */
const char *standin_running(void)
{
    return state.running;
}

static void end_send(void)
{
    const unsigned calls = atomic_load(&state.handlers_calls);
    char text[300];

    snprintf(
        text, sizeof text,
        "%u call%s of CUDA by handlers of signals %s refused (cudaErrorNotPermitted), since the thread was in "
        "another call: a launch among them has not run.",
        calls, calls == 1 ? "" : "s", calls == 1 ? "was" : "were");
    if (calls > 0)
        told_notice(SEVERITY_ERROR, STATUS_UNSUPPORTED, text);
    told_end(state.device);
}

/* Takes the lock, if the call that holds it ends in time. */
static bool end_lock(void)
{
    const struct timespec until = timespec_of(clock_real_ns() + END_AFTER_NS);

    return pthread_mutex_timedlock(&state.lock, &until) == 0;
}

/* False: a call does not end, or the program is ending anyway. What was sent so far is kept in any case. */
static bool end_begin(void)
{
    if (!end_lock())
        return false;
    if (!atomic_exchange(&state.ended, true))
        return true;
    clock_pause(END_AFTER_NS);
    return false;
}

void standin_end_by_signal(int signal_number)
{
    if (!end_begin())
        return;
    told_cut(signal_number == SIGINT ? "by SIGINT" : signal_number == SIGTERM ? "by SIGTERM" : "by SIGHUP");
    end_send();
    told_close();
}

void standin_end_by_fault(void (*print)(char *text, size_t size_bytes), bool in_call, int signal_number)
{
    bool tell = in_call ? !atomic_exchange(&state.ended, true) : end_begin();
    char text[1100];

    print(text, sizeof text);
    fprintf(stderr, "lanescope: %s\n", text);
    if (tell) {
        told_notice(SEVERITY_ERROR, STATUS_CHECK, text);
        end_send();
        told_close();
    }
    if (signal_number)
        interrupt_end_by(signal_number);
    _exit(EXIT_FOUND);
}

void standin_crash(const char *given)
{
    standin_enter_closed();
    const char *name = called_name();
    bool tell = end_begin();
    char text[400];

    snprintf(text, sizeof text,
             "%s is given %s: NVIDIA's runtime crashes there, and the program ends by the same signal.",
             name ? name : "A call", given);
    fprintf(stderr, "lanescope: %s\n", text);
    if (tell && state.device) {
        told_notice(SEVERITY_ERROR, STATUS_CHECK, text);
        end_send();
        told_close();
    }
    interrupt_end_by(SIGSEGV);
}

/* False: the program ends within a call, of this thread or another one, whose launch is cancelled. */
static bool end_waits(void)
{
    if (thread.held > 0)
        return false;
    pthread_once(&state.once, prepare_lock);
    if (pthread_mutex_trylock(&state.lock) == 0)
        return true;
    interrupt_cancel();
    end_lock();
    return false;
}

/* Registered before the program's own atexit functions and destructors, so that it runs after them, also
 * after the unregistering of its kernels. If the program's own status is not 0, it is kept. */
static void end_of_program(int status, void *unused)
{
    bool found = state.fault || (state.check && told_found());

    (void)unused;
    if (state.check && !atomic_load(&state.ended))
        found |= host_findings_tell((status & 0xff) == 0);
    if (atomic_exchange(&state.ended, true))
        wait_for_signal();
    const char *running = state.running;
    if (state.device && !end_waits()) {
        char how[100];
        snprintf(how, sizeof how, "while %s had not returned", running ? running : "a call of CUDA");
        told_cut(how);
        end_send();
    } else if (state.device) {
        if (state.check && state.lost == cudaSuccess)
            told_leaks(state.device);
        end_send();
        simt_device_close(state.device);
        state.device = NULL;
    }
    told_close();
    const bool refused = state.refused || atomic_load(&state.handlers_calls) > 0;
    if ((status & 0xff) == 0 && (refused || found)) {
        fflush(NULL); /* _exit does not flush */
        _exit(refused ? STANDIN_EXIT_REFUSED : EXIT_FOUND);
    }
}

__attribute__((constructor)) static void begin_of_program(void)
{
    on_exit(end_of_program, NULL);
}

/* ---- functions that the stand-in lacks ---- */
/* Refused like a kernel that the model cannot run. */
int absent_refuse(const char *name)
{
    struct error error;

    standin_enter_closed();
    return (int)standin_leave_status(error_set(&error, STATUS_UNSUPPORTED,
                                               "The program calls %s, which CUDA on the device model does "
                                               "not have (docs/standin.md lists what it "
                                               "has): the run ends with an error.",
                                               name),
                                     &error);
}
