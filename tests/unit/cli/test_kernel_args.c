/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of `lanescope kernel`: their texts, the kernel's parameters, their bytes. */
#include "cli/options/kernel_args.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status parse(struct kernel_args *args, struct error *error, const char *text, const char *dump)
{
    struct options options = {.args = {{text}, 1}, .dumps = {{dump}, dump != NULL}};

    *error = (struct error){0};
    return kernel_args_parse(args, &options, error);
}

static void parses(struct kernel_args *args, const char *text)
{
    struct error error;

    cr_assert_eq(parse(args, &error, text, NULL), STATUS_OK, "%s: %s", text, error.text);
}

Test(kernel_args, scalars)
{
    static const struct {
        const char *text;
        uint8_t bytes[8];
    } rows[] = {
        {"i8=-128", {0x80}},
        {"u8=255", {0xff}},
        {"i16=-2", {0xfe, 0xff}},
        {"u16=0x1234", {0x34, 0x12}},
        {"i32=2147483647", {0xff, 0xff, 0xff, 0x7f}},
        {"i32=-2147483648", {0, 0, 0, 0x80}},
        {"u32=4294967295", {0xff, 0xff, 0xff, 0xff}},
        {"i64=-9223372036854775808", {0, 0, 0, 0, 0, 0, 0, 0x80}},
        {"u64=18446744073709551615", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
        {"f32=1.5", {0, 0, 0xc0, 0x3f}},
        {"f32=-inf", {0, 0, 0x80, 0xff}},
        {"f64=-2", {0, 0, 0, 0, 0, 0, 0, 0xc0}},
    };
    struct kernel_args args;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parses(&args, rows[i].text);
        cr_assert_eq(memcmp(args.list[0].value, rows[i].bytes, 8), 0, "%s", rows[i].text);
        cr_assert_not(args.list[0].array);
    }
}

Test(kernel_args, mistakes_get_a_sentence)
{
    static const struct {
        const char *text, *dump, *says;
    } rows[] = {
        {"", NULL, "does not begin with a type"},
        {"f16=1", NULL, "does not begin with a type"},
        {"f32", NULL, "does not begin with a type"},
        {"f32=", NULL, "= and a value must follow"},
        {"f32[4]", NULL, "= and a value must follow"},
        {"f32[4=ramp", NULL, "between [ and ]"},
        {"f32[0]=ramp", NULL, "between [ and ]"},
        {"f32[-4]=ramp", NULL, "between [ and ]"},
        {"f32[99999999999999999999]=ramp", NULL, "between [ and ]"},
        {"f32[]=ramp", NULL, "the number of elements"},
        {"f64[18446744073709551615]=zero", NULL, "larger than 64 GiB"},
        {"i8=128", NULL, "not a number of that type"},
        {"u8=-1", NULL, "not a number of that type"},
        {"u32=4294967296", NULL, "not a number of that type"},
        {"i64=9223372036854775808", NULL, "not a number of that type"},
        {"i32= 5", NULL, "not a number of that type"},
        {"i32=5x", NULL, "not a number of that type"},
        {"i32=--5", NULL, "not a number of that type"},
        {"f64=1e999", NULL, "is not a number"},
        {"f32[4]=/no/such/file", NULL, "/no/such/file"},
        {"f32[4]=/", NULL, "not a file of numbers"},
        {"f32[4]=ramp", "x=y", "--dump-arg takes I=FILE"},
        {"f32[4]=ramp", "0=", "--dump-arg takes I=FILE"},
        {"f32[4]=ramp", "1=y", "missing"},
        {"f32=1", "0=y", "not an array"},
    };
    struct kernel_args args;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error;

        cr_assert_neq(parse(&args, &error, rows[i].text, rows[i].dump), STATUS_OK, "%s", rows[i].text);
        cr_assert(strstr(error.text, rows[i].says), "%s: %s", rows[i].text, error.text);
    }
}

