/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program as its user meets it: exit statuses and sentences for what goes right and wrong, without a GPU.
 */
#include "core/wire/agent_config.h"
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(program, .init = program_enter, .fini = program_leave, .timeout = 280);

#define PTX(name) TEST_SOURCE_DIR "/workloads/ptx/" name ".ptx"

/* What a recording of `true` says: without the agent nobody could tell whether CUDA was initialised. */
#ifdef TEST_AGENT
#define TRACED_NOTHING "No process of true connected to lanescope:"
#else
#define TRACED_NOTHING "no work on a GPU was traced"
#endif

Test(program, exit_statuses_and_sentences)
{
    static const struct {
        const char *arguments;
        int exit_status;
        const char *prints, *says; /* on standard output; on standard error */
    } rows[] = {
        {"--version", 0, "lanescope ", ""},
        {"--help", 0, "--record FILE", ""},
        {"report --help", 0, "lanescope report FILE", ""},
        {"help diff", 0, "--fail-on", ""},
        {"report missing.lsr", 125, "", "There is no file missing.lsr"},
        {"--record a.lsr --", 2, "", "After --, give the program"},
        {"--manual", 0, ".SH OPTIONS", ""},
        {"list", 0, "\n\nB  Shared memory: tiles and bank conflicts\nworkload ", ""},
        {"list", 0, "h200         9.0    132 NVIDIA H200", ""},
        {"list --json", 0, "\"models\": {", ""},
        {"doctor", 0, "ok    model", ""},
        {"device", 0, "theoretical bandwidth", ""},
        {"device --model 'NVIDIA H200'", 0, "MODELLED: device model of NVIDIA H200", ""},
        {"device --model m2090", 0, "MODELLED: device model of Tesla M2090", ""},
        {"device --device simt --json", 0, "\"model\": \"h200\"", ""},
        {"device --model abacus", 2, "", "There are: h200, h100, a100"},
        {"device --device cuda --gpu 1000", 3, "", "lanescope: "},
        {"doctor", 0, "terminal", ""},
        {"doctor", 0, "lanescope-ladder", ""},
        {"--frobnicate", 2, "", "no option --frobnicate"},
        {"frobnicate", 2, "", "no workload 'frobnicate'"},
        {"reprt a.lsr", 2, "", "Did you mean lanescope report?"},
        {"no/such/a.out", 2, "", "There is no file no/such/a.out"},
        {"missing.lsr", 2, "", "lanescope view opens a recording"},
        {"''", 2, "", "An argument is empty"},
        {"view ''", 2, "", "An argument is empty"},
        {"transpose,", 2, "", "there is no parameter after the comma. Write NAME=VALUE"},
        {"device --model a100 --device cuda", 2, "", "--model is for the device model"},
        {"device --model a100 --gpu 0", 2, "", "--gpu is for a GPU"},
        {"device --device simt --gpu 0", 2, "", "--gpu is for a GPU"},
        {"/bin/true", 2, "", "lanescope -- /bin/true runs it as a program"},
        {"--record a.lsr " PTX("copy_stride"), 2, "", "runs a kernel of it"},
        {"--record a.lsr frobnicate", 2, "", "no workload 'frobnicate'"},
        {"--record a.lsr copy-offset,offset=77", 2, "", "offset=77 is outside 0..32"},
        {"--record a.lsr copy-offset,colour=1", 2, "", "colour"},
        {"--record a.lsr copy-offset:naive", 2, "", "naive"},
        {"--record a.lsr --device cuda copy-offset", 3, "", "lanescope: "},
        {"--record a.lsr --counters on copy-offset", 3, "", "--counters is for a GPU"},
        {"--record a.lsr --device simt --runs trace copy-offset", 2, "", "--runs is for a GPU"},
        {"--record a.lsr --device simt --model abacus copy-offset", 2, "", "There are: h200, h100, a100"},
        {"--record a.lsr --device cuda --check copy-offset", 2, "", "give --device simt"},
        {"--record a.lsr --cc 4.2 copy-offset", 2, "", "1.0, 1.1"},
        {"--record a.lsr --device both --model abacus -- true", 125, "", "There are: h200, h100, a100"},
        {"--record a.lsr copy-stride,stride=8", 0, "device model of NVIDIA H200: its numbers are modelled",
         "Problem sizes are small"},
        {"report a.lsr --json", 0, "\"clock\": \"model\"", ""},
        {"a.lsr", 2, "", "lanescope view a.lsr opens it"},
        {"view a.lsr --snapshot text", 0, "device model of NVIDIA H200: numbers are modelled", ""},
        {"--record a.lsr --device simt --model t4 copy-stride,stride=8", 0, "device model of Tesla T4", ""},
        {"--record a.lsr --full --model gtx280 reduction:sequential reduction:shuffle", 0,
         "Not run: reduction_shuffle uses shuffles, which needs compute capability 3.0; the modelled GPU, "
         "GeForce GTX 280, has 1.3",
         ""},
        {"--record a.lsr --model gtx280 reduction:sequential reduction:shuffle", 0,
         "1 of 2 runs verified against the CPU reference", ""},
        {"--record a.lsr --cc 1.3 reduction:shuffle", 0, "1 of 1 runs verified",
         "rules of compute capability 1.3"},
        {"kernel " PTX("reduction") " --kernel reduction_shuffle --model gtx280 --grid 1 --block 64 --arg "
                                    "u32[64]=zero --arg u32[512]=ramp --device simt",
         3, "", "uses shuffles, which needs compute capability 3.0"},
        {"--record a.lsr --full --cc 1.0 copy-stride,stride=2", 0, "stride=2,n=16384,cc=1.0",
         "rules of compute capability 1.0"},
        /* 8,192 words: a transaction for each, or one for each of 512 half-warps */
        {"report a.lsr --csv", 0, "\"gld_incoherent\",8192,\"accesses\",\"modelled\",true,1,8192,8192,8192,",
         ""},
        {"--record a.lsr --full --cc 1.3 copy-stride,stride=2", 0, "stride=2,n=16384,cc=1.3",
         "rules of compute capability 1.3"},
        {"report a.lsr --csv", 0, "\"gld_coherent\",512,\"accesses\",\"modelled\",true,1,512,512,512,", ""},
        {"--record a.lsr --full --cc 2.0 load-pattern", 0, "120 of 120 exact counts are as expected", ""},
        {"--record a.lsr --full --cc 2.0-no-l1 load-pattern", 0, "120 of 120 exact counts are as expected",
         "rules of compute capability 2.0-no-l1"},
        {"report a.lsr --csv", 0, ",cc=2.0-no-l1", ""},
        /* 0 of a parameter that is no size is a value as any other */
        {"--record a.lsr --full --device simt histogram:global,skew=50", 0, "skew=50,bins=256,", ""},
        {"view a.lsr --keys e --snapshot text --size 120x40", 0, "skew       50 ", ""},
        {"--record a.lsr --full --cc 3.5-64-bit bank-stride,stride=3", 0,
         "60 of 60 exact counts are as expected", ""},
        {"report a.lsr --table amdahl --json", 0, "\"of\": \"device_span\", \"whole_ns\": ", ""},
        {"--record a.lsr --full --check --no-merge transpose:tile", 0, "n=128,merge=no", "those of the PTX"},
        {"--device simt copy-stride,stride=8 --snapshot text --keys ENTER", 0, "sectors per load request",
         ""},
        {"--record no/such/folder/a.lsr --device simt copy-stride", 125, "",
         "no/such/folder/a.lsr could not be created; record to a folder that exists"},
        {"kernel", 2, "", "Name the PTX file"},
        {"kernel missing.ptx --grid 1 --block 1", 2, "", "give the PTX file that nvcc -ptx wrote"},
        {"kernel " PTX("copy_stride") " --grid 1 --block 1", 2, "", "takes 3 arguments (.u64, .u64, .u32)"},
        {"kernel " PTX("copy_stride") " --grid 1 --block 1 --kernel x", 2, "", "It has: copy_stride."},
        {"kernel " PTX("transpose") " --grid 1 --block 1", 2, "", "several kernels"},
        {"kernel " TEST_SOURCE_DIR
         "/tests/data/ptx/divergent_barrier.ptx --grid 1 --block 64 --arg f32[64]=zero --arg f32[64]=ramp "
         "--check --device simt",
         1, "barrier in divergent code: in divergent_barrier", "barrier in divergent code"},
        {"--record no/such/folder/a.lsr -- true", 125, "", "no/such/folder/a.lsr"},
        {"--record a.lsr -- true", 0, TRACED_NOTHING, ""},
        {"--record a.lsr -- sh -c 'exit 41'", 41, "", ""},
        {"--record a.lsr -- sh -c 'kill -9 $$'", 137, "", ""},
        {"--record a.lsr -- ./not-there", 127, "", "Cannot run ./not-there"},
        {"--record a.lsr -- /tmp", 126, "", "Cannot run /tmp"},
        {"--record a.lsr --time-limit 0.2 -- sleep 20", 124, "", ""},
        {"view missing.lsr", 125, "", "missing.lsr"},
        {"view /etc/passwd", 125, "", "not a recording"},
        {"what-if", 2, "", "Name the recording: lanescope what-if FILE"},
        {"what-if missing.lsr", 125, "", "There is no file missing.lsr"},
        {"what-if a.lsr --edit waits,hope", 2, "",
         "There is no edit \"hope\": there are launches, gaps, waits"},
        {"what-if " TEST_SOURCE_DIR "/tests/data/times_h100.lsr", 0, "program_times\nedit ", ""},
        {"what-if " TEST_SOURCE_DIR "/tests/data/times_h100.lsr --edit waits,pinned --csv", 0,
         "0,\"program_times\",1,\"waits\",", ""},
        {"what-if " TEST_SOURCE_DIR "/tests/data/curriculum_h200.lsr nothing", 2, "",
         "No run's name begins with \"nothing\" or matches it"},
        {"what-if " TEST_SOURCE_DIR "/tests/data/curriculum_h200.lsr n-way:2-way", 0, "above 5 % no gain",
         ""},
        {"what-if " TEST_SOURCE_DIR "/tests/data/peer_h200.lsr --table edits", 0, "multiprocessors", ""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --edit waits", 2, "", "--edit does not apply"},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table copies", 0, "host to device, pinned", ""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --cuda-profile", 0, "\nmethod=[ memcpy ] gputime=[ ",
         ""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --cuda-profile --json", 2, "", "--cuda-profile"},
        {"coverage A10 --csv", 0,
         "\n\"A10\",\"guide\",\"Threading resources\",\"shown\",true,\"24000\",\"24576\"", ""},
        {"coverage course --table coverage --fields row,nothing", 2, "", "\"nothing\""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table kernels --kernel 'transpose_n*' --csv", 0,
         "\"transpose_naive\"\n", ""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table kernels --width 36", 0,
         "   share   total   calls  median kernel\n", ""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table calls --kernel 'transpose_n*'", 2, "",
         "the table calls has none"},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table ranges", 0, "ranges: none in this recording",
         ""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table stack", 2, "", "stack"},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table idle --json", 0, "\"sheet\": \"idle\"", ""},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table idle --full", 2, "", "exclude each other"},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --top 3", 2, "", "give --table NAME too"},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr --table idle --fields share,nil", 2, "",
         "no field \"nil\""},
        {"report /etc/passwd --json", 125, "", "not a recording"},
        {"view", 2, "", "Name the recording"},
        {"judge", 2, "", "Name the file: lanescope judge FILE.cu"},
        {"judge x.cu", 2, "", "needs --reference R.cu"},
        {"judge x.txt --reference y.cu", 2, "", "x.txt is neither a .cu file"},
        {"judge x.cu --reference y.cu", 2, "", "The reference y.cu cannot be read"},
        {"judge x.cu --reference " TEST_SOURCE_DIR "/tests/judge/reference/vadd.cu", 2, "",
         "Cannot read x.cu"},
        {"judge x.cu --reference " TEST_SOURCE_DIR "/tests/judge/honest/saxpy.cu", 2, "",
         "has no line \"// judge: NAME TYPE out [LENGTH]\""},
        {"judge " TEST_SOURCE_DIR "/tests/judge/honest/vadd.ptx --reference " TEST_SOURCE_DIR
         "/tests/judge/reference/vadd.cu --json",
         0, "\"passed\": true", ""},
        {"judge " TEST_SOURCE_DIR "/tests/judge/cheats/51_half_of_a_sum.ptx --reference " TEST_SOURCE_DIR
         "/tests/judge/reference/vadd.cu --json",
         1, "\"rule\": \"wrong\"", ""},
        {"mcp x", 2, "", "lanescope mcp takes no \"x\""},
        {"view " TEST_SOURCE_DIR "/tests/data/h200.lsr", 125, "", "needs a terminal"},
        {"view " TEST_SOURCE_DIR "/tests/data/h200.lsr --snapshot text", 0, "NVIDIA H200", ""},
        /* The lab of a run that really has an edit of another one: predicted beside real. */
        {"view " TEST_SOURCE_DIR "/tests/data/curriculum_h200.lsr --snapshot text --size 80x30 --keys "
         "': d e f a u l t - s t r e a m ENTER e k l l l'",
         0, "62 % less predicted, 67 % less here", ""},
        {"view " TEST_SOURCE_DIR "/tests/data/h200.lsr --snapshot text --size 1x1", 0, "", ""},
        {"view " TEST_SOURCE_DIR "/tests/data/h200.lsr --snapshot text --theme purple", 2, "", "purple"},
        {"view " TEST_SOURCE_DIR "/tests/data/h200.lsr --snapshot text --keys frob", 2, "",
         "'frob' is not a key"},
        {"report " TEST_SOURCE_DIR "/tests/data/h200.lsr", 0, "175 of 175 runs verified", ""},
        {"report " TEST_SOURCE_DIR "/tests/data/peer_h200.lsr --full", 0,
         "staged: between GPUs, through the host; the times are those of one piece", ""},
        {"report " TEST_SOURCE_DIR "/tests/data/peer_h200.lsr --table run_copies --json", 0,
         "\"host_memory\": \"staged\"", ""},
        {"view " TEST_SOURCE_DIR
         "/tests/data/peer_h200.lsr --snapshot text --size 160x40 --keys 'r g j Enter Tab Tab n n'",
         0, "67.1 MB between GPUs; time of one piece", ""},
        {"view " TEST_SOURCE_DIR "/tests/data/peer_h200.lsr --snapshot text --keys 'r g j Enter'", 0,
         "This run started no kernel.", ""},
        {"--snapshot text", 0, "Workloads", ""},
    };
    static char output[1 << 18], errors[1 << 18];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = program_run(rows[i].arguments, output, errors, sizeof output);

        /* A machine with a GPU runs the workload. */
        if (rows[i].exit_status == 3 && status == 0)
            continue;
        cr_assert(status == rows[i].exit_status, "lanescope %s: exit status %d, expected %d\n%s%s",
                  rows[i].arguments, status, rows[i].exit_status, output, errors);
        cr_assert(strstr(output, rows[i].prints), "lanescope %s printed\n%s", rows[i].arguments, output);
        cr_assert(strstr(errors, rows[i].says), "lanescope %s said\n%s", rows[i].arguments, errors);
        cr_assert(!strstr(errors, "lanescope: \n"), "lanescope %s failed without a sentence",
                  rows[i].arguments);
    }
}

