/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words before the last one decide what is completed: a command, an option, the value of an option or a
 * parameter of a workload. The candidates that begin with the last word are printed, one per line.
 */
#include "cli/options/completion.h"

#include "cli/options/kernel_args.h"
#include "cli/options/options_table.h"
#include "core/metric/metric.h"
#include "core/replay/edits.h"
#include "simt/timing/gpu.h"
#include "tui/terminal/style.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <ctype.h>
#include <string.h>

/* The words before the one being completed, as the parser would read them. */
struct line {
    enum command command;
    size_t words;                  /* words that are not options, without the command */
    const struct option_row *open; /* whose value comes next; NULL: none */
    bool program;                  /* -- was typed: the remaining words are the program's */
};

/* The word being completed: its beginning stays as it is, and the rest becomes a candidate. */
struct typed {
    FILE *out;
    const char *word, *rest; /* rest: within word */
};

static void word_offer(const struct typed *typed, const char *candidate, const char *after)
{
    size_t length = strlen(typed->rest);
    char text[256];

    snprintf(text, sizeof text, "%s%s", candidate, after);
    if (strncmp(text, typed->rest, length) == 0)
        fprintf(typed->out, "%.*s%s\n", (int)(typed->rest - typed->word), typed->word, text);
}

/* The text after the last of these characters. */
static struct typed after_last(const struct typed *typed, const char *characters)
{
    struct typed after = *typed;

    for (const char *at = typed->rest; *at; at++)
        if (strchr(characters, *at))
            after.rest = at + 1;
    return after;
}

static void take_word(struct line *line, const char *word)
{
    const struct command_row *command = command_find(word);

    if (line->command == COMMAND_SCREEN && line->words == 0 && strcmp(word, "help") == 0)
        line->command = COMMAND_HELP;
    else if (line->command == COMMAND_SCREEN && line->words == 0 && command)
        line->command = command->command;
    else
        line->words++;
}

static struct line read_line(size_t count, char *const *words)
{
    struct line line = {.command = COMMAND_SCREEN};

    for (size_t i = 0; i < count && !line.program; i++) {
        const char *name = words[i] + 2;
        const struct option_row *row;

        if (line.open) {
            line.open = NULL;
        } else if (strcmp(words[i], "--") == 0) {
            line.program = true;
        } else if (strncmp(words[i], "--", 2) == 0) {
            row = option_find(name, strcspn(name, "="));
            line.open = row && option_needs_value(row) && !strchr(name, '=') ? row : NULL;
            if (row && strcmp(row->name, "record") == 0 && line.command == COMMAND_SCREEN)
                line.command = COMMAND_RECORD;
        } else if (words[i][0] != '-') {
            take_word(&line, words[i]);
        }
    }
    return line;
}

/* The words in the table's text for an option's argument: "nvtx:" and "all" in "nvtx:NAME|all". Capitals
 * stand for the user's own text. */
static void offer_argument(const struct typed *typed, const char *argument)
{
    bool list = !strpbrk(argument, "|ABCDEFGHIJKLMNOPQRSTUVWXYZ"); /* "trace,counters,lines" */
    const char *between = list ? "," : "|";
    struct typed last = list ? after_last(typed, ",") : *typed;
    char word[64];

    for (const char *at = argument; *at; at += strspn(at, between)) {
        size_t length = strcspn(at, between), fixed = 0;

        while (fixed < length && !isupper((unsigned char)at[fixed]))
            fixed++;
        if (fixed == length || (fixed > 0 && at[fixed - 1] == ':')) {
            snprintf(word, sizeof word, "%.*s", (int)fixed, at);
            word_offer(&last, word, "");
        }
        at += length;
    }
}

static void offer_metrics(const struct typed *typed)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        word_offer(typed, metric_info((enum metric)i)->id, "");
}

static void offer_counters(const struct typed *typed)
{
    struct typed last = after_last(typed, ",+");

    if (last.rest == typed->rest) {
        word_offer(&last, "on", "");
        word_offer(&last, "off", "");
    }
    for (int i = 0; i < METRIC_GROUP_COUNT; i++)
        word_offer(&last, metric_group_id((enum metric_group)i), "");
    offer_metrics(&last);
}

static void offer_edits(const struct typed *typed)
{
    struct typed last = after_last(typed, ",");

    for (size_t i = 0; replay_edit_at(i); i++)
        word_offer(&last, replay_edit_at(i)->id, "");
}

/* The names of the exercises' files, without their suffixes. */
static void offer_exercises(const struct typed *typed)
{
    static const char folder[] = "workloads/exercises/";
    const struct text_file *file;
    char name[64];

    for (size_t i = 0; (file = text_at(i)); i++) {
        if (strncmp(file->path, folder, sizeof folder - 1) != 0)
            continue;
        snprintf(name, sizeof name, "%s", file->path + sizeof folder - 1);
        name[strcspn(name, ".")] = '\0';
        word_offer(typed, name, "");
    }
}

