/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/options.h"
#include "cli/options/options_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Parse a command line given as one text with single spaces. */
static enum status parse(const char *text, struct options *options, struct error *error)
{
    static char copy[512];
    static char *argv[32];
    int argc = 0;
    char *rest = copy;
    char *word;

    snprintf(copy, sizeof copy, "%s", text);
    while ((word = strsep(&rest, " ")) && argc < 31)
        argv[argc++] = word;
    argv[argc] = NULL;
    return options_parse(options, argc, argv, error);
}

static struct options parsed(const char *text)
{
    struct options options;
    struct error error = {0};

    cr_assert(parse(text, &options, &error) == STATUS_OK, "%s: %s", text, error.text);
    return options;
}

Test(options, commands)
{
    cr_assert(parsed("lanescope").command == COMMAND_SCREEN);
    cr_assert(parsed("lanescope copy-offset").command == COMMAND_SCREEN);
    cr_assert(parsed("lanescope --record a.lsr").command == COMMAND_RECORD);
    cr_assert(parsed("lanescope view a.lsr").command == COMMAND_VIEW);
    cr_assert(parsed("lanescope report a.lsr --json").command == COMMAND_REPORT);
    cr_assert(parsed("lanescope list --json").command == COMMAND_LIST);
    cr_assert(parsed("lanescope doctor").command == COMMAND_DOCTOR);
    cr_assert_str_eq(parsed("lanescope doctor a.out").file, "a.out");
    cr_assert(parsed("lanescope device --json --model k20x").command == COMMAND_DEVICE);
    cr_assert(parsed("lanescope view a.lsr --help").command == COMMAND_HELP);
    cr_assert(parsed("lanescope --version").command == COMMAND_VERSION);
    cr_assert_str_eq(parsed("lanescope view --ascii a.lsr").file, "a.lsr");
}

Test(options, words_keep_their_order)
{
    struct options options = parsed("lanescope transpose:naive --gpu 1 copy-stride,stride=1..32 --ascii");

    cr_assert(options.workload_count == 2 && options.gpu == 1 && options.ascii);
    cr_assert_str_eq(options.workloads[0], "transpose:naive");
    cr_assert_str_eq(options.workloads[1], "copy-stride,stride=1..32");
}

Test(options, what_follows_two_dashes_is_the_programs)
{
    struct options options = parsed("lanescope --record=a.lsr --counters off -- ./a.out --help -- view");

    cr_assert(options.command == COMMAND_RECORD && options.counters == COUNTERS_OFF);
    cr_assert_str_eq(options.program[0], "./a.out");
    cr_assert_str_eq(options.program[1], "--help");
    cr_assert_str_eq(options.program[3], "view");
    cr_assert(options.program[4] == NULL);
}

Test(options, values)
{
    struct options options =
        parsed("lanescope --record a --time-limit 1.5 --max-size=20 --launches 0 --runs trace,counters,lines "
               "--capture delay:2.5,for:1 --counters dram_read_bytes,l1_hit_pct -- x");

    cr_assert(options.time_limit_s == 1.5 && options.max_bytes == 20000000 && options.launches == 0);
    cr_assert(options.trace_run && options.counter_run && options.line_run &&
              options.counters == COUNTERS_LIST);
    cr_assert_str_eq(options.counter_list, "dram_read_bytes,l1_hit_pct");
    options = parsed("lanescope --runs trace,lines=16 -- x");
    cr_assert(options.trace_run && options.line_run && options.line_kernels == 16);
    cr_assert_eq(parsed("lanescope --runs lines -- x").line_kernels, 0);
    options = parsed("lanescope view a --snapshot svg --size 120x40");
    cr_assert(options.width == 120 && options.height == 40 && options.memory_bytes == 1000000000);
    cr_assert_eq(parsed("lanescope --memory 64").memory_bytes, 64000000);
    cr_assert_eq(parsed("lanescope view a --memory 0").memory_bytes, 0);
    cr_assert_eq(parsed("lanescope --record a --max-size 0").max_bytes, 0);
}