/* What the agent of each run of a program is told, one line a run. */
Test(program, each_run_has_its_counters)
{
    static const struct {
        const char *arguments, *modes; /* t, c, m; C: a counter run without what a memory run measures */
    } rows[] = {
        {"", "t"},
        {"--counters on", "c"},
        {"--runs trace,counters", "tCm"},
        {"--runs trace,counters --counters dram_write_bytes", "tc"},
        {"--runs trace,lines", "tl"},
        {"--runs counters,lines", "cl"},
    };
    static char output[4096], errors[4096], told[1 << 16];

    if (access(TEST_BUILD_DIR "/lanescope-agent.so", R_OK) != 0)
        return; /* a build without the agent tells nobody */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[256], modes[8] = "", *rest = told, *line;
        size_t count = 0;

        unlink("told");
        unlink("a.lsr");
        snprintf(arguments, sizeof arguments,
                 "--record a.lsr %s -- sh -c 'echo \"$" AGENT_CONFIG_VARIABLE "\" >>told'",
                 rows[i].arguments);
        cr_assert_eq(program_run(arguments, output, errors, sizeof output), 0, "%s", errors);
        program_read("told", told, sizeof told);
        while ((line = strsep(&rest, "\n")) && *line && count < sizeof modes - 1) {
            struct agent_config config;
            struct error error;

            cr_assert_eq(agent_config_parse(line, &config, &error), STATUS_OK, "%s", error.text);
            modes[count] =
                config.memory_apart && config.mode == RUN_COUNTERS ? 'C' : run_mode_text(config.mode)[0];
            modes[++count] = '\0';
        }
        cr_assert_str_eq(modes, rows[i].modes, "%s: %s", rows[i].arguments, modes);
    }
}

