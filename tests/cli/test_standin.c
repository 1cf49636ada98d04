/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unmodified CUDA programs on the device model: tests/standin's, as nvcc builds them, run by lanescope and by
 * themselves with the stand-in preloaded. PTX comes from the toolkit's cuobjdump, or from its double.
 */
#include "core/base/clock.h"
#include "core/recording/recording.h"
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TEST_STANDIN
#define PROGRAM(name) TEST_BUILD_DIR "/tests/standin/" name
#define PRELOADED "LD_PRELOAD=" TEST_STANDIN " "
#ifdef SANITIZES_ADDRESSES
#define BASE "0x180000000" /* the first digits of the model's addresses: simt/memory/memory.c */
#else
#define BASE "0x700000"
#endif
#ifdef SANITIZES_ADDRESSES /* the sanitizer's runtime, which is loaded first, hides the caller */
#define FAILED_CALL "failed call: cudaMemcpy returned cudaErrorInvalidValue"
/* Its dlopen looks where its own file says, not where the program's does. */
#define FOUND PROGRAM("closed/libnvjpeg.so.12")
#else
#define FOUND "libnvjpeg.so.12"
#define FAILED_CALL "failed call: cudaMemcpy in call_wrongly(char const*, int*), broken.cu:"
#endif
#define RECORD "--record a.lsr --device simt "

static char output[1 << 18], errors[1 << 18];

static void enter(void)
{
    program_enter();
    unsetenv("CUDA_VISIBLE_DEVICES"); /* the model's GPUs are hidden by it, too */
    setenv("LANESCOPE_CUOBJDUMP", TEST_SOURCE_DIR "/tests/standin/cuobjdump", 1);
}

TestSuite(standin, .init = enter, .fini = program_leave);

static void run_ends_with(const char *arguments, int wanted)
{
    int status = program_run(arguments, output, errors, sizeof output);

#ifdef SANITIZES_ADDRESSES
    printf("with the sanitizer: lanescope %s\n", arguments);
#endif

    cr_assert(status == wanted, "lanescope %s: exit status %d, expected %d\n%s%s", arguments, status, wanted,
              output, errors);
}

/* The program checks the results of a case itself. */
static void expect_fine(const char *program, const char *const *cases, size_t count)
{
    char arguments[4096], fine[32];

    for (size_t i = 0; i < count; i++) {
        snprintf(arguments, sizeof arguments, RECORD "-- %s %s", program, cases[i]);
        run_ends_with(arguments, 0);
        snprintf(fine, sizeof fine, "%s: fine\n", cases[i]);
        cr_assert(strncmp(output, fine, strlen(fine)) == 0, "%s\n%s", output, errors);
    }
}
#define EXPECT_FINE(program, cases) expect_fine(PROGRAM(program), cases, sizeof(cases) / sizeof *(cases))

/* Each case of the API, with both runtimes. */
Test(standin, runs_every_case_of_the_api)
{
    static const char *const cases[] = {"launches", "copies",  "symbols", "host",     "streams",
                                        "device",   "threads", "fork",    "errors",   "cooperative",
                                        "shuffles", "arrays",  "moves",   "clusters", "pool"};
    static const char *const graphs[] = {"graphs", "nodes", "nested"};

    EXPECT_FINE("api_static", cases);
    EXPECT_FINE("api_shared", cases);
    EXPECT_FINE("graphs_static", graphs);
    EXPECT_FINE("graphs_shared", graphs);
}

/* What an H200 says of calls that are wrong, case by case. */
Test(standin, is_as_strict_as_a_gpu)
{
    static const char *const cases[] = {"capture",  "shared",           "priorities",       "copies",
                                        "twice",    "twice_executable", "launch_destroyed", "null_graph",
                                        "null_out", "clocks",           "registers",        "heap"};
    static char answers[1 << 14];
    char arguments[200], heading[40];

    program_read(TEST_SOURCE_DIR "/tests/data/strict_h200.txt", answers, sizeof answers);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(arguments, sizeof arguments, RECORD "-- " PROGRAM("strict_static") " %s", cases[i]);
        run_ends_with(arguments, 0);
        snprintf(heading, sizeof heading, "== %s\n", cases[i]);
        const char *answer = strstr(answers, heading);
        cr_assert(answer, "%s", heading);
        answer += strlen(heading);
        const char *next = strstr(answer, "\n== ");
        size_t length = next ? (size_t)(next - answer) + 1 : strlen(answer);
        cr_assert(strncmp(output, answer, length) == 0, "%s: an H200 says\n%.*s\nhere\n%s%s", cases[i],
                  (int)length, answer, output, errors);
    }
}

/* As an H100 does: 701, and as many threads as 65,536 registers are enough for, in steps of four warps. */
Test(standin, refuses_too_many_registers_where_ptxas_counted_them)
{
    int registers = 0, threads = 0, end = 0;

    run_ends_with(RECORD "-- " PROGRAM("strict_static") " too_many", 0);
    const char *facts = strstr(output, "\n");
    cr_assert(facts && sscanf(facts, " %d registers, %d threads\n%n", &registers, &threads, &end) == 2, "%s",
              output);
    cr_assert(registers > 64 && threads == 65536 / ((registers + 7) / 8 * 8) / 128 * 128, "%s", output);
    cr_assert(strncmp(facts + end,
                      "1024 threads: 701\nagain: 701\nas many as it says: 0\na warp more: 701\n"
                      "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, more_sums, 1024, 0): 0\n"
                      "resident 0\ncudaDeviceSynchronize(): 0\n",
                      50) == 0,
              "%s", output);
    const char *refusal = strstr(errors, "1024 threads need more than the 65536 of a multiprocessor");
    cr_assert(refusal && !strstr(refusal + 1, "1024 threads need more"), "%s", errors);
    run_ends_with(RECORD "--model rtx5090 -- " PROGRAM("strict_static") " too_many", 0);
    cr_assert(strstr(output, "1024 threads: 0\n"), "%s", output);
    cr_assert(strstr(errors, "a GPU may refuse 1024 threads"), "%s", errors);
}

/* The dynamic linker splits LD_PRELOAD at blanks and colons: the stand-in is loaded from such a folder, too,
 * and nothing that half of its path names. */
Test(standin, is_loaded_from_a_folder_with_blanks)
{
    cr_assert_eq(system("mkdir 'a:b c' && cp " TEST_LANESCOPE " " TEST_BUILD_DIR
                        "/lanescope-standin.so 'a:b c/' && "
                        "cp -r " TEST_BUILD_DIR "/lanescope-standin 'a:b c/'"),
                 0);
    int status = system("'a:b c/lanescope' " RECORD "-- " PROGRAM("api_shared") " launches >output 2>&1");
    program_read("output", output, sizeof output);
    cr_assert_eq(status, 0, "%s", output);
    cr_assert(strncmp(output, "launches: fine\n", 15) == 0 || strstr(output, "\nlaunches: fine\n"), "%s",
              output);
    cr_assert_null(strstr(output, "none initialised CUDA"), "%s", output);
}

