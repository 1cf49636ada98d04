/* One thread. Signals are blocked and waited for, so that none is lost between a check and a wait. */
#include "cli/process/limited.h"

#include "cli/options/options.h"
#include "cli/process/memory_limit.h"
#include "core/base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_NS (20 * (int64_t)NS_PER_MS) /* a process takes 20 to 40 MB of memory in that time */
#define CGROUPS "/sys/fs/cgroup"

/* A sanitizer maps terabytes of shadow memory. */
#if defined SANITIZES_ADDRESSES || defined SANITIZES_THREADS
#define LIMIT_ADDRESSES false
#else
#define LIMIT_ADDRESSES true
#endif

static void limit_resource(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(what, &limit) == 0 && (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most))
        limit.rlim_cur = limit.rlim_max = most;
    setrlimit(what, &limit);
}

static _Noreturn void run_limited(char **argv, double seconds, const struct memory_limit *memory,
                                  const sigset_t *signals)
{
    memory_limit_enter(memory);
    if (LIMIT_ADDRESSES)
        limit_resource(RLIMIT_AS, LIMITED_ADDRESS_BYTES);
    limit_resource(RLIMIT_FSIZE, LIMITED_FILE_BYTES);
    limit_resource(RLIMIT_CORE, 0);
    limit_resource(RLIMIT_CPU, (rlim_t)(4 * seconds) + 1);
    sigprocmask(SIG_UNBLOCK, signals, NULL);
    execv(argv[0], argv);
    _exit(EXIT_NOT_FOUND);
}

/* Reaps what has ended. True: the program is among it. */
static bool reap_children(pid_t program, int *wait_status)
{
    bool ended = false;
    pid_t got;
    int status;

    while ((got = waitpid(-1, &status, WNOHANG)) > 0) {
        if (got != program)
            continue;
        *wait_status = status;
        ended = true;
    }
    return ended;
}

/* The children of this process die at once, and theirs become children of this process. */
static void kill_children(pid_t program)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    while (waitpid(-1, NULL, WNOHANG) >= 0) { /* < 0: none is left */
        FILE *list = fopen(path, "r");
        long child;

        if (!list)
            kill(program, SIGKILL); /* a kernel without this list: at least the program itself */
        while (list && fscanf(list, "%ld", &child) == 1)
            kill((pid_t)child, SIGKILL);
        if (list)
            fclose(list);
        clock_pause(NS_PER_MS);
        if (!list)
            break;
    }
}

static int wait_for_program(pid_t program, double seconds, const struct memory_limit *memory,
                            const sigset_t *signals)
{
    const int64_t until_ns = clock_monotonic_ns() + (int64_t)(seconds * 1e9);
    const struct timespec pause = {0, WAIT_NS};
    int wait_status = 0;

    while (!reap_children(program, &wait_status)) {
        int got = sigtimedwait(signals, NULL, &pause);

        if ((got > 0 && got != SIGCHLD) || clock_monotonic_ns() >= until_ns)
            return EXIT_TIME_LIMIT;
        if (memory_limit_exceeded(memory, getpid()))
            return EXIT_MEMORY_LIMIT;
    }
    if (memory_limit_exceeded(memory, getpid())) /* a cgroup ends the program itself */
        return EXIT_MEMORY_LIMIT;
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int limited_main(int argc, char **argv, struct error *error)
{
    static const int waited[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    double seconds = argc > 3 ? strtod(argv[1], NULL) : 0, megabytes = argc > 3 ? strtod(argv[2], NULL) : 0;
    struct memory_limit memory;
    sigset_t signals;
    pid_t program;

    if (!(seconds > 0) || seconds > 1e6 || !(megabytes >= 1) || megabytes > 1e9) {
        error_set(error, STATUS_USAGE, LIMITED_OPTION " takes FOLDER SECONDS MEGABYTES PROGRAM ARGS...");
        return EXIT_USAGE;
    }
    if (chdir(argv[0]) != 0) {
        error_set_errno(error, STATUS_IO, errno, "Cannot enter %.300s", argv[0]);
        return EXIT_FAILED;
    }
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof waited / sizeof *waited; i++)
        sigaddset(&signals, waited[i]);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    memory_limit_begin(&memory, CGROUPS, (uint64_t)megabytes << 20);
    program = fork();
    if (program == 0)
        run_limited(argv + 3, seconds, &memory, &signals);
    if (program < 0) {
        memory_limit_end(&memory);
        error_set_errno(error, STATUS_IO, errno, "Cannot start %.300s", argv[3]);
        return EXIT_FAILED;
    }
    int status = wait_for_program(program, seconds, &memory, &signals);

    kill_children(program);
    memory_limit_end(&memory);
    return status;
}