Test(options, times_have_units)
{
    static const struct {
        const char *time;
        double s;
    } rows[] = {{"4", 4},          {"4s", 4},   {"1.5", 1.5},    {"0.25s", 0.25},      {"500ms", 0.5},
                {"90000us", 0.09}, {"2m", 120}, {"0.001", 1e-3}, {"1500000ns", 1.5e-3}};
    char line[128];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line, "lanescope --time-limit %s --capture delay:%s,for:%s -- x", rows[i].time,
                 rows[i].time, rows[i].time);
        struct options options = parsed(line);

        cr_assert_float_eq(options.time_limit_s, rows[i].s, 1e-12, "%s", line);
        cr_assert_eq(options.delay_ns, (uint64_t)(rows[i].s * 1e9 + 0.5), "%s", line);
        cr_assert_eq(options.duration_ns, options.delay_ns, "%s", line);
    }
    cr_assert_eq(parsed("lanescope --capture delay:0 -- x").delay_ns, 0);
    cr_assert_eq(parsed("lanescope --capture delay:3,for:2ms --capture delay:1 -- x").duration_ns, 0);
    cr_assert_eq(parsed("lanescope --sample 0.5 -- x").sample_ns, 500000000);
}

Test(options, of_the_device_model)
{
    struct options options =
        parsed("lanescope --device simt --model a100 --cc 2.0 --check --no-merge transpose");

    cr_assert_str_eq(options.device, "simt");
    cr_assert_str_eq(options.model, "a100");
    cr_assert(options.rules && options.rules->compute_capability == 20 && options.check && options.keep_ptx);
    cr_assert(options.model_option && !options.gpu_option && options.problem == PROBLEM_AUTO);
    options = parsed("lanescope --counters on --size default");
    cr_assert_str_eq(options.gpu_option, "counters");
    cr_assert(!options.model_option && options.problem == PROBLEM_DEFAULT);
    options = parsed("lanescope --kernel x* --size small");
    cr_assert_str_eq(options.gpu_option, "kernel");
    cr_assert(options.problem == PROBLEM_SMALL);
}