/* The ring is memory: it is read on until the process ends. */
Test(standin, records_a_program_that_closes_descriptors)
{
    run_ends_with(RECORD "-- " PROGRAM("api_static") " closes", 0);
    cr_assert(strncmp(output, "closes: fine\n", 13) == 0, "%s\n%s", output, errors);
    run_ends_with("report a.lsr --json", 0);
    cr_assert(strstr(output, "\"launches\": 100,"), "%.2000s", output);
}

/* Programs that end, jump, fork or call CUDA within a call, and wrong pointers of the host: each run ends by
 * itself, with a sentence where the program ends otherwise than it would. */
Test(standin, survives_clumsy_programs)
{
    static const char left[] =
        " has not returned: the program left it by a jump, or by the end of its thread";
    static const struct {
        const char *name;
        int exit_status;
        const char *output, *errors;
    } cases[] = {
        {"signal_launches", 125,
         "long launch: cudaSuccess\nlaunch of the handler: cudaErrorNotPermitted\nlater launch: cudaSuccess\n",
         "A handler of a signal calls CUDA while its thread is in cudaLaunchKernel: "},
        {"signal_jump", 125, "", left},
        {"signal_exit", 3, "", "The program was ended while cudaLaunchKernel had not returned. "},
        {"thread_exits", 4, "",
         "The program was ended while cudaLaunchKernel had not returned. Kernel turn, "},
        {"main_returns", 0, "",
         "The program was ended while cudaLaunchKernel had not returned. Kernel turn, "},
        {"callback_jump", 125, "", left},
        {"callback_thread_ends", 125, "", left},
        {"callback_exits", 5, "", "The program was ended while cudaLaunchHostFunc had not returned. "},
        {"callback_calls", 0, "call of a host function: cudaErrorNotPermitted\n", ""},
        {"cancel", 0, "afterwards: cudaSuccess\n", ""},
        {"fork_in_launch", 0, "child: 0\nparent: cudaSuccess\n", ""},
        {"at_exit", 0, "at exit: cudaSuccess\n", ""},
        {"closed", 0, "closed: cudaSuccess\n", ""},
        {"closed_first", 0, "", ""},
        {"elsewhere", 0, "elsewhere: cudaSuccess\n", ""},
        {"ignored_child", 0, "kernel: cudaSuccess\n", ""},
#ifndef SANITIZES_ADDRESSES /* its handler of SIGSEGV is before ours, it wants more memory, and files at the end */
        {"limits", 0, "limits: cudaSuccess\n", ""},
        {"own_fault", 139, "",
         "clumsy_static was ended by signal 11 (Segmentation fault), in code of its own"},
        {"own_handler", 125, "caught\n", left},
        {"from_one", 139, "", "cudaMemcpy in from_one(), clumsy.cu:"},
        {"from_one", 139, "",
         " reads memory of the host at 0x1, where the program has none that it may read: "},
        {"to_one", 139, "", " writes memory of the host at 0x"},
        {"to_text", 139, "", " writes memory of the host at 0x"},
        {"host_to_host", 139, "", "cudaMemcpy in host_to_host(), clumsy.cu:"},
        {"no_argument", 139, "", "cudaLaunchKernel in no_argument(), clumsy.cu:"},
        {"arguments_at_one", 139, "", " reads memory of the host at 0x1, "},
        {"truncated_file", 135, "", "The program ends by the same signal, SIGBUS."},
        {"registered_and_gone", 139, "register: cudaSuccess\n", "cudaLaunchKernel"},
        {"no_memory", 0, "no memory\nlaunch: cudaErrorMemoryAllocation\n", "There is no memory"},
#endif
    };
    char arguments[400];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(arguments, sizeof arguments, "--time-limit 60 " RECORD "-- " PROGRAM("clumsy_static") " %s",
                 cases[i].name);
        run_ends_with(arguments, cases[i].exit_status);
        cr_assert(strncmp(output, cases[i].output, strlen(cases[i].output)) == 0, "%s\n%s", output, errors);
        cr_assert(strstr(errors, cases[i].errors), "%s: no \"%s\" in\n%s", cases[i].name, cases[i].errors,
                  errors);
    }
}

/* A process that becomes another program keeps its number: each program of it is a run of its own. */
Test(standin, records_every_program_that_a_process_becomes)
{
    static char first[sizeof output];
    size_t runs = 0;

    run_ends_with(RECORD "-- " PROGRAM("clumsy_static") " becomes_itself", 0);
    run_ends_with("report a.lsr --table runs --format csv", 0);
    memcpy(first, output, sizeof first);
    for (const char *at = output; (at = strstr(at, ",\"\",\"clumsy_static\",")) != NULL; at++)
        runs++;
    run_ends_with("report a.lsr --table kernels --format csv", 0);
    cr_assert(runs == 21 && strstr(output, ",21,"), "%zu runs\n%s%s", runs, first, output);
}

/* mbarriers, copies in bulk, clusters and distributed shared memory: each line is that of an H200, but for
 * those of what PTX leaves open. No check finds anything in the program, which is right. */
Test(standin, runs_clusters)
{
    static char expected[1 << 14];
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/cluster_facts.txt", "r");

    cr_assert(file);
    expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    run_ends_with(RECORD "--check -- " PROGRAM("clusters_static"), 0);
    cr_assert(strncmp(output, expected, strlen(expected)) == 0, "%s\n%s", output, errors);
}

/* The recording's rank is that of its name. */
Test(standin, knows_its_rank)
{
    setenv("SLURM_PROCID", "0", 1); /* srun torchrun */
    setenv("RANK", "2", 1);
    setenv("LOCAL_RANK", "2", 1);
    run_ends_with("--record r-%r.lsr --device simt -- " PROGRAM("api_static") " launches", 0);
    run_ends_with("report r-2.lsr --json", 0);
    cr_assert(strstr(output, "\"rank\": 2,"), "%s", output);
}

/* The cost of each line, with the program's own source. */
Test(standin, counts_the_lines_of_a_program)
{
    run_ends_with(RECORD "-- " PROGRAM("api_static") " launches", 0);
    run_ends_with("report a.lsr --lines --kernel add", 0);
    cr_assert(strstr(output, "api.cu:15  c[i] = a[i] + b[i];"), "%s\n%s", output, errors);
    cr_assert(strstr(output, "add, modelled"), "%s", output);
}