/* p[i] = a * p[i] for i < n; a kernel whose threads read their neighbours' shared words without a barrier;
 * and one of a name of 373 characters, as templates have. */
#define TYPES "10abcdefghij10abcdefghij10abcdefghij10abcdefghij10abcdefghij10abcdefghij"
#define LONG "_Z4longI" TYPES TYPES TYPES TYPES TYPES "Evv"
static const char own_ptx[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry scale(.param .u64 p, .param .f32 a, .param .u32 n)\n{\n"
    "  .reg .pred %q; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
    "  ld.param.u64 %rd1, [p]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r2, %r2, %r3, %r4;\n  setp.ge.u32 %q, %r2, %r1;\n  @%q bra END;\n"
    "  mul.wide.u32 %rd2, %r2, 4;\n  add.u64 %rd3, %rd1, %rd2;\n"
    "  ld.global.f32 %f2, [%rd3];\n  mul.rn.f32 %f3, %f2, %f1;\n  st.global.f32 [%rd3], %f3;\nEND:\n  "
    "ret;\n}\n"
    ".visible .entry racy(.param .u64 p)\n{\n"
    "  .reg .b32 %r<5>; .reg .b64 %rd<4>;\n  .shared .align 4 .b8 s[512];\n"
    "  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, %tid.x;\n  shl.b32 %r2, %r1, 2;\n  mov.u32 %r3, s;\n"
    "  add.u32 %r3, %r3, %r2;\n  st.shared.u32 [%r3], %r1;\n  xor.b32 %r4, %r2, 256;\n  mov.u32 %r3, s;\n"
    "  add.u32 %r3, %r3, %r4;\n  ld.shared.u32 %r4, [%r3];\n  mul.wide.u32 %rd2, %r1, 4;\n"
    "  add.u64 %rd3, %rd1, %rd2;\n  st.global.u32 [%rd3], %r4;\n  ret;\n}\n"
    ".visible .entry " LONG "()\n{\n  ret;\n}\n";

/* A kernel that nobody here wrote: run, counted, checked, its result on disk. */
Test(program, a_kernel_of_ones_own)
{
#define SCALE "kernel own.ptx --device simt --kernel scale --grid 4 --block 256 --arg "
#define CLUSTERS "kernel own.ptx --device simt --kernel " LONG " --grid 4,2 --block 32 --cluster "
    static const struct {
        const char *arguments;
        int exit_status;
        const char *prints, *says;
    } rows[] = {
        {"kernel spin.ptx --device simt --grid 1 --block 32 --time-limit 0.3", 124, "",
         "time limit of 0.3 s"},
        {SCALE "f32[1000]=ramp --arg f32=3 --arg u32=1000 --dump-arg 0=out.bin", 0, "numbers are modelled",
         ""},
        {SCALE "f32[1000]=ramp --arg f32=3 --arg u32=1000", 0, "modelled, per PTX instruction", ""},
        {SCALE "f32[1000]=ramp --arg f32=3 --arg u32=1000 --json", 0, "\"mangled\": \"scale\"", "note: "},
        {SCALE "f32[]=out.bin --arg f32=1 --arg u32=1000 --cc 1.3", 0, "rules of compute capability 1.3", ""},
        {SCALE "f32[1000]=ramp --arg f32=3 --arg u32=1024", 1,
         "out of bounds: in scale, thread (232,0,0) of block (3,0,0)", "out of bounds"},
        {SCALE "u64=64 --arg f32=3 --arg u32=1024", 1, "out of bounds", ""},
        {SCALE "f32[8]=out.bin --arg f32=3 --arg u32=8", 2, "", "holds 1000 numbers"},
        {SCALE "f32[8]=ramp --arg f32=3 --arg u32=8 --dump-arg 1=x", 2, "", "not an array"},
        {SCALE "f32[8]=ramp --arg f32=3 --arg u32=8 --dump-arg 0=no/such/x", 125, "no/such/x", "no/such/x"},
        {"kernel own.ptx --device simt --kernel scale --grid 4 --block 2048 --arg f32[8]=ramp --arg f32=3 "
         "--arg u32=8",
         2, "2048", ""},
        {"kernel own.ptx --device simt --kernel racy --grid 1 --block 128 --arg u32[128]=zero", 0, "shared",
         ""},
        {CLUSTERS "2,2", 0, "grid 4x2x1, clusters of 2x2x1, block 32x1x1", ""},
        {CLUSTERS "3", 2, "", "not a multiple of the 3 of a cluster"},
        {CLUSTERS "4,2 --model h200", 0, "", ""},
        {CLUSTERS "2 --model a100", 3, "", "need compute capability 9.0"},
        {"kernel own.ptx --device simt --grid 32 --block 32 --kernel " LONG " --cluster 32", 2, "",
         "a cluster has at most 16 blocks, not 32 x 1 x 1"},
        {"kernel own.ptx --device simt --kernel racy --grid 1 --block 128 --arg u32[128]=zero --check", 1,
         "race in shared memory", "race in shared memory"},
        {"kernel own.ptx --device both --kernel racy --grid 1 --block 128 --arg u32[128]=zero --dump-arg 0=x",
         2, "", "one at a time"},
        {"kernel own.ptx --device simt --grid 1 --block 32 --json --kernel " LONG, 0,
         "\"mangled\": \"" LONG "\"", ""},
        {"kernel own.ptx --device simt --grid 1 --block 32 --json --kernel long", 0,
         "\"mangled\": \"" LONG "\"", ""},
        {"kernel own.ptx --device simt --grid 1 --block 32 --json --kernel _Z4lo", 0,
         "\"mangled\": \"" LONG "\"", ""},
    };
    static char output[1 << 16], errors[1 << 16];
    float numbers[1001];
    FILE *file;

    program_write("own.ptx", own_ptx);
    program_write(
        "spin.ptx",
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry spin()\n{\nL:\n  bra L;\n}\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = program_run(rows[i].arguments, output, errors, sizeof output);

        cr_assert(status == rows[i].exit_status, "lanescope %s: exit status %d, expected %d\n%s%s",
                  rows[i].arguments, status, rows[i].exit_status, output, errors);
        cr_assert(strstr(output, rows[i].prints), "lanescope %s printed\n%s", rows[i].arguments, output);
        cr_assert(strstr(errors, rows[i].says), "lanescope %s said\n%s", rows[i].arguments, errors);
    }
    file = fopen("out.bin", "r");
    cr_assert(file && fread(numbers, sizeof *numbers, 1001, file) == 1000);
    fclose(file);
    cr_assert(numbers[1] == 3 && numbers[999] == 2997);
}

/* What scripts read of the model is as docs/report.schema.json says: a report, and that of a kernel alone. */
Test(program, json_of_the_model_is_as_its_schema_says)
{
    static char output[1 << 16], errors[1 << 16];
    char command[8192];

    program_write("own.ptx", own_ptx);
    cr_assert_eq(
        program_run("--record a.lsr --device simt copy-stride,stride=8 n-way:serial,n=65536,rounds=16",
                    output, errors, sizeof errors),
        0, "%s", errors);
    cr_assert_eq(program_run("report a.lsr --json", output, errors, sizeof errors), 0);
    cr_assert_eq(system("mv output report"), 0);
    cr_assert_eq(
        program_run(SCALE "f32[1000]=ramp --arg f32=3 --arg u32=1000 --json", output, errors, sizeof errors),
        0);
    snprintf(command, sizeof command, "python3 %s %s/docs/report.schema.json report output >&2", CHECK_JSON,
             TEST_SOURCE_DIR);
    cr_assert_eq(system(command), 0);
}

/* Nothing is set up inside a schedule's timeline: it is hardly longer than its copies and kernels. */
Test(program, a_schedule_is_timed_alone)
{
    static char output[1 << 16], errors[1 << 16];

    program_write("gaps.py",
                  "import json, sys; sys.path.insert(0, '" TEST_SOURCE_DIR "/tests/tools')\n"
                  "import report_runs; runs = report_runs.nested(json.load(open('output')))['runs']\n"
                  "assert len(runs) == 2\n"
                  "for run in runs:\n"
                  "    o = run['overlap']; busy = o['kernel_busy_ns'] + o['copy_busy_ns'] - "
                  "o['copy_hidden_ns']\n"
                  "    assert o['span_ns'] < 1.3 * busy, (run['variant'], o['span_ns'], busy)\n");
    cr_assert_eq(program_run("--record a.lsr --device simt staged-overlap:whole-pinned,n=1048576,rounds=16 "
                             "staged-overlap:staged-pinned,n=1048576,rounds=16",
                             output, errors, sizeof errors),
                 0, "%s", errors);
    cr_assert_eq(program_run("report a.lsr --json", output, errors, sizeof errors), 0);
    cr_assert_eq(system("python3 gaps.py >&2"), 0);
}

/* Printing that does not arrive is a failure, said in a sentence, not a success. */
/* Each case takes the model a while: of a sweep one is counted, unless the kernel is named. */
Test(program, lines_of_a_sweep_are_counted_once)
{
    static char output[1 << 16], errors[1 << 16];
    size_t cases = 0;

    cr_assert_eq(
        program_run("--device simt --record a.lsr copy-stride,stride=1..4", output, errors, sizeof output), 0,
        "%s", errors);
    cr_assert_eq(program_run("report a.lsr --lines", output, errors, sizeof output), 0, "%s", errors);
    for (const char *at = output; (at = strstr(at, ", modelled at small size")) != NULL; at++)
        cases++;
    cr_assert(cases == 1 && strstr(output, "\n3 more cases are not counted here: "), "%zu\n%s", cases,
              output);
    cr_assert_eq(program_run("report a.lsr --lines --kernel 'copy_stride*'", output, errors, sizeof output),
                 0, "%s", errors);
    for (const char *at = output; (at = strstr(at, ", modelled at small size")) != NULL; at++)
        cases++;
    cr_assert(cases == 5 && !strstr(output, "more cases"), "%zu\n%s", cases, output);
}

Test(program, output_that_goes_nowhere_is_a_failure)
{
    static const char *const commands[] = {
        "list",
        "list --json",
        "doctor",
        "device --json",
        "help view",
        "--manual",
        "completion bash",
        "report " TEST_SOURCE_DIR "/tests/data/h200.lsr",
        "export " TEST_SOURCE_DIR "/tests/data/h200.lsr --csv",
        "diff " TEST_SOURCE_DIR "/tests/data/h200.lsr " TEST_SOURCE_DIR "/tests/data/h200.lsr",
        "view " TEST_SOURCE_DIR "/tests/data/h200.lsr --snapshot text",
    };
    static const char *const outputs[] = {">&-", ">/dev/full"};
    char command[1024], errors[1024];

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
            int status;

            snprintf(command, sizeof command, TEST_LANESCOPE " %s %s 2>errors </dev/null", commands[i],
                     outputs[k]);
            status = system(command);
            program_read("errors", errors, sizeof errors);
            cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 125, "%s %s", commands[i], outputs[k]);
            cr_assert(strstr(errors, "is the disk full, or "), "%s %s: %s", commands[i], outputs[k], errors);
        }
    }
}

