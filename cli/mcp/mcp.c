/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Model Context Protocol on standard input and output: JSON-RPC 2.0, a message a line, one after the other. Versions with a
 * handshake (initialize) and those without (each request names its version in _meta; server/discover) are answered alike. Standard
 * error is for people.
 *
 * The tools that `lanescope mcp` offers are one row each: a tool is a command of lanescope with some of its words left to the caller, run
 * as a process of its own, so that an answer is what the shell gives, and a recording that breaks the reader breaks no server. Loading
 * a long recording takes longer than an answer: the process that runs the command is forked from another, the keeper, which has
 * loaded the recording. There is one keeper at a time.
 *
 * A tool's command is a line of words. {name} is replaced by the argument of that name; {name*} stands for all words of an
 * array; what is between [ and ] is left out without its argument, and [name: ...] unless that argument is true. Words that come
 * from the caller are never options: those of options are written --option={name}, others may not begin with a dash.
 *
 * An answer longer than MCP_ANSWER_BYTES is asked for again with half of its rows, as long as it has more than one; what
 * is then too long is cut, and says so.
 * docs/mcp.md is the manual. The main thread.
 */
#include "cli/options/commands.h"

#if LANESCOPE_JANSSON
#include "cli/options/options.h"
#include "cli/output/memory.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "core/base/append.h"
#include "core/base/clock.h"
#include "core/recording/recording.h"

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- tools ---- */

#define MCP_ANSWER_BYTES 16000 /* of the text of an answer, at most */
#define MCP_ROWS_MAX 200

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
     "What --check found in a recording of the device model. Its notes say which kernels, launches and instructions were checked, "
     "and which runs were not: no rows mean \"clean\" only for these.",
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

/* NULL: there is none. */
static const struct mcp_tool *mcp_tool_find(const char *name)
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

/* As tools/list gives them; a new reference. */
static json_t *mcp_tools_list(void)
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

/* ---- a recording that is kept ---- */
#define KEEP_SECONDS 600 /* a keeper that is asked nothing for so long ends */
#define KEEPER_BYTES 65536

static struct {
    pid_t pid;
    int socket; /* to it go a command's words, each ended by a NUL; back comes its status, and 0 or -1 once it has loaded */
    bool refused; /* it could not load the file */
    struct stat file;
    struct kept_output out, errors; /* of the commands; one file each, of both processes */
    int (*run)(int argc, char **argv);
} keeper = {.socket = -1, .out = {-1}, .errors = {-1}};

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* One that is still written to changes between two commands. */
static bool is_complete(const char *path, struct stat *file)
{
    char log[PATH_BYTES];
    return stat(path, file) == 0 && S_ISREG(file->st_mode) &&
           (size_t)snprintf(log, sizeof log, "%s-wal", path) < sizeof log && access(log, F_OK) != 0;
}

static void keeper_end(void)
{
    if (keeper.pid > 0) {
        kill(-keeper.pid, SIGKILL);
        waitpid(keeper.pid, NULL, 0);
    }
    if (keeper.socket >= 0)
        close(keeper.socket);
    keeper.pid = 0;
    keeper.socket = -1;
}

static void end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILED);
}

/* In the process that is forked for a command. */
static _Noreturn void keeper_run_command(char *words, size_t length, pid_t parent)
{
    char *argv[WORDS_MAX + 3] = {(char *)"lanescope"};
    int argc = 1;
    end_with(parent);
    for (size_t at = 0; at < length && argc < WORDS_MAX + 2; at += strlen(words + at) + 1)
        argv[argc++] = words + at;
    dup2(keeper.out.fd, STDOUT_FILENO);
    dup2(keeper.errors.fd, STDERR_FILENO);
    exit(keeper.run(argc, argv));
}