/* The addresses of a warp in each memory instruction, drawn as those of bundled kernels. */
Test(standin, shows_the_lanes_of_a_program)
{
    run_ends_with(RECORD "-- " PROGRAM("api_static") " launches", 0);
    run_ends_with("view a.lsr --snapshot text --size 120x40 --keys '/ a d d ENTER A'", 0);
    cr_assert(strstr(output, "Lane map  add"), "%s\n%s", output, errors);
    cr_assert(strstr(output, "api.cu:15  c[i] = a[i] + b[i];"), "%s", output);
    cr_assert(strstr(output, "4 sectors of 32 bytes, ideal 4") && strstr(output, "1 of 3"), "%s", output);
    run_ends_with("view a.lsr --snapshot text --size 120x40 --keys '/ a d d ENTER v'", 0);
    cr_assert(strstr(output, "modelled on NVIDIA H200 ") && !strstr(output, "measured"), "%s", output);
}

/* The same for the driver API. A module of machine code is refused. */
Test(standin, runs_every_case_of_the_driver)
{
    static const struct {
        const char *name;
        int exit_status;
    } cases[] = {
#ifndef SANITIZES_ADDRESSES /* its dlopen hides who called it, by whose paths ld.so searches */
        {"opens", 0},
#endif
        {"modules", 0}, {"fat", 0},      {"libraries", 0}, {"launches", 0}, {"memory", 0},
        {"virtual", 0}, {"contexts", 0}, {"arrays", 0},    {"machine", 125}};
    char arguments[4096], fine[32];

    setenv("LANESCOPE_TEST_PTX", PROGRAM("driver_kernels.ptx"), 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(arguments, sizeof arguments, RECORD "-- " PROGRAM("driver") " %s " PROGRAM(""),
                 cases[i].name);
        run_ends_with(arguments, cases[i].exit_status);
        snprintf(fine, sizeof fine, "%s: fine\n", cases[i].name);
        cr_assert(strncmp(output, fine, strlen(fine)) == 0, "%s\n%s", output, errors);
    }
    cr_assert(strstr(errors, "driver_kernels.cubin"), "%s", errors);
    run_ends_with(RECORD "--gpus 2 -- " PROGRAM("driver") " gpus " PROGRAM(""), 0);
    cr_assert(strncmp(output, "gpus: fine\n", 11) == 0, "%s\n%s", output, errors);
}

/* What the driver links at run time is relocatable code: ptxas knows less of shared variables there. */
Test(standin, counts_what_the_driver_links_as_relocatable)
{
    static const char placed_row[] = "\"placed_sum\", \"metric\": \"shared_load_instructions\", \"value\": ";
    static const char linked_row[] = "\"linked_sum\", \"metric\": \"shared_load_instructions\", \"value\": ";

    run_ends_with(RECORD "-- " PROGRAM("driver") " link " PROGRAM(""), 0);
    cr_assert(strncmp(output, "link: fine\n", 11) == 0, "%s\n%s", output, errors);
    run_ends_with("report a.lsr --json", 0);
    const char *one = strstr(output, placed_row), *four = strstr(output, linked_row);
    cr_assert(one && four, "%.4000s", output);
    cr_assert_eq(atoi(one + sizeof placed_row - 1), 1, "%.90s", one);
    cr_assert_eq(atoi(four + sizeof linked_row - 1), 4, "%.90s", four);
}

/* The driver's functions of names with _ptsz and _ptds, and those that are asked for by a flag. */
Test(standin, runs_the_driver_with_streams_of_threads)
{
    static const char *const cases[] = {"launches", "memory", "virtual", "arrays", "contexts"};
    char arguments[4096], fine[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(arguments, sizeof arguments, RECORD "-- " PROGRAM("driver_own") " %s " PROGRAM(""),
                 cases[i]);
        run_ends_with(arguments, 0);
        snprintf(fine, sizeof fine, "%s: fine\n", cases[i]);
        cr_assert(strncmp(output, fine, strlen(fine)) == 0, "%s\n%s", output, errors);
    }
}

/* Graphs whose kernels decide what runs, by the real code of nvcc. */
Test(standin, runs_conditional_nodes)
{
    run_ends_with(RECORD "-- " PROGRAM("conditional_static"), 0);
    cr_assert(strncmp(output, "conditional: fine\n", 18) == 0, "%s\n%s", output, errors);
}

/* Built for a default stream of each thread, which no call of the legacy one waits for. */
Test(standin, runs_programs_with_streams_of_threads)
{
    static const char *const cases[] = {"launches", "copies", "symbols", "streams", "threads", "arrays"};

    EXPECT_FINE("own_static", cases);
}

/* Functions and structures that CUDA 13 changed are CUDA 12's for a program of CUDA 12. */
Test(standin, runs_programs_of_cuda_12)
{
    static const char *const programs[] = {PROGRAM("older_static"), PROGRAM("older_shared")};
    char arguments[4096];

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        snprintf(arguments, sizeof arguments, RECORD "-- %s", programs[i]);
        run_ends_with(arguments, 0);
        cr_assert(strncmp(output, "older: fine\n", 12) == 0, "%s: %s\n%s", programs[i], output, errors);
    }
}

/* Relocatable code: the PTX of each file is in the program apart. */
Test(standin, links_the_files_of_a_program)
{
    static const char printed[] = "here 3\nthere\nparts: fine\n";

    run_ends_with(RECORD "-- " PROGRAM("parts_static"), 0);
    cr_assert(strncmp(output, printed, strlen(printed)) == 0, "%s\n%s", output, errors);
}

/* Each GPU has memory, variables and streams of its own; what it may not reach of the other one ends the
 * kernel. */
Test(standin, has_several_gpus)
{
    static const char printed[] = "peers: fine\n";

    run_ends_with(RECORD "--gpus 2 -- " PROGRAM("peers_static"), 0);
    cr_assert(strncmp(output, printed, strlen(printed)) == 0, "%s\n%s", output, errors);
    run_ends_with("export a.lsr --csv", 0);
    cr_assert(strstr(output, ",\"spin\",") || strstr(output, "\"spin(long long)\""), "%s", output);
    run_ends_with(RECORD "--gpus 2 -- " PROGRAM("peers_static") " far", 1);
    cr_assert(strstr(errors, "memory of GPU 0, to which this GPU has no peer access (") &&
                  strstr(errors, "peers.cu:10,"),
              "%s", errors);
    cr_assert_null(strstr(errors, "launched no kernel"), "%s", errors);
    run_ends_with(RECORD "-- " PROGRAM("peers_static"), 1); /* wants two, finds one and stops */
    cr_assert(strstr(errors, "launched no kernel. If it wants two, --gpus 2 shows it two."), "%s", errors);
    run_ends_with("--device simt --gpus 9 --record a.lsr -- " PROGRAM("peers_static"), 2);
    run_ends_with("--device simt --gpus 2 --record a.lsr transpose", 2);
}

