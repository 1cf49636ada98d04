/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's own kernel in the lab, with real keys and an editor that is a script: edited, saved again from
 * elsewhere, refused by the compiler, mended. Without a compiler: that it is said.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[200];

static void start(const char *editor)
{
    driven_make_folder();
    snprintf(path, sizeof path, "%s/lanescope/kernels/copy_stride.cu", driven_folder);
    setenv("XDG_DATA_HOME", driven_folder, 1);
    unsetenv("VISUAL");
    setenv("EDITOR", editor, 1);
#ifdef TEST_TOOLKIT
    setenv("CUDA_HOME", TEST_TOOLKIT, 1);
#endif
    START("--device", "simt");
    cr_assert(terminal_shows(&terminal, "Workloads"));
    terminal_type(&terminal, "/copy-stride\r");
    cr_assert(terminal_shows(&terminal, "E edit its kernels"));
}

TestSuite(own, .fini = driven_remove_folder, .timeout = 280);

#ifdef TEST_TOOLKIT
static void edit(const char *script)
{
    char command[400];

    snprintf(command, sizeof command, "sed -i '%s' %s", script, path);
    cr_assert_eq(system(command), 0);
}

/* Saved in kernels that the chosen variant does not run: the run cannot differ, and it is said where to look
 * first. */
Test(own, a_change_that_no_run_has_is_said)
{
    char command[400];
    start("true");
    terminal_type(&terminal, "/transpose\r");
    cr_assert(terminal_shows(&terminal, "Shared memory makes both sides coalesced"));
    terminal_resize(&terminal, 80, 24);
    terminal_type(&terminal, "eE");
    cr_assert(terminal_shows(&terminal, "Yours  transpose.cu: 0 lines changed"));
    /* wrapped, and whole */
    cr_assert(
        terminal_shows(&terminal, "unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE"));
    cr_assert(terminal_shows(&terminal, "      + threadIdx.y;"));
    cr_assert(terminal_shows(&terminal, " ended  "));
    snprintf(command, sizeof command,
             "sed -i '/transpose_tile/,/transpose_swizzle/s/__syncthreads();/__syncthreads(); \\/\\/ mine/' "
             "%s/lanescope/kernels/transpose.cu",
             driven_folder);
    cr_assert_eq(system(command), 0);
    cr_assert(
        terminal_shows(&terminal, "is in transpose_tile: choose variant tile (h, l) to run it, not copy."));
    terminal_type(&terminal, "kll\r");
    cr_assert(terminal_shows(&terminal, "tile n=128 verified"));
    cr_assert_not(driven_shows("is in transpose_tile"));
    driven_leave();
}

/* At 80 columns: the kernel and not the comment above it, and each goal with its number. */
Test(own, an_exercise_at_80x24)
{
    start("true");
    terminal_resize(&terminal, 80, 24);
    terminal_type(&terminal, "/exercise:padding\rE");
    cr_assert(terminal_shows(&terminal, "ld conflicts 15,872 (0)"));
    /* each line is waited for: a screen may be read half drawn */
    cr_assert(terminal_shows(&terminal,
                             "extern \"C\" __global__ void transpose_tile(float *out, const float *in,"));
    cr_assert(terminal_shows(&terminal, "st conflicts 0 (0)"));
    cr_assert(terminal_shows(&terminal, "store sectors 2,048, at most 2,048"));
    driven_leave();
}

/* The editor's end, and each save after it, is a run beside the original's. */
Test(own, each_saved_version_is_compiled_checked_and_run)
{
    start("sed -i 's/= in\\[i\\];/= in[i];  \\/\\/ mine/'");
    terminal_type(&terminal, "E");
    cr_assert(terminal_shows(&terminal, "Yours  copy_stride.cu: 1 line changed"));
    cr_assert(terminal_shows(&terminal, "+     out[i] = in[i];  // mine"));
    cr_assert(terminal_shows(&terminal, "kernel=copy_stride.cu@"));
    cr_assert(terminal_shows(&terminal, "verified"));
    cr_assert(terminal_shows(&terminal, "--kernel "));
    cr_assert(terminal_shows(&terminal, " ended  "));
    /* the source has the user's text, and the mark of the line */
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "modelled on"));
    cr_assert(terminal_shows(&terminal, "14+\xe2\x96\xb8     out[i] = in[i];  // mine"));
    /* the debugger steps the user's kernel */
    terminal_type(&terminal, "@");
    cr_assert(terminal_shows(&terminal, "block (0,0,0) warp 0 of 8  copy_stride"));
    cr_assert(terminal_shows(&terminal, "14  out[i] = in[i];  // mine"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "modelled on"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "Yours  copy_stride.cu"));
    /* the comparison has both */
    terminal_type(&terminal, "X");
    cr_assert(terminal_shows(&terminal, "Comparison"));
    cr_assert(driven_shows("kernel=copy_stride.cu@"), "A is the original, B the user's");
    terminal_type(&terminal, "q");
    /* saved in another terminal: wrong, and the first element is named */
    edit("s/= in\\[i\\];.*/= in[i] + 1;/");
    cr_assert(terminal_shows(&terminal, "out[0] is 2"));
    cr_assert(terminal_shows(&terminal, "+     out[i] = in[i] + 1;"));
    /* refused: the compiler's sentence at its line */
    edit("s/= in\\[i\\] + 1;/= im[i];/");
    cr_assert(terminal_shows(&terminal, "does not compile: line 14: identifier \"im\" is undefined"));
    cr_assert(terminal_shows(&terminal, "    \xe2\x96\xb2 identifier \"im\" is undefined"));
    cr_assert(terminal_shows(&terminal, "refused"));
    /* mended, with fewer sectors: every lane reads the same word */
    edit("s/= im\\[i\\];/= in[i];/");
    cr_assert(terminal_hides(&terminal, "does not compile"));
    cr_assert(terminal_hides(&terminal, "refused"));
    cr_assert(terminal_shows(&terminal, "0 lines changed, in "));
    cr_assert(terminal_shows(&terminal, "verified"));
    /* the source has the user's text */
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "YOUR COPY"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "Yours  copy_stride.cu"));
    terminal_type(&terminal, "E");
    cr_assert(terminal_shows(&terminal, "// mine")); /* the editor has left the terminal */
    /* a run was wrong: status 1 */
    terminal_type(&terminal, "Q");
    cr_assert(terminal_ends(&terminal));
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 1);
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
    cr_assert_eq(access(path, R_OK), 0, "the user's file is gone");
}