static _Noreturn void keeper_serve(const char *path, int ask, pid_t parent)
{
    static char words[KEEPER_BYTES];
    struct pollfd asked = {.fd = ask, .events = POLLIN};
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct error error;
    setpgid(0, 0);
    end_with(parent);
    signal(SIGPIPE, SIG_DFL);
    setenv("NO_COLOR", "1", 1);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd); /* what the server reads and writes is not for commands */
    int status = recording_keep(path, &error) == STATUS_OK ? 0 : -1;
    while (send(ask, &status, sizeof status, MSG_NOSIGNAL) == sizeof status && status >= 0 &&
           poll(&asked, 1, KEEP_SECONDS * 1000) == 1) {
        const ssize_t length = recv(ask, words, sizeof words - 1, 0);
        const pid_t self = getpid(), child = length > 0 ? fork() : -1;
        int ended = 0;
        if (length <= 0)
            break;
        words[length] = '\0';
        if (child == 0)
            keeper_run_command(words, (size_t)length, self);
        if (child < 0 || waitpid(child, &ended, 0) != child)
            _exit(EXIT_FAILED);
        status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    }
    _exit(EXIT_FINE);
}

/* The keeper's next number; false: there is none within the time, or any more. */
static bool keeper_answer(int64_t until_ns, int *number)
{
    struct pollfd answer = {.fd = keeper.socket, .events = POLLIN};
    const int64_t left_ns = until_ns - clock_monotonic_ns();
    return left_ns > 0 && poll(&answer, 1, (int)(left_ns / NS_PER_MS) + 1) == 1 &&
           recv(keeper.socket, number, sizeof *number, 0) == sizeof *number;
}

/* Makes a keeper for the file, unless there is one. False: it has none. */
static bool keeper_has(const char *path, int64_t until_ns)
{
    struct stat file;
    struct error error;
    int ends[2], loaded;
    if (keeper.pid > 0 && waitpid(keeper.pid, NULL, WNOHANG) != 0)
        keeper.pid = 0; /* nobody asked for long, or it was killed */
    if (!is_complete(path, &file))
        return false;
    if ((keeper.pid > 0 || keeper.refused) && is_same_file(&file, &keeper.file))
        return !keeper.refused;
    keeper_end();
    keeper.file = file;
    keeper.refused = true;
    if ((keeper.out.fd < 0 && kept_output_open(&keeper.out, &error) != STATUS_OK) ||
        (keeper.errors.fd < 0 && kept_output_open(&keeper.errors, &error) != STATUS_OK) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    const pid_t self = getpid();
    keeper.pid = fork();
    if (keeper.pid == 0)
        keeper_serve(path, ends[1], self);
    close(ends[1]);
    keeper.socket = ends[0];
    keeper.refused = keeper.pid < 0 || !keeper_answer(until_ns, &loaded) || loaded != 0;
    if (keeper.refused)
        keeper_end();
    return !keeper.refused;
}

/* A file of the command that is to be kept; NULL: it reads none. Of two files one is kept, the one that is there already. */
static const char *keeper_file(const struct word_list *command)
{
    struct stat second;
    const char *const *words = (const char *const *)command->words;
    const bool two = command->count > 2 && strcmp(words[0], "diff") == 0;
    if (two && stat(words[2], &second) == 0 && keeper.pid > 0 && is_same_file(&second, &keeper.file))
        return words[2];
    return command->count > 1 && (two || strcmp(words[0], "report") == 0 || strcmp(words[0], "what-if") == 0)
               ? words[1]
               : NULL;
}

static void empty_output(const struct kept_output *kept)
{
    if (ftruncate(kept->fd, 0) != 0 || lseek(kept->fd, 0, SEEK_SET) != 0)
        keeper_end();
}

/* The command in a process forked from the keeper, into *exit_status and the keeper's files. False: as from a shell. */
static bool keeper_ask(const struct word_list *command, double seconds, int *exit_status)
{
    const int64_t until_ns = clock_monotonic_ns() + (int64_t)(seconds * (double)NS_PER_S);
    const char *path = keeper_file(command);
    char words[KEEPER_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < command->count; i++) {
        const size_t length = strlen(command->words[i]) + 1;
        if (used + length >= sizeof words)
            return false;
        memcpy(words + used, command->words[i], length);
        used += length;
    }
    if (!path || !keeper_has(path, until_ns))
        return false;
    empty_output(&keeper.out);
    empty_output(&keeper.errors);
    if (keeper.pid > 0 && send(keeper.socket, words, used, MSG_NOSIGNAL) == (ssize_t)used &&
        keeper_answer(until_ns, exit_status))
        return true;
    keeper_end();
    *exit_status = EXIT_TIME_LIMIT;
    return clock_monotonic_ns() >= until_ns;
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
    if (keeper_ask(command, seconds, &ran->exit_status)) {
        ran->out = read_output(&keeper.out);
        ran->errors = read_output(&keeper.errors);
        return STATUS_OK;
    }
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

/* Runs the tool: the result of tools/call, a new reference. Wrong arguments, and a command that failed, are results, too,
 * with isError and a sentence. */
static json_t *mcp_tool_call(const struct mcp_tool *tool, json_t *arguments)
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

/* ---- the protocol ---- */

#define LINE_BYTES_MAX (1u << 20)
#define VERSION_KEY "io.modelcontextprotocol/protocolVersion"
#define MODERN_FROM 4 /* from here on without a handshake */
static const char *const versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
#define VERSIONS (sizeof versions / sizeof *versions)

enum rpc_error {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_VERSION = -32022
};

static const char instructions[] =
    "lanescope reads recordings of CUDA programs (.lsr; also SQLite of Nsight Systems and JSON of PyTorch) and runs programs on a "
    "model of a GPU without a GPU. Begin with verdict. Tables are in compact JSON: `same` has the fields in which all rows are "
    "equal, `fields` names what each row has. null means not known, which is not 0; measured, modelled and expected numbers are "
    "named so. Each answer has the shell command that gives it. Only model_run runs anything. The manual is docs/mcp.md.";

static json_t *rpc_error(json_t *id, enum rpc_error code, const char *message)
{
    return json_pack("{s:s, s:O?, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id ? id : json_null(), "error",
                     "code", (int)code, "message", message);
}

static json_t *rpc_result(json_t *id, json_t *result)
{
    return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
}

static json_t *server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "lanescope", "title",
                     "lanescope: profiler and device model for CUDA", "version", LANESCOPE_VERSION);
}

