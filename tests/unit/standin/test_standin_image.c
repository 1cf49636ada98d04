/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of a file: what the tool leaves, in a folder of the test's, and which text has a kernel. */
#if LANESCOPE_CUDA
#include "core/base/clock.h"
#include "core/wire/standin_config.h"
#include "standin/standin.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD(target) ".version 8.0\n.target sm_" target "\n.address_size 64\n"
#define ENTRY(name) ".visible .entry " name "()\n{\nret;\n}\n"

static char folder[] = "/tmp/lanescope-image-XXXXXX", tool[64], temporary[64], here[64];

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A tool that runs this script in the folder in which the PTX is wanted. */
static void use_tool(const char *script)
{
    char text[4096];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    write_text(tool, text);
    cr_assert_eq(chmod(tool, 0700), 0);
    setenv(STANDIN_CUOBJDUMP_VARIABLE, tool, 1);
}

static void enter(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(tool, sizeof tool, "%s/tool", folder);
    snprintf(temporary, sizeof temporary, "%s/t", folder);
    cr_assert_eq(mkdir(temporary, 0700), 0);
    setenv("TMPDIR", temporary, 1);
    snprintf(here, sizeof here, "%s/here", folder); /* where the tool runs that is asked for registers */
    cr_assert(mkdir(here, 0700) == 0 && chdir(here) == 0);
}

static void leave(void)
{
    char command[80];

    snprintf(command, sizeof command, "rm -r %s", here);
    cr_assert(chdir("/") == 0 && system(command) == 0);
    unlink(tool);
    cr_assert_eq(rmdir(temporary), 0, "a folder of the tool was left");
    cr_assert_eq(rmdir(folder), 0);
}

TestSuite(standin_image, .init = enter, .fini = leave);

static struct image_file *open_text(const char *ptx)
{
    struct image_file *file = NULL;
    struct error error = {0};
    cr_assert_eq(image_text_open(ptx, strlen(ptx), &file, &error), STATUS_OK, "%s", error.text);
    return file;
}

Test(standin_image, finds_the_text_that_defines_an_entry)
{
    const struct image_file *file =
        open_text(HEAD("75") ".extern .func outside\n" ENTRY("copy") ENTRY("copy_all") "call outside;\n");
    const char *image = image_of_entry(file, "copy", 90);
    size_t size_bytes;

    cr_assert(image && image_capability(image) == 75);
    cr_assert(strstr(image_ptx(image, &size_bytes), "copy_all"));
    cr_assert_eq(size_bytes, strlen(image_ptx(image, &size_bytes)));
    cr_assert_not_null(image_of_entry(file, "copy_all", 75));
    cr_assert_null(image_of_entry(file, "copy_al", 90));
    cr_assert_null(image_of_entry(file, "opy", 90));
    cr_assert_null(image_of_entry(file, "outside", 90));
    cr_assert_null(image_of_entry(file, "copy", 70), "it is for a newer GPU");
    cr_assert_str_eq(image_file_holds(file), "sm_75");
}

Test(standin_image, takes_texts_that_are_none)
{
    static const char *const texts[] = {
        "", "\n", ".target sm_90", "\n.target sm_", "no PTX", "\n.target sm_99999999999999999999\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_assert_null(image_of_entry(open_text(texts[i]), "k", 90), "%zu", i);
}

Test(standin_image, takes_the_newest_that_the_gpu_runs)
{
    struct image_file *file, *again;
    struct error error = {0};

    use_tool("for cc in 75 90 100; do printf '.version 8.0\\n.target sm_%s\\n.visible .entry "
             "k()\\n{\\nret;\\n}\\n' $cc >a.$cc.ptx; done");
    cr_assert_eq(image_file_open("/bin/true", &file, &error), STATUS_OK, "%s", error.text);
    cr_assert_str_eq(image_file_holds(file), "sm_75, sm_90, sm_100");
    cr_assert_eq(image_capability(image_of_entry(file, "k", 90)), 90);
    cr_assert_eq(image_capability(image_of_entry(file, "k", 86)), 75);
    cr_assert_null(image_of_entry(file, "k", 70));
    use_tool("exit 1"); /* it is read once */
    cr_assert(image_file_open("/bin/true", &again, &error) == STATUS_OK && again == file);
}

Test(standin_image, names_as_many_targets_as_there_is_room_for)
{
    struct image_file *file;
    struct error error = {0};

    use_tool("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf '\\n.target "
             "sm_400000000%s\\n' $i >$i.ptx; done");
    cr_assert_eq(image_file_open("/bin/true", &file, &error), STATUS_OK, "%s", error.text);
    cr_assert(strncmp(image_file_holds(file), "sm_", 3) == 0 && strlen(image_file_holds(file)) < 128);
}

/* Neither for the same file, which each call of the program would make it wait for, nor for the next one. */
Test(standin_image, asks_a_tool_that_does_not_end_once)
{
    struct image_file *file;
    struct error error = {0};
    char script[200], asked[80];

    snprintf(asked, sizeof asked, "%s/asked", folder);
    snprintf(script, sizeof script, "echo >>%s\nexec sleep 100", asked);
    use_tool(script);
    tool_within_ns = 300 * (int64_t)NS_PER_MS;
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(image_file_open(i < 2 ? "/bin/true" : "/bin/false", &file, &error), STATUS_UNSUPPORTED);
        cr_assert(strstr(error.text, "the PTX of /bin/true: it had not ended after 0.3 s"), "%s", error.text);
    }
    cr_assert(strstr(error.text, "0.3 s, and was not asked for that of /bin/false. "), "%s", error.text);
    FILE *times = fopen(asked, "r");
    cr_assert(times && fgetc(times) == '\n' && fgetc(times) == EOF && fclose(times) == 0);
    unlink(asked);
}