/* From the list: the broken kernel with its goals, and a save that reaches them. */
Test(own, an_exercise_shows_its_goals)
{
    char command[400];
    start("true");
    terminal_type(&terminal, "\x1b");
    cr_assert(terminal_shows(&terminal, "copy-offset"));
    terminal_type(&terminal, "/exercise:padding\rE");
    cr_assert(terminal_shows(&terminal, "Yours  exercise_padding.cu: 0 lines changed"));
    cr_assert(terminal_shows(&terminal, "shared load bank conflicts 15,872, at most 0"));
    cr_assert(terminal_shows(&terminal, "decides is the length of a row"));
    snprintf(command, sizeof command,
             "sed -i 's/tile\\[TILE\\]\\[TILE\\]/tile[TILE][TILE + 1]/' "
             "%s/lanescope/kernels/exercise_padding.cu",
             driven_folder);
    cr_assert_eq(system(command), 0);
    cr_assert(terminal_shows(&terminal, "shared load bank conflicts 0, at most 0"));
    cr_assert(terminal_hides(&terminal, "decides is the length of a row"));
    terminal_type(&terminal, "V"); /* what it asks for */
    cr_assert(terminal_shows(&terminal, "Free a tile in shared memory of its bank conflicts."));
    driven_leave();
}

/* The exercise whose kernel writes down an order of copies: one that works by luck, then one that reaches the goal. */
Test(own, the_order_of_copies_is_an_exercise)
{
    const char *const orders = TEST_SOURCE_DIR "/tests/exercises/hide";
    char command[600];
    start("true");
    terminal_type(&terminal, "\x1b");
    cr_assert(terminal_shows(&terminal, "copy-offset"));
    terminal_type(&terminal, "/exercise:hide\rE");
    cr_assert(terminal_shows(&terminal, "Yours  exercise_hide.cu: 0 lines changed"));
    cr_assert(terminal_shows(&terminal, "copies hidden beside kernels 0.0 %, at least 60.0 %"));
    snprintf(command, sizeof command, "cp %s/no_wait.cu %s/lanescope/kernels/exercise_hide.cu", orders,
             driven_folder);
    cr_assert_eq(system(command), 0);
    cr_assert(terminal_shows(&terminal, "streams only a wait makes one."));
    snprintf(command, sizeof command, "cp %s/solution.cu %s/lanescope/kernels/exercise_hide.cu", orders,
             driven_folder);
    cr_assert_eq(system(command), 0);
    cr_assert(terminal_shows(&terminal, "copies hidden beside kernels 69"));
    cr_assert(terminal_shows(&terminal, "kernel=exercise_hide.cu@"));
    terminal_type(&terminal, "V");
    cr_assert(terminal_shows(&terminal, "Hide copies beside kernels"));
    /* status 1 for the wrong run, if it had ended when the next version was saved */
    terminal_type(&terminal, "Q");
    cr_assert(terminal_ends(&terminal));
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) <= 1);
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

/* A template's error is wrapped, to its last word, below a caret. */
Test(own, a_long_error_is_shown_whole)
{
    start("true");
    terminal_type(&terminal, "E");
    cr_assert(terminal_shows(&terminal, "Yours  copy_stride.cu: 0 lines changed"));
    edit("/^extern/i template <typename T> struct words_of { T value; };\\n"
         "template <typename A> __device__ float sum_of(words_of<A> a, A b) { return a.value; }");
    edit("s/= in\\[i\\];/= sum_of(words_of<words_of<float> >(), words_of<double>());/");
    cr_assert(terminal_shows(&terminal, "no instance of function template"));
    cr_assert(terminal_shows(&terminal, "argument types are"));
    cr_assert(terminal_shows(&terminal, "words_of<double>)"));
    cr_assert(terminal_shows(&terminal, "             ^"));
    driven_leave();
}

Test(own, an_editor_that_is_not_there_is_named)
{
    start("no-such-editor-7");
    terminal_type(&terminal, "E");
    cr_assert(terminal_shows(&terminal, "The editor no-such-editor-7 was not found: set VISUAL or EDITOR"));
    driven_leave();
}
#else
/* The build is without CUDA; the machine may have a compiler all the same, and then the copy is compiled. */
Test(own, a_copy_is_opened_without_cuda)
{
    start("true");
    terminal_type(&terminal, "E");
    cr_assert(terminal_shows(&terminal, "Yours  copy_stride.cu"));
    driven_leave();
}
#endif