/* It is the same profiler: kernels, counts, calls, clock. */
Test(standin, is_recorded_as_any_run)
{
    static const char *const parts[] = {"\"short_name\": \"add\"", "\"short_name\": \"fill<float>\"",
                                        "\"metric\": \"global_load_requests\", \"value\": 626",
                                        "\"clock\": \"model\"", "\"name\": \"NVIDIA H200\""};

    run_ends_with(RECORD "-- " PROGRAM("api_static") " launches", 0);
    run_ends_with("report a.lsr --json", 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert(strstr(output, parts[i]), "%s is not in\n%.4000s", parts[i], output);
    run_ends_with("report a.lsr --table calls", 0);
    cr_assert(strstr(output, "cudaLaunchKernel") && strstr(output, "cudaMemcpy"), "%s", output);
    run_ends_with(RECORD "--model a100 -- " PROGRAM("api_static") " launches", 0);
    run_ends_with("report a.lsr", 0);
    cr_assert(strstr(output, "A100"), "%s", output);
}

Test(standin, prints_what_kernels_print)
{
    run_ends_with(RECORD "-- " PROGRAM("api_shared") " prints", 0);
    cr_assert(strncmp(output, "before\nthread 0 of two: 0.50\nthread 1 of two: 1.50\nafter\nprints: fine\n",
                      70) == 0,
              "%s", output);
}

/* The launches behind the first three of a kernel and shape run as well, but are not counted; that is said.
 */
Test(standin, counts_the_first_launches)
{
    run_ends_with(RECORD "-- " PROGRAM("api_static") " threads", 0);
    run_ends_with("report a.lsr --json", 0);
    cr_assert(strstr(output, "\"launches\": 80,") && strstr(output, "\"measured_launches\": 3,"), "%.2000s",
              output);
    run_ends_with("report a.lsr --full", 0);
    cr_assert(strstr(output, "77 launches were executed but not counted"), "%s", output);
    run_ends_with("report a.lsr", 0); /* the time of the others is that of the first ones */
    cr_assert(strstr(output, "and why (~ by first launches)"), "%s", output);
    run_ends_with(RECORD "--launches 0 -- " PROGRAM("api_static") " threads", 0);
    run_ends_with("report a.lsr --json", 0);
    cr_assert(strstr(output, "\"measured_launches\": 80,"), "%.2000s", output);
}

/* A defect ends with the sentence of what it is and where, with the error that CUDA gives, and a status that
 * is not 0. */
Test(standin, ends_with_a_status_after_a_fault)
{
    static const struct {
        const char *options, *defect;
        int exit_status;
        const char *prints, *says;
    } rows[] = {
        {"", "none", 0, "cudaSuccess cudaSuccess cudaSuccess cudaSuccess\n", ""},
        {"", "past", 1, "cudaErrorIllegalAddress cudaErrorIllegalAddress", "broken.cu:9, "},
        {"", "past", 1, "", "0 bytes past the end of the 4000 bytes allocated"},
        {"", "null", 1, "", "writes 4 bytes at global 0x0: a null pointer"},
        {"--check ", "shuffle", 1, "", "gets the value of lane 16, which has no thread: the block has 40"},
        {"", "misaligned", 1, "cudaErrorMisalignedAddress", "broken.cu:14, "},
        {"", "trap", 1, "cudaErrorLaunchFailure", "broken.cu:31, "},
        {"", "assert", 1, "cudaErrorAssert cudaErrorAssert", "Assertion `values[threadIdx.x] == 1` failed"},
        {"", "race", 0, "cudaSuccess cudaSuccess", ""},
        {"--check ", "race", 1, "cudaSuccess cudaSuccess", "race in shared memory"},
        {"--check ", "unwritten", 1, "cudaSuccess cudaSuccess", "which nothing has written before"},
        {"--check ", "copied", 1, "",
         "read before written: a copy to the host reads 4000 bytes at global 0x"},
        {"--check ", "copied-partly", 0, "", ""},
        {"--check ", "none", 0, "cudaSuccess cudaSuccess",
         "1 allocation of the device, 4000 bytes in all, was not freed"},
        {"--check ", "beside-kernel", 1, "7\n", "race with the host: the program reads 0x"},
        {"--check ", "beside-kernel", 1, "", ", which the kernel fill, line "},
        {"--check ", "beside-kernel-waits", 0, "7\n", ""},
        {"--check ", "beside-elsewhere", 0, "40\n", ""},
        {"--check ", "beside-tells", 0, "7\n", ""},
        {"--check ", "beside-copy", 1, "", ", which a copy to the host in stream "},
        {"--check ", "beside-copy-waits", 0, "", ""},
        {"--check ", "beside-source", 1, "", "race with the host: the program writes 0x"},
        {"--check ", "beside-source-waits", 0, "", ""},
        {"--check ", "beside-reads", 0, "3\n", ""},
        {"", "beside-kernel", 0, "7\n", ""},
        {"--check ", "failed", 1, "", FAILED_CALL},
        {"", "failed", 0, "", ""},
        {"--check ", "failed-asked", 0, "", ""},
        {"--check ", "failed-named", 0, "invalid argument\n", ""},
        {"--check ", "failed-ended", 3, "", ""},
        {"", "absent", 125, "cudaErrorNotSupported", "calls cudaDeviceFlushGPUDirectRDMAWrites, which"},
        {"", "stack", 125, "cudaErrorNotSupported cudaErrorNotSupported", "alloca.u64"},
        {"", "spin", 1, "cudaErrorLaunchTimeout", "loops until memory changes"},
        {"", "spin-host", 1, "cudaErrorLaunchTimeout",
         "loops until the host changes one of the 4 bytes at 0x"},
        {"", "host-reads", 1, "",
         "reads memory of the device on the host in sum_on_host(int const*, int), broken.cu:62: " BASE
         "000 is "
         "byte 0 of the 4000 bytes allocated at " BASE "000"},
        {"", "host-writes", 1, "",
         "writes memory of the device on the host in access_on_host(char const*, int*), "
         "broken.cu:73: " BASE "f9c is byte 3996"},
        {"", "host-after", 1, "", BASE "000 is an address of the device, where nothing is allocated"},
#ifndef SANITIZES_ADDRESSES /* it has its own word on these */
        {"", "host-copies", 1, "", "broken.cu:75: "},
        {"", "host-frees", 1, "", "in access_on_host(char const*, int*), broken.cu:77"},
        {"", "host-null", 139, "", ""},
#else /* shows that the stand-in in the program is checked */
        {"", "small", 1, "", "heap-buffer-overflow"},
#endif
        {"--time-limit 1 ", "endless", 124, "", ""},
    };
    char arguments[4096];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(arguments, sizeof arguments, RECORD "%s-- " PROGRAM("broken_static") " %s", rows[i].options,
                 rows[i].defect);
        run_ends_with(arguments, rows[i].exit_status);
        cr_assert(strstr(output, rows[i].prints), "%s: %s", arguments, output);
        cr_assert(strstr(errors, rows[i].says), "%s: %s", arguments, errors);
    }
}