Test(standin_image, says_what_the_tool_did)
{
    static const struct {
        const char *script, *says;
    } rows[] = {{"exit 3", "could not extract the PTX of /bin/true (status 3)"},
                {"kill -9 $$", "could not extract the PTX of /bin/true"},
                {"echo x >a.ptx; exit 1", "(status 1)"},
                {"mkdir a.ptx", "could not extract"},
                {"mkfifo a.ptx", "could not extract"}};
    struct image_file *file;
    struct error error;
    char command[80];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        use_tool(rows[i].script);
        error.text[0] = '\0';
        cr_expect(image_file_open("/bin/true", &file, &error) == STATUS_UNSUPPORTED &&
                      strstr(error.text, rows[i].says),
                  "%s: %s", rows[i].script, error.text);
    }
    snprintf(command, sizeof command, "rm -rf %s/*", temporary); /* the folder of mkdir */
    cr_assert_eq(system(command), 0);
    setenv(STANDIN_CUOBJDUMP_VARIABLE, "/no/such/tool", 1);
    cr_expect(image_file_open("/bin/true", &file, &error) == STATUS_UNSUPPORTED &&
                  strstr(error.text, "names /no/such/tool, which cannot be run: No such file"),
              "%s", error.text);
    setenv(STANDIN_CUOBJDUMP_VARIABLE, "/etc/passwd", 1);
    cr_expect(image_file_open("/bin/true", &file, &error) == STATUS_UNSUPPORTED &&
                  strstr(error.text, "names /etc/passwd, which cannot be run: Permission denied"),
              "%s", error.text);
    setenv("TMPDIR", "/no/such/folder", 1);
    cr_expect(image_file_open("/bin/true", &file, &error) == STATUS_IO &&
                  strstr(error.text, "/no/such/folder"),
              "%s", error.text);
    cr_expect(image_bytes_open("x", 1, &file, &error) == STATUS_IO && strstr(error.text, "/no/such/folder"),
              "%s", error.text);
}

/* Two texts of one file, one of which needs what the other defines; of relocatable code alone. */
Test(standin_image, links_texts_that_need_each_other)
{
    struct image_file *file;
    struct error error = {0};
    size_t size_bytes;

    use_tool("printf '.version 8.0\\n.target sm_75\\n.address_size 64\\n.extern .global .u32 shared_word;\\n"
             ".visible .entry user()\\n{\\n.reg .b32 %%r1;\\nld.global.u32 %%r1, "
             "[shared_word];\\nret;\\n}\\n' >a.ptx\n"
             "printf '.version 8.0\\n.target sm_75\\n.address_size 64\\n.visible .global .u32 shared_word = "
             "7;\\n' >b.ptx");
    cr_assert_eq(image_file_open("/bin/true", &file, &error), STATUS_OK, "%s", error.text);
    const char *image = image_of_entry(file, "user", 90);
    cr_assert(image && strstr(image_ptx(image, &size_bytes), "shared_word = 7"));
    cr_assert_eq(image_of_variable(file, "shared_word", 90), image, "both are one text");
}
#else
#include "tests/no_standin.h"
#endif
