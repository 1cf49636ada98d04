/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel of a PTX file is meant. */
#include "cli/children/kernel_source.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define ENTRY(name) ".visible .entry " name "() { ret; }\n"

static char path[] = "/tmp/lanescope-source-XXXXXX";

static void write_file(const char *text)
{
    static bool made;
    FILE *file;

    if (!made)
        close(mkstemp(path));
    made = true;
    file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0);
    fclose(file);
}

static void remove_file(void)
{
    unlink(path);
}

TestSuite(kernel_source, .fini = remove_file);

Test(kernel_source, finds_what_is_meant)
{
    static const char two[] = HEAD ENTRY("_Z3addPfi") ENTRY("_Z3subPfi"), one[] = HEAD ENTRY("scan");
    static const struct {
        const char *ptx, *wanted, *found, *says;
    } rows[] = {
        {one, NULL, "scan", NULL},
        {one, "scan", "scan", NULL},
        {one, "sc*", "scan", NULL},
        {one, "sum", NULL, "has no kernel 'sum'. It has: scan."},
        {two, NULL, NULL, "several kernels; choose one with --kernel NAME: add, sub."},
        {two, "add", "_Z3addPfi", NULL},
        {two, "_Z3subPfi", "_Z3subPfi", NULL},
        {two, "*", NULL, "several kernels"},
        {two, "s?b", "_Z3subPfi", NULL},
        {HEAD ".func f() { ret; }\n", NULL, NULL, "has no kernel: no .entry"},
        {HEAD ".extern .func f();\n", "f", NULL, "has no kernel"},
        {"int main() {}\n", NULL, NULL, "line 1: expected"},
        {"", NULL, NULL, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernel_source source;
        struct error error = {0};

        write_file(rows[i].ptx);
        enum status status = kernel_source_open(&source, path, rows[i].wanted, &error);
        if (rows[i].found) {
            cr_assert_eq(status, STATUS_OK, "row %zu: %s", i, error.text);
            cr_assert_str_eq(source.kernel->name, rows[i].found);
            cr_assert_str_eq(source.image.name, path + strlen("/tmp/"));
            cr_assert_str_eq(source.image.data, rows[i].ptx);
            kernel_source_close(&source);
        } else {
            cr_assert_eq(status, STATUS_USAGE, "row %zu", i);
            cr_assert(strstr(error.text, rows[i].says), "row %zu: %s", i, error.text);
        }
    }
}

/* As CUB's: policies of 100 characters, and what differs after them. */
#define P100 \
    "a_policy_whose_name_alone_has_a_hundred_characters_and_is_one_of_those_that_libraries_have_in_a_lot_"
#define POLICY "100" P100
#define LONG(type) "_ZN3lib6reduceI" POLICY POLICY POLICY POLICY type "EEvPT3_"

Test(kernel_source, names_of_any_length)
{
    static const char ptx[] = HEAD ENTRY(LONG("f")) ENTRY(LONG("d")) ENTRY("_ZN3lib4scanIjEEvPT_")
        ENTRY("_Z3addPf") ENTRY("_Z3addPi") ENTRY("_Z6add_upPi") ENTRY("reduce_all");
    static const struct {
        const char *wanted, *found, *says;
    } rows[] = {
        {LONG("f"), LONG("f"), NULL},
        {LONG("d"), LONG("d"), NULL},
        {"void lib::reduce<" P100 ", " P100 ", " P100 ", " P100 ", double>(double*)", LONG("d"), NULL},
        {"lib::reduce<" P100 ", " P100 ", " P100 ", " P100 ", float>", LONG("f"), NULL},
        {"*reduce<*float>", LONG("f"), NULL},
        {"*IfE*", NULL, "has no kernel"},
        {"*fEEvPT3_", LONG("f"), NULL},
        {"_ZN3lib4s", "_ZN3lib4scanIjEEvPT_", NULL},
        {"lib::s", "_ZN3lib4scanIjEEvPT_", NULL},
        {"scan", "_ZN3lib4scanIjEEvPT_", NULL},
        {"void lib::scan<unsigned int>(unsigned int*)", "_ZN3lib4scanIjEEvPT_", NULL},
        {"add(int*)", "_Z3addPi", NULL},
        {"add_", "_Z6add_upPi", NULL},
        {"reduce_", "reduce_all", NULL},
        {"add", NULL,
         "several kernels that fit 'add'; choose one with --kernel NAME: add(float*), add(int*)."},
        {"reduce", NULL,
         "that fit 'reduce'; choose one with --kernel NAME: *ies_have_in_a_lot_, float>, *ies_have"},
        {"lib::reduce<", NULL, "_in_a_lot_, float>, *"},
        {"lib::reduce<", NULL, "_in_a_lot_, double>."},
        {LONG("x"), NULL, "has no kernel '_ZN3lib6reduceI100a_"},
        {NULL, NULL, "_in_a_lot_, float>(float*), *"},
        {NULL, NULL,
         "_in_a_lot_, double>(double*), void lib::scan<unsigned int>(unsigned int*), add(float*), add(int*), "
         "add_up(int*), reduce_all."},
    };

    write_file(ptx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernel_source source;
        struct error error = {0};
        enum status status = kernel_source_open(&source, path, rows[i].wanted, &error);

        if (rows[i].found) {
            cr_assert_eq(status, STATUS_OK, "row %zu: %s", i, error.text);
            cr_assert_str_eq(source.kernel->name, rows[i].found, "row %zu", i);
            kernel_source_close(&source);
        } else {
            cr_assert_eq(status, STATUS_USAGE, "row %zu", i);
            cr_assert(strstr(error.text, rows[i].says), "row %zu: %s", i, error.text);
        }
    }
}

/* A hundred kernels of one kind: some are named, the rest counted, and each name that is given fits one. */
Test(kernel_source, some_of_many_are_named)
{
    static char ptx[200000];
    struct kernel_source source;
    struct error error = {0};
    int used = snprintf(ptx, sizeof ptx, "%s", HEAD);

    for (int i = 0; i < 100; i++)
        used += snprintf(ptx + used, sizeof ptx - (size_t)used,
                         ".visible .entry _Z5sweepI" POLICY "Li%dEEvv() { ret; }\n", i);
    write_file(ptx);
    cr_assert_eq(kernel_source_open(&source, path, NULL, &error), STATUS_USAGE);
    char *first = strstr(error.text, "NAME: "), *more = strstr(error.text, " more.");
    cr_assert(first && more, "%s", error.text);
    first += strlen("NAME: ");
    int named = 0;
    for (char *end; (end = strstr(first, ", *")) || (end = strstr(first, ", and ")); first = end + 2) {
        char name[200];

        if (strncmp(first, "and ", 4) == 0)
            break;
        snprintf(name, sizeof name, "%.*s", (int)(end - first), first);
        struct error own = {0};
        cr_assert_eq(kernel_source_open(&source, path, name, &own), STATUS_OK, "%s: %s", name, own.text);
        kernel_source_close(&source);
        named++;
    }
    cr_assert(named >= 4, "%s", error.text);
    snprintf(ptx, sizeof ptx, "and %d more.", 100 - named);
    cr_assert(strstr(error.text, ptx), "%s", error.text);
}

Test(kernel_source, files_that_are_none)
{
    static const struct {
        const char *path;
        enum status status;
        const char *says;
    } rows[] = {{"/no/such.ptx", STATUS_USAGE, "/no/such.ptx"},
                {"/tmp", STATUS_USAGE, "it is not a regular file;"},
                {"/dev/zero", STATUS_USAGE, "give the PTX file that nvcc -ptx wrote."}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernel_source source;
        struct error error = {0};

        cr_assert_eq(kernel_source_open(&source, rows[i].path, NULL, &error), rows[i].status, "%s",
                     error.text);
        cr_assert(strstr(error.text, rows[i].says), "%s", error.text);
    }
}

/* Every kept PTX of ours opens, and one with several kernels names them. */
Test(kernel_source, the_workloads_own)
{
    struct kernel_source source;
    struct error error = {0};

    cr_assert_eq(kernel_source_open(&source, TEST_SOURCE_DIR "/workloads/ptx/copy_stride.ptx", NULL, &error),
                 STATUS_OK, "%s", error.text);
    cr_assert_str_eq(source.kernel->name, "copy_stride");
    cr_assert_eq(source.kernel->parameter_count, 3);
    kernel_source_close(&source);
    cr_assert_eq(kernel_source_open(&source, TEST_SOURCE_DIR "/workloads/ptx/transpose.ptx", NULL, &error),
                 STATUS_USAGE);
    cr_assert(strstr(error.text, "transpose_naive"), "%s", error.text);
}
