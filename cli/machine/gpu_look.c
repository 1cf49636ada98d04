/*
 * The child sends one struct finding through a pipe and exits. If the driver hangs, the child is abandoned
 * after LOOK_MS.
 */
#include "cli/machine/gpu_look.h"

#include "workloads/cuda/cuda.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 20000 /* on a machine with many GPUs the driver takes seconds to start */

/* What the child has to say. */
struct finding {
    uint32_t count, described;
    char text[480];
    struct device_description gpus[GPU_LOOK_MAX];
};

static void child_look(struct finding *finding, bool describe)
{
    struct error error = {0};

    if (cuda_count_devices(CUDA_LIBRARY, &finding->count, &error) != STATUS_OK)
        snprintf(finding->text, sizeof finding->text, "%.*s", (int)sizeof finding->text - 1, error.text);
    while (describe && finding->described < finding->count && finding->described < GPU_LOOK_MAX &&
           cuda_describe(CUDA_LIBRARY, finding->described, &finding->gpus[finding->described], &error) ==
               STATUS_OK)
        finding->described++;
}

static _Noreturn void look_and_tell(int fd, struct finding *finding, bool describe)
{
    const char *bytes = (const char *)finding;
    size_t told = 0;

    child_look(finding, describe);
    while (told < sizeof *finding) {
        ssize_t wrote = write(fd, bytes + told, sizeof *finding - told);
        if (wrote <= 0)
            _exit(1);
        told += (size_t)wrote;
    }
    _exit(0);
}

/* All of it, or false. */
static bool findings_read(int fd, struct finding *finding)
{
    struct pollfd answer = {.fd = fd, .events = POLLIN};
    char *bytes = (char *)finding;
    size_t heard = 0;

    while (heard < sizeof *finding) {
        ssize_t got = poll(&answer, 1, LOOK_MS) == 1 ? read(fd, bytes + heard, sizeof *finding - heard) : -1;
        if (got <= 0)
            return false;
        heard += (size_t)got;
    }
    return true;
}

/* In a child, into `finding`. */
static bool child_run(struct finding *finding, bool describe)
{
    int ends[2];
    pid_t child;
    bool heard;

    if (pipe(ends) < 0)
        return false;
    child = fork();
    if (child == 0)
        look_and_tell(ends[1], finding, describe);
    close(ends[1]);
    heard = child > 0 && findings_read(ends[0], finding);
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return heard;
}

uint32_t gpu_look(struct device_description *gpus, size_t most, char *why, size_t why_bytes)
{
    struct finding *finding = calloc(1, sizeof *finding);
    uint32_t count = 0;

    if (!finding || !child_run(finding, most > 0)) {
        snprintf(why, why_bytes, "The CUDA driver could not be queried for GPUs.");
    } else {
        finding->text[sizeof finding->text - 1] = '\0';
        snprintf(why, why_bytes, "%s", finding->text[0] ? finding->text : "The CUDA driver sees no GPU.");
        count = finding->count;
        for (size_t i = 0; i < most && i < count; i++)
            gpus[i] = i < finding->described ? finding->gpus[i] : (struct device_description){0};
    }
    free(finding);
    return count;
}