static void offer_capabilities(const struct typed *typed)
{
    char list[ARCH_LIST_BYTES], *rest = list, *word;

    arch_list(list, sizeof list);
    while ((word = strsep(&rest, ", ")))
        if (*word)
            word_offer(typed, word, "");
}

/* "f32=", "f32[", and after "f32[N]=" the ways to fill an array. */
static void offer_kernel_argument(const struct typed *typed)
{
    const char *fill = strstr(typed->rest, "]=");
    struct typed filled = {typed->out, typed->word, fill ? fill + 2 : typed->rest};

    for (int i = 0; i < KERNEL_TYPE_COUNT && !fill; i++) {
        word_offer(typed, kernel_type_text((enum kernel_type)i), "=");
        word_offer(typed, kernel_type_text((enum kernel_type)i), "[");
    }
    for (int i = 0; i < FILL_FILE && fill; i++)
        word_offer(&filled, kernel_fill_text((enum kernel_fill)i), "");
}

static void offer_models(const struct typed *typed)
{
    for (size_t i = 0; gpu_at(i); i++)
        word_offer(typed, gpu_at(i)->id, "");
}

static void offer_themes(const struct typed *typed)
{
    for (unsigned i = 0; theme_at(i); i++)
        word_offer(typed, theme_at(i)->name, "");
}

static void offer_value(const struct typed *typed, const struct line *line, const struct option_row *row)
{
    static const struct {
        const char *option;
        void (*offer)(const struct typed *typed);
    } offers[] = {{"model", offer_models},    {"cc", offer_capabilities},    {"counters", offer_counters},
                  {"fail-on", offer_metrics}, {"exercise", offer_exercises}, {"arg", offer_kernel_argument},
                  {"theme", offer_themes},    {"edit", offer_edits}};

    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++)
        if (strcmp(row->name, offers[i].option) == 0) {
            offers[i].offer(typed);
            return;
        }
    /* The size of problems; with other commands --size is a snapshot's alone. */
    if (strcmp(row->name, "size") != 0 || line->command == COMMAND_SCREEN || line->command == COMMAND_RECORD)
        offer_argument(typed, row->argument);
}

/* "--na", or "--name=val". */
static void offer_options(const struct typed *typed, const struct line *line)
{
    const char *equals = strchr(typed->word, '=');
    const struct option_row *row;

    if (equals) {
        row = strncmp(typed->word, "--", 2) == 0
                  ? option_find(typed->word + 2, (size_t)(equals - typed->word) - 2)
                  : NULL;
        if (row && row->argument)
            offer_value(&(struct typed){typed->out, typed->word, equals + 1}, line, row);
        return;
    }
    for (size_t i = 0; (row = option_at(i)); i++) {
        char text[64];

        snprintf(text, sizeof text, "--%s", row->name);
        if (line->command == COMMAND_HELP || row->commands & (1u << line->command))
            word_offer(typed, text, "");
    }
}

static bool is_given(const char *word, const char *param)
{
    size_t length = strlen(param);

    for (const char *at = strchr(word, ','); at; at = strchr(at + 1, ','))
        if (strncmp(at + 1, param, length) == 0 && at[1 + length] == '=')
            return true;
    return false;
}

static void offer_params(const struct typed *typed, const struct workload *workload)
{
    const char *equals = strchr(typed->rest, '=');
    char number[24];

    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];
        const int64_t values[] = {param->minimum, param->standard, param->maximum};

        if (!equals) {
            if (!is_given(typed->word, param->name))
                word_offer(typed, param->name, "=");
            continue;
        }
        if (strncmp(typed->rest, param->name, (size_t)(equals - typed->rest)) != 0 ||
            param->name[equals - typed->rest])
            continue;
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            snprintf(number, sizeof number, "%lld", (long long)values[k]);
            if (k == 0 || values[k] != values[k - 1])
                word_offer(&(struct typed){typed->out, typed->word, equals + 1}, number, "");
        }
    }
}

/* WORKLOAD, then its variants, then its parameters: each after the name before it is complete. */
static void offer_workloads(const struct typed *typed)
{
    size_t length = strcspn(typed->word, ":,");
    const char *variant = typed->word[length] == ':' ? typed->word + length + 1 : NULL;
    const char *comma = strchr(typed->word, ',');
    const struct workload *workload;
    char before[128];

    for (size_t i = 0; (workload = workload_at(i)); i++) {
        bool named = !variant; /* the variant, where there is one */
        bool whole = strlen(workload->name) == length && strncmp(workload->name, typed->word, length) == 0;

        if (!variant && !comma)
            word_offer(typed, workload->name, "");
        if (!whole)
            continue;
        if (comma) {
            struct typed param = after_last(typed, ",");

            offer_params(&param, workload);
            continue;
        }
        for (size_t k = 0; k < workload->variant_count; k++) {
            named = named || strcmp(variant, workload->variants[k].name) == 0;
            snprintf(before, sizeof before, "%s:%s", workload->name, workload->variants[k].name);
            word_offer(typed, before, "");
        }
        for (size_t k = 0; k < workload->param_count && named; k++) {
            snprintf(before, sizeof before, "%s,%s", typed->word, workload->params[k].name);
            word_offer(typed, before, "=");
        }
    }
}

