/* Which kernel of a PTX file is meant. */
#include "cli/kernel_source.h"

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
        {two, NULL, NULL, "several kernels; --kernel NAME says which: add, sub."},
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

Test(kernel_source, files_that_are_none)
{
    static const struct {
        const char *path;
        enum status status;
        const char *says;
    } rows[] = {{"/no/such.ptx", STATUS_IO, "/no/such.ptx"},
                {"/tmp", STATUS_USAGE, "is no PTX"},
                {"/dev/zero", STATUS_USAGE, "is no PTX"}};

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
