/* SPDX-License-Identifier: Apache-2.0 */
/* What of the paths that strangers name is read as a source. */
#include "cli/process/source_reader.h"

#include "core/session/code.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lanescope-sources-XXXXXX";

static void make(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void clean(void)
{
    static const char *const names[] = {"k.cu", "large.cu", "most.cu", "binary", "empty", "pipe", "link.cu"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    rmdir("folder");
    rmdir(folder);
}

TestSuite(source_reader, .init = make, .fini = clean);

static void write_file(const char *name, const char *bytes, size_t size_bytes)
{
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size_bytes, file), size_bytes);
    cr_assert_eq(fclose(file), 0);
}

static size_t size_of(const char *path)
{
    char *text = NULL;
    size_t size_bytes = 0;
    bool there = source_reader_read(NULL, path, &text, &size_bytes);
    free(text);
    return there ? size_bytes : 0;
}

Test(source_reader, takes_files_of_text)
{
    char *large = malloc(SOURCE_BYTES_MAX + 1);
    memset(large, 'x', SOURCE_BYTES_MAX + 1);
    write_file("k.cu", "int a;\n", 7);
    write_file("most.cu", large, SOURCE_BYTES_MAX);
    write_file("large.cu", large, SOURCE_BYTES_MAX + 1);
    write_file("binary", "ab\0cd", 5);
    write_file("empty", "", 0);
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    cr_assert_eq(mkdir("folder", 0700), 0);
    free(large);
    cr_assert_eq(size_of("k.cu"), 7);
    cr_assert_eq(size_of("most.cu"), SOURCE_BYTES_MAX);
    cr_assert_eq(size_of("large.cu"), 0);
    cr_assert_eq(size_of("binary"), 0);
    cr_assert_eq(size_of("empty"), 0);
    cr_assert_eq(size_of("pipe"), 0, "it must not wait for a writer");
    cr_assert_eq(size_of("folder"), 0);
    cr_assert_eq(size_of("nothing.cu"), 0);
    cr_assert_eq(size_of("/dev/zero"), 0);
}

/* Wherever they were compiled. */
Test(source_reader, has_the_bundled_kernels)
{
    char *text = NULL;
    size_t size_bytes = 0;
    cr_assert(
        source_reader_read(NULL, "/builds/17/lanescope/workloads/kernels/transpose.cu", &text, &size_bytes));
    cr_assert_eq(strlen(text), size_bytes);
    cr_assert_not_null(strstr(text, "__global__"));
    free(text);
}
