/* SPDX-License-Identifier: Apache-2.0 */
/* A user's kernels in place of bundled ones: which PTX is taken, what it becomes, and what is found by it. */
#include "cli/own/changes.h"
#include "cli/own/own_kernel.h"
#include "simt/ptx/ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define STRIDE "(.param .u64 a, .param .u64 b, .param .u32 c)"

static char folder[] = "/tmp/lanescope-own-XXXXXX";
static char path[128];
static struct own_kernel kernel;
static struct error error;

static void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    setenv("PATH", "/nowhere", 1); /* no ptxas but in a toolkit */
}

static void remove_folder(void)
{
    own_kernel_discard(&kernel);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "something is left in %s", folder);
}

TestSuite(own_image, .init = make_folder, .fini = remove_folder);

static enum status make(const char *name, const char *text, size_t size_bytes, const char *workload)
{
    char *texts[] = {(char *)(uintptr_t)workload};
    const struct own_options options = {
        .path = path, .folder = folder, .texts = texts, .text_count = workload != NULL};

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(text, 1, size_bytes, file) == size_bytes);
    fclose(file);
    enum status status = own_kernel_make(&options, &kernel, &error);
    if (status != STATUS_OK)
        own_kernel_discard(&kernel);
    return status;
}

/* The text of a bundled PTX. */
static const struct kernel_image *bundled(const char *name)
{
    const struct kernel_image *image = kernel_ptx_find(name);

    cr_assert_not_null(image);
    return image;
}

Test(own_image, a_file_with_all_kernels_is_taken_as_it_is)
{
    const struct kernel_image *image = bundled("copy_stride");
    struct own_image *own;

    cr_assert_eq(make("mine of 1.ptx", image->data, image->size_bytes, "copy-stride"), STATUS_OK, "%s",
                 error.text);
    cr_assert_eq(strncmp(kernel.label, "mine_of_1.ptx@", 14), 0, "%s", kernel.label);
    cr_assert_eq(own_image_read(&own, kernel.image, &error), STATUS_OK, "%s", error.text);
    cr_assert_str_eq(own->name, "copy_stride");
    cr_assert_str_eq(own->label, kernel.label);
    cr_assert_eq(own->kernel_count, 1);
    cr_assert(own_image_has(own, "copy_stride"));
    cr_assert_not(own_image_has(own, "copy_offset"));
    cr_assert_not(own_image_has(NULL, "copy_stride"));
    const char *ptx = strstr(own->text, "\n// workloads/kernels/copy_stride.cu");
    cr_assert_not_null(ptx);
    cr_assert_str_eq(ptx + 1, image->data);

    uint32_t registers = own->kernels[0].resources.registers;
    own_image_use(own);
    cr_assert_eq(kernel_ptx_find("copy_stride"), &own->image);
    cr_assert_eq(kernel_image_find("copy_stride"), &own->image);
    cr_assert_eq(kernel_ptx_find("copy_offset")->data, bundled("copy_offset")->data);
    cr_assert_eq(kernel_registers("copy_stride", "copy_stride"), registers);
    cr_assert_gt(kernel_registers("copy_offset", "copy_offset"), 0);
    own_image_use(NULL);
    cr_assert_eq(kernel_ptx_find("copy_stride"), image);
    own_image_destroy(own);
}

