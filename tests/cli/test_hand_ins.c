/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile hand-ins: each ends in a sentence within its limits, runs no host code, writes no file and leaves
 * no process. The files are made here: some are no texts, and some have names that no repository should have.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[1 << 18], errors[1 << 18];

static void enter(void)
{
    program_enter();
    cr_assert_eq(mkdir("class", 0755), 0);
#ifdef TEST_TOOLKIT
    setenv("CUDA_HOME", TEST_TOOLKIT, 1);
#endif
}

TestSuite(hand_ins, .init = enter, .fini = program_leave, .timeout = 600);

#define HEAD "// exercise: coalesce\n"
#define KERNEL "extern \"C\" __global__ void copy_offset(float *out, const float *in, unsigned offset)\n"
#define COPY "unsigned i = blockIdx.x * 256 + threadIdx.x + offset; out[i] = in[i];"
#define GOOD HEAD KERNEL "{ " COPY " }\n"

struct row {
    const char *file, *text;    /* below class/ */
    const char *outcome, *says; /* as in the JSON */
};

/* The line of the JSON about this file. */
static const char *line_of(const char *name)
{
    static char line[4000], key[300];
    const char *at;

    snprintf(key, sizeof key, "\"file\": \"class/%s\"", name);
    at = strstr(output, key);
    cr_assert_not_null(at, "%s: %s", key, output);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

static void check_line(const char *name, const char *outcome, const char *says)
{
    const char *line = line_of(name);
    char wanted[60];

    snprintf(wanted, sizeof wanted, "\"outcome\": \"%s\"", outcome);
    cr_expect(strstr(line, wanted), "%s: %s", name, line);
    cr_expect(strstr(line, says), "%s: %s", name, line);
}

static void write_file(const char *name, const void *bytes, size_t size_bytes)
{
    char path[300];

    snprintf(path, sizeof path, "class/%s", name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(bytes, 1, size_bytes, file) == size_bytes);
    fclose(file);
}

static void write_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_file(rows[i].file, rows[i].text, strlen(rows[i].text));
}

static int run(const char *arguments)
{
    return program_run(arguments, output, errors, sizeof errors);
}

/* What is left behind in the folder that TMPDIR names. */
static size_t left_behind(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    size_t count = 0;

    while ((entry = readdir(folder)))
        count += strstr(entry->d_name, "lanescope-") != NULL || strcmp(entry->d_name, "PWNED") == 0;
    closedir(folder);
    return count;
}

/* Processes that still work in it. */
static size_t still_running(void)
{
    DIR *processes = opendir("/proc");
    char here[300], path[300], there[600];
    struct dirent *entry;
    size_t count = 0;

    cr_assert_not_null(getcwd(here, sizeof here));
    while ((entry = readdir(processes))) {
        snprintf(path, sizeof path, "/proc/%.20s/cwd", entry->d_name);
        ssize_t length = readlink(path, there, sizeof there - 1);

        if (length <= 0 || atol(entry->d_name) == getpid() || atol(entry->d_name) == getppid())
            continue;
        there[length] = '\0';
        count += strncmp(there, here, strlen(here)) == 0 && there[strlen(here)] == '/';
    }
    closedir(processes);
    return count;
}

