/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool's command is a line of words. {name} is replaced by the argument of that name; {name*} stands for all words of an
 * array; what is between [ and ] is left out without its argument, and [name: ...] unless that argument is true. Words that come
 * from the caller are never options: those of options are written --option={name}, others may not begin with a dash.
 *
 * An answer longer than MCP_ANSWER_BYTES is asked for again with half of its rows, as long as it has more than one; what
 * is then too long is cut, and says so.
 */
#if LANESCOPE_JANSSON
#include "cli/mcp/mcp.h"

#include "cli/options/options.h"
#include "cli/output/memory.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "core/base/append.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 128
#define WORD_BYTES 4096
#define COMMAND_BYTES 8192
#define OUTPUT_BYTES_MAX (8u << 20) /* what is read of a command's output */
#define SECONDS 120.0
#define LESS_THAN_ALL 512 /* of MCP_ANSWER_BYTES, for what stands around the answer */
#define PARAMETERS_MAX 8

struct parameter {
    const char *name, *type; /* type: string, integer, boolean, array (of strings) */
    const char *meaning;
    bool required;
    long fallback; /* of an integer; 0: none */
    long most;
};

#define FILE_PARAMETER                                                                                       \
    {                                                                                                        \
        "file", "string", "the recording (.lsr), or a trace of Nsight Systems (.sqlite) or PyTorch (.json)", \
            true, 0, 0                                                                                       \
    }
#define KERNEL_PARAMETER                                                                             \
    {                                                                                                \
        "kernel", "string", "only kernels whose name matches this pattern, e.g. *gemm*", false, 0, 0 \
    }
#define FIELDS_PARAMETER                                                                  \
    {                                                                                     \
        "fields", "string", "only these columns, in this order, with commas", false, 0, 0 \
    }
#define ROWS_PARAMETER(rows)                                                                 \
    {                                                                                        \
        "rows", "integer", "at most so many rows (of each group)", false, rows, MCP_ROWS_MAX \
    }
#define TABLE(name) \
    "report {file} --table=" name " --format=compact --top={rows} [--kernel={kernel}] [--fields={fields}]"
#define TABLE_ALONE(name) "report {file} --table=" name " --format=compact --top={rows} [--fields={fields}]"

struct mcp_tool {
    const char *name, *title, *meaning, *words;
    struct parameter parameters[PARAMETERS_MAX];
    bool starts;     /* it runs a program */
    bool any_status; /* a status that is not 0 is an answer */
};

