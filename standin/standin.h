/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA's runtime API over the device model, in the program's own process: what the room's files share.
 *
 * An API function is STANDIN_API and runs between standin_enter() and standin_leave(), which hold one
 * recursive lock for all of them, since the model has one driver. A call within a call of the same thread, by a
 * function of a stream or a handler of a signal, gets cudaErrorNotPermitted from standin_enter(), without the
 * lock: no API function calls another one before it has left. The first call that needs the device opens it.
 * Device addresses are addresses of the host process. Work is done when it is issued; streams, events and
 * elapsed times are those of the model's clock. If the program needs something that the model cannot do, its
 * run ends with a sentence and a status that is not 0 (standin_refuse), even if the program ignores errors.
 */
#ifndef STANDIN_STANDIN_H
#define STANDIN_STANDIN_H

#include "core/base/error.h"
#include "core/wire/standin_config.h"
#include "simt/device/device.h"

#include <cuda_runtime_api.h>

#define STANDIN_API __attribute__((visibility("default")))
#define STANDIN_EXIT_REFUSED 125 /* as for every failure of lanescope itself that is not the program's */

/* ---- every call (standin.c) ---- */
/* Takes the lock and opens the device. Not cudaSuccess: the device is lost, or there is none; the lock is
 * taken even then. */
cudaError_t standin_enter(void);
/* The same for calls that need no context: they answer also after a kernel's fault. */
cudaError_t standin_enter_facts(void);
void standin_enter_closed(void); /* only the lock, for calls that need no device */
/* Releases the lock; an error code of the runtime API also becomes the thread's last error. */
cudaError_t standin_leave(cudaError_t code);
/* For a null pointer where the call stores its result: an H200 says cudaErrorInvalidValue. Enters and leaves.
 */
cudaError_t standin_null(void);
/* The same for a status of the model: a refusal ends the run; after a failed check the device is lost. */
cudaError_t standin_leave_status(enum status status, const struct error *error);
cudaError_t standin_last_error(bool reset);
cudaError_t standin_lose(cudaError_t code); /* all calls return it from now on */
/* After a kernel's fault: true, and this is what all calls return from now on, as on an H200. */
bool standin_reset(cudaError_t code);
uint32_t standin_thread(void); /* the calling thread's number in events; 1: the one that began the program */
int standin_gpu(void);         /* the calling thread's GPU; from 0 */
void standin_gpu_set(int gpu);
bool standin_checks(void);           /* --check */
int standin_gpus(void);              /* how many there are; between enter and leave */
struct device *standin_device(void); /* between enter and leave */
const struct device_info *standin_info(void);
/* Sends the rest of the run when a signal ends the program; no call of another thread returns after it. */
void standin_end_by_signal(int signal_number);
/* Prints the sentence and ends the program: by the signal, or for 0 with the status of a kernel's fault. in_call:
 * the fault is within a call, which does not go on. */
_Noreturn void standin_end_by_fault(void (*print)(char *text, size_t size_bytes), bool in_call,
                                    int signal_number);
/* The function of CUDA's API that runs, of whichever thread; NULL: none, or its name is not known. */
const char *standin_running(void);
/* Is the function of the program that makes the call, or the instruction at the address, this library's? */
bool standin_is_own(const void *address);
/* Where NVIDIA's runtime reads through a wrong pointer or handle and crashes: says what the call was given,
 * and ends the program by the same signal. */
_Noreturn void standin_crash(const char *given);
/* Handles are small numbers: no other pointer of a program is below HANDLES_MAX. NVIDIA's are pointers into
 * memory that it reads, and that is gone with the object. */
#define HANDLES_MAX (UINT64_C(1) << 32)
#define HANDLES_OF_EVENTS (UINT64_C(1) << 31) /* what an event's handle has and a stream's has not */
/* Of the handle; cudaStreamLegacy is the default stream. */
static inline uint64_t standin_number(cudaStream_t stream)
{
    return stream == cudaStreamLegacy ? DEVICE_STREAM_DEFAULT : (uint64_t)(uintptr_t)stream;
}
static inline bool standin_stream_lives(uint64_t number)
{
    bool non_blocking;
    uint32_t gpu;

    return simt_device_stream(standin_device(), number, &gpu, &non_blocking);
}
/* The model's number of the event, which has a handle that no stream has, and the handle. */
uint64_t standin_event(cudaEvent_t event);
cudaEvent_t standin_event_handle(uint64_t number);
/* Writes "lanescope: ..." to stderr and sends it as a notice; the program's run ends with a status that is
 * not 0. */
cudaError_t standin_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For lanescope's own libraries (libraries/), in whose place NVIDIA's would be: says the text in the run's
 * notices; refuse: on stderr, too, and ends the run. */
STANDIN_API void lanescope_library_say(const char *text, bool refuse);