/* What is refused before a compiler or the model sees it. */
Test(hand_ins, files_that_are_none)
{
    static const char zeros[] = HEAD "\0\1\2\3";
    static const struct row rows[] = {
        {"empty.cu", "", "unreadable", "does not say which exercise"},
        {"none.cu", KERNEL "{}\n", "unreadable", "does not say which exercise"},
        {"late.cu", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n" HEAD, "unreadable", "does not say"},
        {"code.cu", "int x; // exercise: coalesce\n", "unreadable", "does not say which exercise"},
        {"unknown.cu", "// exercise: nothing\n", "unreadable", "There is no exercise \\\"nothing\\\""},
        {"path.cu", "// exercise: ../../etc/passwd\n", "unreadable", "does not say which exercise"},
        {"long.cu", "// exercise: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "unreadable",
         "There is no exercise"},
    };
    const size_t count = sizeof rows / sizeof rows[0];

    write_rows(rows, count);
    write_file("zeros.cu", zeros, sizeof zeros);
    write_file("gigabyte.cu", "", 0);
    cr_assert_eq(truncate("class/gigabyte.cu", (off_t)1 << 31), 0);
    cr_assert_eq(symlink("/etc/passwd", "class/link.cu"), 0);
    cr_assert_eq(symlink("/nowhere", "class/dangling.cu"), 0);
    cr_assert_eq(mkfifo("class/pipe.cu", 0644), 0);
    cr_assert_eq(mkdir("class/folder.cu", 0755), 0);
    int status = run("grade --json class");
#ifndef TEST_TOOLKIT
    if (status != 1) /* no compiler is here, which is said first */
        return;
#endif
    cr_assert_eq(status, 1, "%s", errors);
    cr_assert_eq(system("python3 " CHECK_JSON " " TEST_SOURCE_DIR "/docs/grade.schema.json output >&2"), 0);
    for (size_t i = 0; i < count; i++)
        check_line(rows[i].file, rows[i].outcome, rows[i].says);
    check_line("zeros.cu", "unreadable", "It is no text");
    check_line("gigabyte.cu", "unreadable", "It has 2147483648 bytes");
    check_line("link.cu", "unreadable", "It is a symbolic link");
    check_line("dangling.cu", "unreadable", "It is a symbolic link");
    check_line("pipe.cu", "unreadable", "It is no regular file");
    check_line("folder.cu", "unreadable", "It is a folder");
    cr_expect_eq(left_behind(), 0);
}

#define PTX(body)                                          \
    HEAD ".version 9.0\n.target sm_90\n.address_size 64\n" \
         ".visible .entry copy_offset(.param .u64 out, .param .u64 in, .param .u32 n) {\n" body "}\n"

/* PTX needs no compiler. */
Test(hand_ins, ptx_that_does_not_end)
{
    static const struct row rows[] = {
        {"endless.ptx", PTX("L: bra L;\n"), "limit", "It was ended after 2 seconds"},
        {"nothing.ptx", PTX("ret;\n"), "wrong", "never written"},
        {"trap.ptx", PTX("trap;\n"), "fault", "trap"},
        {"garbage.ptx", HEAD "}{}{ \x1b[31m .entry", "not_compiled", "garbage"},
    };
    const size_t count = sizeof rows / sizeof rows[0];

    write_rows(rows, count);
    cr_assert_eq(run("grade --json --time-limit 2 class/endless.ptx"), 1, "%s", errors);
    check_line("endless.ptx", "limit", rows[0].says);
    cr_assert_eq(run("grade --json class/nothing.ptx class/trap.ptx class/garbage.ptx"), 1, "%s", errors);
    check_line("nothing.ptx", "wrong", rows[1].says);
    check_line("trap.ptx", "fault", rows[2].says);
    check_line("garbage.ptx", "not_compiled", "coalesce.ptx");
    cr_assert(!strchr(output, '\x1b'));
    cr_expect_eq(left_behind(), 0);
    cr_expect_eq(still_running(), 0);
}

/* Ctrl-C while an endless hand-in runs: the status is a signal's, and nothing is left. */
Test(hand_ins, ended_by_a_signal)
{
    static const struct row row = {"endless.ptx", PTX("L: bra L;\n"), "limit", ""};
    int wait_status;

    write_rows(&row, 1);
    pid_t grader = fork();
    if (grader == 0) {
        setpgid(0, 0);
        signal(SIGINT, SIG_DFL);
        execl(TEST_LANESCOPE, "lanescope", "grade", "--time-limit", "300", "class/endless.ptx", NULL);
        _exit(127);
    }
    while (still_running() == 0)
        usleep(10000);
    cr_expect_gt(left_behind(), 0);
    cr_assert_eq(kill(grader, SIGINT), 0);
    cr_assert_eq(waitpid(grader, &wait_status, 0), grader);
    cr_expect(WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGINT, "%x", wait_status);
    cr_expect_eq(left_behind(), 0);
    cr_expect_eq(still_running(), 0);
}

/* Four processes of 60 MB each, and one: what counts is their sum. */
Test(hand_ins, processes_share_one_limit_of_memory)
{
    static const char eater[] =
        "for i in %s; do head -c 60000000 /dev/zero | tail -c 60000000 | sleep 1 & done; "
        "wait";
    char script[200], arguments[400];

    for (int many = 0; many < 2; many++) {
        snprintf(script, sizeof script, eater, many ? "1 2 3 4" : "1");
        program_write("eat.sh", script);
        snprintf(arguments, sizeof arguments, "--limited . 20 150 /bin/sh eat.sh");
        cr_expect_eq(run(arguments), many ? 123 : 0, "%d: %s", many, errors);
        cr_expect_eq(still_running(), 0);
    }
}

static void age_folder(const char *name)
{
    const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

    cr_assert_eq(utimensat(AT_FDCWD, name, old, AT_SYMLINK_NOFOLLOW), 0);
}

/* A grader that is killed leaves a folder. The next one removes it, but none that is in use, new, or no
 * folder of a grader. */
Test(hand_ins, what_a_killed_grader_left_is_removed)
{
    static const struct row row = {"nothing.ptx", PTX("ret;\n"), "wrong", ""};
    static const char *const old[] = {"lanescope-grade-AbCdEf", "lanescope-grade-locked",
                                      "lanescope-gradeXAbCdE", "lanescope-grade-link"};

    write_rows(&row, 1);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(mkdir(old[i], 0700), 0);
    program_write("lanescope-grade-AbCdEf/run.lsr", "left");
    cr_assert_eq(symlink("class", old[3]), 0);
    cr_assert_eq(mkdir("lanescope-grade-recent", 0700), 0);
    for (size_t i = 0; i < 4; i++)
        age_folder(old[i]);
    int locked = open(old[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    cr_assert(locked >= 0 && flock(locked, LOCK_EX) == 0);
    cr_assert_eq(run("grade class/nothing.ptx"), 1, "%s", errors);
    cr_expect_eq(access(old[0], F_OK), -1, "it was not removed");
    for (size_t i = 1; i < 4; i++)
        cr_expect_eq(access(old[i], F_OK), 0, "%s was removed", old[i]);
    cr_expect_eq(access("lanescope-grade-recent", F_OK), 0);
    cr_expect_eq(access("class/nothing.ptx", F_OK), 0);
    close(locked);
    cr_assert_eq(run("grade class/nothing.ptx"), 1, "%s", errors);
    cr_expect_eq(access(old[1], F_OK), -1, "it was not removed");
}

#ifdef TEST_TOOLKIT
/* The sentence about a hand-in; its file's name is left out. */
static const char *sentence_of(const char *name)
{
    static char sentence[2000];
    const char *at = strstr(line_of(name), "\"sentence\": \"");

    cr_assert_not_null(at);
    snprintf(sentence, sizeof sentence, "%s", at);
    sentence[strcspn(sentence, ",")] = '\0';
    return sentence;
}

/* Another's solution, a file of the teacher, one that nobody has: included by its whole path. In each way in
 * which this system can confine a compiler. */
Test(hand_ins, include_nothing_but_the_toolkit)
{
    static const char *const ways[] = {"namespace", "landlock"};
    char here[300], text[700], there[2000];

    cr_assert_not_null(getcwd(here, sizeof here));
    write_file("bert.cu", GOOD, strlen(GOOD));
    program_write("marks.h", "#define SECRET\n");
    snprintf(text, sizeof text, HEAD "#include \"%s/class/bert.cu\"\n", here);
    write_file("anna.cu", text, strlen(text));
    snprintf(text, sizeof text, HEAD "#include \"%s/marks.h\"\n" KERNEL "{ " COPY " }\n", here);
    write_file("there.cu", text, strlen(text));
    snprintf(text, sizeof text, HEAD "#include \"%s/nones.h\"\n" KERNEL "{ " COPY " }\n", here);
    write_file("never.cu", text, strlen(text));
    snprintf(text, sizeof text,
             HEAD "#if __has_include(\"%s/marks.h\") || __has_include(\"/proc/self/environ\") || "
                  "__has_include(\"/etc/passwd\")\n#error \"there\"\n#endif\n" KERNEL "{ " COPY " }\n",
             here);
    write_file("asks.cu", text, strlen(text));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        setenv("LANESCOPE_CONFINEMENT", ways[i], 1);
        int status = run("grade --json class");

        if (status == 2 && strstr(errors, "which this system does not allow")) {
            fprintf(stderr, "not tried: %s\n", errors);
            continue;
        }
        cr_assert_eq(status, 1, "%s: %s", ways[i], errors);
        snprintf(text, sizeof text, "\"confinement\": \"%s\"", ways[i]);
        cr_expect(strstr(output, text), "%s", output);
        check_line("bert.cu", "passed", "");
        check_line("anna.cu", "not_compiled", "bert.cu: No such file or directory");
        check_line("there.cu", "not_compiled", "No such file or directory");
        snprintf(there, sizeof there, "%s", sentence_of("there.cu"));
        memcpy(strstr(there, "marks.h"), "nones.h", 7);
        cr_expect_str_eq(there, sentence_of("never.cu"), "%s", ways[i]);
        if (i == 0)
            check_line("asks.cu", "passed", "");
        cr_expect_eq(left_behind(), 0);
    }
    setenv("LANESCOPE_CONFINEMENT", "none", 1);
    cr_assert_eq(run("grade class/anna.cu"), 0, "%s", output);
    cr_expect(strstr(output, "The compiler was not confined"), "%s", output);
    setenv("LANESCOPE_CONFINEMENT", "tight", 1);
    cr_assert_eq(run("grade class/anna.cu"), 2);
    cr_expect(strstr(errors, "it may be namespace, landlock or none"), "%s", errors);
    unsetenv("LANESCOPE_CONFINEMENT");
}

/* A compiler that lacks something where it is confined is not confined, and that is said. One that compiles
 * nothing at all is no reason. */
Test(hand_ins, a_compiler_that_cannot_be_confined)
{
    char path[4000];

    cr_assert_eq(mkdir("bin", 0755), 0);
    program_write("bin/nvcc", "#!/bin/sh\nexec " TEST_TOOLKIT "/bin/nvcc \"$@\"\n");
    cr_assert_eq(chmod("bin/nvcc", 0755), 0);
    char *here = getcwd(NULL, 0);
    const char *before = getenv("PATH");

    snprintf(path, sizeof path, "%s/bin:%s", here, before);
    setenv("PATH", path, 1);
    free(here);
    write_file("good.cu", GOOD, strlen(GOOD));
    write_file("wrong.cu", HEAD "}\n", strlen(HEAD "}\n"));
    cr_assert_eq(run("grade class"), 1, "%s", errors);
    cr_expect(strstr(output, "1 of 2 passed"), "%s", output);
    cr_expect(strstr(output, "The compiler was not confined"), "%s", output);
    program_write("bin/nvcc", "#!/bin/sh\nexit 1\n");
    cr_assert_eq(run("grade class"), 1, "%s", errors);
    cr_expect(strstr(output, "0 of 2 passed"), "%s", output);
    cr_expect(strstr(output, "The compiler was confined"), "%s", output);
    setenv("PATH", path + strcspn(path, ":") + 1, 1);
}

static const char macros[] = HEAD
    "#define A0 x x x x x x x x x x\n#define A1 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0\n"
    "#define A2 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1\n#define A3 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2\n"
    "#define A4 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3\n#define A5 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4\n"
    "#define A6 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5\n#define A7 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6\n"
    "#define A8 A7 A7 A7 A7 A7 A7 A7 A7 A7 A7\n#define A9 A8 A8 A8 A8 A8 A8 A8 A8 A8 A8\nint y = A9 A9 A9;\n";

/* Their time is up; one that fails for its memory before that is as good. */
Test(hand_ins, without_an_end)
{
    static const struct row rows[] = {
        {"endless.cu", HEAD KERNEL "{ volatile unsigned x = 0; for (;;) x++; }\n", "limit", "ended after 3"},
        {"macros.cu", macros, NULL, ""},
        {"zero.cu", HEAD "#include \"/dev/zero\"\n" KERNEL "{}\n", NULL, ""},
        {"output.cu",
         HEAD "#include <cstdio>\n" KERNEL
              "{ for (long k = 0; k < 1000000000; k++) printf(\"lanescope lanescope lanescope\\n\"); }\n",
         "limit", "ended after 3"},
    };
    const size_t count = sizeof rows / sizeof rows[0];

    write_rows(rows, count);
    cr_assert_eq(run("grade --json --time-limit 3 class"), 1, "%s", errors);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].outcome)
            check_line(rows[i].file, rows[i].outcome, rows[i].says);
        cr_expect(!strstr(line_of(rows[i].file), "\"sentence\": \"\""), "%s", line_of(rows[i].file));
        cr_expect(!strstr(line_of(rows[i].file), "\"passed\": true"), "%s", line_of(rows[i].file));
    }
    cr_expect_eq(left_behind(), 0);
    cr_expect_eq(still_running(), 0);
}

