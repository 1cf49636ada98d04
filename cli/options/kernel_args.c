/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An argument's text is read in two steps: its kind and values when the command line is parsed, its size
 * and type when the kernel is known.
 */
#include "core/base/append.h"

#include "cli/options/kernel_args.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct type_row {
    const char *text;
    size_t bytes;
    bool real, negative; /* has fractions; has negative numbers */
} types[KERNEL_TYPE_COUNT] = {
#define KERNEL_TYPE_ROW(id, name, size, is_real) \
    [KERNEL_##id] = {.text = (name), .bytes = (size), .real = (is_real), .negative = (name)[0] != 'u'},
    KERNEL_TYPE_LIST(KERNEL_TYPE_ROW)
#undef KERNEL_TYPE_ROW
};

uint64_t kernel_arg_bytes(const struct kernel_arg *arg)
{
    return arg->count * types[arg->type].bytes;
}

static enum status argument_wrong(const char *text, const char *why, struct error *error)
{
    return error_set(
        error, STATUS_USAGE,
        "--arg %.80s: %s. An argument is TYPE=VALUE or TYPE[N]=ramp|random|zero|FILE, TYPE one of i8 "
        "u8 i16 u16 i32 u32 i64 u64 f32 f64.",
        text, why);
}

/* ---- numbers ---- */
/* The number's lowest bytes, little-endian. */
static void put_integer(uint8_t *bytes, size_t size, uint64_t number)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static void put_real(uint8_t *bytes, enum kernel_type type, double number)
{
    float single = (float)number;

    memcpy(bytes, type == KERNEL_F32 ? (const void *)&single : (const void *)&number, types[type].bytes);
}

static bool parse_integer(const char *text, const struct type_row *type, uint8_t *bytes)
{
    unsigned bits = (unsigned)type->bytes * 8;
    bool minus = text[0] == '-';
    uint64_t most = (type->negative ? UINT64_MAX >> 1 : UINT64_MAX) >> (64 - bits);
    char *end;

    if (minus && !type->negative)
        return false;
    if (minus)
        most++;
    text += minus;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    uint64_t number = strtoull(text, &end, 0);
    if (errno || *end || number > most)
        return false;
    put_integer(bytes, type->bytes, minus ? 0 - number : number);
    return true;
}

static bool parse_scalar(const char *text, enum kernel_type type, uint8_t *bytes)
{
    char *end;

    if (!types[type].real)
        return parse_integer(text, &types[type], bytes);
    errno = 0;
    double number = strtod(text, &end);
    if (end == text || *end || (errno == ERANGE && fabs(number) == HUGE_VAL))
        return false;
    put_real(bytes, type, number);
    return true;
}

/* ---- the texts ---- */
/* The size of a file of numbers. */
static enum status file_count(const char *path, size_t element_bytes, uint64_t *count, struct error *error)
{
    struct stat facts;

    if (stat(path, &facts) < 0)
        return error_set_errno(
            error, STATUS_IO, errno,
            "Cannot read %.300s for an argument; give a file of numbers, or ramp, random or zero", path);
    if (!S_ISREG(facts.st_mode) || facts.st_size == 0 || (uint64_t)facts.st_size % element_bytes)
        return error_set(error, STATUS_USAGE,
                         "%.300s is not a file of numbers of %zu bytes: it has %lld bytes.", path,
                         element_bytes, (long long)facts.st_size);
    *count = (uint64_t)facts.st_size / element_bytes;
    return STATUS_OK;
}

/* "[N]" or, for a file, "[]"; sets *rest to the text after it. */
static bool parse_count(const char **rest, uint64_t *count)
{
    const char *text = *rest + 1;
    char *end = (char *)(uintptr_t)text;

    *count = 0;
    if (*text != ']') {
        if (*text < '0' || *text > '9')
            return false;
        errno = 0;
        *count = strtoull(text, &end, 10);
        if (errno || *count == 0)
            return false;
    }
    if (*end != ']')
        return false;
    *rest = end + 1;
    return true;
}

const char *kernel_type_text(enum kernel_type type)
{
    return types[type].text;
}

const char *kernel_fill_text(enum kernel_fill fill)
{
    static const char *const texts[] = {[FILL_RAMP] = "ramp", [FILL_RANDOM] = "random", [FILL_ZERO] = "zero"};

    return texts[fill];
}

static enum status parse_fill(struct kernel_arg *arg, const char *text, const char *fill, struct error *error)
{
    uint64_t there = 0;
    enum status status;

    arg->fill = FILL_RAMP;
    while (arg->fill < FILL_FILE && strcmp(fill, kernel_fill_text(arg->fill)) != 0)
        arg->fill++;
    if (arg->fill == FILL_FILE) {
        arg->file = fill;
        status = file_count(fill, types[arg->type].bytes, &there, error);
        if (status != STATUS_OK)
            return status;
        if (arg->count && arg->count != there)
            return error_set(error, STATUS_USAGE,
                             "--arg %.80s: %.200s holds %" PRIu64 " numbers of %zu bytes, not %" PRIu64 ".",
                             text, fill, there, types[arg->type].bytes, arg->count);
        arg->count = there;
    }
    if (arg->count == 0)
        return argument_wrong(text, "the number of elements is missing", error);
    if (arg->count > KERNEL_ARG_BYTES_MAX / types[arg->type].bytes)
        return argument_wrong(text, "it is larger than 64 GiB", error);
    return STATUS_OK;
}

static enum status parse_arg(struct kernel_arg *arg, const char *text, struct error *error)
{
    const char *rest = text;

    *arg = (struct kernel_arg){0};
    for (; arg->type < KERNEL_TYPE_COUNT; arg->type++) {
        size_t length = strlen(types[arg->type].text);

        if (strncmp(text, types[arg->type].text, length) == 0 &&
            (text[length] == '[' || text[length] == '=')) {
            rest = text + length;
            break;
        }
    }
    if (rest == text)
        return argument_wrong(text, "it does not begin with a type", error);
    if (*rest == '[') {
        arg->array = true;
        if (!parse_count(&rest, &arg->count))
            return argument_wrong(text, "the text between [ and ] is not a number of elements", error);
    }
    if (*rest != '=' || !rest[1])
        return argument_wrong(text, "after the type, = and a value must follow", error);
    rest++;
    if (arg->array)
        return parse_fill(arg, text, rest, error);
    if (!parse_scalar(rest, arg->type, arg->value))
        return argument_wrong(text,
                              types[arg->type].real ? "its value is not a number"
                                                    : "its value is not a number of that type",
                              error);
    return STATUS_OK;
}

static enum status parse_dump(struct kernel_args *args, const char *text, struct error *error)
{
    char *end;

    errno = 0;
    unsigned long index = strtoul(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end != '=' || !end[1])
        return error_set(error, STATUS_USAGE, "--dump-arg takes I=FILE, I from 0, not \"%.80s\".", text);
    if (index >= args->count || !args->list[index].array)
        return error_set(error, STATUS_USAGE, "--dump-arg %.80s: argument %lu is %s.", text, index,
                         index >= args->count ? "missing (the first is 0)"
                                              : "not an array, so the kernel returns nothing in it");
    args->list[index].dump = end + 1;
    return STATUS_OK;
}

enum status kernel_args_parse(struct kernel_args *args, const struct options *options, struct error *error)
{
    enum status status = STATUS_OK;

    args->count = options->args.count;
    for (size_t i = 0; i < options->args.count && status == STATUS_OK; i++)
        status = parse_arg(&args->list[i], options->args.list[i], error);
    for (size_t i = 0; i < options->dumps.count && status == STATUS_OK; i++)
        status = parse_dump(args, options->dumps.list[i], error);
    return status;
}

/* ---- against the kernel ---- */
/* The kernel's parameters, ".u64 a, .u32 n", shortened to fit. */
static void list_parameters(const struct ptx_function *kernel, char *text, size_t size_bytes)
{
    size_t used = 0;

    snprintf(text, size_bytes, "none");
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct ptx_variable *parameter = &kernel->parameters[i];

        if (parameter->element_count > 1)
            append_text(text, size_bytes, &used, "%s.b8 [%" PRIu64 "]", i ? ", " : "", parameter->size_bytes);
        else
            append_text(text, size_bytes, &used, "%s.%s", i ? ", " : "", ptx_type_text(parameter->type));
    }
}