Test(options, of_sampling)
{
    static const struct {
        const char *line;
        uint64_t sample_ns, burst_ns;
        const char *kernel;
    } rows[] = {
        {"lanescope --record a -- x", 1000000, 0, NULL},
        {"lanescope --record a --sample off -- x", 0, 0, NULL},
        {"lanescope --sample 500us", 500000, 0, NULL},
        {"lanescope --sample 0.2ms", 200000, 0, NULL},
        {"lanescope --sample=1s", 1000000000, 0, NULL},
        {"lanescope --burst 10us transpose", 1000000, 10000, NULL},
        {"lanescope --burst 2000ns,kernel:*conflict* -- x", 1000000, 2000, "*conflict*"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options options = parsed(rows[i].line);

        cr_assert_eq(options.sample_ns, rows[i].sample_ns, "%s", rows[i].line);
        cr_assert_eq(options.burst_ns, rows[i].burst_ns, "%s", rows[i].line);
        cr_assert_eq(!options.burst_kernel, !rows[i].kernel, "%s", rows[i].line);
        if (rows[i].kernel)
            cr_assert_str_eq(options.burst_kernel, rows[i].kernel);
        cr_assert(!options.watch);
    }
    struct options options = parsed("lanescope watch --gpu 2 --sample 2ms");
    cr_assert(options.watch && options.command == COMMAND_SCREEN && options.gpu == 2 && options.gpu_given);
    options = parsed("lanescope watch --record a.lsr --time-limit 3");
    cr_assert(options.watch && options.command == COMMAND_RECORD && !options.gpu_given);
}

Test(options, of_a_kernel)
{
    struct options options = parsed(
        "lanescope kernel a.ptx --kernel add --grid 4,2 --block 32x8x2 --arg f32[64]=ramp --arg i32=-3 "
        "--dump-arg 0=out --cluster 2,1,2 --shared 1024 --json");

    cr_assert(options.command == COMMAND_KERNEL && options.format == REPORT_JSON);
    cr_assert_str_eq(options.file, "a.ptx");
    cr_assert_str_eq(options.kernel_glob, "add");
    cr_assert(options.grid.size[0] == 4 && options.grid.size[1] == 2 && options.grid.size[2] == 1);
    cr_assert(options.block.size[0] == 32 && options.block.size[1] == 8 && options.block.size[2] == 2);
    cr_assert(options.cluster.size[0] == 2 && options.cluster.size[1] == 1 && options.cluster.size[2] == 2);
    cr_assert(options.args.count == 2 && options.dumps.count == 1 && options.shared_bytes == 1024);
    cr_assert_str_eq(options.args.list[1], "i32=-3");
    cr_assert(!options.gpu_option && !options.model_option);
}

Test(options, mistakes_get_a_sentence)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"lanescope --recrod a", "no option --recrod"},
        {"lanescope -x", "no option -x"},
        {"lanescope --record", "needs a value"},
        {"lanescope --gpu one", "--gpu does not take \"one\""},
        {"lanescope --gpu -1", "--gpu does not take"},
        {"lanescope --gpu 1.5", "--gpu does not take"},
        {"lanescope --ascii=yes", "takes no value"},
        {"lanescope view", "Name the recording"},
        {"lanescope view a b", "Name only one recording"},
        {"lanescope list x", "takes no \"x\""},
        {"lanescope doctor -- x", "runs no program"},
        {"lanescope view a --json", "does not apply to"},
        {"lanescope --capture sometimes -- x", "--capture does not take"},
        {"lanescope --capture delay:x -- x", "--capture does not take"},
        {"lanescope --capture delay:1,for:0 -- x", "--capture does not take"},
        {"lanescope --runs trace,fast -- x", "--runs does not take"},
        {"lanescope --capture delay:1h -- x", "--capture does not take"},
        {"lanescope --capture delay:-1 -- x", "--capture does not take"},
        {"lanescope --capture delay:1,2 -- x", "--capture does not take"},
        {"lanescope --time-limit 0 -- x", "--time-limit does not take"},
        {"lanescope --time-limit 4sec -- x", "--time-limit does not take"},
        {"lanescope --time-limit 4s,2 -- x", "--time-limit does not take"},
        {"lanescope --time-limit nan -- x", "--time-limit does not take"},
        {"lanescope --time-limit 10us -- x", "--time-limit does not take"},
        {"lanescope --size 0x5", "--size does not take"},
        {"lanescope --device tpu", "--device does not take"},
        {"lanescope --cc 4.2", "it takes 1.0, 1.1"},
        {"lanescope --cc", "needs a value"},
        {"lanescope --cc 1.0 -- x", "--cc is for the device model: give --device simt"},
        {"lanescope --check -- x", "--check is for the device model: give --device simt"},
        {"lanescope --grid 1", "--grid does not apply to"},
        {"lanescope view a --device simt", "--device does not apply to"},
        {"lanescope kernel", "Name the PTX file"},
        {"lanescope kernel a b", "Name only one PTX file"},
        {"lanescope kernel a", "needs --grid"},
        {"lanescope kernel a --grid 1", "needs --grid"},
        {"lanescope kernel a --grid 0 --block 1", "--grid does not take \"0\""},
        {"lanescope kernel a --grid 1,2,3,4 --block 1", "--grid does not take"},
        {"lanescope kernel a --grid 1 --block 1 --cluster 0", "--cluster does not take \"0\""},
        {"lanescope kernel a --grid -1 --block 1", "--grid does not take"},
        {"lanescope kernel a --grid 99999999999 --block 1", "--grid does not take"},
        {"lanescope kernel a --grid 1 --block 1 --counters on", "--counters does not apply to"},
        {"lanescope kernel a --grid 1 --block 1 -- x", "runs no program"},
        {"lanescope --", "give the program"},
        {"lanescope --record a --", "give the program"},
        {"lanescope help nothing", "no command nothing"},
        {"lanescope help view report", "Give one command at a time"},
        {"lanescope report -", "does not read standard input (-): name the recording."},
        {"lanescope diff a -", "does not read standard input (-): name the recordings."},
        {"lanescope kernel -", "does not read standard input (-): name the PTX file."},
        {"lanescope report a --csv --lines", "--lines and --csv exclude each other"},
        {"lanescope --record a view b", "see lanescope help view."},
        {"lanescope --all transpose", "or \"transpose\""},
        {"lanescope report a --json --csv", "give one of them"},
        {"lanescope export a --chrome --json", "give one of them"},
        {"lanescope report a --fail-on x>1", "see lanescope help report."},
        {"lanescope --fail-on x>1", "see lanescope --help."},
        {"lanescope --theem mono", "did you mean --theme?"},
        {"lanescope view a --keys j", "--keys needs --snapshot"},
        {"lanescope view a --size 80x24", "needs --snapshot"},
        {"lanescope view a --snapshot text --size small", "lanescope view runs none"},
        {"lanescope watch --size small", "lanescope watch runs none"},
        {"lanescope --size small -- x", "a program runs none"},
        {"lanescope copy-offset -- x", "not both"},
        {"lanescope --runs counters --counters off -- x", "forbids"},
        {"lanescope --runs trace --counters stalls -- x", "give --runs trace,counters"},
        {"lanescope --runs lines --counters on transpose", "give --runs trace,counters"},
        {"lanescope --runs counters --sample 1ms -- x", "--sample needs a trace run"},
        {"lanescope --counters on --burst 10us -- x", "--burst needs a trace run"},
        {"lanescope --launches 5 -- x", "--launches selects what is counted"},
        {"lanescope --runs trace --kernel a* -- x", "--kernel selects what is counted"},
        {"lanescope --capture all transpose", "--capture is for a program"},
        {"lanescope --sample 100us -- x", "--sample does not take \"100us\""},
        {"lanescope --sample 2s -- x", "--sample does not take"},
        {"lanescope --sample 500 -- x", "--sample does not take"},
        {"lanescope --sample 1msec -- x", "--sample does not take"},
        {"lanescope --sample -1ms -- x", "--sample does not take"},
        {"lanescope --sample nanms -- x", "--sample does not take"},
        {"lanescope --burst 1us -- x", "--burst does not take"},
        {"lanescope --burst 2ms -- x", "--burst does not take"},
        {"lanescope --burst 10us,kernel: -- x", "--burst does not take"},
        {"lanescope --burst 10us,x -- x", "--burst does not take"},
        {"lanescope --burst 10us --sample 1ms -- x", "give one of them"},
        {"lanescope report a --table kernels --full", "--table and --full exclude each other"},
        {"lanescope report a --table kernels --width 19", "--width does not take \"19\""},
        {"lanescope report a --top 3", "--top needs --table: give --table NAME too."},
        {"lanescope list --json --top 3", "--top needs --table here"},
        {"lanescope report a --summary", "--summary needs --json"},
        {"lanescope report a --summary --json --table runs", "exclude each other"},
        {"lanescope transpose --events e", "--events does not apply"},
        {"lanescope --suppress a -- x", "--suppress needs --check: give --check too."},
        {"lanescope --device simt --gpus 2 transpose", "--gpus is for a program"},
        {"lanescope --record  a", "--record does not take \"\""},
        {"lanescope --record a --beside 9 -- x", "--beside does not take"},
        {"lanescope --record a --max-size 0.5", "--max-size does not take"},
        {"lanescope watch -- x", "runs no program"},
        {"lanescope watch transpose", "takes no \"transpose\""},
        {"lanescope watch --counters on", "--counters does not apply to"},
        {"lanescope watch --sample off", "forbids"},
        {"lanescope watch --device simt", "draws the same charts"},
        {"lanescope view a --sample 1ms", "--sample does not apply to"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options options;
        struct error error = {0};

        cr_assert(parse(rows[i].line, &options, &error) == STATUS_USAGE, "%s", rows[i].line);
        cr_assert(strstr(error.text, rows[i].says), "%s: %s", rows[i].line, error.text);
    }
}

