/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that steer sampling: made beside a session's socket, found by its path, bounded in their waits.
 * The handshake with a real sampler is in tests/cli/test_sampler.c.
 */
#include "core/wire/sampling_control.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int control_fd = -1;
static char folder[] = "/tmp/lanescope-control-XXXXXX", socket_path[64], path[80];

static void enter(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(socket_path, sizeof socket_path, "%s/wire", folder);
    cr_assert(sampling_control_path(socket_path, path, sizeof path));
}

static void leave(void)
{
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "something is left behind");
}

TestSuite(sampling_control, .init = enter, .fini = leave);

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Test(sampling_control, lies_beside_the_socket_for_its_user_only)
{
    struct error error = {0};
    struct stat status;
    char small[8];
    int second = -1;
    cr_assert_str_eq(path + sizeof folder, "sampling");
    cr_assert_not(sampling_control_path(socket_path, small, sizeof small));
    cr_assert_null(sampling_control_open(socket_path), "there is none yet");
    struct sampling_control *made = sampling_control_create(socket_path, &control_fd, &error);
    cr_assert(made, "%s", error.text);
    cr_assert_eq(lstat(path, &status), 0);
    cr_assert(S_ISLNK(status.st_mode));
    cr_assert_null(sampling_control_create(socket_path, &second, &error), "one a session");
    cr_assert_eq(error.status, STATUS_IO);
    cr_assert_eq(second, -1);
    struct sampling_control *found = sampling_control_open(socket_path);
    cr_assert(found);
    atomic_store(&made->gpu[3].wanted, 7);
    cr_assert_eq(atomic_load(&found->gpu[3].wanted), 7, "the same memory");
    sampling_control_close(found);
    sampling_control_close(made);
    sampling_control_close(NULL);
    close(control_fd);
    cr_assert_null(sampling_control_open(socket_path), "it is gone");
}

/* Who may open it may write words, and no more: nobody takes the memory away from under a reader. */
Test(sampling_control, nobody_can_shrink_it)
{
    struct sampling_control *made = sampling_control_create(socket_path, &control_fd, NULL);
    cr_assert_neq(truncate(path, 0), 0);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    cr_assert_neq(ftruncate(fd, 0), 0);
    cr_assert_neq(ftruncate(fd, 1 << 20), 0);
    close(fd);
    cr_assert_eq(open(path, O_RDWR | O_TRUNC | O_CLOEXEC), -1);
    cr_assert_eq(atomic_load(&made->gpu[3].wanted), 0, "it is there");
    sampling_control_close(made);
}

Test(sampling_control, takes_only_what_is_sealed_and_of_its_size)
{
    static const struct {
        size_t bytes;
        int seals;
    } rows[] = {{16, F_SEAL_SHRINK | F_SEAL_GROW},
                {sizeof(struct sampling_control), F_SEAL_GROW},
                {sizeof(struct sampling_control), 0}};
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    cr_assert_eq(ftruncate(fd, sizeof(struct sampling_control)), 0);
    close(fd);
    cr_assert_null(sampling_control_open(socket_path), "a file");
    unlink(path);
    cr_assert_eq(symlink("/dev/zero", path), 0);
    cr_assert_null(sampling_control_open(socket_path), "a device");
    unlink(path);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char target[64];
        fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        cr_assert_eq(ftruncate(fd, (off_t)rows[i].bytes), 0);
        cr_assert_eq(fcntl(fd, F_ADD_SEALS, rows[i].seals), 0);
        snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
        cr_assert_eq(symlink(target, path), 0);
        cr_assert_null(sampling_control_open(socket_path), "%zu bytes, seals %d", rows[i].bytes,
                       rows[i].seals);
        unlink(path);
        close(fd);
    }
}

Test(sampling_control, every_wait_ends)
{
    struct sampling_control *control = sampling_control_create(socket_path, &control_fd, NULL);
    struct sampling_slot *slot = &control->gpu[0];
    double since = seconds();
    sampling_control_wait(slot, atomic_load(&slot->changes), 20000000);
    cr_assert_geq(seconds() - since, 0.019);
    since = seconds();
    sampling_control_wait(slot, atomic_load(&slot->changes) + 1, 100000000000);
    cr_assert_lt(seconds() - since, 50, "something has changed already");
    since = seconds();
    cr_assert_eq(sampling_burst_ask(slot, 30000000), 0, "nobody begins one");
    cr_assert_geq(seconds() - since, 0.029);
    cr_assert_eq(slot->asked, 1);
    cr_assert_eq(slot->enough, 1, "what was asked for is not wanted any more");
    cr_assert_eq(sampling_burst_ask(slot, 30000000), 0, "the first asking is not dealt with yet");
    cr_assert_eq(slot->asked, 1);
    atomic_store(&slot->state, SAMPLING_ENDED);
    since = seconds();
    cr_assert_eq(sampling_burst_ask(slot, 100000000000), 0);
    cr_assert_lt(seconds() - since, 50, "there is no sampler to wait for");
    sampling_control_close(control);
}

Test(sampling_control, one_burst_at_a_time_among_processes)
{
    struct sampling_control *control = sampling_control_create(socket_path, &control_fd, NULL);
    struct sampling_slot *slot = &control->gpu[0];
    enum { ASKERS = 4 };
    pid_t askers[ASKERS];
    atomic_store(&slot->state, SAMPLING_RUNNING);
    for (int i = 0; i < ASKERS; i++) {
        askers[i] = fork();
        if (askers[i] == 0) {
            uint32_t number = sampling_burst_ask(slot, 100000000000);
            if (number)
                sampling_burst_enough(slot, number);
            _exit((int)number);
        }
    }
    for (uint32_t served = 0; served < ASKERS;) { /* a sampler */
        uint32_t changes = atomic_load(&slot->changes), asked = atomic_load(&slot->asked);
        if (asked == served || asked != served + 1) {
            cr_assert_eq(asked, served, "two at once");
            sampling_control_wait(slot, changes, 1000000000);
            continue;
        }
        atomic_store(&slot->begun, asked);
        sampling_control_tell(slot);
        while (atomic_load(&slot->enough) < asked)
            sampling_control_wait(slot, atomic_load(&slot->changes), 10000000);
        atomic_store(&slot->ended, ++served);
        sampling_control_tell(slot);
    }
    int numbers = 0;
    for (int i = 0; i < ASKERS; i++) {
        int status;
        waitpid(askers[i], &status, 0);
        cr_assert(WIFEXITED(status));
        numbers |= 1 << WEXITSTATUS(status);
    }
    cr_assert_eq(numbers, 2 + 4 + 8 + 16, "each has its own");
    sampling_control_close(control);
}