Test(program, a_mistyped_workload_leaves_no_file)
{
    static char output[4096], errors[4096];

    program_run("--record a.lsr frobnicate", output, errors, sizeof output);
    cr_assert(access("a.lsr", F_OK) != 0);
}

Test(program, anothers_injection_is_not_taken_silently)
{
    static char output[4096], errors[4096];

    if (access(TEST_BUILD_DIR "/lanescope-agent.so", R_OK) != 0)
        return; /* a build without the agent injects nothing */
    setenv("CUDA_INJECTION64_PATH", "/other/tool.so", 1);
    cr_assert(program_run("--record a.lsr -- true", output, errors, sizeof output) == 125);
    cr_assert(strstr(errors, "/other/tool.so") && strstr(errors, "--replace-injection"), "%s", errors);
    cr_assert(program_run("--record a.lsr --replace-injection -- true", output, errors, sizeof output) == 0,
              "%s", errors);
}

Test(program, a_file_that_is_not_ours_is_never_replaced)
{
    static char output[4096], errors[4096], text[64];
    FILE *file = fopen("letter.txt", "w");

    fputs("dear reader", file);
    fclose(file);
    cr_assert(program_run("--record letter.txt -- true", output, errors, sizeof output) == 125);
    cr_assert(strstr(errors, "letter.txt"), "%s", errors);
    program_read("letter.txt", text, sizeof text);
    cr_assert_str_eq(text, "dear reader");
}

