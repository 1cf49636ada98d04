/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread. Signals are blocked and waited for, so that none is lost between a check and a wait.
 *
 * One limit of memory holds for all processes of the program: a cgroup (version 2), where this user may make
 * one, else their memory is counted from time to time while the program is waited for. Processes are counted
 * by /proc: the children of all threads of a process, and theirs. Resident pages are added first, which is
 * quick and counts what two processes share twice; only if that is too much, the proportional sizes are,
 * which take the kernel a millisecond for each GB.
 */
#include "cli/process/limited.h"

#include "cli/options/options.h"
#include "core/base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct memory_limit {
    uint64_t bytes;
    char cgroup[512]; /* its folder; "": there is none, and processes are counted */
};

#define DEPTH_MAX 64

/* ---- a cgroup ---- */
static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

    if (file >= 0)
        close(file);
    return written;
}

/* This process's own cgroup, below root. */
static bool find_own(const char *root, char *folder, size_t size_bytes)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[400];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file))
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            found = (size_t)snprintf(folder, size_bytes, "%s%s", root, line + 3) < size_bytes;
        }
    if (file)
        fclose(file);
    return found;
}

/* Memory that is full is not written to the disk, and the kernel ends all of the group, not one of it. */
static bool make_cgroup(struct memory_limit *limit, const char *parent)
{
    char bytes[30];

    if ((size_t)snprintf(limit->cgroup, sizeof limit->cgroup, "%s/lanescope-%ld", parent, (long)getpid()) >=
            sizeof limit->cgroup ||
        mkdir(limit->cgroup, 0755) != 0)
        return false;
    snprintf(bytes, sizeof bytes, "%" PRIu64, limit->bytes);
    if (write_text(limit->cgroup, "memory.max", bytes) &&
        write_text(limit->cgroup, "memory.oom.group", "1")) {
        write_text(limit->cgroup, "memory.swap.max", "0"); /* a kernel without swap has no such file */
        return true;
    }
    rmdir(limit->cgroup);
    return false;
}

/* Only a process of ours that tries it shows whether processes may be moved there. */
static bool admits_processes(const struct memory_limit *limit)
{
    int wait_status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(!write_text(limit->cgroup, "cgroup.procs", "0"));
    while (child > 0 && waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
}

/* Below this process's own cgroup, or below one above it: one that has processes itself has none below it
 * that limit memory. */
static void memory_limit_begin(struct memory_limit *limit, const char *root, uint64_t bytes)
{
    char parent[400], *slash;

    *limit = (struct memory_limit){.bytes = bytes};
    for (bool more = find_own(root, parent, sizeof parent); more;) {
        if (make_cgroup(limit, parent)) {
            if (admits_processes(limit))
                return;
            rmdir(limit->cgroup);
        }
        slash = strrchr(parent, '/');
        more = slash && slash >= parent + strlen(root);
        if (more)
            *slash = '\0';
    }
    limit->cgroup[0] = '\0';
}

/* The calling process, and those that it will start, are of the program. Before it is executed. */
static void memory_limit_enter(const struct memory_limit *limit)
{
    if (limit->cgroup[0])
        write_text(limit->cgroup, "cgroup.procs", "0");
}

static bool was_killed(const struct memory_limit *limit)
{
    char path[600], line[100];
    unsigned long kills = 0;

    snprintf(path, sizeof path, "%s/memory.events", limit->cgroup);
    FILE *file = fopen(path, "re");

    while (file && kills == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "oom_kill %lu", &kills) != 1)
            kills = 0;
    if (file)
        fclose(file);
    return kills > 0;
}

/* None of them is left. */
static void memory_limit_end(struct memory_limit *limit)
{
    if (limit->cgroup[0])
        rmdir(limit->cgroup);
    limit->cgroup[0] = '\0';
}

/* ---- counting ---- */
/* The sum of these lines of a file of /proc, in bytes. False: it has none of them, or cannot be read. */
static bool add_lines(pid_t process, const char *name, const char *const lines[2], uint64_t *bytes)
{
    char path[64], line[200];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)process, name);
    FILE *file = fopen(path, "re");

    while (file && fgets(line, sizeof line, file))
        for (int i = 0; i < 2; i++) {
            size_t length = strlen(lines[i]);

            if (strncmp(line, lines[i], length) != 0)
                continue;
            *bytes += strtoull(line + length, NULL, 10) << 10;
            found = true;
        }
    if (file)
        fclose(file);
    return found;
}

/* Not the pages of files, which are given back when memory is needed. */
static void add_process(pid_t process, bool exact, uint64_t *bytes)
{
    static const char *const resident[] = {"RssAnon:", "RssShmem:"}, *const shares[] = {"Pss_Anon:",
                                                                                        "Pss_Shmem:"};

    if (!exact || !add_lines(process, "smaps_rollup", shares, bytes))
        add_lines(process, "status", resident, bytes);
}

static void add_descendants(pid_t ancestor, bool exact, int depth, uint64_t *bytes)
{
    char path[330];
    struct dirent *task;
    long child;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)ancestor);
    DIR *tasks = depth < DEPTH_MAX ? opendir(path) : NULL;

    while (tasks && (task = readdir(tasks))) {
        snprintf(path, sizeof path, "/proc/%ld/task/%s/children", (long)ancestor, task->d_name);
        FILE *children = task->d_name[0] != '.' ? fopen(path, "re") : NULL;

        while (children && fscanf(children, "%ld", &child) == 1) {
            add_process((pid_t)child, exact, bytes);
            add_descendants((pid_t)child, exact, depth + 1, bytes);
        }
        if (children)
            fclose(children);
    }
    if (tasks)
        closedir(tasks);
}

/* The memory of the processes below one, in bytes. exact: what several share is counted once. */
static uint64_t memory_of_descendants(pid_t ancestor, bool exact)
{
    uint64_t bytes = 0;

    add_descendants(ancestor, exact, 0, &bytes);
    return bytes;
}

/* Do the processes below `ancestor` have more? Then they are to be killed. In a cgroup: one was killed for
 * it. */
static bool memory_limit_exceeded(const struct memory_limit *limit, pid_t ancestor)
{
    if (limit->cgroup[0])
        return was_killed(limit);
    return memory_of_descendants(ancestor, false) > limit->bytes &&
           memory_of_descendants(ancestor, true) > limit->bytes;
}

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
    pid_t program = fork();
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
