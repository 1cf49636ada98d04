/*
 * The source page in a pseudo-terminal, with real keys: on the device model what it counts, and from a
 * recording of an H200 what was sampled and counted there.
 */
#include "terminal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char folder[] = "/tmp/lanescope-source-XXXXXX";
static struct terminal terminal;

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    cr_assert_eq(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- %s", folder);
    if (system(command) != 0)
        perror(command);
}

static void start_with(const char *const *arguments)
{
    char *argv[16] = {(char *)(uintptr_t)TEST_LANESCOPE};
    for (int i = 1; i < 15 && arguments[i - 1] != NULL; i++)
        argv[i] = (char *)(uintptr_t)arguments[i - 1];
    terminal_start(&terminal, 120, 40, argv, NULL, NULL);
}

#define START(...) start_with((const char *const[]){__VA_ARGS__, NULL})

static void leave(void)
{
    terminal_type(&terminal, "Q");
    cr_assert(terminal_ends(&terminal), "lanescope did not end");
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0);
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

TestSuite(source, .init = make_folder, .fini = remove_folder, .timeout = 120);

/* Stores of a column: 32 sectors each, where 4 would do. Small: n = 256, 8 rows of blocks. */
Test(source, shows_what_the_model_counts)
{
    START("--device", "simt", "transpose:naive");
    cr_assert(terminal_shows(&terminal, " ended"));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal,
                             "workloads/kernels/transpose.cu    modelled on NVIDIA H200, at small size"));
    cr_assert(terminal_shows(&terminal, "\xe2\x96\xb8         out[x * n + y + j] = in[(y + j) * n + x];"));
    cr_assert(terminal_shows(&terminal, "no samples: they are taken on a GPU"));
    terminal_type(&terminal, "sss");
    cr_assert(terminal_shows(&terminal, "costs most:"));
    cr_assert(terminal_shows(&terminal, "sectors more than the ideal"));
    terminal_type(&terminal, "\t");
    cr_assert(terminal_shows(&terminal, "PTX modelled on NVIDIA H200"));
    cr_assert(terminal_shows(&terminal, "ld.global.f32 %f1"));
    terminal_type(&terminal, "z");
    cr_assert(terminal_hides(&terminal, "ld.global.f32 %f1"));
    terminal_type(&terminal, "/__shared\r");
    cr_assert(terminal_shows(&terminal, "__shared__ float tile"));
    terminal_type(&terminal, "M");
    cr_assert(terminal_shows(&terminal, "costs most:"));
    terminal_type(&terminal, "D");
    cr_assert(terminal_shows(&terminal, "Samples are taken on a GPU, and this runs on the device model."));
    leave();
}

Test(source, shows_what_a_gpu_measured)
{
    START("view", TEST_SOURCE_DIR "/tests/data/lines_h200.lsr");
    cr_assert(terminal_shows(&terminal, " ended"));
    terminal_type(&terminal, "/transpose_tile\r");
    cr_assert(terminal_hides(&terminal, "matmul_aat_simple"));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "workloads/kernels/transpose.cu    measured on NVIDIA H200"));
    cr_assert(terminal_shows(&terminal, "line 40 costs most:"));
    cr_assert(terminal_shows(&terminal, "the warp waits at a barrier for the block's other warps"));
    terminal_type(&terminal, "\t");
    cr_assert(terminal_shows(&terminal, "SASS measured on NVIDIA H200"));
    cr_assert(terminal_shows(&terminal, "LDS R"));
    terminal_type(&terminal, "\t\t");
    terminal_type(&terminal, "S"); /* wavefronts more than the ideal */
    cr_assert(
        terminal_shows(&terminal, "line 40 costs most: 16.3 M of 16.3 M wavefronts more than the ideal"));
    terminal_type(&terminal, "V");
    cr_assert(terminal_shows(&terminal, "modelled on NVIDIA H200, at small size"));
    cr_assert(terminal_shows(&terminal, "line 40 costs most:"));
    leave();
}