Test(options, rows_name_options_that_there_are)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_at(i)); i++) {
        const char *const names[] = {row->needs, row->excludes};

        for (size_t k = 0; k < 2; k++)
            for (const char *name = names[k]; name && *name; name += strspn(name, ",|")) {
                cr_assert(option_find(name, strcspn(name, ",|")), "--%s: %s", row->name, name);
                name += strcspn(name, ",|");
            }
    }
}

/* What is asked of a run is taken where that run is made. */
Test(options, what_goes_together_is_taken)
{
    static const char *const lines[] = {
        "lanescope --runs trace,counters --counters stalls --sample 1ms -- x",
        "lanescope --counters on --sample off -- x",
        "lanescope --device both -- x",
        "lanescope --device both --model a100 --runs trace,counters --record a -- x",
        "lanescope --counters on --sample 1ms transpose", /* of workloads both runs are made */
        "lanescope --counters off --launches 5 transpose",
        "lanescope --runs lines --kernel a* --launches 1 -- x",
        "lanescope --runs trace,lines --burst 10us -- x",
        "lanescope --capture nvtx:step -- x",
        "lanescope watch --burst 10us --record a",
        "lanescope --record a watch",
        "lanescope report a --json --lines",
        "lanescope --all --record a",
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        parsed(lines[i]);
}

Test(options, help_is_of_the_command_beside_it)
{
    static const char *const lines[] = {"lanescope --help diff", "lanescope -h diff", "lanescope diff --help",
                                        "lanescope help diff", "lanescope diff -h x y"};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct options options = parsed(lines[i]);

        cr_assert(options.command == COMMAND_HELP && options.help_of == COMMAND_DIFF, "%s", lines[i]);
    }
    cr_assert(parsed("lanescope help help").help_of == COMMAND_HELP);
}

