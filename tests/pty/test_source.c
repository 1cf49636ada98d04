/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source page in a pseudo-terminal, with real keys: on the device model what it counts, and from a
 * recording of an H200 what was sampled and counted there.
 */
#include "driven_lanescope.h"

#include "core/base/clock.h"

#include <criterion/criterion.h>

TestSuite(source, .init = driven_make_folder, .fini = driven_remove_folder, .timeout = 280);

/* Stores of a column: 32 sectors each, where 4 would do. Small: n = 256, 8 rows of blocks. */
Test(source, shows_what_the_model_counts)
{
    START("--device", "simt", "transpose:naive");
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal,
                             "workloads/kernels/transpose.cu    modelled on NVIDIA H200, at small size"));
    cr_assert(terminal_shows(&terminal, "\xe2\x96\xb8         out[x * n + y + j] = in[(y + j) * n + x];"));
    cr_assert(terminal_shows(&terminal, "no samples: sampling needs a GPU"));
    terminal_type(&terminal, "sss");
    cr_assert(terminal_shows(&terminal, "costs most:"));
    cr_assert(terminal_shows(&terminal, "sectors above the ideal"));
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
    cr_assert(terminal_shows(&terminal, "Sampling needs a GPU, and this runs on the device model."));
    driven_leave();
}

/* With the run's own parameters: at its stride of 8 each lane has a sector of its own, not 2. */
Test(source, opens_the_debugger_with_the_parameters_of_the_run)
{
    START("--device", "simt", "--cc", "1.3", "copy-stride,stride=8,n=4096");
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "workloads/kernels/copy_stride.cu    modelled on NVIDIA H200"));
    terminal_type(&terminal, "/out[i] = in[i]\r@");
    cr_assert(terminal_shows(&terminal, "block (0,0,0) warp 0 of 8  copy_stride"));
    terminal_type(&terminal, "ss");
    cr_assert(terminal_shows(&terminal, "reads 4 bytes a lane, global: 32 sectors of 32 bytes"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "workloads/kernels/copy_stride.cu    modelled on NVIDIA H200"));
    driven_leave();
}

/* The debugger at the chosen line, and back to the same place. */
Test(source, opens_the_debugger_at_its_line)
{
    START("--device", "simt", "reduction:divergent");
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "workloads/kernels/reduction.cu    modelled on NVIDIA H200"));
    terminal_type(&terminal, "/reduction_add(t, s)\r@");
    cr_assert(terminal_shows(&terminal, "#147  block (0,0,0) warp 0 of 8  reduction_divergent"));
    terminal_type(&terminal, "s");
    cr_assert(terminal_shows(&terminal, "#148  block"));
    terminal_type(&terminal, "b");
    cr_assert(terminal_shows(&terminal, "#147  block"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "workloads/kernels/reduction.cu    modelled on NVIDIA H200"));
    driven_leave();
}

Test(source, shows_what_a_gpu_measured)
{
    START("view", TEST_SOURCE_DIR "/tests/data/lines_h200.lsr");
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "/transpose_tile\r");
    cr_assert(terminal_hides(&terminal, "matmul_aat_simple"));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "workloads/kernels/transpose.cu    measured on NVIDIA H200"));
    cr_assert(terminal_shows(&terminal, "line 40 costs most:"));
    cr_assert(terminal_shows(&terminal, "waits at a barrier for the block's other warps"));
    terminal_type(&terminal, "\t");
    cr_assert(terminal_shows(&terminal, "SASS measured on NVIDIA H200"));
    cr_assert(terminal_shows(&terminal, "LDS R"));
    terminal_type(&terminal, "\t\t");
    terminal_type(&terminal, "S"); /* wavefronts above the ideal */
    cr_assert(terminal_shows(&terminal, "line 40 costs most: 16.3 M of 16.3 M wavefronts above the ideal"));
    terminal_type(&terminal, "V");
    cr_assert(terminal_shows(&terminal, "modelled on NVIDIA H200, at small size"));
    cr_assert(terminal_shows(&terminal, "line 40 costs most:"));
    driven_leave();
}

/* The case that this recording opens with takes the model about a second: the text is there at once, and keys
 * are answered while it counts. */
Test(source, answers_keys_while_the_model_counts)
{
    START("view", TEST_SOURCE_DIR "/tests/data/h200.lsr");
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "counting on the model"));
    cr_assert(terminal_shows(&terminal, "x = x * 0.999f + 0.001f;"));
    int64_t typed_ms = clock_monotonic_ns() / NS_PER_MS;
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "Kernels"));
    int64_t answered_ms = clock_monotonic_ns() / NS_PER_MS - typed_ms;
    terminal_type(&terminal, "A");
    cr_assert(terminal_shows(&terminal, "Counting on the model"));
    terminal_type(&terminal, "\033");
    cr_assert(terminal_shows(&terminal, "Kernels"));
    typed_ms = clock_monotonic_ns() / NS_PER_MS;
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "line 10 costs most: 75.5 M of 106 M warp instructions"));
    int64_t counted_ms = clock_monotonic_ns() / NS_PER_MS - typed_ms;
    cr_assert(answered_ms < 200 || 3 * answered_ms < counted_ms, "q was answered after %lld ms, of %lld",
              (long long)answered_ms, (long long)counted_ms);
    terminal_type(&terminal, "qv"); /* kept */
    cr_assert(terminal_shows(&terminal, "line 10 costs most:"));
    driven_leave();
}