/* ---- the function of CUDA's API that the program has called in this thread, and is in (called.c) ---- */
/* "cudaMalloc", valid until the thread calls another one; NULL: none, or its name is not known. */
const char *called_name(void);
uint32_t called_number(void); /* of the call, in its thread */

/* ---- reporting the run (told.c) ---- */
/* Connects to the collector that the environment names, if there is one, and fills in the sink. */
void told_connect(struct simt_options *options);
/* Sends the devices and the run's begin. */
void told_begin(struct device *device, uint32_t gpus);
void told_end(struct device *device);   /* sends the run's end; the device may be closed before the wire is */
void told_leaks(struct device *device); /* says what the program has not freed */
void told_close(void);
void told_notice(enum severity severity, enum status status, const char *text);
/* The program's range or mark, now. Ids of its ranges have a bit that those of the model's have not. */
#define RANGE_ID_PROGRAM (UINT64_C(1) << 62)
void told_range(enum event_kind kind, uint64_t id, const char *text, const char *domain);
void told_gpus_asked(void);     /* the program asked how many GPUs there are */
void told_cut(const char *how); /* says how the program was ended within a call, and what is missing */
void told_forget(void);         /* in a forked child */
/* The first check of the last launch that would have stopped the kernel on a GPU; CHECK_KIND_COUNT: none. */
enum check_kind told_stopped(void);
bool told_found(void); /* a check has found something in this run */

void waiting_begin(void); /* the program's first call: launches that run for long are said on stderr */

/* ---- PTX and kernels of the program's files (binary.c, image.c) ---- */
struct binary_kernel; /* behind a cudaKernel_t and a registered function */
/* The kernel registered under a host function's address, or a handle of __cudaGetKernel; NULL: neither. */
const struct binary_kernel *binary_kernel_find(const void *function);
/* A kernel without a function of the host, of a module that the program loads; the name is copied. NULL: no
 * memory. */
const struct binary_kernel *binary_kernel_add(const char *image, const char *name);
const char *binary_kernel_name(const struct binary_kernel *kernel); /* as in the PTX */
/* The dynamic shared memory that cudaFuncSetAttribute allows the kernel, bytes; false: it said nothing. */
bool binary_kernel_shared_most(const struct binary_kernel *kernel, uint32_t *most);
void binary_kernel_allow_shared(const struct binary_kernel *kernel, uint32_t most);
/* The image (a name for device_launch) that contains the kernel for the modelled GPU. STATUS_UNSUPPORTED with
 * a sentence that says what the file contains instead. */
enum status binary_kernel_image(const struct binary_kernel *kernel, const char **image, struct error *error);
/* The modelled GPU that the program's own file needs, if no PTX in it runs on `usual`; else `usual`. */
const struct gpu *binary_gpu(const struct gpu *usual);
/* The device address of a variable that is registered under this host address. */
enum status binary_symbol(const void *symbol, device_pointer *address, size_t *bytes, struct error *error);

/* The PTX texts of one file, extracted by cuobjdump and read once. */
struct image_file;
enum status image_file_open(const char *path, struct image_file **file, struct error *error);
/* The same for one PTX text, which is copied, and for a fat binary in memory. */
enum status image_text_open(const char *ptx, size_t size_bytes, struct image_file **file,
                            struct error *error);
enum status image_bytes_open(const void *bytes, size_t size_bytes, struct image_file **file,
                             struct error *error);
/* The newest PTX of the file that this compute capability can run and that contains the entry or the
 * variable; its name is valid for device_launch.image. */
const char *image_of_entry(const struct image_file *file, const char *entry, uint32_t compute_capability);
const char *image_of_variable(const struct image_file *file, const char *variable,
                              uint32_t compute_capability);
uint32_t image_capability(const char *image); /* the compute capability that its PTX was made for, 75 */
const char *image_file_holds(const struct image_file *file); /* "sm_75, sm_90"; "" without any PTX */
/* Where its PTX is from, if it is not in the file, for the user; "": it is there. */
const char *image_file_note(const struct image_file *file, bool *warns);
uint32_t image_file_oldest(const struct image_file *file);    /* the oldest of these, 75; 0: no PTX */
bool image_is_program(const char *path);                      /* is it the file of this process's program? */
const char *image_ptx(const char *image, size_t *size_bytes); /* for simt_options.ptx */
/* For simt_options.registers: those of the kernel's machine code for the modelled GPU (exact), else for the
 * next older one in the file; 0: there is none. */
void image_choose_code(uint32_t compute_capability); /* of the modelled GPU; before the others */
uint32_t image_registers(const char *image, const char *kernel);
bool image_registers_are_exact(const char *image, const char *kernel);