Test(options, a_mistyped_command_is_known)
{
    cr_assert_str_eq(options_near_command("reprt"), "report");
    cr_assert_str_eq(options_near_command("wach"), "watch"); /* nearer than math */
    cr_assert_null(options_near_command("lanch"));           /* launch */
    cr_assert_null(options_near_command("frobnicate"));
}

Test(options, examples_are_in_help_and_manual_and_can_be_typed)
{
    char *text[2] = {NULL, NULL};
    size_t size[2], count = 0;
    FILE *out[2] = {open_memstream(&text[0], &size[0]), open_memstream(&text[1], &size[1])};
    options_print_help(out[0], COMMAND_HELP, 80);
    options_print_manual(out[1]);
    fclose(out[0]);
    fclose(out[1]);
    for (const char *example; (example = option_example(count)) != NULL; count++) {
        char typed[200], *to = typed;
        for (const char *c = example; *c != '\0'; c++) /* as the shell gives it */
            if (*c != '\'')
                *to++ = *c;
        *to = '\0';
        parsed(typed);
        cr_assert(strstr(text[0], example), "help lacks %s", example);
    }
    cr_assert_gt(count, 4);
    cr_assert(strstr(text[1], ".SH EXAMPLES\n.TP\n.B lanescope transpose\n"));
    cr_assert(strstr(text[0], "\noptions: the screen\n  --snapshot"));
    cr_assert(strstr(text[1], ".SS the screen\n.TP\n.B \\-\\-snapshot"));
    free(text[0]);
    free(text[1]);
}

Test(options, help_and_manual_name_every_option_the_parser_knows)
{
    char *text[2] = {NULL, NULL};
    size_t size[2];
    FILE *out[2] = {open_memstream(&text[0], &size[0]), open_memstream(&text[1], &size[1])};
    static const char *const names[] = {"record",
                                        "all",
                                        "device",
                                        "gpu",
                                        "model",
                                        "cc",
                                        "check",
                                        "no-merge",
                                        "grid",
                                        "block",
                                        "arg",
                                        "dump-arg",
                                        "shared",
                                        "counters",
                                        "sample",
                                        "burst",
                                        "runs",
                                        "capture",
                                        "kernel",
                                        "launches",
                                        "time-limit",
                                        "json",
                                        "memory",
                                        "csv",
                                        "max-size",
                                        "wide",
                                        "snapshot",
                                        "size",
                                        "replace-injection",
                                        "keys",
                                        "theme",
                                        "no-color",
                                        "transparent",
                                        "ascii",
                                        "no-mouse",
                                        "help",
                                        "version"};

    options_print_help(out[0], COMMAND_HELP, 80);
    options_print_manual(out[1]);
    fclose(out[0]);
    fclose(out[1]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[64], roff[64], *p = roff;

        snprintf(line, sizeof line, "  --%s", names[i]);
        cr_assert(strstr(text[0], line), "help lacks --%s", names[i]);
        p = stpcpy(p, ".B \\-\\-");
        for (const char *c = names[i]; *c; c++) {
            if (*c == '-')
                *p++ = '\\';
            *p++ = *c;
        }
        *p = '\0';
        cr_assert(strstr(text[1], roff), "manual lacks %s", roff);
    }
    free(text[0]);
    free(text[1]);
}

static char *help_of(enum command command, int columns)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    options_print_help(out, command, columns);
    fclose(out);
    return text;
}

Test(options, a_reports_kernels_are_no_option_of_a_gpu)
{
    struct options options = parsed("lanescope report a.lsr --kernel copy*");

    cr_assert_str_eq(options.kernel_glob, "copy*");
    cr_assert_null(options.gpu_option);
    cr_assert_not_null(parsed("lanescope --record a.lsr --counters on --kernel copy* -- x").gpu_option);
}

Test(options, help_keeps_to_the_terminal)
{
    for (int columns = 40; columns <= 200; columns += 4) {
        char *text = help_of(COMMAND_HELP, columns), *rest = text, *line;
        size_t most = columns < 60 ? 60 : columns > 110 ? 110 : (size_t)columns;

        while ((line = strsep(&rest, "\n")))
            cr_assert_leq(strlen(line), most, "at %d columns: %s", columns, line);
        free(text);
    }
}