static const struct mcp_tool tools[] = {
    {"verdict",
     "What matters in a recording",
     "Begin here: the first screen of the report (verdict, where the time went, what to change first and what that gains, the "
     "kernels that matter) and the sheets behind it, in 8 KB.",
     "report {file} --summary --json",
     {FILE_PARAMETER},
     false,
     false},
    {"runs",
     "Runs of a recording",
     "Each run with its times, its result's check and its main finding.",
     TABLE_ALONE("runs"),
     {FILE_PARAMETER, FIELDS_PARAMETER, ROWS_PARAMETER(10)},
     false,
     false},
    {"what_if",
     "What an edit of the run would gain",
     "Replays each run with edits (launches: as one graph; waits, gaps, pinned, overlap_copies, ...) and gives before, after, what is "
     "assumed and the replay's error. Without edits: the best in order of gain.",
     "what-if {file} [{run}] [--edit={edits}] --table=gains --format=compact --top={rows}",
     {FILE_PARAMETER,
      {"edits", "string", "ids of edits, with commas, each on top of those before it", false, 0, 0},
      {"run", "string", "only runs whose name begins so or matches this pattern", false, 0, 0},
      ROWS_PARAMETER(10)},
     false,
     false},
    {"kernels",
     "Kernels by their time",
     "Kernels of all runs by total time, with share, launches, median and why each is as slow as it is.",
     TABLE("kernels"),
     {FILE_PARAMETER, KERNEL_PARAMETER, FIELDS_PARAMETER, ROWS_PARAMETER(20)},
     false,
     false},
    {"metrics",
     "All metrics of a kernel",
     "Every metric of the kernels that match, with its provenance (measured, modelled, expected); null is not known, and `why` says why.",
     TABLE("metrics"),
     {FILE_PARAMETER, KERNEL_PARAMETER, FIELDS_PARAMETER, ROWS_PARAMETER(100)},
     false,
     false},
    {"lines",
     "Cost of source lines",
     "Source lines by samples, instructions, sectors against ideal ones; no rows: the recording was made without --runs lines.",
     TABLE("lines"),
     {FILE_PARAMETER, KERNEL_PARAMETER, FIELDS_PARAMETER, ROWS_PARAMETER(20)},
     false,
     false},
    {"lanes",
     "What the 32 lanes of a warp did",
     "The main counters of each kernel side by side: sectors and excess of a request, bank conflicts, lanes that were active.",
     TABLE("counters"),
     {FILE_PARAMETER, KERNEL_PARAMETER, FIELDS_PARAMETER, ROWS_PARAMETER(20)},
     false,
     false},
    {"ranges",
     "NVTX ranges",
     "Ranges of the program by their time, each below the one around it.",
     TABLE_ALONE("ranges"),
     {FILE_PARAMETER, FIELDS_PARAMETER, ROWS_PARAMETER(30)},
     false,
     false},
    {"diff",
     "Two recordings compared",
     "Kernels of both recordings, metrics that differ, and limits that are exceeded (status 1).",
     "diff {a} {b} --json --top={rows} [--fail-on={limit}]",
     {{"a", "string", "the recording before, or FILE:WORKLOAD:variant", true, 0, 0},
      {"b", "string", "the recording after", true, 0, 0},
      {"limit", "string", "e.g. time_ns > 1.05x", false, 0, 0},
      ROWS_PARAMETER(10)},
     false,
     true},
    {"check",
     "Races and wrong accesses",
     "What --check found in a recording of the device model; no rows in a recording that was not checked mean nothing.",
     TABLE_ALONE("checks"),
     {FILE_PARAMETER, FIELDS_PARAMETER, ROWS_PARAMETER(20)},
     false,
     false},
    {"ranks",
     "Which rank holds a job up",
     "The verdict over a job of many ranks, from the file that lanescope gather made.",
     "report {file}",
     {{"file", "string", "the job (.lsj)", true, 0, 0}},
     false,
     false},
    {"table",
     "Any table of a report",
     "One of the tables that table=list names: time (the partition), roofline, overlap, advice, evidence, notices (what was not measured), ...",
     "report {file} --table={table} [--format={format}] [--top={rows}] [--kernel={kernel}] [--fields={fields}]",
     {FILE_PARAMETER,
      {"table", "string", "its name, or list", true, 0, 0},
      {"format", "string", "compact (the default), text or schema (what each column means)", false, 0, 0},
      KERNEL_PARAMETER,
      FIELDS_PARAMETER,
      ROWS_PARAMETER(20)},
     false,
     false},
    {"explain",
     "What a term means",
     "The terms of reports that contain this word, from the glossary.",
     "glossary {word}",
     {{"word", "string", "e.g. sector, occupancy", true, 0, 0}},
     false,
     false},
    {"model_run",
     "Run on the device model",
     "RUNS a program or bundled workloads on the CPU model of a GPU, without a GPU, and records it: counts are exact, times "
     "modelled. With check also races, reads of memory never written and accesses out of bounds (status 1 if there are any).",
     "--record={recording} --device=simt --time-limit={seconds} [--model={model}] [check:--check] [{workloads*}] [-- {program*}]",
     {{"program", "array", "the program and its arguments", false, 0, 0},
      {"workloads", "array", "bundled workloads, e.g. transpose:naive", false, 0, 0},
      {"check", "boolean", "look for races and wrong accesses", false, 0, 0},
      {"model", "string", "the GPU, e.g. h200, a100", false, 0, 0},
      {"recording", "string", "the file to write; without it a new one in the state folder", false, 0, 0},
      {"seconds", "integer", "ends the program after so many", false, 60, 600}},
     true,
     true},
};