/* ---- streams, and those that are being captured (graph/) ---- */
cudaError_t standin_check_stream(cudaStream_t stream); /* is it a stream? */
uint64_t standin_stream(cudaStream_t stream);          /* the model's handle of the stream */
uint64_t graph_origin(uint64_t stream); /* the first stream of its capture; 0: it is not captured */
void graph_abandon(uint64_t origin);    /* its capture, if it is the first stream of one */
void graph_forget(uint64_t stream);     /* it is no longer part of a capture */
bool graph_takes_record(uint64_t stream, uint64_t event); /* true: the event was recorded in a capture */
/* true: the stream waits inside a capture, which it joins; or, with a code, cannot */
bool graph_takes_wait(uint64_t stream, uint64_t event, cudaError_t *code);

/* A call that a capture forbids has a code, and the capture is invalid from then on. The codes are those of
 * an H200 (tests/data/strict_h200.txt). */
cudaError_t graph_forbids(void);        /* what waits or allocates, while a capture does not allow it */
cudaError_t graph_forbids_device(void); /* waiting for all of the device */
cudaError_t graph_forbids_wait(uint64_t stream); /* waiting for the stream, or asking whether it is over */
cudaError_t graph_forbids_event(uint64_t event); /* the same for an event */
/* A node that does nothing; the stream is captured. */
cudaError_t graph_takes_nothing(uint64_t stream);
/* The code of a call that failed; if its stream is captured, the capture is invalid, and the code says so. */
cudaError_t graph_invalidates(uint64_t stream, cudaError_t code);
bool graph_captures_event(uint64_t event);           /* recorded last in a capture */
cudaError_t graph_forbids_callback(uint64_t stream); /* what a graph cannot have as a node */
cudaError_t graph_forbids_work(uint64_t stream);     /* work in it; captured work counts as not joined yet */

/* True: the stream is captured, and the graph has a node that records the event or waits for it. */
bool graph_takes_event(uint64_t stream, uint64_t event, bool record, enum status *status,
                       struct error *error);

/* ---- memory (runtime_memory.c) ---- */
uint64_t standin_pool_threshold(void); /* what a pool may keep when something is waited for, bytes */
bool standin_is_pool(cudaMemPool_t pool);
/* For cudaDeviceReset: all that the program has, on the calling thread's GPU. */
void standin_free_all(void);
void standin_destroy_streams(void);
void standin_pool_release(
    void); /* after waiting, between enter and leave: gives back what a pool need not keep */

/* ---- arrays (runtime_array.c) ---- */
#define TEXTURE_ALIGNMENT_BYTES 512 /* of the texels' addresses, and of their pitch: an H200's properties */
#define TEXTURE_PITCH_BYTES 32
/* Is it in the device's memory? */
static inline bool standin_of_device(uint64_t address)
{
    struct simt_allocation allocation;

    return simt_device_allocation(standin_device(), address, &allocation) && !allocation.of_host;
}
/* Is it the handle of an array? That is no address, neither of the device nor of the host. */
bool array_is(const void *handle);
/* cudaMemcpy3D with an array on one side; enters and leaves by itself. */
cudaError_t standin_copy_3d_array(const struct cudaMemcpy3DParms *what, cudaStream_t stream, bool async);

/* ---- static runtimes (redirect.c) ---- */
void redirect_libraries(void); /* in libraries that were loaded since the last call */
/* The name of the file if it is one of NVIDIA's libraries, which the model cannot run; else NULL. */
const char *closed_library(const char *path);
/* Ends the run with the sentence. library: NULL: the program contains it. */
_Noreturn void closed_refuse(const char *name, const char *library);

/* ---- attributes (runtime_launch.c) ---- */
/* Of a stream, a launch or a node, that is a hint: says once what it does not do on the model. */
cudaError_t standin_take_attribute(cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value);

/* ---- kernels (runtime_launch.c) ---- */
/* Can the kernel be launched like that? For graphs, whose nodes are launched later. */
cudaError_t standin_check_launch(const void *function, dim3 grid, dim3 block, size_t shared_bytes);
cudaError_t standin_kernel_facts(const void *function, struct simt_kernel *facts, uint32_t *capability);

/* ---- errors (errors.c) ---- */
cudaError_t error_of_status(enum status status);

/* ---- tools of CUDA and of the system, without the preloaded stand-in (image.c) ---- */
/* Runs a program found on PATH in `folder` (NULL: here) and waits for its end. What it prints goes to
 * `output` (-1: nowhere). Its exit status; 127: there is no such program; -1: a signal ended it, that of
 * tool_run itself (errno ETIMEDOUT) after tool_within_ns. */
extern int64_t tool_within_ns;
int tool_run(const char *const argv[], const char *folder, int output);

/* ---- what CUDA's codes are called (errors.c); any thread ---- */
struct error_code {
    int code;
    const char *name, *driver_name; /* of the runtime and of the driver; NULL: it does not have the code */
    const char *text;
};

const struct error_code *error_code_find(int code); /* NULL: neither has it */

#endif