enum status kernel_args_check(const struct kernel_args *args, const struct ptx_function *kernel,
                              struct error *error)
{
    char list[400];

    list_parameters(kernel, list, sizeof list);
    if (args->count != kernel->parameter_count)
        return error_set(error, STATUS_USAGE, "The kernel %.200s takes %u argument%s (%s); --arg gives %zu.",
                         kernel->name, kernel->parameter_count, kernel->parameter_count == 1 ? "" : "s", list,
                         args->count);
    for (size_t i = 0; i < args->count; i++) {
        const struct kernel_arg *arg = &args->list[i];
        const struct ptx_variable *parameter = &kernel->parameters[i];
        size_t bytes = arg->array ? sizeof(uint64_t) : types[arg->type].bytes;
        bool handle = parameter->type == PTX_TEXREF || parameter->type == PTX_SAMPLERREF ||
                      parameter->type == PTX_SURFREF;

        if (handle || parameter->element_count > 1)
            return error_set(
                error, STATUS_USAGE,
                "Argument %zu of the kernel %.200s is %s: lanescope kernel passes numbers and arrays only.",
                i, kernel->name, handle ? "a texture, sampler or surface" : "a structure");
        if (parameter->size_bytes != bytes)
            return error_set(error, STATUS_USAGE,
                             "Argument %zu of the kernel %.200s is .%s, of %" PRIu64 " bytes; %s %s has %zu.",
                             i, kernel->name, ptx_type_text(parameter->type), parameter->size_bytes,
                             arg->array ? "the address of an array" : "a",
                             arg->array ? "" : types[arg->type].text, bytes);
    }
    return STATUS_OK;
}