const struct mcp_tool *mcp_tool_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof tools / sizeof *tools; i++)
        if (strcmp(tools[i].name, name) == 0)
            return &tools[i];
    return NULL;
}

/* ---- the list ---- */
static json_t *parameter_schema(const struct parameter *parameter)
{
    json_t *schema = json_pack("{s:s, s:s}", "type", parameter->type, "description", parameter->meaning);
    if (strcmp(parameter->type, "array") == 0)
        json_object_set_new(schema, "items", json_pack("{s:s}", "type", "string"));
    if (parameter->fallback > 0) {
        json_object_set_new(schema, "default", json_integer(parameter->fallback));
        json_object_set_new(schema, "minimum", json_integer(1));
        json_object_set_new(schema, "maximum", json_integer(parameter->most));
    }
    return schema;
}

static json_t *tool_schema(const struct mcp_tool *tool)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct parameter *at = tool->parameters; at < tool->parameters + PARAMETERS_MAX && at->name;
         at++) {
        json_object_set_new(properties, at->name, parameter_schema(at));
        if (at->required)
            json_array_append_new(required, json_string(at->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                     "additionalProperties", 0);
}

json_t *mcp_tools_list(void)
{
    json_t *list = json_array();
    for (const struct mcp_tool *tool = tools; tool < tools + sizeof tools / sizeof *tools; tool++) {
        char meaning[1024];
        snprintf(meaning, sizeof meaning,
                 "%s At most %d bytes; rows that are left out are counted. In a shell: lanescope %s",
                 tool->meaning, MCP_ANSWER_BYTES, tool->words);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:o, s:{s:s, s:b, s:b, s:b, s:b}}", "name",
                                        tool->name, "title", tool->title, "description", meaning,
                                        "inputSchema", tool_schema(tool), "annotations", "title", tool->title,
                                        "readOnlyHint", !tool->starts, "destructiveHint", tool->starts,
                                        "idempotentHint", !tool->starts, "openWorldHint", tool->starts));
    }
    return list;
}

/* ---- the arguments ---- */
static const struct parameter *find_parameter(const struct mcp_tool *tool, const char *name)
{
    for (const struct parameter *at = tool->parameters; at < tool->parameters + PARAMETERS_MAX && at->name;
         at++)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

static bool is_words(const json_t *value)
{
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!json_is_string(json_array_get(value, i)))
            return false;
    return json_is_array(value) && json_array_size(value) > 0 && json_array_size(value) < WORDS_MAX / 2;
}

static bool has_type(const struct parameter *parameter, const json_t *value)
{
    switch (parameter->type[0]) {
    case 's':
        return json_is_string(value) && *json_string_value(value) &&
               json_string_length(value) < WORD_BYTES / 2 &&
               strlen(json_string_value(value)) == json_string_length(value);
    case 'i':
        return json_is_integer(value) && json_integer_value(value) >= 1 &&
               json_integer_value(value) <= parameter->most;
    case 'b': return json_is_boolean(value);
    default: return is_words(value);
    }
}

static void list_parameters(const struct mcp_tool *tool, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct parameter *at = tool->parameters; at < tool->parameters + PARAMETERS_MAX && at->name;
         at++)
        append_text(text, size_bytes, &used, "%s%s", used > 0 ? ", " : "", at->name);
}

