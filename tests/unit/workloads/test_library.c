/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variants that CUDA's libraries do, with a library that is none: it computes on the host what it is asked,
 * in the memory of a modelled device. What the workloads ask of it, and what becomes of what it says.
 */
#include "workloads/frame/library.h"

#include "cli/children/workload_child.h"
#include "cli/options/options.h"
#include "cli/process/paths.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    struct device *device;
    struct workbench bench;
    uint32_t calls;
    bool wrong, failing;
    enum status found; /* what find says */
} made;

static const char *const texts[] = {"reduction:cub",          "scan:cub",
                                    "compaction:cub,keep=30", "radix-sort:cub,bits=12",
                                    "radix-sort:cub",         "histogram:cub,skew=30,bins=64",
                                    "matmul-ab:cublas",       "fft:cufft"};
#define TEXTS (sizeof texts / sizeof *texts)

static enum status fake_find(enum library_routine routine, struct error *error)
{
    (void)routine;
    return made.found ? error_set(error, made.found, "it has gone away") : STATUS_OK;
}

static void move(enum device_copy direction, device_pointer there, void *here, size_t words)
{
    uint64_t host = device_host_address(here);
    bool out = direction == DEVICE_COPY_TO_DEVICE;

    cr_assert_eq(made.device->ops->copy(made.device, direction, out ? there : host, out ? host : there,
                                        words * sizeof(uint32_t), DEVICE_STREAM_DEFAULT, false, NULL),
                 STATUS_OK);
}

/* Insertion by the lowest bits: stable, and like nothing that the workload does. */
static uint32_t sort_mask;
static int by_bits(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    uint64_t key_x = (x >> 32 & sort_mask) << 32 | (x & UINT32_MAX),
             key_y = (y >> 32 & sort_mask) << 32 | (y & UINT32_MAX);

    return key_x < key_y ? -1 : key_x > key_y;
}

static void sort(const struct library_call *call, const uint32_t *in, uint32_t *out)
{
    uint64_t *numbered = malloc(call->n * sizeof *numbered);

    cr_assert(numbered);
    for (size_t i = 0; i < call->n; i++)
        numbered[i] = (uint64_t)in[i] << 32 | i;
    sort_mask = call->bits == 32 ? UINT32_MAX : (1u << call->bits) - 1;
    qsort(numbered, call->n, sizeof *numbered, by_bits);
    for (size_t i = 0; i < call->n; i++)
        out[i] = (uint32_t)(numbered[i] >> 32);
    free(numbered);
}

/* In another order than the workload's reference: from the end. */
static void product(const struct library_call *call, const float *a, const float *b, float *out)
{
    for (size_t i = 0; i < call->rows * call->n; i++) {
        out[i] = 0;
        for (size_t k = call->inner; k-- > 0;)
            out[i] += a[i / call->n * call->inner + k] * b[k * call->n + i % call->n];
    }
}

/* By its definition, in double precision. */
static void fourier(const struct library_call *call, const float *in, float *out)
{
    const double step = -2 * 3.14159265358979323846 / (double)call->n;

    for (size_t row = 0; row < call->rows; row++, in += 2 * call->n, out += 2 * call->n) {
        for (size_t k = 0; k < call->n; k++) {
            double real = 0, imaginary = 0;

            for (size_t j = 0; j < call->n; j++) {
                double c = cos(step * (double)(j * k)), s = sin(step * (double)(j * k));

                real += (double)in[2 * j] * c - (double)in[2 * j + 1] * s;
                imaginary += (double)in[2 * j] * s + (double)in[2 * j + 1] * c;
            }
            out[2 * k] = (float)real;
            out[2 * k + 1] = (float)imaginary;
        }
    }
}

static size_t pick(const struct library_call *call, const uint32_t *in, uint32_t *out)
{
    uint32_t count = 0;

    for (size_t i = 0; i < call->n; i++)
        if (in[i] < call->limit)
            out[count++] = in[i];
    move(DEVICE_COPY_TO_DEVICE, *call->other, &count, 1);
    return count;
}

static enum status fake_call(const struct library_call *call, struct error *error)
{
    bool matmul = call->routine == LIBRARY_MATMUL, fft = call->routine == LIBRARY_FFT;
    size_t ins = matmul ? (size_t)call->rows * call->inner : fft ? 2 * call->rows * call->n : call->n;
    size_t outs = matmul                               ? call->rows * call->n
                  : fft                                ? ins
                  : call->routine == LIBRARY_REDUCE    ? 1
                  : call->routine == LIBRARY_HISTOGRAM ? call->bins
                                                       : call->n;
    uint32_t *in = calloc(ins, sizeof *in), *other = NULL, *out = calloc(outs, sizeof *out);