/* NVIDIA's libraries: linked, opened by path or by name, opened where the program's own path finds it alone,
 * and inside the program. What they say of themselves is said. */
Test(standin, refuses_closed_libraries_where_they_are_called)
{
    static const char *const programs[] = {PROGRAM("closed_user"),
                                           PROGRAM("closed_user") " " PROGRAM("closed/libnvjpeg.so.12"),
                                           PROGRAM("closed_user") " libnvjpeg.so.12",
                                           PROGRAM("closed_found") " " FOUND, PROGRAM("closed_inside")};
    static const char *const says[] = {
        "lanescope: The program calls nvjpegCreateSimple of libnvjpeg.so.12: NVIDIA's",
        "lanescope: The program calls nvjpegCreateSimple, which it contains: NVIDIA's"};
    char arguments[4096];

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        snprintf(arguments, sizeof arguments, RECORD "-- %s", programs[i]);
        run_ends_with(arguments, 125);
        cr_assert(strstr(output, "version 12000\n") && !strstr(output, "created"), "%s: %s", programs[i],
                  output);
        cr_assert(strstr(errors, says[i / 4]), "%s: %s", programs[i], errors);
        run_ends_with("report a.lsr", 0);
        cr_assert(strstr(output, says[i / 4] + strlen("lanescope: ")), "%s: %s", programs[i], output);
    }
}

/* The program compares all results with the host's sums. */
Test(standin, runs_cublas_by_kernels_of_its_own)
{
    static const char *const cases[] = {"products", "batches", "types",  "vectors",
                                        "matrices", "light",   "handles"};

    EXPECT_FINE("blas_static", cases);
    run_ends_with("report a.lsr --full", 0);
    cr_assert(strstr(output, "lanescope_gemm_s_small") && strstr(output, "not NVIDIA's"), "%s", output);
    expect_fine(PROGRAM("blas_older"), &cases[6], 1);
    run_ends_with(RECORD "--model t4 --check -- " PROGRAM("blas_static") " handles", 0);
    run_ends_with(RECORD "-- " PROGRAM("blas_static") " absent", 125);
    cr_assert(strstr(errors, "calls cublasXtCreate, which lanescope's cuBLAS"), "%s", errors);
    cr_assert(strstr(output, "before\n") && !strstr(output, "\nstatus "), "%s", output);
}

/* What they compute is compared with NVIDIA's answers by the tests standin_curand and standin_cufft. */
Test(standin, runs_curand_and_cufft_by_kernels_of_its_own)
{
    run_ends_with(RECORD "--check -- " PROGRAM("cufft_static") " fault 2", 0);
    run_ends_with("doctor " PROGRAM("cufft_static"), 0);
    cr_assert(strstr(output, "lanescope's own runs in the place of libcufft.so.12"), "%s", output);
    run_ends_with(RECORD "--check -- " PROGRAM("curand_static") " 161", 0);
    run_ends_with(RECORD "-- " PROGRAM("curand_static") " --host '161 b5'", 0);
    cr_assert(strstr(output, "b5 = 0 6627e8d5 e169c58d bc57ac4c 9b00dbd8"), "%s", output);
    run_ends_with(RECORD "-- " PROGRAM("curand_static") " 141", 125);
    cr_assert(strstr(errors, "curandCreateGenerator with CURAND_RNG_PSEUDO_MTGP32, which lanescope's cuRAND"),
              "%s", errors);
}

/* Each row of the document's table of what is not there is true. */
Test(standin, lacks_what_the_document_says)
{
    static const struct {
        const char *what, *program, *says; /* how the row begins; NULL: see `says` */
        int exit_status;
    } rows[] = {
        {"modules of machine code", PROGRAM("driver") " machine " PROGRAM(""), "driver_kernels.cubin", 125},
        {"NVIDIA's libraries", PROGRAM("closed_user"), "hold no PTX", 125},
        {"mipmapped arrays", PROGRAM("absent_static") " mipmapped", "cudaMallocMipmappedArray", 125},
        {"sparse arrays", PROGRAM("absent_static") " sparse", "creates a sparse array", 125},
        {"sRGB in textures", PROGRAM("absent_static") " srgb", "or sRGB", 125},
        {"resource views of textures", PROGRAM("absent_static") " view", "with a resource view", 125},
        {"sharing memory and events", PROGRAM("absent_static") " ipc", "cudaIpcGetEventHandle", 125},
        {"external memory", PROGRAM("absent_static") " external", "cudaImportExternalMemory", 125},
        {"graphics inter", PROGRAM("absent_static") " graphics", "cudaGraphicsResourceGetMappedPointer", 125},
        {"`wgmma`", PROGRAM("absent_static") " wgmma", "wgmma.fence.sync.aligned", 125},
        {"copies by tensor maps", PROGRAM("absent_static") " tensor-copy", "cp.async.bulk.tensor.1d", 125},
        {"sparse products", PROGRAM("absent_static") " mma-sparse", "mma.sp.sync", 125},
        {"products of 8-bit floats", PROGRAM("absent_static") " mma-8", "e4m3", 125},
        {"child graphs that", PROGRAM("absent_static") " child-memory", "that allocates memory", 125},
        {"child graphs with", PROGRAM("absent_static") " child-condition", "or has conditional nodes", 125},
        {"pools beside", PROGRAM("absent_static") " pools", "", 0},
        {"contexts beside", PROGRAM("absent_static") " contexts", "", 0},
        {"a kernel that waits", PROGRAM("broken_static") " spin-host", "loops until the host changes", 1},
    };
    const size_t count = sizeof rows / sizeof *rows;
    char line[2048], arguments[4096];
    bool inside = false;
    size_t seen = 0;
    FILE *page = fopen(TEST_SOURCE_DIR "/docs/standin.md", "r");

    cr_assert(page);
    while (fgets(line, sizeof line, page)) {
        if (line[0] == '#')
            inside = strcmp(line, "## What is not there\n") == 0;
        if (!inside || line[0] != '|' || strncmp(line, "|---", 4) == 0 || strncmp(line, "| what |", 8) == 0)
            continue;
        cr_assert(seen < count && strncmp(line + 2, rows[seen].what, strlen(rows[seen].what)) == 0,
                  "no program tries: %s", line);
        seen++;
    }
    fclose(page);
    cr_assert(seen == count, "the document has no row %s", rows[seen].what);
    setenv("LANESCOPE_TEST_PTX", PROGRAM("driver_kernels.ptx"), 1);
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].program)
            continue;
        snprintf(arguments, sizeof arguments, RECORD "-- %s", rows[i].program);
        run_ends_with(arguments, rows[i].exit_status);
        cr_assert(strstr(errors, rows[i].says), "%s\n%s", arguments, errors);
        cr_assert(!strstr(rows[i].program, "absent_static") ||
                      strstr(output, rows[i].exit_status ? "cudaErrorNotSupported" : "cudaSuccess"),
                  "%s\n%s", arguments, output);
        cr_assert(!strstr(output, "present") || strstr(output, "present 3\n"), "%s\n%s", arguments, output);
    }
}

