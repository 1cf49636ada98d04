/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lab in a pseudo-terminal, with real keys on the device model: what a person changes is what the
 * counters then say.
 */
#include "core/metric/metric.h"
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void start(void)
{
    START("--device", "simt");
    cr_assert(terminal_shows(&terminal, "Workloads"));
}

TestSuite(lab, .init = driven_make_folder, .fini = driven_remove_folder, .timeout = 280);

/* The list says what a workload teaches to the end of the sentence. */
Test(lab, says_what_a_workload_teaches)
{
    start();
    terminal_type(&terminal, "/scan\r");
    cr_assert(terminal_shows(&terminal, "shuffles remove these"));
    driven_leave();
}

/* A case on every modelled GPU, from the oldest on, each a bar with its name. */
Test(lab, runs_a_case_on_every_gpu)
{
    START("--device", "simt", "copy-offset,offset=1");
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "e^");
    cr_assert(terminal_shows(&terminal, "over variant"));
    cr_assert(terminal_shows(&terminal, "b copy GeForce 8800 GTX "));
    cr_assert(terminal_shows(&terminal, "e copy Tesla M2090 "));
    cr_assert(terminal_shows(&terminal, "NVIDIA GeForce RTX 5090 "));
    cr_assert(terminal_shows(&terminal, " ended  "));
    driven_leave();
}

/* The lab on the model: a parameter is changed with the keyboard, and the counter is what the rule gives: a
 * warp's 32 words, `stride` apart, lie in 4 x stride sectors, at most one each. */
Test(lab, changes_a_parameter)
{
    start();
    terminal_type(&terminal, "/copy-stride\re");
    cr_assert(terminal_shows(&terminal, "not run yet: ENTER runs it"));
    cr_assert(
        terminal_shows(&terminal, "copy-stride: a copy of every n-th word")); /* the lesson is embedded */
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "stride=2,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "sectors per load request ............ 8.00* =        8.00"));
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "\x1bOC"); /* right: the next stride */
    cr_assert(terminal_shows(&terminal, "copy-stride:copy,stride=3"));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "stride=3,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "12.0*=      12.0        8.00"));
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "33\r");
    cr_assert(terminal_shows(&terminal, "copy-stride: stride=33 is outside 1..32 words"));
    terminal_type(&terminal, "16\r\r");
    cr_assert(terminal_shows(&terminal, "stride=16,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "32.0*=      32.0        12.0"));
    driven_leave();
}

/* The workload of that name, though others that hold it come before. */
Test(lab, finds_a_workload_by_its_name)
{
    start();
    terminal_type(&terminal, "/constant\re");
    cr_assert(terminal_shows(&terminal, "ENTER lanescope --device simt") &&
              terminal_shows(&terminal, "       constant:read"));
    driven_leave();
}

/* The arrow keys go to the next value that the kernel takes. */
Test(lab, steps_to_what_can_be_run)
{
    start();
    terminal_type(&terminal, "/bank-broadcast\re");
    cr_assert(terminal_shows(&terminal, "h l change"));
    terminal_type(&terminal, "l");
    cr_assert(terminal_shows(&terminal, "\xe2\x96\xb8groups   8 "));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "groups=8,n="));
    cr_assert(terminal_shows(&terminal, " verified"));
    driven_leave();
}

/* A lesson about overlap: the lab shows what ran when, at 80x24 too, and in place of counters of sectors how
 * much of the copies was hidden; the values are there with the focus. */
Test(lab, shows_the_timeline_of_an_overlap_lesson)
{
    start();
    terminal_type(&terminal, "/n-way\re\r");
    cr_assert(terminal_shows(&terminal, "Timeline  n-way:serial"));
    cr_assert(terminal_shows(&terminal, " verified"));
    cr_assert(terminal_shows(&terminal, "copies that kernels hide"));
    cr_assert(terminal_shows(&terminal, "stream 13"));
    terminal_type(&terminal, "\t\t");
    cr_assert(terminal_shows(&terminal, "median time"));
    terminal_type(&terminal, "\t");
    cr_assert(terminal_shows(&terminal, "\xe2\x96\xb8Timeline  n-way:serial"));
    driven_leave();
}

/* A size that the model takes minutes for: it is ended, what waited behind it is forgotten, and the next run
 * is as quick as ever. */
Test(lab, ends_what_takes_too_long)
{
    start();
    terminal_type(&terminal, "/reduction\re268435456\r\r");
    cr_assert(terminal_shows(&terminal, "n=268435456 runs"));
    cr_assert(terminal_shows(&terminal, "C-k stop"));
    terminal_type(&terminal, "\r\r\x0b");
    cr_assert(terminal_shows(&terminal, "Stopped."));
    cr_assert(terminal_hides(&terminal, "C-k stop"));
    cr_assert(terminal_shows(&terminal, "n=268435456 not verified"));
    terminal_type(&terminal, "0\r\r");
    cr_assert(terminal_shows(&terminal, "divergent n=16384 verified"));
    driven_leave();
}

