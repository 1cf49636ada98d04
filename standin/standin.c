/*
 * The state of the stand-in: one device, one lock, the sticky error, and the result of the program's run.
 * `device` is opened by the first call and closed when the program ends; `lost` stays once it is set.
 */
#include "standin/standin.h"

#include "standin/called.h"
#include "standin/context.h"
#include "standin/host_access.h"
#include "standin/interrupt.h"
#include "standin/waiting.h"

#include "core/base/clock.h"
#include "core/hardware/arch.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
} state = {.once = PTHREAD_ONCE_INIT};

static __thread cudaError_t last_error;
static __thread int current_gpu;
static __thread bool in_host; /* in a function of a stream */

/* ---- the device ---- */
static void forget_in_child(void)
{
    told_forget();
    interrupt_forget();
    state.device = NULL; /* the workers are threads of the parent */
    state.tried = true;
    state.lost = cudaErrorInitializationError;
    state.refused = state.fault = false;
}

static void prepare_lock(void)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&state.lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
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
    return state.device->ops->info(state.device);
}

/* ---- entering and leaving calls ---- */
void standin_enter_closed(void)
{
    pthread_once(&state.once, prepare_lock);
    pthread_mutex_lock(&state.lock);
}

/* needs_context: the driver API says so where the thread has none; calls of the runtime API make one. */
static cudaError_t enter_call(bool needs_context)
{
    standin_enter_closed();
    if (!state.tried)
        open_device();
    if (state.check)
        host_unguard();
    if (state.device) {
        simt_device_select(state.device, (uint32_t)current_gpu);
        const uint32_t thread = standin_thread();
        simt_device_caller(state.device,
                           (struct simt_caller){.call = (uint64_t)thread << 32 | called_number(),
                                                .name = called_name(),
                                                .thread = thread});
    }
    const cudaError_t closed = standin_of_driver()
                                   ? driver_opens(needs_context, current_gpu)
                                   : driver_takes_runtime(needs_context && !state.lost, current_gpu);
    return in_host                         ? cudaErrorNotPermitted
           : closed                        ? closed
           : !needs_context && state.fault ? cudaSuccess
                                           : state.lost;
}

void standin_run_host(bool begins)
{
    in_host = begins;
}

cudaError_t standin_enter(void)
{
    return enter_call(true);
}

cudaError_t standin_enter_facts(void)
{
    return enter_call(false);
}

bool standin_of_driver(void)
{
    const char *name = called_name();

    return name && strncmp(name, "cuda", 4) != 0;
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
    if (state.check && code != cudaSuccess && code != state.lost)
        host_call_failed(called_name(), (int)code);
    if (state.check && state.device)
        host_guard(state.device);
    pthread_mutex_unlock(&state.lock);
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
/* False: a call does not end, or the program is ending anyway. What was sent so far is kept in any case. */
static bool end_begin(void)
{
    const struct timespec until = timespec_of(clock_real_ns() + END_AFTER_NS);

    if (pthread_mutex_timedlock(&state.lock, &until) != 0)
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
    told_signal(signal_number);
    told_end(state.device);
    told_close();
}

void standin_end_by_fault(void (*print)(char *text, size_t size_bytes))
{
    bool tell = end_begin();
    char text[1100];

    print(text, sizeof text);
    fprintf(stderr, "lanescope: %s\n", text);
    if (tell) {
        told_notice(SEVERITY_ERROR, STATUS_CHECK, text);
        told_end(state.device);
        told_close();
    }
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
        told_end(state.device);
        told_close();
    }
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    _exit(128 + SIGSEGV);
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
    if (state.device) {
        if (state.check && state.lost == cudaSuccess)
            told_leaks(state.device);
        told_end(state.device);
        state.device->ops->close(state.device);
        state.device = NULL;
    }
    told_close();
    if ((status & 0xff) == 0 && (state.refused || found)) {
        fflush(NULL); /* _exit does not flush */
        _exit(state.refused ? STANDIN_EXIT_REFUSED : EXIT_FOUND);
    }
}

__attribute__((constructor)) static void begin_of_program(void)
{
    on_exit(end_of_program, NULL);
}
