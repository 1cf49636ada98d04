/* SPDX-License-Identifier: Apache-2.0 */
/* What a program on the device model tells: a child calls CUDA, this process reads its ring. */
#if LANESCOPE_CUDA
#include "core/wire/wire.h"
#include "standin/driver.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry set(.param .u64 words)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n"
                           "ld.param.u64 %rd1, [words];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                           "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";

/* Launches `threads` of them over 128 bytes, and never returns. */
static _Noreturn void run_program(unsigned threads)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr words;
    void *arguments[] = {&words};

    if (cuInit(0) || cuModuleLoadData(&module, text) || cuModuleGetFunction(&function, module, "set") ||
        cudaMalloc((void **)(uintptr_t)&words, 128))
        _exit(9);
    cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
    cudaDeviceSynchronize();
    cudaMipmappedArray_t none;
    if (threads == 31)
        cudaMallocMipmappedArray(&none, NULL, (struct cudaExtent){0}, 0, 0);
    exit(0);
}

struct told {
    struct wire_hello hello;
    size_t kinds[256];
    char notices[8192];
    int status;
};

static void watch_program(unsigned threads, struct told *told)
{
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct error error;
    struct event event;
    const uint8_t *blob;
    int fd;

    memset(told, 0, sizeof *told);
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK, "%s", error.text);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv(WIRE_SOCKET_VARIABLE, wire_listener_path(listener), 1);
        run_program(threads);
    }
    struct pollfd wait = {.fd = wire_listener_fd(listener), .events = POLLIN};
    cr_assert_eq(poll(&wait, 1, 60000), 1);
    cr_assert_eq(wire_listener_accept(listener, &consumer, &told->hello, &fd, &error), STATUS_OK, "%s",
                 error.text);
    cr_assert_eq(waitpid(child, &told->status, 0), child);
    while (wire_consumer_next(consumer, &event, &blob)) {
        told->kinds[event.kind]++;
        if (event.kind == EVENT_BLOB && event.blob.type == BLOB_STRING &&
            strlen(told->notices) + event.blob.size_bytes + 2 < sizeof told->notices) {
            strncat(told->notices, (const char *)blob, event.blob.size_bytes);
            strcat(told->notices, "\n");
        }
    }
    wire_consumer_destroy(consumer);
    close(fd);
    wire_listener_destroy(listener);
}

Test(standin_told, a_run_is_one_process_on_the_models_clock)
{
    static struct told told;

    setenv("SLURM_PROCID", "0", 1); /* srun torchrun */
    setenv("RANK", "5", 1);
    setenv("LOCAL_RANK", "1", 1);
    watch_program(32, &told);
    cr_assert_eq(told.status, 0, "%x", (unsigned)told.status);
    cr_assert_eq(told.hello.role, WIRE_ROLE_AGENT);
    cr_assert_eq(told.hello.clock, CLOCK_MODEL);
    cr_assert_eq(told.hello.rank, 5);
    cr_assert_eq(told.kinds[EVENT_KERNEL], 1);
    cr_assert_eq(told.kinds[EVENT_GOODBYE], 1);
    cr_assert(told.kinds[EVENT_WATERMARK] >= 1);
}

/* The reason comes as a notice, and the status is not 0 although the program ignores all errors. */
Test(standin_told, a_fault_is_a_notice_and_a_status)
{
    static struct told told;

    watch_program(33, &told); /* one thread writes behind the 128 bytes */
    cr_assert(WIFEXITED(told.status) && WEXITSTATUS(told.status) == 1, "%x", (unsigned)told.status);
    cr_assert(strstr(told.notices, "0 bytes past the end of the 128 bytes"), "%s", told.notices);
    cr_assert_eq(told.kinds[EVENT_GOODBYE], 1);
}

Test(standin_told, a_refusal_is_a_notice_and_a_status)
{
    static struct told told;

    watch_program(31, &told);
    cr_assert(WIFEXITED(told.status) && WEXITSTATUS(told.status) == STANDIN_EXIT_REFUSED, "%x",
              (unsigned)told.status);
    cr_assert(strstr(told.notices, "cudaMallocMipmappedArray"), "%s", told.notices);
}
#else
#include "tests/no_standin.h"
#endif
