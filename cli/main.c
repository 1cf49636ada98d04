/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program: reads the command line, calls the command, says what went wrong. The only place that exits,
 * but for a program that has no memory left (cli/output/memory.h).
 */
#include "cli/children/kernel_child.h"
#include "cli/children/workload_child.h"
#include "cli/coverage/coverage.h"
#include "cli/diff/diff.h"
#include "cli/exercise/exercise.h"
#include "cli/export/export.h"
#include "cli/machine/device_command.h"
#include "cli/machine/left.h"
#include "cli/machine/list.h"
#include "cli/options/commands.h"
#include "cli/options/completion.h"
#include "cli/options/options.h"
#include "cli/options/terminal.h"
#include "cli/output/answer.h"
#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/output/sheet_print.h"
#include "cli/own/compile.h"
#include "cli/process/confined.h"
#include "cli/process/limited.h"
#include "cli/process/paths.h"
#include "cli/ranks/ranks.h"
#include "cli/report/report_sheets.h"
#include "cli/report/summary/report_summary.h"
#include "cli/run/record.h"
#include "commit.h" /* LANESCOPE_COMMIT, from cmake/commit.cmake */
#include "core/base/append.h"
#include "core/ranks/job.h"

#if LANESCOPE_CUDA
#include "cupti/sampler/sampler.h"
#endif
#include "tui/terminal/text.h"
#include "tui/tui.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit status of lanescope's own failures; if a program follows --, all of them are 125. */
static int exit_code_of(enum status status, const struct options *options)
{
    if (options->program)
        return EXIT_FAILED;
    switch (status) {
    case STATUS_USAGE: return EXIT_USAGE;
    case STATUS_NO_DEVICE: return EXIT_NO_DEVICE;
    case STATUS_CHECK: return EXIT_CHECK;
    default: return EXIT_FAILED;
    }
}

static void print_manual(void)
{
    printf(".TH LANESCOPE 1\n.SH NAME\nlanescope \\- terminal profiler and teaching lab for CUDA\n");
    options_print_manual(stdout);
    printf(".SH KEYS\n.nf\n");
    fflush(stdout);
    tui_print_keys(stdout);
    printf(".fi\n");
}

/* ---- --json-schema ---- */
static const struct {
    const char *name;
    const struct sheet_document *document;
} documents[] = {{"report", &report_document}, {"device", &device_document}, {"diff", &diff_document},
                 {"grade", &grade_document},   {"job", &job_document},       {"list", &list_document}};

static enum status print_json_schema(const char *name, struct error *error)
{
    char known[200] = "summary";
    size_t used = strlen(known);
    if (strcmp(name, "summary") == 0) {
        report_brief_schema(stdout);
        return STATUS_OK;
    }
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        if (strcmp(documents[i].name, name) == 0) {
            sheet_document_schema(documents[i].document, stdout);
            return STATUS_OK;
        }
        append_text(known, sizeof known, &used, ", %s", documents[i].name);
    }
    return error_set(
        error, STATUS_USAGE,
        "There is no document \"%.60s\": there are %s. The schema of a table is printed by its command with --table "
        "NAME --format schema; those of doctor and export are docs/doctor.schema.json and docs/export.schema.json.",
        name, known);
}

static void print_version(FILE *out)
{
    fputs("lanescope " LANESCOPE_VERSION "\ncommit " LANESCOPE_COMMIT "\nbuilt with " LANESCOPE_BUILT
          "\nlicence Apache-2.0\n",
          out);
}

static int run_lanescope(int argc, char **argv);