/* The kernels that it does not define stay, and its own are not doubled. */
Test(own_image, bundled_kernels_that_a_file_lacks_are_added)
{
    static const char text[] = HEAD ".visible .entry aos(.param .u64 a, .param .u64 b, .param .u32 c, .param "
                                    ".u32 d, .param .u32 e) { ret; }\n";
    const struct kernel_image *image = bundled("aos_soa");
    struct ptx_module *module, *all;
    struct own_image *own;

    cr_assert_eq(ptx_parse(&all, "aos_soa", image->data, image->size_bytes, &error), STATUS_OK);
    enum status status = make("aos.ptx", text, sizeof text - 1, "aos-soa");
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    cr_assert_eq(own_image_read(&own, kernel.image, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(own->kernel_count, 1);
    cr_assert_eq(ptx_parse(&module, "own", own->text, own->image.size_bytes, &error), STATUS_OK, "%s",
                 error.text);
    cr_assert_eq(module->function_count, all->function_count);
    cr_assert_eq(ptx_function_find(module, "aos")->instruction_count, 1);
    cr_assert_gt(ptx_function_find(module, "soa")->instruction_count, 1);
    ptx_destroy(module);
    ptx_destroy(all);
    own_image_destroy(own);
}

Test(own_image, what_is_wrong_is_said)
{
    static const struct {
        const char *name, *text, *workload, *says;
    } rows[] = {
        {"a.ptx", HEAD ".visible .entry copy_stride(.param .u64 a, .param .u64 b) { ret; }", "copy-stride",
         "the kernel copy_stride(u64, u64) has other parameters than the workload passes, copy_stride(u64, "
         "u64, u32). Keep its parameter list: copy_stride(float *out, const float *in, unsigned stride)."},
        {"a.ptx", HEAD ".visible .entry copy_stride(.param .u64 a, .param .u64 b, .param .f32 c) { ret; }",
         "copy-stride", "copy_stride(u64, u64, f32) has other parameters"},
        {"a.ptx", HEAD ".visible .entry _Z11copy_stridePfPKfj" STRIDE " { ret; }", "copy-stride",
         "the kernel copy_stride has a C++ name: write extern \"C\" before its __global__."},
        {"a.ptx", HEAD ".visible .entry saxpy() { ret; }", "copy-stride",
         "a.ptx has no kernel that a workload runs: it has saxpy."},
        {"a.ptx", HEAD ".func saxpy() { ret; }", "copy-stride", "a.ptx has no kernel: no function with"},
        {"a.ptx", HEAD ".visible .entry copy_stride" STRIDE " { ret; }", "copy-offset",
         "a.ptx has the kernel copy_stride of copy_stride.cu, which copy-offset does not run"},
        {"a.ptx",
         HEAD ".visible .entry copy_stride" STRIDE " { ret; }\n.visible .entry copy_offset() { ret; }", NULL,
         "a.ptx has kernels of two bundled files: copy_stride of copy_stride.cu and copy_offset of"},
        {"a.ptx", HEAD ".visible .entry copy_stride" STRIDE " { .shared .align 4 .b8 big[49156]; ret; }",
         NULL, "has 49156 bytes of __shared__ variables, and a block may have 49152"},
        {"a.ptx", "int main() { return 0; }", "copy-stride", "line 1: expected"},
        {"a.ptx", "", "copy-stride", "a.ptx"},
        {"a.c", "int main() { return 0; }", "copy-stride", "its name must end in .cu or .ptx"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        error = (struct error){0};
        enum status status = make(rows[i].name, rows[i].text, strlen(rows[i].text), rows[i].workload);
        cr_assert_eq(status, STATUS_USAGE, "row %zu: %d %s", i, status, error.text);
        cr_assert(strstr(error.text, rows[i].says), "row %zu: %s", i, error.text);
        unlink(path);
    }
    kernel.folder[0] = '\0';
}

Test(own_image, a_file_of_another_program_is_no_own_image)
{
    static const char *const texts[] = {"", HEAD, ("// lanescope's own image 1: a is b@1\n" HEAD),
                                        ("// lanescope's own image 1: a is b@1\n"
                                         "// kernel x 1 2\n")};
    struct own_image *own;

    snprintf(path, sizeof path, "%s/image.ptx", folder);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        FILE *file = fopen(path, "w");
        cr_assert(file && fputs(texts[i], file) >= 0);
        fclose(file);
        cr_assert_eq(own_image_read(&own, path, &error), STATUS_FORMAT, "row %zu", i);
    }
    cr_assert_eq(own_image_read(&own, folder, &error), STATUS_IO);
}

Test(own_image, compilers_are_understood)
{
    static const char output[] = "/tmp/x/mine.cu(5): error: identifier \"im\" is undefined\n"
                                 "      out[i] = im[i]\n               ^\n\n"
                                 "/tmp/x/mine.cu(4): warning #177-D: variable \"unused\" was declared\n"
                                 "/tmp/x/mine.cu:1:10: fatal error: nothere.h: No such file or directory\n"
                                 "/usr/include/other.h(7): error: expected a \";\"\n"
                                 "ptxas error   : Entry function 'k' uses too much shared data\n"
                                 "ptxas /tmp/x/mine.ptx, line 32; fatal   : Parsing error near '.include'\n"
                                 "2 errors detected in the compilation of \"/tmp/x/mine.cu\".\n";
    struct diagnostics found = {.count = 0};
    char text[600];

    diagnostics_read(&found, output, "mine.cu");
    cr_assert_eq(found.count, 6);
    cr_assert_eq(found.errors, 5);
    cr_assert_eq(found.warnings, 1);
    cr_assert_eq(found.list[0].line, 5);
    cr_assert(found.list[1].warning && found.list[1].line == 4);
    cr_assert_str_eq(found.list[1].text, "variable \"unused\" was declared");
    diagnostics_text(&found, text, sizeof text);
    cr_assert_str_eq(text,
                     "line 5: identifier \"im\" is undefined; line 1: nothere.h: No such file or directory; "
                     "other.h:7: expected a \";\"; Entry function 'k' uses too much shared data; "
                     "Parsing error near '.include'");
    diagnostics_text(&found, text, 140);
    cr_assert_str_eq(text, "line 5: identifier \"im\" is undefined, and 4 more");
    cr_assert_eq(found.list[0].column, 14);
    cr_assert_str_eq(found.source, "    out[i] = im[i]\n             ^");
    cr_assert_eq(found.list[3].column, 0, "that line is in another file");
}

/* A template's error has lines before and after the source's line; all are told, and a text that has no room
 * ends with dots. */
Test(own_image, long_messages_are_whole)
{
    static const char head[] = "mine.cu(9): error: no instance of function template \"sum_of\" matches the "
                               "argument list\n            argument types are: (",
                      after[] =
                          "mine.cu(5): note #3327-D: candidate function template\n"
                          "  template <typename A> float sum_of(vector<A> const &a);\n        ^\n\n"
                          "mine.cu(10): error: static assertion failed\n      static_assert(false);\n      "
                          "^\n          detected during:\n            instantiation of \"void f<T>()\" "
                          "at line 20\n\n";
    char output[4000], types[DIAGNOSTIC_BYTES], text[780];

    for (size_t length = 300; length < sizeof types; length += 600) {
        struct diagnostics found = {.count = 0};

        memset(types, 'a', length);
        types[length] = '\0';
        snprintf(output, sizeof output, "%s%s)\n      out[0] = sum_of(v);\n               ^\n%s", head, types,
                 after);
        diagnostics_read(&found, output, "mine.cu");
        cr_assert_eq(found.count, 2);
        cr_assert_eq(found.errors, 2);
        snprintf(output, sizeof output,
                 "no instance of function template \"sum_of\" matches the argument list argument types are: "
                 "(%s)",
                 types);
        cr_assert_str_eq(found.list[0].text, output);
        cr_assert_eq(found.list[0].column, 14);
        cr_assert_str_eq(found.source, "    out[0] = sum_of(v);\n             ^");
        cr_assert_str_eq(found.list[1].text, "static assertion failed detected during: instantiation of "
                                             "\"void f<T>()\" at line 20");
        diagnostics_text(&found, text, sizeof text);
        cr_assert(length < 600 ? strstr(text, "aaa); line 10: ") != NULL
                               : strstr(text, "aaa..., and 1 more") != NULL,
                  "%s", text);
    }
}

/* The line that is shown of gcc's message begins after its number. */
Test(own_image, the_line_of_the_preprocessor_is_shown)
{
    static const char output[] = "u.cu:1:10: fatal error: foo.h: No such file or directory\n"
                                 "    1 | #include <foo.h>\n      |          ^~~~~~~\n"
                                 "compilation terminated.\n";
    struct diagnostics found = {.count = 0};

    diagnostics_read(&found, output, "u.cu");
    cr_assert_eq(found.count, 1);
    cr_assert_eq(found.list[0].column, 10);
    cr_assert_str_eq(found.list[0].text, "foo.h: No such file or directory");
    cr_assert_str_eq(found.source, "#include <foo.h>\n         ^");
}

/* Each letter is a line. */
Test(own_image, changed_lines_are_found)
{
    static const struct {
        const char *before, *text, *changed;
    } rows[] = {
        {"abc", "abc", "..."},   {"abc", "axc", ".x."},    {"abc", "abxc", "..x."},
        {"abc", "ac", ".."},     {"abc", "", ""},          {"", "ab", "xx"},
        {"aaa", "aaaa", "...x"}, {"abcd", "bcda", "...x"}, {"abcdef", "abxdyf", "..x.x."},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char before[40] = "", text[40] = "", found[40] = "";
        bool changed[40];

        for (size_t k = 0; rows[i].before[k]; k++)
            snprintf(before + 2 * k, 3, "%c\n", rows[i].before[k]);
        for (size_t k = 0; rows[i].text[k]; k++)
            snprintf(text + 2 * k, 3, "%c\n", rows[i].text[k]);
        cr_assert_eq(changes_lines(text), strlen(rows[i].text));
        cr_assert(changes_find(text, before, changed));
        for (size_t k = 0; rows[i].text[k]; k++)
            found[k] = changed[k] ? 'x' : '.';
        cr_assert_str_eq(found, rows[i].changed, "row %zu", i);
    }
    cr_assert_eq(changes_lines("a\nb"), 2);
}