/* ---- bytes ---- */
static enum status read_file(const struct kernel_arg *arg, uint8_t *bytes, struct error *error)
{
    uint64_t wanted = kernel_arg_bytes(arg), got = 0;
    int fd = open(arg->file, O_RDONLY | O_CLOEXEC);
    ssize_t part = 0;

    while (fd >= 0 && got < wanted && (part = read(fd, bytes + got, wanted - got)) > 0)
        got += (uint64_t)part;
    if (fd < 0 || part < 0)
        error_set_errno(error, STATUS_IO, errno, "Cannot read %.300s for an argument", arg->file);
    else if (got < wanted)
        error_set(error, STATUS_IO, "%.300s became shorter while it was read.", arg->file);
    if (fd >= 0)
        close(fd);
    return got == wanted ? STATUS_OK : STATUS_IO;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

enum status kernel_arg_fill(const struct kernel_arg *arg, uint64_t seed, uint8_t *bytes, struct error *error)
{
    size_t size = types[arg->type].bytes;
    uint64_t state = seed + 1;

    if (arg->fill == FILL_FILE)
        return read_file(arg, bytes, error);
    if (arg->fill == FILL_ZERO) {
        memset(bytes, 0, kernel_arg_bytes(arg));
        return STATUS_OK;
    }
    for (uint64_t i = 0; i < arg->count; i++) {
        uint64_t random = arg->fill == FILL_RANDOM ? next_random(&state) : 0;

        if (types[arg->type].real)
            put_real(bytes + i * size, arg->type,
                     arg->fill == FILL_RAMP ? (double)i : (double)(random >> 40) / (double)(1 << 24));
        else
            put_integer(bytes + i * size, size, arg->fill == FILL_RAMP ? i : random % arg->count);
    }
    return STATUS_OK;
}

enum status kernel_arg_dump(const struct kernel_arg *arg, const uint8_t *bytes, struct error *error)
{
    uint64_t size = kernel_arg_bytes(arg), done = 0;
    int fd = open(arg->dump, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    ssize_t part = 0;

    while (fd >= 0 && done < size && (part = write(fd, bytes + done, size - done)) > 0)
        done += (uint64_t)part;
    if (fd < 0 && errno == ELOOP)
        return error_set(error, STATUS_IO,
                         "Cannot write an argument to %.300s: it is a symbolic link; name the file itself.",
                         arg->dump);
    if (fd < 0 || done < size || close(fd) < 0)
        return error_set_errno(error, STATUS_IO, errno,
                               "Cannot write an argument to %.300s; name a file in a folder that exists",
                               arg->dump);
    return STATUS_OK;
}