/* A lesson's command, pasted into the list of workloads, is not taken for keys: it holds e, p, q and Q. */
Test(lab, takes_no_paste_for_keys)
{
    start();
    terminal_type(&terminal, "\x1b[200~e1\rq Qp\x1b[201~");
    cr_assert(terminal_shows(&terminal, "Pasted text is taken only in an input line."));
    terminal_type(&terminal, "/\x1b[200~copy-stride\r\x1b[201~\re");
    cr_assert(terminal_shows(&terminal, "ENTER lanescope --device simt") &&
              terminal_shows(&terminal, "       copy-stride:copy"));
    driven_leave();
}

/* Of a process: its parent and state ('Z', dead but not waited for, as one that is not there). */
static char state_of(const char *process, long *parent)
{
    char path[300], state = 'Z';
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *stat = fopen(path, "r");
    *parent = 0;
    if (stat == NULL)
        return 'Z';
    if (fscanf(stat, "%*d (%*[^)]) %c %ld", &state, parent) != 2)
        state = 'Z';
    fclose(stat);
    return state;
}

/* The child that computes a case: the only one, since what restores the terminal is nobody's child. */
static void find_computing_child(pid_t parent, char name[static 300])
{
    DIR *processes = opendir("/proc");
    name[0] = '\0';
    cr_assert(processes != NULL);
    for (const struct dirent *entry; (entry = readdir(processes)) != NULL && name[0] == '\0';) {
        long its_parent = 0;
        if (isdigit((unsigned char)entry->d_name[0]) && state_of(entry->d_name, &its_parent) != 'Z' &&
            its_parent == (long)parent)
            snprintf(name, 300, "%s", entry->d_name);
    }
    closedir(processes);
}

/* lanescope is killed while the model computes for minutes: the model's process ends too. */
Test(lab, leaves_nothing_running_when_it_is_killed)
{
    start();
    terminal_type(&terminal, "/reduction\re268435456\r\r");
    cr_assert(terminal_shows(&terminal, "n=268435456 runs"));
    char child[300];
    long parent;
    find_computing_child(terminal.child, child);
    cr_assert(child[0] != '\0');
    terminal_signal(&terminal, SIGKILL);
    cr_assert(terminal_ends(&terminal));
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int i = 0; i < 6000 && state_of(child, &parent) != 'Z'; i++) /* by itself it takes minutes */
        nanosleep(&pause, NULL);
    cr_assert_eq(state_of(child, &parent), 'Z');
    terminal_fini(&terminal);
}

/* A small case has exact counts and hardly a time; made full, it is what a GPU would be given. */
Test(lab, makes_a_case_full)
{
    start();
    terminal_type(&terminal, "/ilp\re\r");
    cr_assert(terminal_shows(&terminal, "1 n=4096 verified"));
    terminal_type(&terminal, "Gl\r");
    cr_assert(terminal_shows(&terminal, "lanescope --device simt ilp:1 --size default"));
    cr_assert(terminal_shows(&terminal, "1 n=67584 verified"));
    driven_leave();
}

/* All variants, of which the last needs a GPU: shown is one that ran, and asked for by itself it says why
 * not. */
