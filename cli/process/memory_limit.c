/*
 * Processes are counted by /proc: the children of all threads of a process, and theirs. Resident pages are
 * added first, which is quick and counts what two processes share twice; only if that is too much, the
 * proportional sizes are, which take the kernel a millisecond for each GB.
 */
#include "cli/process/memory_limit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH_MAX 64

/* ---- a cgroup ---- */
static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[600];
    int file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = open(path, O_WRONLY | O_CLOEXEC);
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
void memory_limit_begin(struct memory_limit *limit, const char *root, uint64_t bytes)
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

void memory_limit_enter(const struct memory_limit *limit)
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

void memory_limit_end(struct memory_limit *limit)
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

uint64_t memory_of_descendants(pid_t ancestor, bool exact)
{
    uint64_t bytes = 0;

    add_descendants(ancestor, exact, 0, &bytes);
    return bytes;
}

bool memory_limit_exceeded(const struct memory_limit *limit, pid_t ancestor)
{
    if (limit->cgroup[0])
        return was_killed(limit);
    return memory_of_descendants(ancestor, false) > limit->bytes &&
           memory_of_descendants(ancestor, true) > limit->bytes;
}
