/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope judge FILE.cu --reference R.cu`: is FILE right, and what does it cost? FILE has kernels and `void launch(cudaStream_t
 * stream, ARGS)`, or is PTX with a line "// launch: KERNEL(ARGS) grid X block X" for each launch; R has `void reference(ARGS)` on the host and a line "// judge: NAME TYPE ..." for each argument. docs/judge.md is
 * the manual.
 *
 * Host code of FILE never runs where results are: it runs confined, sees no data, and leaves a plan, the list of what it asks of
 * the device. The judge executes the plan on the model of a device of its own, with sizes and values that were drawn after FILE was
 * compiled. Plain data; the main thread.
 */
#ifndef CLI_JUDGE_JUDGE_H
#define CLI_JUDGE_JUDGE_H

#include "cli/process/paths.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUDGE_ARGUMENTS_MAX 16
#define JUDGE_NAME_BYTES 32
#define JUDGE_PROBES 8u /* calls of a case in which one element of an input is another */
#define JUDGE_SECONDS 20.0

/* ---- the reference's table ---- */
struct judge_argument {
    char name[JUDGE_NAME_BYTES], type[JUDGE_NAME_BYTES];
    char length[128]; /* expression over the whole arguments; "": it is one number */
    bool in, out, whole;
    double least, most; /* of a number, and of the values of an array that is read */
    double tolerance;   /* of what is written: absolute, and relative to the greater of the two */
};
struct judge_reference {
    struct judge_argument arguments[JUDGE_ARGUMENTS_MAX];
    size_t count;
    char operations[128]; /* expression of the least floating-point operations; "": none is named */
};
/* Reads the table. STATUS_USAGE with the line that is wrong. */
enum status judge_reference_read(struct judge_reference *reference, const char *path, struct error *error);
/* The value of an expression of + - * / ( ), numbers and the names of whole arguments. */
enum status judge_expression(const struct judge_reference *reference, const double *values, const char *text,
                             double *value, struct error *error);

/* ---- a case: sizes and values ---- */
struct judge_case {
    double values[JUDGE_ARGUMENTS_MAX]; /* of numbers */
    size_t lengths[JUDGE_ARGUMENTS_MAX];
    size_t inputs[JUDGE_ARGUMENTS_MAX], input_count; /* arrays that are read, by index */
    bool probed;                                     /* it has calls of every kind */
    bool fractions;                                  /* an input is of float or double */
    uint64_t seed;
    unsigned calls; /* of launch: the first two and the probes have the same addresses, the last has others */
};

/* What is special about the values of a call. Probes have the values of call 1, but: */
enum judge_probe {
    JUDGE_NO_PROBE,  /* values of its own */
    JUDGE_ELEMENT,   /* one element of an input is another */
    JUDGE_LOW_ZEROS, /* the low binary digits of all fractions are 0 */
    JUDGE_LOW_ONES   /* ... are 1 */
};
enum judge_probe judge_probe_of(const struct judge_case *of, unsigned call);
/* Which input JUDGE_ELEMENT changes in this call, and where. */
size_t judge_probed_input(const struct judge_case *of, unsigned call);
size_t judge_probed_element(const struct judge_case *of, unsigned call);
size_t judge_element_bytes(const struct judge_argument *argument);
double judge_value(const struct judge_argument *argument, const void *bytes, size_t at);
void judge_put(const struct judge_argument *argument, void *bytes, size_t at, double value);
/* probed: with probes among its calls, which tell more than other sizes do. */
enum status judge_case_draw(const struct judge_reference *reference, uint64_t seed, bool probed,
                            struct judge_case *drawn, struct error *error);
/* The values of an array in a call; of one that is only written a pattern that the call alone has. */
void judge_fill(const struct judge_argument *argument, const struct judge_case *of, unsigned call,
                size_t index, void *bytes);

/* ---- the plan ---- */
struct judge_folder {
    char path[PATH_BYTES];
    bool ptx; /* FILE is PTX: kernels alone, and lines that say how they are launched */
};
/* Compiles FILE to the folder's "plan" and R to its "reference.so". STATUS_CHECK: FILE was refused, and the sentence says why. */
enum status judge_compile(const struct judge_reference *reference, const char *file,
                          const char *reference_file, const struct judge_folder *folder, struct error *error);
/* Runs host code for a case whose arrays have these addresses, of all calls but the last, and of the last. *text: the plan, freed by the
 * caller; *ptx likewise. STATUS_CHECK as above. */
enum status judge_plan(const struct judge_reference *reference, const struct judge_case *of,
                       const uint64_t *addresses, const struct judge_folder *folder, char **text, char **ptx,
                       struct error *error);

/* ---- the verdict ---- */
struct judge_result {
    char rule[32];      /* what was broken; "": nothing */
    char sentence[600]; /* what happened */
    uint64_t launches, seed;
    char sizes[200];
    double modelled_ns, read_bytes, least_read_bytes, written_bytes, least_written_bytes, operations,
        least_operations, worst_error;
};
/* Executes a case in a process of its own. STATUS_OK whatever the verdict. */
enum status judge_execute(const struct judge_reference *reference, const struct judge_folder *folder,
                          uint64_t seed, bool probed, struct judge_result *result, struct error *error);

#endif