static enum status check_arguments(const struct mcp_tool *tool, json_t *arguments, struct error *error)
{
    const char *name;
    json_t *value;
    char known[200];
    json_object_foreach(arguments, name, value)
    {
        const struct parameter *parameter = find_parameter(tool, name);
        list_parameters(tool, known, sizeof known);
        if (!parameter)
            return error_set(error, STATUS_USAGE, "%s has no argument \"%.60s\": it takes %s.", tool->name,
                             name, known);
        if (json_is_null(value) && !parameter->required)
            continue;
        if (!has_type(parameter, value) && parameter->most > 0)
            return error_set(error, STATUS_USAGE, "%s is a whole number from 1 to %ld.", name,
                             parameter->most);
        if (!has_type(parameter, value))
            return error_set(error, STATUS_USAGE, "%s is of type %s, and not empty: %s.", name,
                             parameter->type, parameter->meaning);
    }
    for (const struct parameter *at = tool->parameters; at < tool->parameters + PARAMETERS_MAX && at->name;
         at++)
        if (at->required && !json_object_get(arguments, at->name))
            return error_set(error, STATUS_USAGE, "%s needs the argument %s: %s.", tool->name, at->name,
                             at->meaning);
    if (tool->starts && !json_object_get(arguments, "program") == !json_object_get(arguments, "workloads"))
        return error_set(error, STATUS_USAGE, "Give %s either a program or workloads.", tool->name);
    return STATUS_OK;
}

/* ---- the command ---- */
struct word_list {
    char *words[WORDS_MAX + 2];
    size_t count;
    bool refused; /* a word of the caller begins with a dash */
};

static void add_word(struct word_list *command, const char *word)
{
    if (command->count < WORDS_MAX)
        command->words[command->count++] = memory_copy_text(word);
}

static void add_words(struct word_list *command, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        add_word(command, json_string_value(json_array_get(list, i)));
}

/* The word with its one argument in place; false: that is not given. */
static bool fill_word(const struct mcp_tool *tool, json_t *arguments, const char *word,
                      struct word_list *command)
{
    char name[64], text[WORD_BYTES];
    const char *begin = strchr(word, '{'), *end = begin ? strchr(begin, '}') : NULL;
    if (!end) {
        add_word(command, word);
        return true;
    }
    const bool all = end[-1] == '*';
    snprintf(name, sizeof name, "%.*s", (int)(end - begin - 1 - all), begin + 1);
    const struct parameter *parameter = find_parameter(tool, name);
    const json_t *value = json_object_get(arguments, name);
    if (!value || json_is_null(value)) {
        if (!parameter || parameter->fallback == 0)
            return false;
        snprintf(text, sizeof text, "%.*s%ld%s", (int)(begin - word), word, parameter->fallback, end + 1);
    } else if (all) {
        /* Of a program anything goes, after "--". */
        if (strcmp(name, "program") != 0)
            for (size_t i = 0; i < json_array_size(value); i++)
                command->refused |= json_string_value(json_array_get(value, i))[0] == '-';
        add_words(command, value);
        return true;
    } else if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%.*s%lld%s", (int)(begin - word), word,
                 (long long)json_integer_value(value), end + 1);
    } else {
        command->refused |= begin == word && json_string_value(value)[0] == '-';
        snprintf(text, sizeof text, "%.*s%s%s", (int)(begin - word), word, json_string_value(value), end + 1);
    }
    add_word(command, text);
    return true;
}

/* What is between brackets: as words, or nothing. */
static void fill_group(const struct mcp_tool *tool, json_t *arguments, char *group, struct word_list *command)
{
    const size_t before = command->count;
    char *colon = strchr(group, ':'), *word;
    if (colon && !memchr(group, '-', (size_t)(colon - group))) {
        *colon = '\0';
        if (!json_is_true(json_object_get(arguments, group)))
            return;
        group = colon + 1;
    }
    while ((word = strsep(&group, " "))) {
        if (fill_word(tool, arguments, word, command))
            continue;
        while (command->count > before)
            free(command->words[--command->count]);
        return;
    }
}

