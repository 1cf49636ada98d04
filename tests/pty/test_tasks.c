/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Twelve tasks of a student, a lecturer and an engineer, at 80x24 and 120x40: from where one stands, with how
 * many keys, and after how many seconds the answer is on the screen. The table is printed;
 * docs/results/tasks.md has one.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DATA TEST_SOURCE_DIR "/tests/data/"
#define KEYS_MOST 4
#define ANSWERS_MAX 3

struct task {
    const char *what;
    const char *arguments[4];
    const char *ready;    /* on the screen before the first key */
    const char *stand;    /* keys to where one stands, not counted */
    const char *standing; /* what is on the screen there; NULL: ready */
    const char *keys;
    const char *answers[ANSWERS_MAX]; /* all on the screen at the end */
};

#define TRANSPOSE                       \
    {                                   \
        "--device", "simt", "transpose" \
    }
#define TILE "Timeline  transpose:tile"
static const struct task tasks[] = {
    {"see the bank conflicts of transpose:tile",
     TRANSPOSE,
     " ended  device",
     "",
     NULL,
     "gj",
     {"Shared loads take 32x the wavefronts", "16,384", "do: pad each row"}},
    {"the line that causes them",
     TRANSPOSE,
     " ended  device",
     "gj",
     TILE,
     "v",
     {"costs most", "tile[threadIdx.x]["}},
    {"pad beside tile in the lane map",
     TRANSPOSE,
     " ended  device",
     "gj",
     TILE,
     "Ab",
     {"32 wavefronts, ideal 1", "1 wavefront, ideal 1"}},
    {"sweep a stride and see the curve",
     {"--device", "simt"},
     "Workloads",
     "",
     NULL,
     "jp\r",
     {" over stride", "Started copy-stride,stride=1..32"}},
    {"why n-way:serial is slow",
     {"view", DATA "h200.lsr"},
     "Kernels  175",
     "/n-way:serial\r",
     "Kernels  1 ",
     "k",
     {"Kernels hide none of the copy time"}},
    {"the slowest thing of h200.lsr, and its cause",
     {"view", DATA "h200.lsr"},
     "Kernels  175",
     "",
     NULL,
     "k",
     {"Run staged-overlap", "copies, not hidden"}},
    {"what waited in staged-overlap",
     {"view", DATA "h200.lsr"},
     "Kernels  175",
     "",
     NULL,
     "o",
     {"What waited longest", "the host waited"}},
    {"what a metric means",
     TRANSPOSE,
     " ended  device",
     "gj",
     TILE,
     "\r",
     {"shared load wavefronts", "warp instructions that"}},
    {"another compute capability, and its sectors",
     {"--device", "simt"},
     "Workloads",
     "",
     NULL,
     "AHH",
     {"2.1 Fermi", "2 x 128 B"}},
    {"compare two runs", TRANSPOSE, " ended  device", "", NULL, "X", {"Comparison", "B - A"}},
    {"keep a live session", TRANSPOSE, " ended  device", "", NULL, "Wa\r", {"Saved as a"}},
    {"find the workload on coalescing",
     {"--device", "simt"},
     "Workloads",
     "",
     NULL,
     "/coa",
     {"search: coa", "\u25b8  copy-offset"}},
};

TestSuite(tasks, .init = driven_make_folder, .fini = driven_remove_folder);

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void do_task(const struct task *task, int width, int height)
{
    cr_assert_eq(chdir(driven_folder), 0); /* what is kept goes there */
    driven_start_at(width, height, task->arguments);
    cr_assert(terminal_shows(&terminal, task->ready), "%s: not ready", task->what);
    cr_assert(terminal_is_quiet(&terminal));
    terminal_type(&terminal, task->stand);
    cr_assert(terminal_shows(&terminal, task->standing != NULL ? task->standing : task->ready), "%s: %s",
              task->what, task->standing);
    cr_assert(terminal_is_quiet(&terminal));
    double began_s = now_s();
    terminal_type(&terminal, task->keys);
    for (int i = 0; i < ANSWERS_MAX && task->answers[i] != NULL; i++)
        cr_assert(terminal_shows(&terminal, task->answers[i]), "%s at %dx%d: no '%s'", task->what, width,
                  height, task->answers[i]);
    double took_s = now_s() - began_s;
    size_t keys = strlen(task->keys);
    fprintf(stderr, "| %-46s | %3dx%d | %zu | %.2f |\n", task->what, width, height, keys, took_s);
    cr_expect_leq(keys, KEYS_MOST, "%s takes %zu keys", task->what, keys);
    terminal_type(&terminal, "\x1b"); /* a prompt may be open */
    cr_assert(terminal_is_quiet(&terminal));
    driven_leave();
}

Test(tasks, take_at_most_four_keys_at_80x24, .timeout = 300)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        do_task(&tasks[i], 80, 24);
}

Test(tasks, take_at_most_four_keys_at_120x40, .timeout = 300)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        do_task(&tasks[i], 120, 40);
}
