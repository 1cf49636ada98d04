/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of words in a sealed memfd. `changes` of a slot is the futex on which readers of the slot wait; it
 * is not a private futex, since they are in other processes.
 */
#include "core/wire/sampling_control.h"
#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAME "sampling"
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

bool sampling_control_path(const char *socket_path, char *path, size_t size_bytes)
{
    const char *slash = strrchr(socket_path, '/');
    int length =
        snprintf(path, size_bytes, "%.*s" NAME, slash ? (int)(slash + 1 - socket_path) : 0, socket_path);
    return length > 0 && (size_t)length < size_bytes;
}

static struct sampling_control *control_map(int fd)
{
    struct sampling_control *control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return control == MAP_FAILED ? NULL : control;
}

struct sampling_control *sampling_control_create(const char *socket_path, int *fd, struct error *error)
{
    char path[256], target[64];
    struct sampling_control *control = NULL;
    *fd = memfd_create("lanescope-sampling", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd >= 0 && ftruncate(*fd, sizeof *control) == 0 && fcntl(*fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) == 0)
        control = control_map(*fd);
    bool made = control != NULL;
    if (made) {
        snprintf(target, sizeof target, "/proc/%d/fd/%d", (int)getpid(), *fd);
        errno = ENAMETOOLONG;
        made = sampling_control_path(socket_path, path, sizeof path) && symlink(target, path) == 0;
    }
    if (made)
        return control;
    error_set_errno(error, STATUS_IO, errno,
                    "Counters cannot be sampled over time: the shared memory that controls the sampler "
                    "cannot be created beside %.200s",
                    socket_path);
    sampling_control_close(control);
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return NULL;
}

struct sampling_control *sampling_control_open(const char *socket_path)
{
    char path[256];
    struct sampling_control *control = NULL;
    int fd = -1;
    if (sampling_control_path(socket_path, path, sizeof path))
        fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat status;
    if (seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &status) == 0 &&
        status.st_size == (off_t)sizeof *control)
        control = control_map(fd);
    close(fd);
    return control;
}

void sampling_control_close(struct sampling_control *control)
{
    if (control)
        munmap(control, sizeof *control);
}

/* Processes share these futexes, so they are not of the private kind. */
void sampling_control_tell(struct sampling_slot *slot)
{
    atomic_fetch_add(&slot->changes, 1);
    syscall(SYS_futex, &slot->changes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void sampling_control_wait(struct sampling_slot *slot, uint32_t changes, int64_t most_ns)
{
    const struct timespec most = timespec_of(most_ns);
    if (most_ns > 0)
        syscall(SYS_futex, &slot->changes, FUTEX_WAIT, changes, &most, NULL, 0);
}

uint32_t sampling_burst_ask(struct sampling_slot *slot, int64_t most_ns)
{
    int64_t until_ns = clock_monotonic_ns() + most_ns;
    uint32_t number = 0;
    for (int64_t left_ns = most_ns; left_ns > 0; left_ns = until_ns - clock_monotonic_ns()) {
        uint32_t changes = atomic_load(&slot->changes);
        uint32_t ended = atomic_load(&slot->ended), asked = ended;
        if (atomic_load(&slot->state) == SAMPLING_ENDED)
            break;
        if (!number && atomic_compare_exchange_strong(&slot->asked, &asked, ended + 1)) {
            number = ended + 1;
            sampling_control_tell(slot);
            continue;
        }
        if (number && (int32_t)(atomic_load(&slot->begun) - number) >= 0)
            return number;
        sampling_control_wait(slot, changes, left_ns);
    }
    if (number)
        sampling_burst_enough(slot, number);
    return 0;
}

void sampling_burst_enough(struct sampling_slot *slot, uint32_t number)
{
    uint32_t before = atomic_load(&slot->enough);
    while ((int32_t)(number - before) > 0 && !atomic_compare_exchange_weak(&slot->enough, &before, number))
        ;
    sampling_control_tell(slot);
}
