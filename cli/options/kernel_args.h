/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of `lanescope kernel`: the values of --arg and --dump-arg, checked against the kernel's
 * parameters, and the bytes of each argument. Numbers are little-endian, in memory as in files.
 *
 * Plain data; texts point into the options. Any thread.
 */
#ifndef CLI_OPTIONS_KERNEL_ARGS_H
#define CLI_OPTIONS_KERNEL_ARGS_H

#include "cli/options/options.h"
#include "simt/ptx/ptx.h"

/* id, text, bytes, is a float */
#define KERNEL_TYPE_LIST(X) \
    X(I8, "i8", 1, false)   \
    X(U8, "u8", 1, false)   \
    X(I16, "i16", 2, false) \
    X(U16, "u16", 2, false) \
    X(I32, "i32", 4, false) \
    X(U32, "u32", 4, false) \
    X(I64, "i64", 8, false) \
    X(U64, "u64", 8, false) \
    X(F32, "f32", 4, true)  \
    X(F64, "f64", 8, true)
#define KERNEL_TYPE_ENUM(id, text, bytes, real) KERNEL_##id,
enum kernel_type { KERNEL_TYPE_LIST(KERNEL_TYPE_ENUM) KERNEL_TYPE_COUNT };
#undef KERNEL_TYPE_ENUM

enum kernel_fill { FILL_RAMP, FILL_RANDOM, FILL_ZERO, FILL_FILE };

#define KERNEL_ARG_BYTES_MAX ((uint64_t)1 << 36)

const char *kernel_type_text(enum kernel_type type); /* "f32" */
const char *kernel_fill_text(enum kernel_fill fill); /* "ramp"; not of FILL_FILE */

struct kernel_arg {
    enum kernel_type type;
    bool array;
    uint64_t count; /* elements of an array */
    enum kernel_fill fill;
    const char *file; /* FILL_FILE */
    uint8_t value[8]; /* of a scalar */
    const char *dump; /* file that gets the array after the launch; NULL: none */
};

struct kernel_args {
    struct kernel_arg list[OPTIONS_TEXTS_MAX];
    size_t count;
};

/* STATUS_USAGE with a sentence that names the mistake and what is valid; STATUS_IO if a file cannot be read.
 */
enum status kernel_args_parse(struct kernel_args *args, const struct options *options, struct error *error);

/* Do the arguments fit the kernel's parameters in number, kind and size? STATUS_USAGE with a sentence. */
enum status kernel_args_check(const struct kernel_args *args, const struct ptx_function *kernel,
                              struct error *error);

uint64_t kernel_arg_bytes(const struct kernel_arg *arg); /* of an array */

/* Writes the array's contents before the launch into kernel_arg_bytes(arg) bytes. `seed`: the argument's
 * number. */
enum status kernel_arg_fill(const struct kernel_arg *arg, uint64_t seed, uint8_t *bytes, struct error *error);
/* Write it to its dump file. */
enum status kernel_arg_dump(const struct kernel_arg *arg, const uint8_t *bytes, struct error *error);

#endif