/* A runtime and kernels inside a library that the program is linked with. */
Test(standin, runs_kernels_of_a_linked_library)
{
    run_ends_with(RECORD "-- " PROGRAM("plugin_user"), 0);
    cr_assert(strncmp(output, "3\n", 2) == 0, "%s\n%s", output, errors);
}

/* What it cannot run is said before the program's own error. */
Test(standin, says_what_it_cannot_run)
{
    run_ends_with(RECORD "-- " PROGRAM("broken_stripped") " none", 125);
    cr_assert(strstr(errors, "no symbols"), "%s", errors);
    run_ends_with(RECORD "-- " PROGRAM("older_11"), 125);
    cr_assert(strstr(errors, "the runtime of CUDA 11 or older"), "%s", errors);
    run_ends_with(RECORD "-- " PROGRAM("broken_machine") " past", 125);
    cr_assert(strstr(errors, "machine code only and no PTX"), "%s", errors);
    cr_assert(strstr(output, "cudaErrorNotSupported"), "%s", output);
    run_ends_with(RECORD "--model gtx1080 -- " PROGRAM("broken_static") " past", 125);
    cr_assert(strstr(errors, "for compute capability 6.1 or less (it has sm_75): --model h200."), "%s",
              errors);
}

/* A long launch ends with the run, within a second; what ended before it, and the host has not waited for, is
 * kept. */
Test(standin, ends_in_the_middle_of_a_launch)
{
    static const struct {
        const char *options, *program, *says[3];
    } rows[] = {
        {"--time-limit 1.5 ",
         PROGRAM("long_static") " 64 100000000",
         {"The program was ended by SIGTERM. Kernel churn, launch 1, ran for 1.",
          " % of its 64 blocks had ended. ", "lanescope: The time limit of 1.5 s ended "}},
        {"--time-limit 1.5 ",
         PROGRAM("broken_static") " endless",
         {"Kernel run_on, launch 1, ran for 1.", "0 % of its 1 block had ended. This launch is not counted",
          "lanescope: The time limit of 1.5 s ended "}},
        /* the shell ends first */
        {"--time-limit 1.5 ",
         "sh -c '" PROGRAM("long_static") " 64 100000000; true'",
         {"Kernel churn, launch 1, ran for 1.", "", "lanescope: The time limit of 1.5 s ended sh."}},
        /* one long block for each multiprocessor, with accesses whose log is played into the L2 */
        {"--time-limit 3 ",
         PROGRAM("broken_static") " endless-blocks",
         {"Kernel run_on, launch 1, ran for ", " s: 0 % of its 264 blocks had ended. ", ""}},
    };
    char arguments[4096];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t begun_ns = clock_monotonic_ns();
        snprintf(arguments, sizeof arguments, RECORD "%s-- %s", rows[i].options, rows[i].program);
        run_ends_with(arguments, 124);
        cr_assert_lt(clock_monotonic_ns() - begun_ns, 4 * (int64_t)NS_PER_S + (int64_t)NS_PER_S / 2, "%s",
                     arguments);
        for (size_t j = 0; j < 3; j++)
            cr_assert(strstr(errors, rows[i].says[j]), "%s: %s", arguments, errors);
        cr_assert(strstr(output, "The program was ended by SIGTERM. Kernel "), "%s",
                  output); /* the summary */
        run_ends_with("report a.lsr --full", 0);
        cr_assert(strstr(output, "This launch is not counted; what ended before it is kept."), "%s", output);
        cr_assert(strstr(output, "launch 1, ran for"), "%s", output);
        cr_assert(!strstr(rows[i].program, "long") || strstr(output, "fill"), "%s", output);
    }
}

/* Where standard error is no terminal, one line in a run that takes long; none if nobody asks. */
/* The first launch that is long enough on this machine. */
Test(standin, says_once_how_far_a_long_launch_is)
{
    char run[4096];
    const char *said = NULL;

    setenv("LANESCOPE_WAITING", "1", 1);
    for (unsigned long turns = 125000; !said && turns <= 64000000; turns *= 4) {
        snprintf(run, sizeof run, PRELOADED PROGRAM("long_static") " 64 %lu >output 2>errors", turns);
        cr_assert_eq(system(run), 0);
        program_read("errors", errors, sizeof errors);
        said = strstr(errors, "lanescope: kernel churn, launch 1: ");
    }
    cr_assert(said && strstr(said, " (64 blocks, ") && strstr(said, " M warp instructions/s"), "%s", errors);
    cr_assert_not(strstr(said + 1, "lanescope:"), "%s", errors);
    cr_assert_not(strchr(errors, '\033'), "%s", errors);
    unsetenv("LANESCOPE_WAITING");
    cr_assert_eq(system(run), 0);
    program_read("errors", errors, sizeof errors);
    cr_assert_str_eq(errors, "");
}

/* The same is said beforehand; and without a driver, what the model could do. */
Test(standin, is_foretold)
{
    static const struct {
        const char *program, *runtime, *ptx, *result;
        int exit_status;
    } rows[] = {
        {PROGRAM("broken_static"),
         "ok    runtime        static:", "ok    PTX            for compute capability 7.5\n",
         "ok    without a GPU  lanescope --device simt -- ", 0},
        {PROGRAM("broken_shared"), "ok    runtime        shared (libcudart.so.13)", "ok    PTX",
         "ok    without a GPU", 0},
        {PROGRAM("broken_stripped"), "no    runtime        static, and stripped", "ok    PTX",
         "no    without a GPU  the device model cannot run it", 125},
        {PROGRAM("broken_machine"), "ok    runtime        static:",
         "no    PTX            none, machine code alone, for 9.0", "no    without a GPU", 125},
        {"/bin/true", "      runtime        none, and no kernels", "", "", 0},
        {PROGRAM("older_11"), "no    runtime        static, of CUDA 11 or older", "", "no    without a GPU",
         125},
        {PROGRAM("older_shared"), "ok    runtime        shared (libcudart.so.12)",
         "      PTX            none, and no kernels", "ok    without a GPU", 0},
        {PROGRAM("blas_static"), "ok    libraries      lanescope's own runs in the place of libcublas.so.13",
         "ok    PTX", "ok    without a GPU", 0},
    };
    char arguments[4096];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(arguments, sizeof arguments, "doctor %s", rows[i].program);
        run_ends_with(arguments, rows[i].exit_status);
        cr_assert(strstr(output, rows[i].runtime) && strstr(output, rows[i].ptx) &&
                      strstr(output, rows[i].result),
                  "%s: %s", rows[i].program, output);
        cr_assert_eq(strstr(errors, "The device model cannot run ") != NULL, rows[i].exit_status != 0, "%s",
                     errors);
    }
    run_ends_with("doctor " PROGRAM("broken_stripped") " --json", 125);
    cr_assert_eq(system("python3 " CHECK_JSON " " TEST_SOURCE_DIR "/docs/doctor.schema.json output >&2"), 0);
    run_ends_with("doctor " TEST_SOURCE_DIR "/README.md", 125);
    cr_assert(strstr(errors, "is not a 64-bit ELF program"), "%s", errors);
    program_write("endless", "#!/bin/sh\nyes\n"); /* a tool that does not stop to print */
    cr_assert_eq(system("chmod +x endless"), 0);
    setenv("LANESCOPE_CUOBJDUMP", "./endless", 1);
    run_ends_with("doctor " PROGRAM("api_static") " --json", 125);
    cr_assert(strstr(output, "./endless does not list what the program holds"), "%s", output);
    if (access("/dev/nvidiactl", F_OK) == 0)
        return;
    run_ends_with("--record a.lsr -- " PROGRAM("broken_static") " none", 0);
    run_ends_with("report a.lsr --full", 0);
    cr_assert(strstr(output, "--device simt"), "%s", output);
}

