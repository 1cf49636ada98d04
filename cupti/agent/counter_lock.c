/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A turn has no data but its socket. The socket's name is in Linux's abstract namespace, which has no files;
 * the peer of a connection to it is the process that holds it.
 *
 * This process's turns: a slot per GPU. `ours` is set once and stays; the rest of a slot belongs to the lock.
 * The socket is kept open to the end of the process, and closed only if it is still the file that was opened:
 * a program may close descriptors that are not its own.
 */
#include "cupti/agent/counter_lock.h"

#include "core/base/clock.h"
#include "cupti/agent/agent.h"
#include "cupti/load/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- one turn ---- */

/* The address in Linux's abstract namespace: the first byte of the name is 0. */
static socklen_t address_of(const uint8_t gpu_uuid[16], struct sockaddr_un *address)
{
    static const char prefix[] = "lanescope-counters-";
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    char *at = address->sun_path + 1;
    memcpy(at, prefix, sizeof prefix - 1);
    at += sizeof prefix - 1;
    for (int i = 0; i < 16; i++)
        at += sprintf(at, "%02x", gpu_uuid[i]);
    return (socklen_t)(at - (char *)address);
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int turn_take(const uint8_t gpu_uuid[16])
{
    struct sockaddr_un address;
    socklen_t length = address_of(gpu_uuid, &address);
    int fd = open_socket();
    if (fd < 0)
        return TURN_UNKNOWN;
    if (bind(fd, (const struct sockaddr *)&address, length) == 0) {
        listen(fd, 64); /* so that the others can see who it is */
        return fd;
    }
    int why = errno;
    close(fd);
    return why == EADDRINUSE ? TURN_TAKEN : TURN_UNKNOWN;
}

/* The name of a process's program, from /proc; "" if it has none. */
static void program_of(pid_t pid, char *text, size_t size_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, size_bytes - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

void turn_holder(const uint8_t gpu_uuid[16], char *text, size_t size_bytes)
{
    struct sockaddr_un address;
    socklen_t length = address_of(gpu_uuid, &address);
    struct ucred holder = {.pid = 0};
    socklen_t holder_bytes = sizeof holder;
    char program[32];
    int fd = open_socket();
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, length) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &holder, &holder_bytes) != 0)
        holder.pid = 0;
    if (fd >= 0)
        close(fd);
    if (holder.pid <= 0) {
        snprintf(text, size_bytes, "another process");
        return;
    }
    program_of(holder.pid, program, sizeof program);
    snprintf(text, size_bytes, "process %d (%s)", (int)holder.pid, program[0] ? program : "?");
}

/* ---- this process's turns ---- */

#define GPUS 64u
#define PATIENCE_NS 10000000000
#define PAUSE_NS 5000000
#define RETRY_NS 200000000

struct gpu {
    _Atomic bool ours;
    int fd;            /* -1: none */
    dev_t file_device; /* the file that fd was: a program may close descriptors that it did not open */
    ino_t file_inode;  /* then means another file */
    int64_t waited_ns, retry_at_ns;
    bool told;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all but `ours` */
static struct gpu gpus[GPUS];

static bool uuid_of(uint32_t device, uint8_t uuid[16])
{
    struct driver driver;
    CUdevice handle;
    CUuuid bytes;
    if (!driver_find(&driver, false) || driver.cuDeviceGet(&handle, (int)device) != CUDA_SUCCESS ||
        driver.cuDeviceGetUuid(&bytes, handle) != CUDA_SUCCESS)
        return false;
    memcpy(uuid, bytes.bytes, 16);
    return true;
}

static void lock_keep(struct gpu *gpu, int fd)
{
    struct stat file;
    gpu->fd = fd >= 0 && fstat(fd, &file) == 0 ? fd : -1;
    if (gpu->fd >= 0) {
        gpu->file_device = file.st_dev;
        gpu->file_inode = file.st_ino;
    }
    atomic_store_explicit(&gpu->ours, true, memory_order_release);
}

static void tell_holder(uint32_t device, const uint8_t uuid[16])
{
    char holder[128];
    turn_holder(uuid, holder, sizeof holder);
    agent_notice(SEVERITY_WARNING, STATUS_STATE,
                 "The counters of GPU %u are in use by %s, and a GPU counts for one process at a time. "
                 "Kernels of this process are not measured until that one ends; run the processes one after "
                 "the other to measure all.",
                 device, holder);
}

/* Under the lock. */
static bool lock_take(struct gpu *gpu, uint32_t device)
{
    uint8_t uuid[16];
    if (atomic_load(&gpu->ours))
        return true;
    if (agent_now_ns() < gpu->retry_at_ns)
        return false;
    int fd = uuid_of(device, uuid) ? turn_take(uuid) : TURN_UNKNOWN;
    for (; fd == TURN_TAKEN && gpu->waited_ns < PATIENCE_NS; gpu->waited_ns += PAUSE_NS) {
        clock_pause(PAUSE_NS);
        fd = turn_take(uuid);
    }
    if (fd != TURN_TAKEN) { /* TURN_UNKNOWN: CUPTI will report whether the GPU is free */
        lock_keep(gpu, fd);
        return true;
    }
    if (!gpu->told)
        tell_holder(device, uuid);
    gpu->told = true;
    gpu->retry_at_ns = agent_now_ns() + RETRY_NS;
    return false;
}

bool counter_lock_wait(uint32_t device)
{
    struct gpu *gpu = &gpus[device % GPUS];
    if (atomic_load_explicit(&gpu->ours, memory_order_acquire))
        return true;
    pthread_mutex_lock(&lock);
    bool ours = lock_take(gpu, device);
    pthread_mutex_unlock(&lock);
    return ours;
}

void counter_lock_abandon(void)
{
    for (uint32_t i = 0; i < GPUS; i++) {
        struct stat file;
        if (atomic_load(&gpus[i].ours) && gpus[i].fd >= 0 && fstat(gpus[i].fd, &file) == 0 &&
            file.st_dev == gpus[i].file_device && file.st_ino == gpus[i].file_inode)
            close(gpus[i].fd);
    }
}