/* A FIFO has nobody who writes, and /dev/zero has no end. */
Test(program, files_that_the_user_names_are_regular, .timeout = 60)
{
    static const char *const commands[] = {
        "gate pipe copy-offset:copy,offset=0,n=4096", "gate /dev/zero copy-offset:copy,offset=0,n=4096",
        "present pipe", "present /dev/zero", "--device simt --record a.lsr --kernel pipe.cu copy-offset"};
    static char output[4096], errors[4096];

    cr_assert_eq(mkfifo("pipe", 0600) | mkfifo("pipe.cu", 0600), 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        int status = program_run(commands[i], output, errors, sizeof output);
        cr_assert(status != 0 && strstr(errors, "it is not a regular file"), "%s: %d\n%s%s", commands[i],
                  status, output, errors);
    }
}

Test(program, follow_takes_no_options_for_a_host)
{
    static char output[4096], errors[4096];

    setenv("LANESCOPE_SSH", "echo", 1);
    cr_assert_eq(program_run("follow u@-oProxyCommand=x:f", output, errors, sizeof output), 2);
    cr_assert(strstr(errors, "must not begin with '-'"), "%s", errors);
    cr_assert_eq(program_run("follow 'u@[fe80::1]:a:b@[c'", output, errors, sizeof output), 0);
    cr_assert(strncmp(output, "-t -- u@fe80::1 exec lanescope view 'a:b@[c'", 44) == 0, "%s", output);
}