void completion_print(FILE *out, size_t count, char *const *words)
{
    const char *word = count > 0 ? words[count - 1] : "";
    struct line line = read_line(count > 0 ? count - 1 : 0, words);
    struct typed typed = {out, word, word};
    const struct command_row *command;
    bool first = line.words == 0;

    if (line.program)
        return;
    if (line.open) {
        offer_value(&typed, &line, line.open);
        return;
    }
    if (*word == '-') {
        offer_options(&typed, &line);
        return;
    }
    for (size_t i = 0; first && (line.command == COMMAND_SCREEN || line.command == COMMAND_HELP) &&
                       (command = command_at(i));
         i++)
        word_offer(&typed, command->name, "");
    if (first && line.command == COMMAND_SCREEN)
        word_offer(&typed, "help", "");
    for (size_t i = 0; first && line.command == COMMAND_COMPLETION && completion_shell(i); i++)
        word_offer(&typed, completion_shell(i), "");
    if (first && line.command == COMMAND_EXERCISE)
        offer_exercises(&typed);
    if (line.command == COMMAND_SCREEN || line.command == COMMAND_RECORD || line.command == COMMAND_DEBUG ||
        line.command == COMMAND_GENERATIONS || (line.command == COMMAND_GATE && line.words > 0))
        offer_workloads(&typed);
}

/* ---- scripts ---- */
/*
 * The script of each shell calls lanescope for the candidates and holds no list of words itself.
 *
 * bash also splits words at ':' and '=', and replaces only the text behind the last of these. The script
 * therefore splits the line again, at blanks, and removes from each candidate the text before that point.
 */

static const char bash_script[] =
    "# lanescope's completion for bash: eval \"$(lanescope completion bash)\"\n"
    "_lanescope() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} program=${1/#\\~\\//$HOME/} breaks=${COMP_WORDBREAKS//[!:=]/}\n"
    "    local words word cut='' candidate\n"
    "    read -r -a words <<<\"$line\"\n"
    "    [[ $line == *[[:blank:]] ]] && words+=('')\n"
    "    word=${words[${#words[@]}-1]}\n"
    "    [[ -n $breaks ]] && cut=${word%\"${word##*[$breaks]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r candidate; do\n"
    "        COMPREPLY+=(\"${candidate#\"$cut\"}\")\n"
    "        case $candidate in *[:=[]) compopt -o nospace 2>/dev/null ;; esac\n"
    "    done < <(\"$program\" --complete \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -o default -o nosort -F _lanescope lanescope\n";

static const char zsh_script[] =
    "#compdef lanescope\n"
    "# lanescope's completion for zsh, after compinit: eval \"$(lanescope completion zsh)\"\n"
    "_lanescope() {\n"
    "    local -a whole open\n"
    "    local candidate\n"
    "    for candidate in ${(f)\"$(${~words[1]} --complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"}; do\n"
    "        case $candidate in\n"
    "        *[:=[]) open+=(\"$candidate\") ;;\n"
    "        *) whole+=(\"$candidate\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ${#whole} + ${#open} )) || { _default; return }\n"
    "    compadd -- \"${(@)whole}\"\n"
    "    compadd -S '' -- \"${(@)open}\"\n"
    "}\n"
    "if [[ $funcstack[1] == _lanescope ]]; then _lanescope; else compdef _lanescope lanescope; fi\n";

static const char fish_script[] = "# lanescope's completion for fish: lanescope completion fish | source\n"
                                  "function __lanescope_complete\n"
                                  "    set -l words (commandline -opc) (commandline -ct)\n"
                                  "    set -l found ($words[1] --complete $words[2..-1] 2>/dev/null)\n"
                                  "    if set -q found[1]\n"
                                  "        printf '%s\\n' $found\n"
                                  "    else\n"
                                  "        __fish_complete_path (commandline -ct)\n"
                                  "    end\n"
                                  "end\n"
                                  "complete -c lanescope -f -a '(__lanescope_complete)'\n";

static const struct {
    const char *name, *script;
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

#define SHELLS (sizeof shells / sizeof *shells)

const char *completion_shell(size_t index)
{
    return index < SHELLS ? shells[index].name : NULL;
}

enum status completion_script(FILE *out, const char *shell, struct error *error)
{
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(shell, shells[i].name) == 0) {
            fputs(shells[i].script, out);
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_USAGE, "There is no completion for \"%.80s\": give bash, zsh or fish.",
                     shell);
}