Test(lab, says_why_a_variant_did_not_run)
{
    start();
    terminal_type(&terminal, "/reduction\rek");
    terminal_type(&terminal, "h\r"); /* all */
    cr_assert(terminal_shows(&terminal, "shuffle n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "reduction_shuffle"));
    terminal_type(&terminal, "h\r"); /* the last */
    cr_assert(terminal_shows(&terminal, "Not run: reduction:cub is a routine of CUB: it needs a"));
    driven_leave();
}

/* The lane map of the kernel as the model executes it: the stride moves the picture and the number. */
Test(lab, maps_the_lanes)
{
    start();
    terminal_type(&terminal, "/copy-stride\rA");
    cr_assert(terminal_shows(&terminal, "8 sectors of 32 bytes, ideal 4"));
    cr_assert(terminal_shows(&terminal, "0 ..1 ..2 ..3") && terminal_shows(&terminal, "out[i] = in[i];"));
    terminal_type(&terminal, "jl"); /* the stride: 3 */
    cr_assert(terminal_shows(&terminal, "12 sectors of 32 bytes, ideal 4"));
    cr_assert(terminal_shows(&terminal, "0 ....1 ....2"));
    terminal_type(&terminal, "Ghhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"); /* 1.0: a transaction for each lane */
    cr_assert(terminal_shows(&terminal, "32 sectors of 32 bytes, ideal 4: 32 x 32 B"));
    driven_leave();
}

/* Of a kernel in which nothing is wasted the map shows the shared memory that it is about. */
Test(lab, maps_the_banks)
{
    start();
    terminal_type(&terminal, "/bank-stride\rAjh"); /* the stride: 1 */
    cr_assert(terminal_shows(&terminal, "1 wavefront, ideal 1: no conflict"));
    terminal_type(&terminal, "l");
    cr_assert(terminal_shows(&terminal, "32 lanes load 1 bytes, shared"));
    driven_leave();
}

/* From the list of workloads: p, and ENTER sweeps what the figure needs. */
Test(lab, sweeps_from_an_empty_chart)
{
    start();
    terminal_type(&terminal, "jp");
    cr_assert(terminal_shows(&terminal, "ENTER runs copy-stride,stride=1..32"));
    cr_assert(terminal_shows(&terminal, "ENTER sweep"));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "Started copy-stride,stride=1..32."));
    cr_assert(terminal_shows(&terminal, " over stride"));
    /* Kernels of this size take as long as a launch: the chart begins with what changes. */
    cr_assert(terminal_shows(&terminal, ", counts: times are those of launching"));
    terminal_type(&terminal, "l"); /* and the message makes place for the state */
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "This sweep has run already"));
    driven_leave();
}

/* A sweep in the place of a value is run, and its chart drawn. */
Test(lab, plots_a_sweep)
{
    start();
    terminal_type(&terminal, "/copy-stride\re\r"); /* another child process: the same device */
    cr_assert(terminal_shows(&terminal, "stride=2,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "1..32\r");
    cr_assert(terminal_shows(&terminal, "copy-stride:copy,stride=1..32"));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "stride=32,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "p");
    cr_assert(terminal_shows(&terminal, "copy-stride: load bytes wanted / moved over stride (words)"));
    cr_assert(terminal_shows(&terminal, "a copy, modelled, NVIDIA H200"));
    cr_assert(terminal_shows(&terminal, "a copy stride=1: "));
    cr_assert(!driven_shows("b copy")); /* one series */
    /* To stride 8, and through the metrics until it is the one that the rule is known for. */
    terminal_type(&terminal, "lllllll");
    for (int i = 0; i < METRIC_COUNT && !driven_shows("sectors per load request over stride"); i++) {
        terminal_type(&terminal, "j");
        cr_assert(terminal_is_quiet(&terminal));
    }
    cr_assert(terminal_shows(&terminal, "sectors per load request over stride"));
    cr_assert(terminal_shows(&terminal, "a copy stride=8: 32.0, modelled, NVIDIA H200; expected 32.0"));
    driven_leave();
}

/* A recording: its chart, the run of the values that are set, two of its runs side by side, and the source.
 */
Test(lab, reads_a_recorded_sweep)
{
    char recording[64];
    snprintf(recording, sizeof recording, "%s/sweep.lsr", driven_folder);
    START("--record", recording, "--device", "simt", "copy-stride,stride=1..32");
    driven_expect_end();
    START("view", recording);
    cr_assert(terminal_shows(&terminal, "Kernels  32"));
    terminal_type(&terminal, "p");
    cr_assert(terminal_shows(&terminal, "copy-stride: load bytes wanted / moved over stride (words)"));
    terminal_type(&terminal, "e4\r");
    cr_assert(terminal_shows(&terminal, "stride=4,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "sectors per load request ............ 16.0* =        16.0"));
    terminal_type(&terminal, "x"); /* A */
    cr_assert(terminal_shows(&terminal, "A is copy-stride:copy stride=4,n=16384."));
    terminal_type(&terminal, "1\r"); /* stride 1 */
    cr_assert(terminal_shows(&terminal, "stride=1,n=16384 verified"));
    terminal_type(&terminal, "X");
    cr_assert(terminal_shows(&terminal, "B \xe2\x9c\x93 copy-stride:copy stride=1,n=16384"));
    cr_assert(terminal_shows(&terminal, "not the same work: 1 launch of 16 blocks, 1 launch of 64 blocks"));
    cr_assert(terminal_shows(&terminal, "-12.0    -75 %"));
    terminal_type(&terminal, "v");
    cr_assert(terminal_shows(&terminal, "workloads/kernels/copy_stride.cu"));
    cr_assert(terminal_shows(&terminal, "costs most: 4,096 of 4,096 sectors and wavefronts"));
    cr_assert(terminal_shows(&terminal, "\xe2\x96\xb8     out[i] = in[i];"));
    terminal_type(&terminal, "q");
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "Lab  A copy"));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "Nothing can be run here: this is a recording."));
    driven_leave();
}