#define PWN "system(\"touch $HOME/PWNED class/PWNED /tmp/lanescope-PWNED\")"
Test(hand_ins, that_end)
{
    static const struct row rows[] = {
        {"host.cu",
         HEAD "#include <cstdlib>\nstruct pwn { pwn() { " PWN "; } } p;\n"
              "__attribute__((constructor)) void f() { " PWN "; }\nint main() { return " PWN "; }\n" KERNEL
              "{ " COPY " }\n",
         "passed", ""},
        {"asm.cu", HEAD "asm(\".incbin \\\"/etc/passwd\\\"\");\n" KERNEL "{ " COPY " }\n", "passed", ""},
        {"memory.cu", HEAD "__device__ float big[1ull << 33];\n" KERNEL "{ big[offset] = 1; " COPY " }\n",
         "fault", "does not have"},
        /* no line of that file is shown */
        {"passwd.cu", HEAD "#include \"/etc/passwd\"\n" KERNEL "{ " COPY " }\n", "not_compiled",
         "passwd: No such file"},
        {"neighbour.cu", HEAD "#include \"host.cu\"\n", "not_compiled", "No such file"},
        {"terminal.cu", HEAD "#include \"/dev/stdin\"\n#include \"/dev/tty\"\n", "not_compiled",
         "/dev/stdin: No such file"},
        {"other.cu", HEAD "extern \"C\" __global__ void k(float *o) { *o = 1; }\n", "not_compiled",
         "no kernel"},
        {"params.cu", HEAD "extern \"C\" __global__ void copy_offset(double *o) { *o = 1; }\n",
         "not_compiled", "other parameters"},
        {"launch.cu", HEAD "__global__ void child() {}\n" KERNEL "{ child<<<1, 1>>>(); " COPY " }\n", NULL,
         ""},
        {"trap.cu", HEAD KERNEL "{ asm volatile(\"trap;\"); }\n", "fault", "trap"},
        {"ptx.cu", HEAD KERNEL "{ asm volatile(\".include \\\"/etc/passwd\\\"\"); " COPY " }\n",
         "not_compiled", "Parsing error near '.include'"},
        {"self.cu", HEAD "#include __FILE__\n", "not_compiled", "nested depth"},
        {"fork.cu",
         HEAD "#include <unistd.h>\nstatic int bomb() { for (;;) fork(); }\nint x = bomb();\n" KERNEL
              "{ " COPY " }\n",
         "passed", ""},
        {"recursion.cu",
         HEAD "__device__ __noinline__ int deep(volatile int *p, int n) { int a[64]; a[n & 63] = n; return "
              "deep(p, n + 1) + a[*p & 63]; }\n" KERNEL "{ int x = 0; out[0] = deep(&x, 1); }\n",
         "fault", "stack overflow"},
        {"types.cu",
         HEAD "template <typename T> struct words_of { T value; };\n"
              "template <typename A> __device__ float sum_of(words_of<A> a, A b) { return a.value; }\n" KERNEL
              "{ out[0] = sum_of(words_of<words_of<unsigned long long> >(), words_of<words_of<"
              "double> >()); }\n",
         "not_compiled", "words_of<words_of<double>>)"},
        {"call.cu",
         "// exercise: hide\n"
         "extern \"C\" __global__ void host_calls(uint4 *calls) { *calls = make_uint4(2, 9, 0, ~0u); }\n",
         "fault", "call 1 is none"},
        {"calls.cu",
         "// exercise: hide\n"
         "extern \"C\" __global__ void host_calls(uint4 *calls) { for (int i = 0; i < 257; i++) calls[i].x = 1; }\n",
         "fault", "out of bounds"},
        {"null.cu", HEAD KERNEL "{ *(volatile int *)0 = 1; }\n", "fault", "out of bounds"},
        {"barrier.cu", HEAD KERNEL "{ while (atomicAdd(out, 0) != -1) ; }\n", "fault", "wait for each other"},
        {"bytes.cu", HEAD "\xff\xfe\x80 \x1b[31m \x07\n" KERNEL "{ " COPY " }\n", "not_compiled",
         "does not compile"},
        {"-rf.cu", GOOD, "passed", ""},
        {"touch; $(touch PWNED).cu", GOOD, "passed", ""},
        {"a\x1b[31m.cu", GOOD, NULL, NULL},
    };
    const size_t count = sizeof rows / sizeof rows[0];

    write_rows(rows, count);
    unlink("/tmp/lanescope-PWNED");
    cr_assert_eq(run("grade --json class"), 1, "%s", errors);
    cr_assert_eq(system("python3 " CHECK_JSON " " TEST_SOURCE_DIR "/docs/grade.schema.json output >&2"), 0);
    for (size_t i = 0; i < count; i++)
        if (rows[i].outcome)
            check_line(rows[i].file, rows[i].outcome, rows[i].says);
    cr_expect(!strstr(line_of("bytes.cu"), "\x1b"));
    cr_expect(!strstr(line_of("passwd.cu"), "root:"), "%s", line_of("passwd.cu"));
    cr_expect(strstr(line_of("types.cu"), "\"source\": \"{ out[0] = sum_of("), "%s", line_of("types.cu"));
    cr_expect(strstr(line_of("types.cu"), "\\n           ^\""), "%s", line_of("types.cu"));
    cr_expect(strstr(line_of("a\\u001b[31m.cu"), "\"passed\": true"), "%s", output);
    cr_expect_eq(access("PWNED", F_OK), -1);
    cr_expect_eq(access("class/PWNED", F_OK), -1);
    cr_expect_eq(access("/tmp/lanescope-PWNED", F_OK), -1);
    cr_expect_eq(left_behind(), 0);
    cr_expect_eq(still_running(), 0);
    cr_assert_eq(run("grade class/a*.cu"), 0, "%s", output);
    cr_assert(!strchr(output, '\x1b'), "%s", output);
}
#endif
