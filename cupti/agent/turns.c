/*
 * A slot per GPU. `ours` is set once and stays; the rest of a slot belongs to the lock. The socket is
 * kept open to the end of the process, and closed only if it is still the file that was opened: a program
 * may close descriptors that are not its own.
 */
#include "cupti/agent/turns.h"

#include "core/base/clock.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/turn.h"
#include "cupti/load/driver.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GPUS 64u
#define PATIENCE_NS 10000000000
#define PAUSE_NS 5000000
#define RETRY_NS 200000000

struct gpu {
    _Atomic bool ours;
    int fd;            /* -1: none */
    dev_t file_device; /* the file that fd was: a program may close descriptors that it did not open */
    ino_t file_inode;  /* then comes to mean another file */
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

bool turns_wait(uint32_t device)
{
    struct gpu *gpu = &gpus[device % GPUS];
    if (atomic_load_explicit(&gpu->ours, memory_order_acquire))
        return true;
    pthread_mutex_lock(&lock);
    bool ours = lock_take(gpu, device);
    pthread_mutex_unlock(&lock);
    return ours;
}

void turns_abandon(void)
{
    for (uint32_t i = 0; i < GPUS; i++) {
        struct stat file;
        if (atomic_load(&gpus[i].ours) && gpus[i].fd >= 0 && fstat(gpus[i].fd, &file) == 0 &&
            file.st_dev == gpus[i].file_device && file.st_ino == gpus[i].file_inode)
            close(gpus[i].fd);
    }
}