/* A stranger's PTX names its sources: one that nobody writes, one without an end, and one that is there. */
Test(program, sources_of_a_kernel_are_files)
{
    static const struct {
        const char *source, *prints;
    } rows[] = {{"pipe.cu", " pipe.cu:2\n"},
                {"/dev/zero", " zero:2\n"},
                {"/dev/null", " null:2\n"},
                {"folder/there.cu", " there.cu:2  int second;\n"}};
    static char output[1 << 16], errors[1 << 16];
    char text[1024];

    cr_assert(mkfifo("pipe.cu", 0600) == 0);
    program_write("there.cu", "int first;\n  int second;\r\nint last;");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.loc 1 2 1\nret;\n}\n"
            ".file 1 \"%s\"\n",
            rows[i].source);
        program_write("k.ptx", text);
        int status = program_run("kernel k.ptx --grid 1 --block 32 --device simt --time-limit 20", output,
                                 errors, sizeof output);
        cr_assert(status == 0, "%s: exit status %d\n%s%s", rows[i].source, status, output, errors);
        cr_assert(strstr(output, rows[i].prints), "%s: %s", rows[i].source, output);
    }
}

Test(program, placeholders_in_the_name)
{
    static char output[1 << 18], errors[4096];

    setenv("SLURM_PROCID", "0", 1); /* srun torchrun: the name and the recording have torch's rank */
    setenv("RANK", "3", 1);
    setenv("LOCAL_RANK", "3", 1);
    cr_assert(program_run("--record run-%r.lsr --device simt copy-offset:copy,offset=0,n=4096", output,
                          errors, sizeof output) == 0,
              "%s", errors);
    cr_assert(access("run-3.lsr", R_OK) == 0);
    cr_assert(program_run("report run-3.lsr --json", output, errors, sizeof output) == 0, "%s", errors);
    cr_assert(strstr(output, "\"rank\": 3,"), "%s", output);
}

