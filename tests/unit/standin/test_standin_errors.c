/* SPDX-License-Identifier: Apache-2.0 */
/* tests/data/error_names.txt is what NVIDIA's functions answer. */
#if LANESCOPE_CUDA
#include "standin/driver.h"
#include "standin/standin.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODES_MOST 1100
#define UNKNOWN "unrecognized error code"

static struct {
    char line[600];
    const char *name, *text, *driver_name, *driver_text; /* NULL: not known there */
} known[CODES_MOST + 1];

static size_t read_oracle(void)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/error_names.txt", "r");
    char line[600];
    size_t count = 0;

    cr_assert(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#')
            continue;
        long code = strtol(line, NULL, 10);
        cr_assert(code >= 0 && code <= CODES_MOST, "%s", line);
        const char **fields[] = {&known[code].name, &known[code].text, &known[code].driver_name,
                                 &known[code].driver_text};
        line[strcspn(line, "\n")] = '\0';
        memcpy(known[code].line, line, sizeof line);
        char *rest = known[code].line;
        strsep(&rest, "\t");
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            const char *field = strsep(&rest, "\t");
            cr_assert(field, "%s", line);
            *fields[i] = strcmp(field, "-") == 0 ? NULL : field;
        }
        count++;
    }
    fclose(file);
    return count;
}

static bool is_same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

Test(standin_errors, names_and_texts_are_those_of_nvidia)
{
    cr_assert_eq(read_oracle(), 135);
    for (int code = -1; code <= CODES_MOST; code++) {
        const char *name = code < 0 ? NULL : known[code].name, *text = code < 0 ? NULL : known[code].text;
        const char *driver_name = code < 0 ? NULL : known[code].driver_name, *asked;
        CUresult wanted = driver_name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

        cr_expect(is_same(cudaGetErrorName((cudaError_t)code), name ? name : UNKNOWN), "%d: %s", code,
                  cudaGetErrorName((cudaError_t)code));
        cr_expect(is_same(cudaGetErrorString((cudaError_t)code), text ? text : UNKNOWN), "%d: %s", code,
                  cudaGetErrorString((cudaError_t)code));
        cr_expect(cuGetErrorName((CUresult)code, &asked) == wanted && is_same(asked, driver_name), "%d: %s",
                  code, asked);
        cr_expect(cuGetErrorString((CUresult)code, &asked) == wanted &&
                      is_same(asked, code < 0 ? NULL : known[code].driver_text),
                  "%d: %s", code, asked);
    }
}

/* A check of the model becomes a code that has a name. */
Test(standin_errors, every_code_of_a_check_has_a_name)
{
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++)
        cr_expect(!check_stops((enum check_kind)kind) ||
                      error_code_find((int)check_cuda_error((enum check_kind)kind)) != NULL,
                  "check %d", kind);
    for (int status = 0; status < STATUS_COUNT; status++)
        cr_expect(error_code_find((int)error_of_status((enum status)status)) != NULL, "status %d", status);
}
#else
#include "tests/no_standin.h"
#endif