    cr_assert(in && out);
    made.calls++;
    move(DEVICE_COPY_TO_HOST, *call->in, in, ins);
    for (size_t i = 0; i < call->n && call->routine == LIBRARY_HISTOGRAM; i++)
        out[in[i]]++;
    for (size_t i = 0; i < call->n && call->routine == LIBRARY_REDUCE; i++)
        out[0] += in[i];
    for (size_t i = 1; i < call->n && call->routine == LIBRARY_SCAN; i++)
        out[i] = out[i - 1] + in[i - 1];
    if (call->routine == LIBRARY_SELECT)
        outs = pick(call, in, out);
    if (call->routine == LIBRARY_SORT)
        sort(call, in, out);
    if (fft)
        fourier(call, (const float *)in, (float *)out);
    if (matmul) {
        other = calloc(call->inner * call->n, sizeof *other);
        cr_assert(other);
        move(DEVICE_COPY_TO_HOST, *call->other, other, call->inner * call->n);
        product(call, (const float *)in, (const float *)other, (float *)out);
    }
    if (made.wrong)
        out[outs / 2] ^= 0x00400000;
    move(DEVICE_COPY_TO_DEVICE, *call->out, out, outs);
    free(in);
    free(other);
    free(out);
    return made.failing ? error_set(error, STATUS_DEVICE, "the library is unwell") : STATUS_OK;
}

static const struct library fake = {.find = fake_find, .call = fake_call};

static void setup(void)
{
    memset(&made, 0, sizeof made);
    cr_assert_eq(workload_model_open(&(struct simt_options){.workers = 1}, &made.device, NULL), STATUS_OK);
    workbench_init(&made.bench, made.device, 3, 3);
    made.bench.library = &fake;
}

static void teardown(void)
{
    workbench_fini(&made.bench);
    made.device->ops->close(made.device);
}

TestSuite(library, .init = setup, .fini = teardown);

static enum status run(const char *text, struct workload_result *result, struct error *error)
{
    struct workload_case *cases = NULL;
    size_t count = 0;
    enum status status;

    *result = (struct workload_result){.verified = -1};
    cr_assert_eq(workload_parse(text, &cases, &count, error), STATUS_OK, "%s", error->text);
    cr_assert_eq(count, 1);
    cases->info = made.device->ops->info(made.device);
    cases->small = true;
    cr_assert_eq(cases->workload->resolve(cases, error), STATUS_OK, "%s", error->text);
    status = cases->workload->run(cases, &made.bench, result, error);
    free(cases);
    return status;
}

Test(library, right_results_are_verified)
{
    for (size_t i = 0; i < TEXTS; i++) {
        struct workload_result result;
        struct error error = {0};

        made.calls = 0;
        cr_assert_eq(run(texts[i], &result, &error), STATUS_OK, "%s: %s", texts[i], error.text);
        cr_assert_eq(result.verified, 1, "%s: %s", texts[i], result.detail);
        cr_assert_eq(made.calls, 3, "%s was called %u times", texts[i], made.calls);
    }
}

Test(library, wrong_results_are_found)
{
    made.wrong = true;
    for (size_t i = 0; i < TEXTS; i++) {
        struct workload_result result;
        struct error error = {0};

        cr_assert_eq(run(texts[i], &result, &error), STATUS_OK, "%s: %s", texts[i], error.text);
        cr_assert_eq(result.verified, 0, "%s", texts[i]);
        cr_assert(strstr(result.detail, "expected"), "%s: %s", texts[i], result.detail);
    }
}

Test(library, failures_are_passed_on)
{
    made.failing = true;
    for (size_t i = 0; i < TEXTS; i++) {
        struct workload_result result;
        struct error error = {0};

        cr_assert_eq(run(texts[i], &result, &error), STATUS_DEVICE, "%s", texts[i]);
        cr_assert_str_eq(error.text, "the library is unwell");
        cr_assert_eq(result.verified, -1);
    }
}

Test(library, what_is_missing_is_said)
{
    for (size_t i = 0; i < 2 * TEXTS; i++) {
        struct workload_result result;
        struct error error = {0};
        const char *text = texts[i / 2];

        made.found = i % 2 ? STATUS_UNSUPPORTED : STATUS_OK;
        made.bench.library = i % 2 ? &fake : NULL;
        cr_assert_eq(run(text, &result, &error), STATUS_OK, "%s: %s", text, error.text);
        cr_assert_eq(result.verified, -1);
        cr_assert(strncmp(result.detail, "Not run: ", 9) == 0 &&
                      strstr(result.detail, i % 2 ? "it has gone away." : "the program lanescope-ladder"),
                  "%s: %s", text, result.detail);
    }
    cr_assert_eq(made.calls, 0);
}

Test(library, cases_are_parted_in_their_order)
{
    for (int libraries = 0; libraries < 2; libraries++) {
        struct workload_case *cases = NULL;
        size_t count = 0, kept, seen = 0;

        cr_assert_eq(workload_parse("reduction", &cases, &count, NULL), STATUS_OK);
        kept = library_cases_keep(cases, count, libraries);
        cr_assert_eq(kept, libraries ? 1 : count - 1);
        for (size_t v = 0; v < cases->workload->variant_count; v++)
            if ((cases->workload->variants[v].library != NULL) == libraries)
                cr_assert_eq(cases[seen++].variant, &cases->workload->variants[v]);
        cr_assert_eq(seen, kept);
        free(cases);
    }
}

