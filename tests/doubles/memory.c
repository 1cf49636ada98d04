/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allocator whose memory runs out, for LD_PRELOAD: of a process that is named lanescope, and of none that
 * it starts. Counts the allocations of the main thread. What the environment asks for: MEMORY_DOUBLE_FAILS=N
 * the N-th allocation fails (from 1), and all after it MEMORY_DOUBLE_ONCE=1       only that one fails
 *   MEMORY_DOUBLE_JOINED=1     counting begins, and begins anew, when the main thread has joined a thread
 *   MEMORY_DOUBLE_JOINS=N      but after N of them no more
 *   MEMORY_DOUBLE_COUNT=FILE   how many there were is written there at the end
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long long allocations, fails;
static int counts, once;
static char count_path[512];

__attribute__((constructor)) static void read_environment(void)
{
    const char *number = getenv("MEMORY_DOUBLE_FAILS"), *path = getenv("MEMORY_DOUBLE_COUNT");
    if (strcmp(program_invocation_short_name, "lanescope") != 0)
        return;
    unsetenv("LD_PRELOAD");
    fails = number ? strtoull(number, NULL, 10) : 0;
    once = getenv("MEMORY_DOUBLE_ONCE") != NULL;
    counts = getenv("MEMORY_DOUBLE_JOINED") == NULL;
    snprintf(count_path, sizeof count_path, "%s", path ? path : "");
}

__attribute__((destructor)) static void write_count(void)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%llu\n", allocations);
    int file = count_path[0] ? open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file >= 0 && write(file, text, (size_t)length) == length)
        close(file);
}

static int is_refused(void)
{
    if (!counts || gettid() != getpid())
        return 0;
    allocations++;
    if (fails == 0 || allocations < fails || (once && allocations > fails))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(old, size);
}

int pthread_join(pthread_t thread, void **result)
{
    int (*join)(pthread_t, void **);
    void *found = dlsym(RTLD_NEXT, "pthread_join");
    memcpy(&join, &found, sizeof join);
    int answer = join(thread, result);
    static int joins;
    const char *most = getenv("MEMORY_DOUBLE_JOINS");
    if (getenv("MEMORY_DOUBLE_JOINED") && gettid() == getpid() && (!most || joins++ < atoi(most))) {
        counts = 1;
        allocations = 0;
    }
    return answer;
}