/* Of the CSV of ranges: how many operations were issued in this one. */
static void expect_range(const char *name, const char *operations)
{
    char quoted[64];

    snprintf(quoted, sizeof quoted, ",\"%s\"\n", name);
    const char *line = strstr(output, quoted);
    cr_assert(line, "no range %s in\n%s", name, output);
    while (line[-1] != '\n')
        line--;
    for (int i = 0; i < 3; i++)
        line = strchr(line, ',') + 1;
    cr_assert(strncmp(line, operations, strlen(operations)) == 0 && line[strlen(operations)] == ',',
              "%s has not %s in\n%s", name, operations, output);
}

/* NVTX's ranges of each kind, with the work that was issued in them; the program checks what the calls
 * return. A range belongs to the thread that began it. */
Test(standin, records_nvtx_ranges)
{
    const char *const programs[] = {PROGRAM("ranges_static"), PROGRAM("ranges_shared")};

    for (size_t i = 0; i < 2; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, RECORD "-- %s", programs[i]);
        run_ends_with(arguments, 0);
        run_ends_with("report a.lsr --table ranges --csv", 0);
        expect_range("outer", "3");
        expect_range("inn\u00e9r", "3");
        expect_range("registered", "2");
        expect_range("started", "4");
        expect_range("across", "4");
        expect_range("thread", "8");
        expect_range("never popped", "0");
        expect_range("a mark", "0");
        expect_range("a mark of a domain", "0");
    }
    setenv("NVTX_INJECTION64_PATH", "/another/tool.so", 1);
    run_ends_with(RECORD "-- " PROGRAM("ranges_static"), 125);
    cr_assert(strstr(errors, "NVTX_INJECTION64_PATH already names /another/tool.so"), "%s", errors);
}

static size_t calls_named(const struct session *session, const char *name, uint8_t category)
{
    size_t found = 0;
    for (uint32_t t = 0; t < session_track_count(session); t++) {
        uint64_t count =
            session_track(session, t)->kind == TRACK_CALLS ? session_lane_count_events(session, t, 0) : 0;
        for (uint64_t i = 0; i < count; i++) {
            struct item item = session_event_item(session, (struct event_ref){t, 0, i});
            found += item.b == category && strcmp(session_string(session, item.call.name), name) == 0;
        }
    }
    return found;
}

/* Of two threads, 20 rounds each, with the rows that CUPTI gives on a GPU: every record of an event has a number of its own, and every wait that of the last
 * record of its event before it. */
Test(standin, records_what_waits_for_what)
{
    static const struct {
        const char *name;
        uint8_t category;
        size_t count;
    } calls[] = {{"cudaEventRecord", CALL_STREAM, 120},    {"cudaEventQuery", CALL_STREAM, 40},
                 {"cudaStreamQuery", CALL_STREAM, 40},     {"cudaStreamWaitEvent", CALL_STREAM, 40},
                 {"cudaLaunchHostFunc", CALL_LAUNCH, 40},  {"cudaEventSynchronize", CALL_SYNC, 40},
                 {"cudaGraphExecUpdate", CALL_STREAM, 20}, {"cudaGraphDestroy", CALL_STREAM, 2},
                 {"cudaGraphExecDestroy", CALL_STREAM, 1}};
    size_t uses[EVENT_USE_COUNT] = {0};
    struct session *session;
    struct error error = {0};

    run_ends_with(RECORD "-- " PROGRAM("events_static"), 0);
    cr_assert_eq(recording_load(&session, "a.lsr", &error), STATUS_OK, "%s", error.text);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        cr_expect_eq(calls_named(session, calls[i].name, calls[i].category), calls[i].count, "%s: %zu",
                     calls[i].name, calls_named(session, calls[i].name, calls[i].category));
    for (uint32_t i = 0; i < session_event_use_count(session); i++) {
        const struct event_use_row *use = session_event_use(session, i);
        uint64_t last = 0; /* record of the event before this use */
        for (uint32_t k = 0; k < i; k++) {
            const struct event_use_row *before = session_event_use(session, k);
            if (before->use == EVENT_USE_RECORD && before->event == use->event)
                last = before->record;
            cr_assert(use->use != EVENT_USE_RECORD || before->use != EVENT_USE_RECORD ||
                      before->record != use->record);
        }
        cr_assert(use->use == EVENT_USE_RECORD || use->record == last, "use %u", i);
        uses[use->use]++;
    }
    cr_expect(uses[EVENT_USE_RECORD] == 120 && uses[EVENT_USE_STREAM_WAITS] == 40 &&
                  uses[EVENT_USE_HOST_WAITS] == 80,
              "%zu %zu %zu", uses[EVENT_USE_RECORD], uses[EVENT_USE_STREAM_WAITS],
              uses[EVENT_USE_HOST_WAITS]);
    session_destroy(session);
}

/* Makes one line of it: sentences are folded at any blank. */
static void unfold(char *text)
{
    size_t used = 0;

    for (const char *at = text; *at; at++) {
        const char byte = *at == '\n' ? ' ' : *at;

        if (byte != ' ' || used == 0 || text[used - 1] != ' ')
            text[used++] = byte;
    }
    text[used] = '\0';
}