/* A script in the program's place, beside the test. */
static void put_program(const char *script, char *path)
{
    FILE *file;

    cr_assert_eq(path_of_program(path, NULL), STATUS_OK);
    strcpy(strrchr(path, '/') + 1, "lanescope-ladder");
    cr_assert((file = fopen(path, "w")) != NULL);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    cr_assert(fclose(file) == 0 && chmod(path, 0700) == 0);
}

static void ask_for_the_same_work(void)
{
    static const struct {
        const char *script;
        int status;
        const char *part;
    } table[] = {
        {"[ \"$*\" = 'counters cuda 3 small reduction radix-sort,n=4096' ]", EXIT_FINE, ""},
        {"exit 1", EXIT_CHECK, "failed with status 1"},
        {"kill -9 $$", EXIT_FAILED, "ended by signal 9"},
    };
    char *words[] = {(char *)"reduction", (char *)"radix-sort,n=4096"}, path[PATH_BYTES];
    const struct workload_child_options options = {
        .mode = RUN_COUNTERS, .device = "cuda", .gpu = 3, .small = true, .texts = words, .text_count = 2};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct error error = {0};

        put_program(table[i].script, path);
        cr_assert(library_program_found());
        cr_assert_eq(library_program_run(&options, &error), table[i].status, "%s: %s", table[i].script,
                     error.text);
        cr_assert(strstr(error.text, table[i].part), "%s", error.text);
        cr_assert_eq(unlink(path), 0);
    }
    cr_assert(!library_program_found());
    cr_assert_eq(library_program_run(&options, NULL), EXIT_FAILED);
}

/* What the program and the driver wrote into the log, which is gone afterwards. */
static const char *take_log(const char *path)
{
    static char text[256];
    FILE *file = fopen(path, "r");

    memset(text, 0, sizeof text);
    if (file) {
        cr_assert_lt(fread(text, 1, sizeof text - 1, file), sizeof text - 1);
        fclose(file);
        cr_assert_eq(unlink(path), 0);
    }
    return text;
}

/* Counters are a process's until it ends, so the program runs before its parent has a context, and in every
 * run but that of lines. Where there is no GPU it does not run. */
static void run_before_the_device(void)
{
    static const struct {
        const char *text, *gpus, *script;
        enum run_mode mode;
        int status;
        const char *log, *part;
    } table[] = {
        {"reduction:cub", "1", "exit 0", RUN_TRACE, EXIT_FINE, "library\n", ""},
        {"reduction:cub", "1", "exit 0", RUN_COUNTERS, EXIT_FINE, "library\n", ""},
        {"reduction:cub", "1", "exit 0", RUN_MEMORY, EXIT_FINE, "library\n", ""},
        {"reduction:cub", "1", "exit 0", RUN_LINES, EXIT_FINE, "context 0\n", ""},
        {"reduction:cub", "1", "exit 1", RUN_COUNTERS, EXIT_CHECK, "library\n", "failed with status 1"},
        {"reduction", "1", "exit 0", RUN_COUNTERS, EXIT_CHECK, "library\ncontext 0\n", "OUT_OF_MEMORY"},
        {"reduction", "1", "exit 1", RUN_TRACE, EXIT_CHECK, "library\ncontext 0\n", "OUT_OF_MEMORY"},
        {"transpose", "1", "exit 0", RUN_COUNTERS, EXIT_CHECK, "context 0\n", "OUT_OF_MEMORY"},
        {"reduction", "0", "exit 0", RUN_COUNTERS, EXIT_NO_DEVICE, "", "no GPU 0"},
        {"reduction:cub", "0", "exit 0", RUN_COUNTERS, EXIT_NO_DEVICE, "", "no GPU 0"},
    };
    char log[] = "/tmp/lanescope-test-XXXXXX", script[64], path[PATH_BYTES];
    int fd = mkstemp(log);

    cr_assert(fd >= 0 && close(fd) == 0);
    cr_assert(dlopen(TEST_BUILD_DIR "/tests/driver_double.so", RTLD_NOW | RTLD_GLOBAL), "%s", dlerror());
    setenv("DRIVER_DOUBLE_LOG", log, 1);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *words[] = {(char *)table[i].text};
        const struct workload_child_options options = {
            .mode = table[i].mode, .device = "cuda", .small = true, .texts = words, .text_count = 1};
        struct error error = {0};
        const char *said;

        take_log(log);
        snprintf(script, sizeof script, "echo library >>$DRIVER_DOUBLE_LOG; %s", table[i].script);
        put_program(script, path);
        setenv("LANESCOPE_DOUBLE_GPUS", table[i].gpus, 1);
        cr_assert_eq(workload_child_main(&options, &error), table[i].status, "row %zu: %s", i, error.text);
        said = take_log(log);
        cr_assert_str_eq(said, table[i].log, "row %zu: %s", i, said);
        cr_assert(strstr(error.text, table[i].part), "row %zu: %s", i, error.text);
        cr_assert_eq(unlink(path), 0);
    }
}

/* One test: both put a program beside this one. */
Test(library, its_program_gets_its_part_of_the_work)
{
    ask_for_the_same_work();
    run_before_the_device();
}