static enum status run_command(const struct options *options, int *exit_status, struct error *error)
{
    switch (options->command) {
    case COMMAND_SCREEN:
        if (options->dormant)
            return dormant_run(options, exit_status, error);
        return screen_live(options, exit_status, error);
    case COMMAND_PRESENT: return screen_live(options, exit_status, error);
    case COMMAND_FOLLOW: return follow_run(options->file, error);
    case COMMAND_RECORD: return record_run(options, exit_status, error);
    case COMMAND_VIEW:
        return job_recognises(options->file) ? job_view(options, error) : screen_view(options, error);
    case COMMAND_REPORT:
        return job_recognises(options->file) ? job_report(options, stdout, error)
                                             : report_command(options, error);
    case COMMAND_GATHER: return gather_command(options, error);
    case COMMAND_WHAT_IF: return what_if_command(options, stdout, error);
    case COMMAND_DIFF: return diff_command(options, stdout, exit_status, error);
    case COMMAND_GATE: return gate_command(options, exit_status, error);
    case COMMAND_GENERATIONS: return generations_command(options, stdout, error);
    case COMMAND_DEBUG: return debug_command(options, exit_status, error);
    case COMMAND_EXERCISE: return exercise_command(options, exit_status, error);
    case COMMAND_GRADE: return grade_command(options, exit_status, error);
    case COMMAND_COVERAGE: return coverage_command(options, stdout, exit_status, error);
    case COMMAND_EXPORT:
        return !options->tables                ? export_command(options, error)
               : job_recognises(options->file) ? job_tables(options, error)
                                               : report_tables(options, error);
    case COMMAND_KERNEL: return kernel_command(options, exit_status, error);
    case COMMAND_ATTACH:
    case COMMAND_WATCH: break; /* has become one of the first two */
    case COMMAND_JUDGE: return judge_command(options, exit_status, error);
    case COMMAND_MCP: return mcp_command(run_lanescope, error);
    case COMMAND_LIST:
        if (options->document) {
            struct options printed = *options;
            printed.table = "syllabus";
            return list_document_choose(options->document, error) != STATUS_OK
                       ? error->status
                       : sheet_option_print(list_sheet_at, NULL, &printed, stdout, error);
        }
        if (options->table)
            return sheet_option_print(list_sheet_at, NULL, options, stdout, error);
        return list_workloads(stdout, options->format == REPORT_JSON, error);
    case COMMAND_GLOSSARY:
        return list_terms(stdout, options->workload_count > 0 ? options->workloads[0] : "", error);
    case COMMAND_DEVICE: return device_command(options, stdout, error);
    case COMMAND_DOCTOR:
        if (options->bug_report)
            return bug_report(stdout, print_version, options->file, error);
        return doctor_run(stdout, options->file, options->format == REPORT_JSON, error);
    case COMMAND_RECOVER: return recover_command(stdout, error);
    case COMMAND_CLEAN: return clean_command(stdout, error);
    case COMMAND_COMPLETION: return completion_script(stdout, options->file, error);
    case COMMAND_HELP: options_print_help(stdout, options->help_of, terminal_columns()); return STATUS_OK;
    case COMMAND_VERSION: print_version(stdout); return STATUS_OK;
    case COMMAND_MANUAL:
        if (options->help_of == COMMAND_HELP)
            print_manual();
        else
            options_print_command_manual(stdout, options->help_of);
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* Started by cli/run/live.c, not by users. */
static int run_workload_child(int argc, char **argv, struct error *error)
{
    struct workload_child_options options;

    if (workload_child_parse(argc, argv, &options, error) != STATUS_OK)
        return EXIT_USAGE;
    return workload_child_main(&options, error);
}

/* Started by cli/run/sampling.c. */
static int run_sampler(int argc, char **argv, struct error *error)
{
#if LANESCOPE_CUDA
    struct sampler_options options;

    return sampler_parse(argc, argv, &options, error) == STATUS_OK ? sampler_main(&options, error)
                                                                   : EXIT_USAGE;
#else
    (void)argc, (void)argv;
    error_set(error, STATUS_UNSUPPORTED, "This build has no CUPTI part, and therefore no sampler.");
    return EXIT_FAILED;
#endif
}

/* Called by a shell's completion (cli/options/completion.c). */
static int run_completion(int argc, char **argv, struct error *error)
{
    completion_print(stdout, argc > 0 ? (size_t)argc : 0, argv);
    if (fflush(stdout) == 0)
        return EXIT_FINE;
    error_set(error, STATUS_IO, "The completions could not be written: the shell has exited.");
    return EXIT_FAILED;
}

static const struct child_role {
    const char *word;
    int (*run)(int argc, char **argv, struct error *error);
} child_roles[] = {{"--workload-child", run_workload_child},
                   {"--kernel-child", kernel_child_main},
                   {"--sampler", run_sampler},
                   {LIMITED_OPTION, limited_main},
                   {CONFINED_OPTION, confined_main},
                   {NVRTC_OPTION, nvrtc_main},
                   {"--complete", run_completion}};

/* NULL: this is lanescope itself. */
static const struct child_role *find_role(const char *word)
{
    for (size_t i = 0; word && i < sizeof child_roles / sizeof *child_roles; i++)
        if (strcmp(word, child_roles[i].word) == 0)
            return &child_roles[i];
    return NULL;
}

static int run_child(const struct child_role *role, int argc, char **argv)
{
    struct error error = {0};
    int exit_status = role->run(argc - 2, argv + 2, &error);

    if (exit_status != EXIT_FINE && error.text[0])
        fprintf(stderr, "lanescope: %s\n", error.text);
    return exit_status;
}

/* Reports of Nsight Systems are opened by their exports. */
static enum status find_exports(struct options *options, struct error *error)
{
    static char paths[OPTIONS_FILES_MAX + 2][PATH_BYTES];
    const bool in_words = options->command == COMMAND_WHAT_IF && options->workload_count > 0;
    const char *word = in_words ? options->workloads[0] : NULL;
    const char **files[OPTIONS_FILES_MAX + 2] = {&options->file, &word};
    enum status status = STATUS_OK;

    for (size_t i = 0; i < OPTIONS_FILES_MAX; i++)
        files[i + 2] = &options->files[i];
    for (size_t i = 0; status == STATUS_OK && i < sizeof files / sizeof *files; i++) {
        if (!*files[i])
            continue;
        status = path_of_nsys_export(*files[i], paths[i], error);
        if (paths[i][0] != '\0')
            *files[i] = paths[i];
        if (paths[i][0] != '\0' && files[i] == &word)
            options->workloads[0] = paths[i];
    }
    return status;
}

static int run_lanescope(int argc, char **argv)
{
    struct options options;
    struct error error = {0};
    int exit_status = EXIT_FINE;
    enum status status;

    answer_begin(argc, argv);
    status = options_parse(&options, argc, argv, &error);
    if (status == STATUS_OK)
        status = find_exports(&options, &error);
    answer_take_files(&options);
    if (options.command == COMMAND_RECORD || options.command == COMMAND_SCREEN ||
        options.command == COMMAND_KERNEL || options.command == COMMAND_GATE)
        signal(SIGPIPE, SIG_IGN); /* SIGPIPE would end the recording when the reader of the output exits */
    if (status == STATUS_OK)
        status = options.json_schema ? print_json_schema(options.json_schema, &error)
                                     : run_command(&options, &exit_status, &error);
    if (status == STATUS_OK)
        status = out_flush(stdout, &error);
    if (status != STATUS_OK) {
        fprintf(stderr, "lanescope: %s\n", error.text);
        return exit_code_of(status, &options);
    }
    return exit_status;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    text_start();
    return argc > 1 && find_role(argv[1]) ? run_child(find_role(argv[1]), argc, argv)
                                          : run_lanescope(argc, argv);
}