Test(program, standard_input_and_output_are_the_programs)
{
    static char output[4096], errors[4096];

    cr_assert(system("echo from outside > input") == 0);
    cr_assert(system(TEST_LANESCOPE " --record a.lsr -- cat < input > output 2> errors") == 0);
    program_read("output", output, sizeof output);
    program_read("errors", errors, sizeof errors);
    cr_assert(strncmp(output, "from outside\n", 13) == 0, "%s", output);
}

/* A recording where a killed session leaves it: listed, moved here as one file that opens, or deleted. */
Test(program, recordings_of_killed_sessions)
{
    char output[8192], errors[2048];

    cr_assert_eq(program_run("recover", output, errors, sizeof output), 0);
    cr_assert(strstr(output, "No session was killed"), "%s", output);
    for (int clean = 0; clean < 2; clean++) {
        program_run("--record .local/state/lanescope/live-host-12.lsr --device simt copy-stride,stride=8",
                    output, errors, sizeof output);
        program_run("doctor", output, errors, sizeof output);
        cr_assert(strstr(output, "has 1 recording of sessions") && strstr(output, "live-host-12.lsr (0."),
                  "%s", output);
        cr_assert_eq(program_run(clean ? "clean" : "recover", output, errors, sizeof output), 0);
        cr_assert(strstr(output, clean ? "removed " : "-12.lsr: 0."), "%s", output);
        program_run("doctor", output, errors, sizeof output);
        cr_assert(!strstr(output, "live-host-12.lsr"), "%s", output);
    }
    cr_assert_eq(program_run("report recovered-*-12.lsr", output, errors, sizeof output), 0);
    cr_assert(strstr(output, "copy_stride"), "%s", output);
}