/* Whatever is typed ends in an argument that fits its type, or in a sentence. */
Test(kernel_args, any_text)
{
    static const char letters[] = "fiu[]=0123468-.exrampzo/ ";
    struct kernel_args args;

    srand(11);
    for (int round = 0; round < 50000; round++) {
        char text[24];
        size_t length = (size_t)rand() % sizeof text;
        struct error error;

        for (size_t i = 0; i < length; i++)
            text[i] = letters[(size_t)rand() % (sizeof letters - 1)];
        text[length ? length - 1 : 0] = '\0';
        if (parse(&args, &error, text, NULL) != STATUS_OK)
            cr_assert_neq(error.text[0], '\0', "%s", text);
        else
            cr_assert(!args.list[0].array || kernel_arg_bytes(&args.list[0]) <= KERNEL_ARG_BYTES_MAX);
    }
}

Test(kernel_args, fills)
{
    struct kernel_args args;
    int32_t whole[1000];
    float single[1000];
    uint8_t bytes[300];

    parses(&args, "i32[1000]=ramp");
    cr_assert_eq(kernel_arg_fill(&args.list[0], 0, (uint8_t *)whole, NULL), STATUS_OK);
    cr_assert(whole[0] == 0 && whole[999] == 999);
    parses(&args, "u8[300]=ramp");
    cr_assert_eq(kernel_arg_fill(&args.list[0], 0, bytes, NULL), STATUS_OK);
    cr_assert(bytes[255] == 255 && bytes[256] == 0);
    parses(&args, "i32[1000]=zero");
    cr_assert_eq(kernel_arg_fill(&args.list[0], 0, (uint8_t *)whole, NULL), STATUS_OK);
    cr_assert(whole[0] == 0 && whole[999] == 0);
    parses(&args, "i32[1000]=random");
    cr_assert_eq(kernel_arg_fill(&args.list[0], 0, (uint8_t *)whole, NULL), STATUS_OK);
    parses(&args, "f32[1000]=random");
    cr_assert_eq(kernel_arg_fill(&args.list[0], 1, (uint8_t *)single, NULL), STATUS_OK);
    int32_t most = 0;
    float sum = 0;
    for (int i = 0; i < 1000; i++) {
        cr_assert(whole[i] >= 0 && whole[i] < 1000); /* fit to be indices */
        cr_assert(single[i] >= 0 && single[i] < 1);
        most = whole[i] > most ? whole[i] : most;
        sum += single[i];
    }
    cr_assert(most > 950 && sum > 450 && sum < 550);
    float again[1000];
    cr_assert_eq(kernel_arg_fill(&args.list[0], 1, (uint8_t *)again, NULL), STATUS_OK);
    cr_assert_eq(memcmp(single, again, sizeof again), 0, "the same every time");
}

