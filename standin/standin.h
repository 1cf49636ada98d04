/*
 * CUDA's runtime API over the device model, in the program's own process: what the room's files share.
 *
 * An API function is STANDIN_API and runs between standin_enter() and standin_leave(): one recursive lock
 * around all of them, since the model has one driver. The device is opened by the first call that needs it.
 * Device addresses are the host's. Work is done when it is issued; streams, events and elapsed times are those
 * of the model's clock. What the model cannot do ends the program's run with a sentence and a status that is
 * not 0 (standin_refuse), also when the program ignores errors.
 */
#ifndef STANDIN_STANDIN_H
#define STANDIN_STANDIN_H

#include "core/base/error.h"
#include "core/wire/standin_config.h"
#include "simt/device/device.h"

#include <cuda_runtime_api.h>

#define STANDIN_API __attribute__((visibility("default")))
#define STANDIN_EXIT_REFUSED 125 /* as every failure of lanescope's own beside a program */

/* ---- every call (standin.c) ---- */
/* Takes the lock and opens the device. Not cudaSuccess: the device is lost, or there is none; the lock is
 * taken all the same. */
cudaError_t standin_enter(void);
void standin_enter_closed(void); /* the lock alone, where no device is needed */
/* Lets go of the lock; the code is also the thread's last error where it is one. */
cudaError_t standin_leave(cudaError_t code);
/* The same of a status of the model's: a refusal ends the run, a failed check is the device's last word. */
cudaError_t standin_leave_status(enum status status, const struct error *error);
cudaError_t standin_last_error(bool reset);
struct device *standin_device(void); /* between enter and leave */
const struct device_info *standin_info(void);
uint64_t standin_stream(cudaStream_t stream); /* the model's handle */
/* "lanescope: ..." on stderr and as a notice; the program's run ends with a status that is not 0. */
cudaError_t standin_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- how the run is told (told.c) ---- */
/* Connects to the collector that the environment names, if it names one, and fills in the sink. */
void told_connect(struct simt_options *options);
void told_begin(struct device *device); /* the device, and the run's begin */
void told_end(struct device *device);   /* the run's end; the device may be closed before the wire is */
void told_close(void);
void told_notice(enum severity severity, enum status status, const char *text);
void told_forget(void); /* in a forked child */
/* The first check of the last launch that would have stopped a GPU; CHECK_KIND_COUNT: none. */
enum check_kind told_stopped(void);
bool told_found(void); /* a check found anything in this run */

/* ---- PTX and kernels of the program's files (binary.c, image.c) ---- */
struct binary_kernel; /* what a cudaKernel_t and a registered function stand for */
/* The kernel registered under a host function's address, or a handle of __cudaGetKernel; NULL: neither. */
const struct binary_kernel *binary_kernel_find(const void *function);
const char *binary_kernel_name(const struct binary_kernel *kernel); /* as in the PTX */
/* The image (a name for device_launch) that has the kernel for the modelled GPU. UNSUPPORTED with a sentence
 * that says what the file holds instead. */
enum status binary_kernel_image(const struct binary_kernel *kernel, const char **image, struct error *error);
/* Where a variable registered under this host address lies on the device. */
enum status binary_symbol(const void *symbol, device_pointer *address, size_t *bytes, struct error *error);

/* The PTX texts of one file, by cuobjdump, read once. */
struct image_file;
enum status image_file_open(const char *path, struct image_file **file, struct error *error);
/* The newest PTX of the file that this compute capability runs and that has the entry or the variable; its
 * name is good for device_launch.image. */
const char *image_of_entry(const struct image_file *file, const char *entry, uint32_t compute_capability);
const char *image_of_variable(const struct image_file *file, const char *variable, uint32_t compute_capability);
uint32_t image_capability(const char *image); /* what its PTX was made for, 75 */
const char *image_file_holds(const struct image_file *file); /* "sm_75, sm_90"; "" without any PTX */
const char *image_ptx(const char *image, size_t *size_bytes); /* simt_options.ptx */

/* ---- streams that are being captured (runtime_graph.c) ---- */
uint64_t graph_origin(uint64_t stream); /* the first stream of its capture; 0: it is not captured */
void graph_forget(uint64_t stream); /* it is no longer part of a capture */
bool graph_takes_record(uint64_t stream, uint64_t event); /* true: the event was recorded in a capture */
bool graph_takes_wait(uint64_t stream, uint64_t event);   /* true: the stream waits inside a capture, which it joins */

/* ---- arrays (runtime_array.c) ---- */
bool standin_of_device(uint64_t address); /* does it lie in the device's memory? */
/* cudaMemcpy3D with an array on one side; enters and leaves by itself. */
cudaError_t standin_copy_3d_array(const struct cudaMemcpy3DParms *what, cudaStream_t stream);

/* ---- errors (errors.c) ---- */
cudaError_t error_of_status(enum status status);

#endif