/* One sentence says what of a run is exact: on the first screen, in full, and in JSON. */
Test(standin, says_what_is_exact)
{
    static const char
        counts[] = "Fidelity: exact: what kernels compute, and the counts of 3 of 15 launches; approximated: "
                   "times, cache hits, ex2.approx; work completes when it is issued",
        looked[] = "refused: nothing; effects of memory never written: none.",
        unlooked[] =
            "refused: nothing; races, and effects of memory never written: not looked for (--check looks).";
    const char *at;

    run_ends_with(RECORD "-- " PROGRAM("ranges_static"), 0);
    run_ends_with("report a.lsr --full", 0);
    unfold(output);
    cr_assert(strstr(output, counts) && strstr(output, unlooked), "%s", output);
    run_ends_with("report a.lsr --json", 0);
    cr_assert((at = strstr(output, "\"fidelity\": \"")) && strstr(at, counts) == at + 13 &&
                  strstr(at, unlooked),
              "%s", output);
    run_ends_with("report a.lsr", 0);
    cr_assert(strstr(output, "Fidelity: exact: what kernels compute, and the counts of 3 of 15"), "%s",
              output);
    run_ends_with(RECORD "--check -- " PROGRAM("ranges_static"), 0);
    run_ends_with("report a.lsr --full", 0);
    unfold(output);
    cr_assert(strstr(output, looked), "%s", output);
    run_ends_with(RECORD "--check -- " PROGRAM("broken_static") " unwritten", 1);
    run_ends_with("report a.lsr --full", 0);
    unfold(output);
    cr_assert(strstr(output, "effects of memory never written: 1 (1 at the host, the errors say where)."),
              "%s", output);
    run_ends_with(RECORD "-- " PROGRAM("absent_static") " srgb", 125);
    run_ends_with("report a.lsr --full", 0);
    unfold(output);
    cr_assert(strstr(output, "refused: 1 (the errors say what)"), "%s", output);
}

/* Calls have the names that the program called: the runtime's, or the driver's. */
Test(standin, names_the_calls_of_the_program)
{
    run_ends_with(RECORD "-- " PROGRAM("api_static") " pool", 0);
    run_ends_with("report a.lsr --full", 0);
    cr_assert(strstr(output, " cudaMallocAsync\n") && strstr(output, " cudaLaunchKernel\n") &&
                  strstr(output, " cudaStreamSynchronize\n") && strstr(output, " end of the program\n"),
              "%s", output);
    cr_assert(!strstr(output, " cuMem") && !strstr(output, " cuLaunch") && !strstr(output, " cuCtx"), "%s",
              output);
    run_ends_with(RECORD "-- " PROGRAM("driver") " launches " PROGRAM(""), 0);
    run_ends_with("report a.lsr --full", 0);
    cr_assert(strstr(output, " cuMemAllocAsync\n") && strstr(output, " cuLaunchKernel\n") &&
                  !strstr(output, " cuda"),
              "%s", output);
}

/* PTX beside the program, or named for it, needs no tool; without any the line to type is printed, and
 * nothing runs. */
Test(standin, takes_ptx_from_beside_the_program)
{
    static const char *const cases[] = {"launches", "symbols"};

    cr_assert_eq(system("cp " PROGRAM("api_static") " api && cp " PROGRAM("api.ptx") " named.ptx"), 0);
    setenv("LANESCOPE_CUOBJDUMP", "/no/such/cuobjdump", 1);
    run_ends_with(RECORD "-- ./api launches", 125);
    cr_assert(strstr(errors, "/no/such/cuobjdump") &&
                  strstr(errors, "Nothing has run: there is no ./api.ptx"),
              "%s", errors);
    cr_assert(strstr(errors, "Name the cuobjdump of a CUDA toolkit"), "%s", errors);
    cr_assert_str_eq(output, "");
    cr_assert_neq(access("a.lsr", F_OK), 0);
    setenv("LANESCOPE_PTX", "named.ptx", 1);
    expect_fine("./api", cases, 2);
    setenv("LANESCOPE_PTX", "missing.ptx", 1);
    run_ends_with(RECORD "-- ./api launches", 1);
    cr_assert(strstr(errors, "Cannot read the PTX in missing.ptx"), "%s", errors);
    setenv("LANESCOPE_PTX", TEST_SOURCE_DIR "/README.md", 1);
    run_ends_with(RECORD "-- ./api launches", 1);
    cr_assert(strstr(errors, "README.md is not PTX"), "%s", errors);
    unsetenv("LANESCOPE_PTX");
    cr_assert_eq(system("mv named.ptx api.ptx"), 0);
    expect_fine("./api", cases, 2);
    cr_assert(!strstr(errors, "older"), "%s", errors);
    run_ends_with("report a.lsr --full", 0);
    cr_assert(strstr(output, "The kernels are those of ") && strstr(output, "/api.ptx."), "%s", output);
    run_ends_with("doctor ./api", 0);
    cr_assert(strstr(output, "in the file beside it"), "%s", output);
    cr_assert_eq(system("touch -d '2020-01-01' api.ptx"), 0);
    expect_fine("./api", cases, 1);
    cr_assert(strstr(errors, "is older than the program"), "%s", errors);
}

/* nvcc -arch=all-major: PTX for the newest architecture alone. */
Test(standin, chooses_the_gpu_that_runs_the_ptx)
{
    cr_assert_eq(system("cp " PROGRAM("api_static") " major && "
                                                    "sed 's/^\\.target sm_75/.target sm_120/' " PROGRAM(
                                                        "api.ptx") " >major.ptx"),
                 0);
    run_ends_with(RECORD "-- ./major launches", 0);
    cr_assert(
        strstr(errors,
               "for compute capability 12.0 and newer alone: it runs on the model of the NVIDIA GeForce "
               "RTX 5090."),
        "%s", errors);
    run_ends_with("report a.lsr --full", 0);
    cr_assert(strstr(output, "RTX 5090") && strstr(output, "12.0 and newer alone"), "%s", output);
    run_ends_with(RECORD "--model h100 -- ./major launches", 1);
    cr_assert(strstr(errors, "--model rtx5090"), "%s", errors);
}

/* Without lanescope, and without the tool that gives the PTX. */
Test(standin, is_preloaded_alone)
{
    cr_assert_eq(system(PRELOADED PROGRAM("api_static") " symbols >output"), 0);
    program_read("output", output, sizeof output);
    cr_assert_str_eq(output, "symbols: fine\n");
    setenv("LANESCOPE_CUOBJDUMP", "/no/such/cuobjdump", 1);
    cr_assert(system(PRELOADED PROGRAM("broken_static") " past >output 2>errors") != 0);
    program_read("errors", errors, sizeof errors);
    cr_assert(strstr(errors, "names /no/such/cuobjdump, which cannot be run: No such file"), "%s", errors);
    cr_assert_eq(system("ls | grep -v -e output -e errors"), 256); /* no folder was left */
}
#else
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no nvcc, or is one with a sanitizer, which nvcc's programs lack");
    fflush(stdout);
    _exit(77);
}
#endif