static void make_command(const struct mcp_tool *tool, json_t *arguments, struct word_list *command)
{
    char words[1024], *rest = words, *word;
    snprintf(words, sizeof words, "%s", tool->words);
    while (rest && *rest) {
        if (*rest == '[') {
            word = rest + 1;
            rest = strchr(rest, ']');
            *rest++ = '\0';
            rest += *rest == ' ';
            fill_group(tool, arguments, word, command);
        } else {
            word = strsep(&rest, " ");
            fill_word(tool, arguments, word, command);
        }
    }
    command->words[command->count] = NULL;
}

static void command_fini(struct word_list *command)
{
    for (size_t i = 0; i < command->count; i++)
        free(command->words[i]);
}

static void command_text(const struct word_list *command, char text[COMMAND_BYTES])
{
    size_t used = 0;
    append_text(text, COMMAND_BYTES, &used, "lanescope");
    for (size_t i = 0; i < command->count; i++)
        append_shell_word(text, COMMAND_BYTES, &used, command->words[i]);
}

/* ---- the run ---- */
/* All that was written, at most OUTPUT_BYTES_MAX; the caller frees. */
static char *read_output(const struct kept_output *kept)
{
    char *text = memory_zeroed(OUTPUT_BYTES_MAX + 1, 1);
    size_t used = 0;
    ssize_t got;
    lseek(kept->fd, 0, SEEK_SET);
    while (used < OUTPUT_BYTES_MAX && (got = read(kept->fd, text + used, OUTPUT_BYTES_MAX - used)) > 0)
        used += (size_t)got;
    return text;
}

struct ran {
    char *out, *errors;
    int exit_status;
};

static enum status run_command(const struct word_list *command, double seconds, struct ran *ran,
                               struct error *error)
{
    char program[PATH_BYTES];
    char *argv[WORDS_MAX + 3] = {program};
    struct kept_output out = {-1}, errors = {-1};
    struct launch *launch = NULL;
    int exec_status = 0;
    memcpy(argv + 1, command->words, (command->count + 1) * sizeof *argv);
    enum status status = path_of_program(program, error);
    if (status == STATUS_OK)
        status = kept_output_open(&out, error);
    if (status == STATUS_OK)
        status = kept_output_open(&errors, error);
    const struct launch_variable variables[] = {{"NO_COLOR", "1"}, {NULL, NULL}};
    const struct launch_options options = {.argv = argv,
                                           .variables = variables,
                                           .output = out.fd,
                                           .errors = errors.fd,
                                           .time_limit_s = seconds,
                                           .ends_with_us = true};
    if (status == STATUS_OK)
        status = launch_start(&launch, &options, &exec_status, error);
    if (status == STATUS_OK) {
        ran->exit_status = launch_wait(launch, NULL);
        ran->out = read_output(&out);
        ran->errors = read_output(&errors);
    }
    if (launch)
        launch_destroy(launch);
    kept_output_close(&out);
    kept_output_close(&errors);
    return status;
}

/* ---- the answer ---- */
static json_t *text_result(json_t *content, bool failed)
{
    char *text = json_dumps(content, JSON_COMPACT);
    memory_check(text ? STATUS_OK : STATUS_MEMORY);
    json_t *result =
        json_pack("{s:[{s:s, s:s}], s:b}", "content", "type", "text", "text", text, "isError", failed);
    free(text);
    json_decref(content);
    return result;
}

static json_t *make_failure(const char *sentence, const char *command)
{
    json_t *content = json_pack("{s:s}", "error", sentence);
    if (command)
        json_object_set_new(content, "command", json_string(command));
    return text_result(content, true);
}

/* The first bytes of a text, whole characters. */
static json_t *cut_text(const char *text, size_t most)
{
    size_t length = strlen(text);
    if (length > most)
        for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    json_t *cut = json_stringn(text, length);
    return cut ? cut : json_string("The output is no UTF-8: run the command in a shell.");
}

static size_t dumped_bytes(const json_t *content)
{
    return json_dumpb(content, NULL, 0, JSON_COMPACT);
}