Test(kernel_args, files_come_and_go)
{
    char path[] = "/tmp/lanescope-args-XXXXXX", text[64], dump[64], link[64];
    int fd = mkstemp(path);
    const int16_t numbers[3] = {1, -2, 300};
    int16_t back[3] = {0};
    struct kernel_args args;
    struct error error;

    cr_assert_eq(write(fd, numbers, sizeof numbers), (ssize_t)sizeof numbers);
    close(fd);
    snprintf(text, sizeof text, "i16[]=%s", path);
    snprintf(dump, sizeof dump, "0=%s", path);
    cr_assert_eq(parse(&args, &error, text, dump), STATUS_OK, "%s", error.text);
    cr_assert_eq(args.list[0].count, 3);
    cr_assert_eq(kernel_arg_fill(&args.list[0], 0, (uint8_t *)back, &error), STATUS_OK);
    cr_assert_eq(memcmp(back, numbers, sizeof back), 0);
    back[1] = 7;
    cr_assert_eq(kernel_arg_dump(&args.list[0], (const uint8_t *)back, &error), STATUS_OK);
    cr_assert_eq(kernel_arg_fill(&args.list[0], 0, (uint8_t *)back, &error), STATUS_OK);
    cr_assert_eq(back[1], 7);
    snprintf(text, sizeof text, "i32[]=%s", path);
    cr_assert_eq(parse(&args, &error, text, NULL), STATUS_USAGE, "6 bytes are no ints");
    snprintf(text, sizeof text, "i16[4]=%s", path);
    cr_assert_eq(parse(&args, &error, text, NULL), STATUS_USAGE);
    cr_assert(strstr(error.text, "holds 3 numbers of 2 bytes, not 4"), "%s", error.text);
    cr_assert_eq(truncate(path, 2), 0); /* between the look at it and the reading */
    snprintf(text, sizeof text, "i16[]=%s", path);
    cr_assert_eq(parse(&args, &error, text, NULL), STATUS_OK);
    cr_assert_eq(truncate(path, 0), 0);
    cr_assert_eq(kernel_arg_fill(&args.list[0], 0, (uint8_t *)back, &error), STATUS_IO);
    cr_assert(strstr(error.text, "shorter"), "%s", error.text);
    snprintf(link, sizeof link, "%s-link", path);
    cr_assert_eq(symlink(path, link), 0);
    args.list[0].dump = link;
    cr_assert_eq(kernel_arg_dump(&args.list[0], (const uint8_t *)back, &error), STATUS_IO);
    cr_assert(strstr(error.text, "is a symbolic link"), "%s", error.text);
    unlink(link);
    unlink(path);
    args.list[0].dump = "/no/such/folder/file";
    cr_assert_eq(kernel_arg_dump(&args.list[0], (const uint8_t *)back, &error), STATUS_IO);
}

/* ---- against PTX ---- */
static const char ptx[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .u64 a, .param .f32 s, .param .u32 n,\n"
                          "  .param .align 4 .b8 box[12]) { ret; }\n"
                          ".visible .entry none() { ret; }\n";

Test(kernel_args, fit_the_parameters)
{
    static const struct {
        const char *kernel, *args[4];
        const char *says; /* NULL: they fit as far as they can: the structure is refused */
    } rows[] = {
        {"none", {NULL}, ""},
        {"none", {"i32=1"}, "takes 0 arguments (none); --arg gives 1"},
        {"k", {"f32[4]=ramp"}, "takes 4 arguments (.u64, .f32, .u32, .b8 [12]); --arg gives 1"},
        {"k",
         {"f32=1", "f32=1", "u32=1", "u32=1"},
         "Argument 0 of the kernel k is .u64, of 8 bytes; a f32 has 4"},
        {"k", {"f32[4]=ramp", "f64=1", "u32=1", "u32=1"}, "Argument 1 of the kernel k is .f32"},
        {"k", {"f32[4]=ramp", "f32=1", "f32[4]=ramp", "u32=1"}, "the address of an array"},
        {"k", {"f32[4]=ramp", "f32=1", "i32=1", "u32=1"}, "Argument 3 of the kernel k is a structure"},
        {"k", {"u64=0", "f32=1", "i32=1", "u32=1"}, "Argument 3 of the kernel k is a structure"},
    };
    struct ptx_module *module;
    struct error error = {0};

    cr_assert_eq(ptx_parse(&module, "t.ptx", ptx, sizeof ptx - 1, &error), STATUS_OK, "%s", error.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options options = {0};
        struct kernel_args args;
        enum status status;

        for (; options.args.count < 4 && rows[i].args[options.args.count]; options.args.count++)
            options.args.list[options.args.count] = rows[i].args[options.args.count];
        cr_assert_eq(kernel_args_parse(&args, &options, &error), STATUS_OK, "%s", error.text);
        status = kernel_args_check(&args, ptx_function_find(module, rows[i].kernel), &error);
        cr_assert_eq(status, rows[i].says[0] ? STATUS_USAGE : STATUS_OK, "row %zu", i);
        cr_assert(!rows[i].says[0] || strstr(error.text, rows[i].says), "%s", error.text);
    }
    ptx_destroy(module);
}
