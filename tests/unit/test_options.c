#include "cli/options.h"

#include <criterion/criterion.h>
#include <string.h>

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
    cr_assert(parsed("lanescope view a.lsr --help").command == COMMAND_HELP);
    cr_assert(parsed("lanescope --version").command == COMMAND_VERSION);
    cr_assert_str_eq(parsed("lanescope view --ascii a.lsr").file, "a.lsr");
}

Test(options, words_keep_their_order)
{
    struct options options = parsed("lanescope transpose:naive --gpu 1 copy-stride,stride=1..32 --all");

    cr_assert(options.workload_count == 2 && options.gpu == 1 && options.all);
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
        parsed("lanescope --record a --time-limit 1.5 --max-size=20 --launches 0 --runs trace,counters "
               "--capture delay:2.5,for:1 --counters dram_read_bytes,l1_hit_pct -- x");

    cr_assert(options.time_limit_s == 1.5 && options.max_bytes == 20000000 && options.launches == 0);
    cr_assert(options.trace_run && options.counter_run && options.counters == COUNTERS_LIST);
    cr_assert_str_eq(options.counter_list, "dram_read_bytes,l1_hit_pct");
    options = parsed("lanescope view a --snapshot svg --size 120x40");
    cr_assert(options.width == 120 && options.height == 40);
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
        {"lanescope view a b", "One recording"},
        {"lanescope list x", "takes no \"x\""},
        {"lanescope doctor -- x", "runs no program"},
        {"lanescope view a --json", "does not go with"},
        {"lanescope --capture sometimes -- x", "--capture does not take"},
        {"lanescope --capture delay:x -- x", "--capture does not take"},
        {"lanescope --capture delay:1,for:0 -- x", "--capture does not take"},
        {"lanescope --runs trace,fast -- x", "--runs does not take"},
        {"lanescope --time-limit 0 -- x", "--time-limit does not take"},
        {"lanescope --size 0x5", "--size does not take"},
        {"lanescope --device tpu", "--device does not take"},
        {"lanescope --", "comes the program"},
        {"lanescope copy-offset -- x", "not both"},
        {"lanescope --runs counters --counters off -- x", "forbids"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options options;
        struct error error = {0};

        cr_assert(parse(rows[i].line, &options, &error) == STATUS_USAGE, "%s", rows[i].line);
        cr_assert(strstr(error.text, rows[i].says), "%s: %s", rows[i].line, error.text);
    }
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
                                        "counters",
                                        "runs",
                                        "capture",
                                        "kernel",
                                        "launches",
                                        "time-limit",
                                        "json",
                                        "csv",
                                        "max-size",
                                        "wide",
                                        "snapshot",
                                        "size",
                                        "replace-injection",
                                        "keys",
                                        "theme",
                                        "no-color",
                                        "ascii",
                                        "no-mouse",
                                        "help",
                                        "version"};

    options_print_help(out[0]);
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