static json_t *list_capabilities(void)
{
    return json_pack("{s:{s:b}}", "tools", "listChanged", 0);
}

/* The client's version where it has a handshake and is known, else the newest one that has. */
static json_t *answer_initialize(const json_t *params)
{
    const char *asked = json_string_value(json_object_get(params, "protocolVersion")),
               *version = versions[MODERN_FROM - 1];
    for (size_t i = 0; asked && i < MODERN_FROM; i++)
        if (strcmp(versions[i], asked) == 0)
            version = versions[i];
    return json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", version, "capabilities", list_capabilities(),
                     "serverInfo", server_info(), "instructions", instructions);
}

static json_t *answer_discover(void)
{
    json_t *supported = json_array();
    for (size_t i = MODERN_FROM; i < VERSIONS; i++)
        json_array_append_new(supported, json_string(versions[i]));
    return json_pack("{s:o, s:o, s:s, s:o}", "supportedVersions", supported, "capabilities",
                     list_capabilities(), "instructions", instructions, "_meta",
                     json_pack("{s:o}", "io.modelcontextprotocol/serverInfo", server_info()));
}

/* Of a request of the versions without a handshake, else NULL. */
static const char *version_of(const json_t *params)
{
    return json_string_value(json_object_get(json_object_get(params, "_meta"), VERSION_KEY));
}

static json_t *refuse_version(json_t *id, const char *version)
{
    json_t *answer = rpc_error(id, RPC_VERSION, "Unsupported protocol version");
    json_object_set_new(json_object_get(answer, "error"), "data",
                        json_pack("{s:[s], s:s}", "supported", versions[VERSIONS - 1], "requested", version));
    return answer;
}

static json_t *answer_call(json_t *id, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    const json_t *given = json_object_get(params, "arguments");
    const struct mcp_tool *tool = mcp_tool_find(name);
    char message[200];
    if (!tool) {
        snprintf(message, sizeof message, "There is no tool \"%.60s\": tools/list has them.",
                 name ? name : "");
        return rpc_error(id, RPC_PARAMS, message);
    }
    if (given && !json_is_object(given) && !json_is_null(given))
        return rpc_error(id, RPC_PARAMS, "arguments is no object.");
    json_t *arguments = json_is_object(given) ? json_copy((json_t *)given) : json_object();
    json_t *answer = rpc_result(id, mcp_tool_call(tool, arguments));
    json_decref(arguments);
    return answer;
}

