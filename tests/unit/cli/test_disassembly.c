/* SPDX-License-Identifier: Apache-2.0 */
/* What disassemblers print, taken apart; and the disassembler as a process. */
#include "cli/process/disassemble.h"
#include "cli/process/paths.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char taken[4096];

static void note(void *user, const char *function, uint32_t pc_offset, const char *text)
{
    size_t used = strlen(taken);
    cr_assert(user == &taken[1]);
    snprintf(taken + used, sizeof taken - used, "%s+%x %s|", function, pc_offset, text);
}

static const char *read_text(const char *text)
{
    static struct disassembly disassembly;
    disassembly = (struct disassembly){.take = note, .user = &taken[1]};
    taken[0] = '\0';
    disassembly_read(&disassembly, text, strlen(text));
    return taken;
}

Test(disassembly, of_both_programs)
{
    static const struct {
        const char *text, *instructions;
    } rows[] = {
        {"", ""},
        {"\t.section\t.text.add,\"ax\",@progbits\n        .type           add,@function\nadd:\n.text.add:\n"
         "\t//## File \"a.cu\", line 56\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
         "        /*0010*/              @!P0 BRA `(.L_x_1) ;\n.L_x_0:\n        /*0020*/                   "
         "EXIT ;\n",
         "add+0 LDC R1, c[0x0][0x28]|add+10 @!P0 BRA `(.L_x_1)|add+20 EXIT|"},
        {".text._Z3addIfEvPT_:\n /*00a0*/ NOP;\n.text.two:\n /*12340*/ BAR.SYNC 0x0 ;",
         "_Z3addIfEvPT_+a0 NOP|two+12340 BAR.SYNC 0x0|"},
        {"\tcode for sm_90\n\t\tFunction : add\r\n\t.headerflags\t@\"EF\"\n"
         "        /*0000*/                   LDC R1, c[0x0][0x28] ;    /* 0x00000a00ff017b82 */\n"
         "                                                             /* 0x000ff00000000800 */\n",
         "add+0 LDC R1, c[0x0][0x28]|"},
        /* before any function; data; no offset; one too large; no digits enough; nothing between */
        {"/*0000*/ NOP ;\n.text.a:\n/*0010*/ .byte 0xff\nNOP ;\n/*4000000*/ NOP ;\n/*010*/ NOP ;\n/*0010*/ "
         ";\n/*001g*/ X ;",
         ""},
        {".text.:\n/*0000*/ NOP ;\n.text.a\n/*0000*/ NOP ;\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_str_eq(read_text(rows[i].text), rows[i].instructions, "row %zu: %s", i, taken);
}

/* Text of any bytes is passed over or taken, within bounds; cut lines and long names too. */
Test(disassembly, of_any_bytes)
{
    static const char good[] = ".text.kernel:\n        /*0010*/     LDG.E R6, desc[UR6][R8.64] ;\n";
    static struct disassembly disassembly;
    srand(3);
    for (int round = 0; round < 20000; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (int i = rand() % 6; i > 0; i--)
            text[(size_t)rand() % (sizeof text - 1)] = (char)(rand() % 256);
        size_t length = (size_t)rand() % sizeof good;
        char *exact = malloc(length ? length : 1); /* what lies behind it is the sanitizer's */
        memcpy(exact, text, length);
        disassembly = (struct disassembly){.take = note, .user = &taken[1]};
        taken[0] = '\0';
        disassembly_read(&disassembly, exact, length);
        free(exact);
    }
    char *long_name = malloc(20000);
    memset(long_name, 'x', 20000);
    memcpy(long_name, ".text.", 6);
    memcpy(long_name + 10000, ":\n/*0000*/ ", 11);
    long_name[19999] = ';';
    disassembly = (struct disassembly){.take = note, .user = &taken[1]};
    taken[0] = '\0';
    disassembly_read(&disassembly, long_name, 20000);
    cr_assert_str_empty(taken);
    memcpy(long_name + 100, ":\n/*0000*/ ", 11);
    disassembly_read(&disassembly, long_name, 20000);
    free(long_name);
}

/* ---- the process ---- */

static char folder[] = "/tmp/lanescope-disassembly-XXXXXX";

static void write_program(const char *name, const char *body)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    chmod(path, 0700);
}

static void enter(void)
{
    cr_assert(mkdtemp(folder) != NULL);
    setenv("PATH", folder, 1);
    setenv("CUDA_HOME", folder, 1);
    setenv("CUDA_PATH", folder, 1);
}

static void leave(void)
{
    char command[128];
    setenv("PATH", "/usr/bin:/bin", 1);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(disassemble, .init = enter, .fini = leave, .timeout = 280);

Test(disassemble, the_one_that_is_there_is_run_on_the_file)
{
    char path[PATH_BYTES], expected[PATH_BYTES];
    struct error error;
    write_program("cuobjdump", "echo \"Function : $1\"; echo \"/*0010*/ $2 ;\"");
    if (disassembler_find(path, &error) == STATUS_OK && strstr(path, "cuobjdump")) {
        taken[0] = '\0';
        cr_assert_eq(disassemble(path, "/a/b.cubin", note, &taken[1], &error), STATUS_OK, "%s", error.text);
        cr_assert_str_eq(taken, "-sass+10 /a/b.cubin|");
    }
    write_program("nvdisasm", "echo \".text.$1:\"; echo \"/*0010*/ $2 ;\"");
    cr_assert_eq(disassembler_find(path, &error), STATUS_OK);
    snprintf(expected, sizeof expected, "%s/nvdisasm", folder);
    cr_assert_str_eq(path, expected);
    taken[0] = '\0';
    cr_assert_eq(disassemble(path, "/a/b.cubin", note, &taken[1], &error), STATUS_OK, "%s", error.text);
    cr_assert_str_eq(taken, "-c+10 /a/b.cubin|");
}

Test(disassemble, what_fails_is_a_sentence)
{
    char path[PATH_BYTES];
    struct error error;
    write_program("nvdisasm", "exit 3");
    cr_assert_eq(disassembler_find(path, &error), STATUS_OK);
    cr_assert_eq(disassemble(path, "/a/b.cubin", note, &taken[1], &error), STATUS_FORMAT);
    cr_assert(strstr(error.text, "/a/b.cubin") && strstr(error.text, "status 3"), "%s", error.text);
    write_program("nvdisasm", "exit 0");
    cr_assert_eq(disassemble(path, "/a/b.cubin", note, &taken[1], &error), STATUS_FORMAT);
    cr_assert_eq(disassemble("/nonexistent/nvdisasm", "/a/b.cubin", note, &taken[1], &error), STATUS_IO);
}
