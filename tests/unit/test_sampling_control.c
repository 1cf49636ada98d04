/*
 * The words that steer sampling: made beside a session's socket, found by its path, bounded in their waits.
 * The handshake with a real sampler is in tests/cli/test_sampler.c.
 */
#include "core/sampling_control.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
    cr_assert_str_eq(path + sizeof folder, "sampling");
    cr_assert_not(sampling_control_path(socket_path, small, sizeof small));
    cr_assert_null(sampling_control_open(socket_path), "there is none yet");
    struct sampling_control *made = sampling_control_create(socket_path, &error);
    cr_assert(made, "%s", error.text);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    cr_assert_null(sampling_control_create(socket_path, &error), "one a session");
    cr_assert_eq(error.status, STATUS_IO);
    struct sampling_control *found = sampling_control_open(socket_path);
    cr_assert(found);
    atomic_store(&made->gpu[3].wanted, 7);
    cr_assert_eq(atomic_load(&found->gpu[3].wanted), 7, "the same memory");
    sampling_control_close(found);
    sampling_control_close(made);
    sampling_control_close(NULL);
}

Test(sampling_control, takes_no_file_of_another_size)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    cr_assert_eq(ftruncate(fd, 16), 0);
    close(fd);
    cr_assert_null(sampling_control_open(socket_path));
    unlink(path);
    cr_assert_eq(symlink("/dev/zero", path), 0);
    cr_assert_null(sampling_control_open(socket_path), "no link is followed");
}

Test(sampling_control, every_wait_ends)
{
    struct sampling_control *control = sampling_control_create(socket_path, NULL);
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
    struct sampling_control *control = sampling_control_create(socket_path, NULL);
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