Test(program, a_report_to_paste_names_nobody)
{
    char output[8192], errors[2048];
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    cr_assert_eq(program_run("doctor --bug-report", output, errors, sizeof output), 0);
    cr_assert(strstr(output, "```\nlanescope ") && strstr(output, "commit ") &&
                  strstr(output, "system Linux"),
              "%s", output);
    cr_assert(strstr(output, "~/.local/state/lanescope") && !strstr(output, getenv("HOME")), "%s", output);
    cr_assert(!*host || !strstr(output, host) || strlen(host) < 2 || strcmp(host, "localhost") == 0, "%s",
              output);
}

/* No shell reads it: the sentence says what it is. */
Test(program, a_program_of_another_processor)
{
    static const char head[64] = "\177ELF\2\1\1";
    char errors[2048], output[2048], file[64];

    memcpy(file, head, sizeof file);
    file[16] = 2;                        /* ET_EXEC */
    file[18] = 0xf3 - 256, file[20] = 1; /* RISC-V */
    FILE *out = fopen("foreign", "w");
    cr_assert(out);
    cr_assert_eq(fwrite(file, 1, sizeof file, out), sizeof file);
    fclose(out);
    chmod("foreign", 0755);
    cr_assert_eq(program_run("--record a.lsr -- ./foreign", output, errors, sizeof output), 126);
    cr_assert(strstr(errors, "it is a program of another processor"), "%s", errors);
}