/* NULL: there is nothing to answer. */
static json_t *answer_request(json_t *request)
{
    json_t *id = json_object_get(request, "id"), *result = NULL;
    const json_t *params = json_object_get(request, "params");
    const char *method = json_string_value(json_object_get(request, "method"));
    const bool asks = json_is_string(id) || json_is_integer(id);
    if (!json_is_object(request) || (id && !asks))
        return rpc_error(NULL, RPC_REQUEST, "This is no request of JSON-RPC 2.0.");
    if (!method)
        return json_object_get(request, "result") || json_object_get(request, "error")
                   ? NULL /* an answer: nothing was asked */
                   : rpc_error(asks ? id : NULL, RPC_REQUEST, "The request has no method.");
    if (!asks)
        return NULL; /* a notification */
    const char *version = version_of(params);
    if (version && strcmp(version, versions[VERSIONS - 1]) != 0)
        return refuse_version(id, version);
    if (strcmp(method, "tools/call") == 0) {
        json_t *answer = answer_call(id, params);
        if (version && json_object_get(answer, "result"))
            json_object_set_new(json_object_get(answer, "result"), "resultType", json_string("complete"));
        return answer;
    }
    if (strcmp(method, "initialize") == 0)
        result = answer_initialize(params);
    else if (strcmp(method, "server/discover") == 0)
        result = answer_discover();
    else if (strcmp(method, "ping") == 0)
        result = json_object();
    else if (strcmp(method, "tools/list") == 0)
        result = json_pack("{s:o}", "tools", mcp_tools_list());
    if (!result) {
        char message[120];
        snprintf(message, sizeof message, "There is no method %.60s here: tools alone.", method);
        return rpc_error(id, RPC_METHOD, message);
    }
    if (version) {
        json_object_set_new(result, "resultType", json_string("complete"));
        json_object_set_new(result, "ttlMs", json_integer(0));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    return rpc_result(id, result);
}

/* Several requests in an array, as in 2025-03-26. */
static json_t *answer_batch(json_t *batch)
{
    json_t *answers = json_array();
    for (size_t i = 0; i < json_array_size(batch); i++) {
        json_t *answer = answer_request(json_array_get(batch, i));
        if (answer)
            json_array_append_new(answers, answer);
    }
    if (json_array_size(answers) > 0)
        return answers;
    json_decref(answers);
    return json_array_size(batch) > 0 ? NULL : rpc_error(NULL, RPC_REQUEST, "An empty batch.");
}

static json_t *answer_line(const char *line, size_t length)
{
    struct json_error_t why;
    json_t *message = length <= LINE_BYTES_MAX ? json_loadb(line, length, JSON_ALLOW_NUL, &why) : NULL;
    if (!message)
        return rpc_error(NULL, RPC_PARSE,
                         length > LINE_BYTES_MAX ? "The line is longer than a megabyte."
                                                 : "The line is no JSON.");
    json_t *answer = json_is_array(message) ? answer_batch(message) : answer_request(message);
    json_decref(message);
    return answer;
}

enum status mcp_command(int (*run)(int argc, char **argv), struct error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    enum status status = STATUS_OK;
    keeper.run = run;
    signal(SIGPIPE, SIG_IGN);
    while (status == STATUS_OK && (length = getline(&line, &room, stdin)) > 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            length--;
        json_t *answer = length > 0 ? answer_line(line, (size_t)length) : NULL;
        if (!answer)
            continue;
        if (json_dumpf(answer, stdout, JSON_COMPACT) != 0 || putchar('\n') == EOF || fflush(stdout) != 0)
            status = error_set(error, STATUS_IO, "The answer could not be written: the client has gone.");
        json_decref(answer);
    }
    free(line);
    keeper_end();
    return status;
}
#else
enum status mcp_command(int (*run)(int argc, char **argv), struct error *error)
{
    (void)run;
    return error_set(
        error, STATUS_UNSUPPORTED,
        "This lanescope was built without libjansson, which lanescope mcp needs: install libjansson-dev and build it anew.");
}
#endif