/* *fits: it is all there. */
static json_t *make_answer(const struct ran *ran, const char *command, bool *fits)
{
    json_t *content = json_pack("{s:s, s:i}", "command", command, "exit_status", ran->exit_status);
    json_t *answer = json_loads(ran->out, 0, NULL);
    if (*ran->errors)
        json_object_set_new(content, "said", cut_text(ran->errors, 1000));
    if (!answer)
        answer = json_string(ran->out);
    json_object_set_new(content, "answer",
                        answer ? answer : json_string("The output is no UTF-8: run the command in a shell."));
    *fits = dumped_bytes(content) <= MCP_ANSWER_BYTES;
    for (size_t most = MCP_ANSWER_BYTES - LESS_THAN_ALL;
         !*fits && dumped_bytes(content) > MCP_ANSWER_BYTES && most > 0; most /= 2) {
        json_object_set_new(content, "answer", cut_text(ran->out, most));
        json_object_set_new(
            content, "cut",
            json_pack("{s:I, s:I}", "of_bytes", (json_int_t)strlen(ran->out), "to_bytes", (json_int_t)most));
    }
    return content;
}

static json_t *tool_run(const struct mcp_tool *tool, json_t *arguments, bool *fits)
{
    struct word_list command = {0};
    struct ran ran = {0};
    struct error error = {0};
    char text[COMMAND_BYTES];
    *fits = true;
    make_command(tool, arguments, &command);
    command_text(&command, text);
    enum status status =
        command.refused ? error_set(&error, STATUS_USAGE,
                                    "An argument begins with a dash: files and names may not; write ./-name.")
                        : STATUS_OK;
    const json_t *limit = json_object_get(arguments, "seconds");
    if (status == STATUS_OK)
        status = run_command(&command,
                             tool->starts ? (limit ? (double)json_integer_value(limit) : 60) + 30 : SECONDS,
                             &ran, &error);
    command_fini(&command);
    json_t *result;
    if (status != STATUS_OK)
        result = make_failure(error.text, text);
    else if (ran.exit_status != 0 && !(tool->any_status && *ran.out && ran.exit_status < EXIT_TIME_LIMIT))
        result = make_failure(*ran.errors ? ran.errors : "It ended without a word.", text);
    else
        result = text_result(make_answer(&ran, text, fits), false);
    free(ran.out);
    free(ran.errors);
    return result;
}

/* The recording that model_run writes, if the caller names none. */
static enum status name_recording(json_t *arguments, struct error *error)
{
    char path[PATH_BYTES];
    if (json_object_get(arguments, "recording"))
        return STATUS_OK;
    enum status status = path_of_live_recording(path, error);
    if (status == STATUS_OK)
        json_object_set_new(arguments, "recording", json_string(path));
    return status;
}

json_t *mcp_tool_call(const struct mcp_tool *tool, json_t *arguments)
{
    struct error error = {0};
    bool fits;
    enum status status = check_arguments(tool, arguments, &error);
    if (status == STATUS_OK && tool->starts)
        status = name_recording(arguments, &error);
    if (status == STATUS_OK && strcmp(tool->name, "table") == 0 && !json_object_get(arguments, "format") &&
        strcmp(json_string_value(json_object_get(arguments, "table")), "list") != 0)
        json_object_set_new(arguments, "format", json_string("compact"));
    if (status != STATUS_OK)
        return make_failure(error.text, NULL);
    const struct parameter *rows = find_parameter(tool, "rows");
    const json_t *asked = json_object_get(arguments, "rows");
    json_t *result = tool_run(tool, arguments, &fits);
    for (long most = (asked  ? (long)json_integer_value(asked)
                      : rows ? rows->fallback
                             : 1) /
                     2;
         !fits && most > 0; most /= 2) {
        json_object_set_new(arguments, "rows", json_integer(most));
        json_decref(result);
        result = tool_run(tool, arguments, &fits);
    }
    return result;
}
#else
typedef int mcp_needs_jansson; /* a file may not be empty */
#endif