Test(options, help_of_a_command_is_of_it_alone)
{
    static const char *const asked[] = {"lanescope diff --help", "lanescope help diff",
                                        "lanescope diff a b -h"};

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct options options = parsed(asked[i]);

        cr_assert(options.command == COMMAND_HELP && options.help_of == COMMAND_DIFF, "%s", asked[i]);
    }
    cr_assert_eq(parsed("lanescope help").help_of, COMMAND_HELP);
    cr_assert_eq(parsed("lanescope --help").help_of, COMMAND_HELP);
    char *text = help_of(COMMAND_DIFF, 80);
    cr_assert(strstr(text, "lanescope diff A") && strstr(text, "--fail-on"));
    cr_assert(!strstr(text, "lanescope report") && !strstr(text, "--grid"));
    free(text);
}

/* What the lab shows is the whole command: typed, it makes the same run. */
Test(options, those_of_a_run_are_printed_as_typed)
{
    static const char *const rows[][2] = {
        {"lanescope", ""},
        {"lanescope --theme mono --no-mouse --size small --launches 5 --time-limit=4m transpose",
         " --launches 5 --time-limit 4m"},
        {"lanescope --device simt --model a100 --cc 8.0 --check --reverse --no-merge --memory 64 transpose",
         " --device simt --model a100 --cc 8.0 --check --reverse --no-merge --memory 64"},
        {"lanescope --kernel my.cu --device simt --max-size 5 copy-stride", " --device simt --max-size 5"},
        {"lanescope --kernel copy* --counters on --runs trace,counters --sample 2ms --stacks --ascii all",
         " --kernel 'copy*' --counters on --runs trace,counters --sample 2ms --stacks"}};
    char text[600], again[600];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options options = parsed(rows[i][0]);
        options_run_text(&options, text, sizeof text);
        cr_expect_str_eq(text, rows[i][1], "%s: \"%s\"", rows[i][0], text);
    }
    struct options typed = parsed(rows[2][0]);
    snprintf(again, sizeof again, "lanescope%s transpose", rows[2][1]);
    struct options second = parsed(again);
    cr_assert(second.launches == typed.launches && second.rules == typed.rules && second.reverse &&
              second.memory_bytes == typed.memory_bytes && second.check && second.keep_ptx);
}

static enum status parse_configured(const char *config, const char *text, struct options *options,
                                    struct error *error)
{
    char folder[] = "/tmp/lanescope-config-XXXXXX", path[128];

    cr_assert(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/lanescope", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/lanescope/config", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(config, file);
    fclose(file);
    enum status status = parse(text, options, error);
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(folder);
    return status;
}

Test(options, the_configuration_file_says_what_the_command_line_does_not)
{
    static const char config[] = "# mine\n theme = projector \nmodel=a100\r\nascii\n\n";
    struct options options;
    struct error error = {0};

    cr_assert(parse_configured(config, "lanescope --device simt transpose", &options, &error) == STATUS_OK);
    cr_assert_str_eq(options.theme, "projector");
    cr_assert_str_eq(options.model, "a100");
    cr_assert(options.ascii && !options.model_option);
    char text[200];
    options_run_text(&options, text, sizeof text);
    cr_assert_str_eq(text, " --device simt --model a100");
    cr_assert(parse_configured(config, "lanescope --theme mono --model t4", &options, &error) == STATUS_OK);
    cr_assert_str_eq(options.theme, "mono");
    cr_assert_str_eq(options.model, "t4");
    /* a gate counts by what is written beside it, on every machine */
    cr_assert(parse_configured(config, "lanescope gate c.txt transpose", &options, &error) == STATUS_OK);
    cr_assert(!options.model);
    cr_assert(parse_configured("colour = 3\n", "lanescope list", &options, &error) == STATUS_USAGE);
    cr_assert(strstr(error.text, "config:1 has \"colour\""), "%s", error.text);
    cr_assert(parse_configured("\ntheme\n", "lanescope", &options, &error) == STATUS_USAGE);
    cr_assert(strstr(error.text, "config:2: theme takes NAME"), "%s", error.text);
    cr_assert(parse_configured("ascii = 1\n", "lanescope", &options, &error) == STATUS_USAGE);
}
