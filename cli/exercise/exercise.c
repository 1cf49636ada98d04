/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is written with O_EXCL: what a student has written is never replaced.
 *
 * Verdicts are printed as text, one hand-in in full, for the student; many as a table, for the teacher; and
 * as JSON (docs/grade.schema.json). File names are text from outside, so columns are counted in cells. Errors
 * stay in the stream.
 */
#include "cli/exercise/exercise.h"

#include "cli/exercise/hand_in.h"
#include "cli/options/terminal.h"
#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"
#include "cli/own/compile.h"
#include "cli/process/paths.h"
#include "core/base/append.h"
#include "core/base/clock.h"
#include "core/base/name_distance.h"
#include "tui/terminal/text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_CELLS_MOST 40
#define EXERCISE_CELLS 12
#define FIGURE_CELLS 30
#define NUMBER_CELLS 14
#define HINT_LEAD "      hint: "
#define ROW_SENTENCE_BYTES (GRADE_SENTENCE_BYTES + 100)
#define ROW_SENTENCE_CUT 160 /* the whole is in the JSON, with --full, and said of a single file */

/* The text in lines of at most `columns`, those after the first with `indent` blanks before them; the first
 * line has `indent` cells already. */
static void print_wrapped_text(const char *text, int indent, int columns, FILE *out)
{
    const size_t room = columns > indent + 20 ? (size_t)(columns - indent) : 20;
    char line[400];

    while (*text) {
        size_t length = strlen(text);

        if (length > room) {
            for (length = room; length > 0 && text[length] != ' ';)
                length--;
            if (length == 0)
                length = strcspn(text, " ");
        }
        if (length >= sizeof line)
            length = sizeof line - 1;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        text_print(line, out);
        text += length;
        text += strspn(text, " ");
        if (*text)
            fprintf(out, "\n%*s", indent, "");
    }
    putc('\n', out);
}

static void print_cells(const char *text, int cells, FILE *out)
{
    int used = text_width(text, cells);

    text_print(text, out);
    fprintf(out, "%*s", used < cells ? cells - used : 1, "");
}

static const char *exercise_name(const struct grade *grade)
{
    return grade->exercise ? grade->exercise->name : "-";
}

static void figure_text(const struct grade_goal *goal, char *text, size_t size_bytes)
{
    if (isnan(goal->figure))
        snprintf(text, size_bytes, "n/a");
    else
        exercise_figure_text(goal->goal->figure, goal->figure, text, size_bytes);
}

/* ---- one ---- */
static void print_goals(const struct grade *grade, FILE *out)
{
    char number[40], limit[40];

    for (size_t i = 0; i < grade->goal_count; i++) {
        const struct exercise_goal *goal = grade->goals[i].goal;

        figure_text(&grade->goals[i], number, sizeof number);
        exercise_figure_text(goal->figure, goal->limit, limit, sizeof limit);
        fprintf(out, "  %-3s %-*s%*s   %s %s%s%s%s\n", grade->goals[i].reached ? "ok" : "no", FIGURE_CELLS,
                exercise_figure_title(goal->figure), NUMBER_CELLS, number,
                goal->at_least ? "at least" : "at most", limit, goal->note ? " (" : "",
                goal->note ? goal->note : "", goal->note ? ")" : "");
    }
}

/* The line that does not compile, and the caret below it. */
static void print_source(const struct grade *grade, int indent, FILE *out)
{
    char text[sizeof grade->source], *lines = text, *line;

    memcpy(text, grade->source, sizeof text);
    while ((line = strsep(&lines, "\n")) && *line) {
        fprintf(out, "%*s", indent, "");
        text_print(line, out);
        putc('\n', out);
    }
}

static void grade_print(const struct grade_job *job, int columns, FILE *out)
{
    const struct grade *grade = &job->grade;

    text_print(job->path, out);
    fprintf(out, ": %s%s%s\n", grade->exercise ? "exercise " : "",
            grade->exercise ? grade->exercise->name : "no exercise",
            grade->outcome == OUTCOME_PASSED ? ": passed" : "");
    if (grade->outcome != OUTCOME_PASSED)
        fprintf(out, "  not yet: %s\n", outcome_text(grade->outcome));
    if (*grade->sentence) {
        fputs("  ", out);
        print_wrapped_text(grade->sentence, 2, columns, out);
    }
    print_source(grade, 2, out);
    print_goals(grade, out);
    if (grade->hint) {
        fputs("  hint: ", out);
        print_wrapped_text(grade->hint, (int)strlen("  hint: "), columns, out);
    }
}

/* ---- many ---- */
/* What is short, in a row of the table: "load sectors 8,192 (at most 2,048)". */
static void short_text(const struct grade *grade, char *text, size_t size_bytes)
{
    char number[40], limit[40];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < grade->goal_count; i++) {
        const struct exercise_goal *goal = grade->goals[i].goal;

        if (grade->goals[i].reached)
            continue;
        figure_text(&grade->goals[i], number, sizeof number);
        exercise_figure_text(goal->figure, goal->limit, limit, sizeof limit);
        append_text(text, size_bytes, &used, "%s%s %s (%s %s)", used ? ", " : "",
                    exercise_figure_title(goal->figure), number, goal->at_least ? "at least" : "at most",
                    limit);
    }
}

static void row_sentence(const struct grade *grade, char *text, size_t size_bytes)
{
    if (grade->other)
        snprintf(text, size_bytes, "%s", grade->sentence);
    else if (grade->outcome == OUTCOME_SHORT)
        short_text(grade, text, size_bytes);
    else if (grade->outcome == OUTCOME_PASSED)
        snprintf(text, size_bytes, "passed");
    else if (grade->finding && grade->line)
        snprintf(text, size_bytes, "%s, line %u", grade->finding, grade->line);
    else if (grade->outcome == OUTCOME_WRONG)
        snprintf(text, size_bytes, "%s: %s", outcome_text(grade->outcome), grade->sentence);
    else
        snprintf(text, size_bytes, "%s", grade->sentence);
}

static void print_row(const struct grade_job *job, int file_cells, bool full, int columns, FILE *out)
{
    const struct grade *grade = &job->grade;
    const int indent = file_cells + 2 + EXERCISE_CELLS + 4;
    char sentence[ROW_SENTENCE_BYTES];

    print_cells(job->path, file_cells + 2, out);
    print_cells(exercise_name(grade), EXERCISE_CELLS, out);
    fputs(grade->outcome == OUTCOME_PASSED ? "ok  " : "no  ", out);
    row_sentence(grade, sentence, sizeof sentence);
    if (!full && strlen(sentence) > ROW_SENTENCE_CUT)
        strcpy(sentence + ROW_SENTENCE_CUT - 3, "...");
    print_wrapped_text(sentence, indent, columns, out);
    if (full)
        print_source(grade, indent, out);
    if (full && grade->hint) {
        fputs(HINT_LEAD, out);
        print_wrapped_text(grade->hint, (int)strlen(HINT_LEAD), columns, out);
    }
}

/* hints: below each row that is short. */
static void grades_print_table(const struct grade_job *jobs, size_t count, enum confinement how,
                               double seconds, bool hints, int columns, FILE *out)
{
    size_t of[OUTCOME_COUNT] = {0};
    char confined[200];
    int file_cells = (int)strlen("hand-in");

    for (size_t i = 0; i < count; i++) {
        int cells = text_width(jobs[i].path, FILE_CELLS_MOST);

        file_cells = cells > file_cells ? cells : file_cells;
        of[jobs[i].grade.outcome]++;
    }
    print_cells("hand-in", file_cells + 2, out);
    print_cells("exercise", EXERCISE_CELLS, out);
    fputs("    result\n", out);
    for (size_t i = 0; i < count; i++)
        print_row(&jobs[i], file_cells, hints, columns, out);
    fprintf(out, "\n%zu of %zu passed", of[OUTCOME_PASSED], count);
    for (enum outcome outcome = OUTCOME_SHORT; outcome < OUTCOME_COUNT; outcome++)
        if (of[outcome])
            fprintf(out, "; %s: %zu", outcome_text(outcome), of[outcome]);
    fprintf(out, "; %.1f s\n", seconds);
    snprintf(confined, sizeof confined, "The compiler was %s.", confinement_text(how));
    print_wrapped_text(confined, 0, columns, out);
}

#define FILES_MAX 1000
#define NAME_CELLS 12
#define LIST_INDENT 22

/* ---- the list ---- */
static void print_list(FILE *out)
{
    int columns = terminal_columns();

    fputs("  exercise     min   aim\n", out);
    for (size_t i = 0; exercise_at(i); i++) {
        const struct exercise *exercise = exercise_at(i);

        fprintf(out, "  %-*s %3u   ", NAME_CELLS, exercise->name, exercise->minutes);
        print_wrapped_text(exercise->aim, LIST_INDENT - 1, columns, out);
    }
    fputs("\nlanescope exercise NAME writes the file to work on; lanescope exercise NAME FILE checks it.\n",
          out);
}

/* clang-format off */
static const struct sheet_column exercise_columns[] = {
    {"exercise", "exercise", "its name", SHEET_TEXT, SHEET_NEITHER, 20, 0, false},
    {"minutes", "min", "minutes that it takes, about", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"workload", NULL, "what a hand-in is run with", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"goals", "goals", "goals beside a right result", SHEET_COUNT, SHEET_NEITHER, 5, 1, false},
    {"aim", "aim", "what is to be done", SHEET_SENTENCE, SHEET_NEITHER, 50, 0, false}};
/* clang-format on */

static enum status make_exercises(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from, (void)error;
    for (size_t i = 0; exercise_at(i); i++) {
        const struct exercise *exercise = exercise_at(i);
        sheet_row(to, (const struct sheet_cell[]){{.text = exercise->name},
                                                  {.number = exercise->minutes},
                                                  {.text = exercise->workload},
                                                  {.number = (double)exercise_goal_count(exercise)},
                                                  {.text = exercise->aim}});
    }
    return STATUS_OK;
}

static const struct sheet sheet_exercises = {.id = "exercises",
                                             .title = "Exercises",
                                             SHEET_COLUMNS(exercise_columns),
                                             .none = "exercises: none",
                                             .rows = make_exercises};

const struct sheet *exercise_sheet_at(size_t index)
{
    return index == 0 ? &sheet_exercises : NULL;
}

/* ---- writing one ---- */
static enum status write_exercise(const struct exercise *exercise, struct error *error)
{
    char path[64];

    snprintf(path, sizeof path, "%s.cu", exercise->name);
    FILE *file = fopen(path, "wx");

    if (!file && errno == EEXIST)
        return error_set(
            error, STATUS_USAGE,
            "%s is here already, and is not replaced: lanescope exercise %s %s checks it. Move it away "
            "to begin anew.",
            path, exercise->name, path);
    if (!file)
        return error_set_errno(error, STATUS_IO, errno, "%s could not be written to this folder", path);
    char *text = exercise_file_text(exercise);
    bool failed = !text || fputs(text, file) < 0 || ferror(file) != 0;

    free(text);
    if (fclose(file) != 0 || failed) {
        unlink(path);
        return error_set(error, STATUS_IO, "%s could not be written completely: is the disk full?", path);
    }
    printf("wrote %s: about %u minutes\n  %s\n  Its head names the goal. Edit it, then: lanescope exercise "
           "%s %s\n",
           path, exercise->minutes, exercise->aim, exercise->name, path);
    return STATUS_OK;
}

static enum status find_exercise(const char *name, const struct exercise **exercise, struct error *error)
{
    const char *nearest = "";
    size_t least = SIZE_MAX;

    *exercise = exercise_find(name);
    if (*exercise)
        return STATUS_OK;
    for (size_t i = 0; exercise_at(i); i++)
        if (name_is_nearer(name, exercise_at(i)->name, &least))
            nearest = exercise_at(i)->name;
    if (!*nearest)
        return error_set(error, STATUS_USAGE,
                         "There is no exercise \"%.80s\": lanescope exercise lists them.", name);
    return error_set(error, STATUS_USAGE,
                     "There is no exercise \"%.80s\": did you mean %s? lanescope exercise lists them.", name,
                     nearest);
}

/* ---- hand-ins as sheets ---- */
struct judged {
    const struct grade_job *jobs;
    size_t count;
    enum confinement how;
    double seconds;
};

/* clang-format off */
static const struct sheet_column hand_in_columns[] = {
    {"file", "hand-in", "the hand-in", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"exercise", "exercise", "its exercise; null: not known", SHEET_TEXT, SHEET_NEITHER, 20, 1, false},
    {"outcome", "outcome", "passed, short, wrong, fault, not_compiled, limit or unreadable", SHEET_TEXT, SHEET_NEITHER, 16, 0, false},
    {"passed", NULL, "is the outcome passed", SHEET_YES, SHEET_MORE, 0, 0, false},
    {"seconds", NULL, "wall time of this one", SHEET_NUMBER, SHEET_LESS, 0, 0, false},
    {"input", NULL, "other: outcome and sentence are of the second run, whose input and size were drawn; shown: of the run that the exercise names", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"other_input", NULL, "workload of the second run, as on the command line; null: nothing was run", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"source", NULL, "not_compiled: the line of the first error and, below it, a caret; null: not known", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"finding", NULL, "what the checks report; null: nothing", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"line", NULL, "line of the finding; null: not known", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"hint", NULL, "what helps; null: no hint fits", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"sentence", "what was found", "what happened, in a sentence; null: the goals say it", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false}};
static const struct sheet_column goal_columns[] = {
    {"file", "hand-in", "the hand-in", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"figure", "goal", "id of the metric (docs/metrics.md), or copy_hidden_pct", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"number", "number", "its number; null: not known", SHEET_NUMBER, SHEET_NEITHER, 12, 0, false},
    {"at_least", "at least", "is the limit the least; else it is the most", SHEET_YES, SHEET_NEITHER, 8, 1, false},
    {"limit", "limit", "the limit", SHEET_NUMBER, SHEET_NEITHER, 12, 0, false},
    {"reached", "reached", "is it reached", SHEET_YES, SHEET_NEITHER, 7, 0, false}};
static const struct sheet_column class_columns[] = {
    {"hand_ins", "hand-ins", "how many were judged", SHEET_COUNT, SHEET_NEITHER, 8, 0, false},
    {"passed", "passed", "how many passed", SHEET_COUNT, SHEET_MORE, 8, 0, false},
    {"seconds", "seconds", "wall time of all", SHEET_NUMBER, SHEET_LESS, 8, 0, false},
    {"confinement", "compiler", "what a hand-in can include: namespace, landlock or none (docs/exercises.md)", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static enum status make_hand_ins(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct judged *judged = from;
    (void)error;
    for (size_t i = 0; i < judged->count; i++) {
        const struct grade *grade = &judged->jobs[i].grade;
        char sentence[2 * GRADE_SENTENCE_BYTES];
        row_sentence(grade, sentence, sizeof sentence);
        const struct sheet_cell cells[] = {
            {.text = judged->jobs[i].path},
            {.text = grade->exercise ? grade->exercise->name : NULL},
            {.text = outcome_text(grade->outcome), .id = outcome_id(grade->outcome)},
            {.number = grade->outcome == OUTCOME_PASSED},
            {.number = grade->seconds},
            {.text = grade->other ? "other" : "shown"},
            {.text = *judged->jobs[i].other.text ? judged->jobs[i].other.text : NULL},
            {.text = *grade->source ? grade->source : NULL},
            {.text = grade->finding},
            {.number = grade->line > 0 ? grade->line : (double)NAN},
            {.text = grade->hint},
            {.text = sentence, .id = *grade->sentence ? grade->sentence : NULL}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static enum status make_goals(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct judged *judged = from;
    (void)error;
    for (size_t i = 0; i < judged->count; i++) {
        const struct grade *grade = &judged->jobs[i].grade;
        for (size_t k = 0; k < grade->goal_count; k++) {
            const struct grade_goal *goal = &grade->goals[k];
            sheet_row(to, (const struct sheet_cell[]){{.text = judged->jobs[i].path},
                                                      {.text = exercise_figure_title(goal->goal->figure),
                                                       .id = exercise_figure_id(goal->goal->figure)},
                                                      {.number = goal->figure},
                                                      {.number = goal->goal->at_least},
                                                      {.number = goal->goal->limit},
                                                      {.number = goal->reached}});
        }
    }
    return STATUS_OK;
}

static enum status make_class(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct judged *judged = from;
    size_t passed = 0;
    (void)error;
    for (size_t i = 0; i < judged->count; i++)
        passed += judged->jobs[i].grade.outcome == OUTCOME_PASSED;
    sheet_row(to, (const struct sheet_cell[]){
                      {.number = (double)judged->count},
                      {.number = (double)passed},
                      {.number = judged->seconds},
                      {.text = confinement_text(judged->how), .id = confinement_id(judged->how)}});
    return STATUS_OK;
}

static const struct sheet judged_sheets[] = {{.id = "grades",
                                              .title = "Hand-ins and what was found",
                                              SHEET_COLUMNS(hand_in_columns),
                                              .none = "grades: no hand-in",
                                              .rows = make_hand_ins},
                                             {.id = "goals",
                                              .title = "Counts of the hand-ins beside their goals",
                                              SHEET_COLUMNS(goal_columns),
                                              .none = "goals: no hand-in with a right result has one",
                                              .rows = make_goals},
                                             {.id = "class",
                                              .title = "All hand-ins together",
                                              SHEET_COLUMNS(class_columns),
                                              .none = "class: no hand-in",
                                              .rows = make_class}};

static const struct sheet *judged_sheet_at(size_t index)
{
    return index < sizeof judged_sheets / sizeof *judged_sheets ? &judged_sheets[index] : NULL;
}

const struct sheet_document grade_document = {
    .title = "lanescope grade --json",
    .description = "Also of lanescope exercise NAME FILE --json. null means: not known or not there.",
    .version = 2,
    .list = judged_sheet_at};

static double limit_of(const struct options *options)
{
    return options->time_limit_s > 0 ? options->time_limit_s : GRADE_SECONDS;
}

static bool all_passed(const struct grade_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].grade.outcome != OUTCOME_PASSED)
            return false;
    return true;
}

static enum status check_compiler(const struct grade_job *jobs, size_t count, struct error *error)
{
    char path[PATH_BYTES];
    bool needed = false, nvrtc;

    for (size_t i = 0; i < count; i++)
        needed |= grade_needs_compiler(jobs[i].path);
    struct error none = {0};
    enum status status = needed ? compile_find(path, &nvrtc, &none) : STATUS_OK;

    return status == STATUS_OK
               ? STATUS_OK
               : error_set(error, status,
                           "Hand-ins are compiled. %.600s A file of PTX, FILE.ptx, needs none.", none.text);
}

static enum status run_and_print(struct grade_job *jobs, size_t count, const struct options *options,
                                 int *exit_status, struct error *error)
{
    const int64_t begun_ns = clock_monotonic_ns();
    enum confinement how;
    enum status status = check_compiler(jobs, count, error);

    if (status == STATUS_OK)
        status = grade_run(jobs, count, limit_of(options), &how, error);
    double seconds = (double)(clock_monotonic_ns() - begun_ns) / 1e9;

    if (status != STATUS_OK)
        return status;
    const struct judged judged = {jobs, count, how, seconds};
    const struct sheet_look look = {.form = SHEET_FORM_JSON};
    if (options->table)
        status = sheet_option_print(judged_sheet_at, &judged, options, stdout, error);
    else if (options->format == REPORT_JSON)
        status = sheet_document_print(&grade_document, &judged, &look, stdout, error);
    else if (options->command == COMMAND_EXERCISE)
        grade_print(&jobs[0], terminal_columns(), stdout);
    else
        grades_print_table(jobs, count, how, seconds, options->full, terminal_columns(), stdout);
    *exit_status = all_passed(jobs, count) ? EXIT_FINE : EXIT_CHECK;
    return status;
}

enum status exercise_command(const struct options *options, int *exit_status, struct error *error)
{
    struct grade_job job = {0};

    if (options->workload_count == 0 && options->table)
        return sheet_option_print(exercise_sheet_at, NULL, options, stdout, error);
    if (options->workload_count == 0) {
        print_list(stdout);
        return STATUS_OK;
    }
    enum status status = find_exercise(options->workloads[0], &job.exercise, error);

    if (status != STATUS_OK || options->workload_count == 1)
        return status != STATUS_OK ? status : write_exercise(job.exercise, error);
    job.path = options->workloads[1];
    if (access(job.path, F_OK) != 0)
        return error_set_errno(error, STATUS_USAGE, errno, "%.300s could not be found", job.path);
    return run_and_print(&job, 1, options, exit_status, error);
}

/* ---- many ---- */
struct file_list {
    char **paths;
    size_t count, room;
};

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_path(struct file_list *list, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;

    memory_grow(list->paths, list->room, list->count, 1);
    char *path = memory_zeroed(size, 1);

    snprintf(path, size, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] != '/' ? "/" : "", name);
    list->paths[list->count++] = path;
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);

    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* Its files whose names end as those of exercises do, in order of their names. */
static enum status add_folder(struct file_list *list, const char *path, struct error *error)
{
    DIR *folder = opendir(path);
    const size_t before = list->count;
    struct dirent *entry;

    if (!folder)
        return error_set_errno(error, STATUS_IO, errno, "The folder %.300s could not be read", path);
    while ((entry = readdir(folder)) && list->count <= FILES_MAX)
        if (ends_in(entry->d_name, ".cu"))
            add_path(list, path, entry->d_name);
    closedir(folder);
    if (list->count > before)
        qsort(list->paths + before, list->count - before, sizeof *list->paths, compare_paths);
    return STATUS_OK;
}

static enum status add_files(struct file_list *list, const struct options *options, struct error *error)
{
    for (size_t i = 0; i < options->workload_count; i++) {
        const char *path = options->workloads[i];
        struct stat facts;
        enum status status = STATUS_OK;

        if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
            status = add_folder(list, path, error);
        else
            add_path(list, "", path);
        if (status != STATUS_OK)
            return status;
    }
    if (list->count == 0)
        return error_set(error, STATUS_USAGE, "%.300s has no file of an exercise: their names end in .cu.",
                         options->workloads[0]);
    if (list->count > FILES_MAX)
        return error_set(error, STATUS_USAGE, "These are more than %d files: grade them in parts.",
                         FILES_MAX);
    return STATUS_OK;
}

enum status grade_command(const struct options *options, int *exit_status, struct error *error)
{
    struct file_list list = {0};
    const struct exercise *exercise = NULL;
    enum status status = options->exercise ? find_exercise(options->exercise, &exercise, error) : STATUS_OK;

    if (status == STATUS_OK)
        status = add_files(&list, options, error);
    if (status == STATUS_OK) {
        struct grade_job *jobs = memory_zeroed(list.count, sizeof *jobs);

        for (size_t i = 0; i < list.count; i++)
            jobs[i] = (struct grade_job){.path = list.paths[i], .exercise = exercise};
        status = run_and_print(jobs, list.count, options, exit_status, error);
        free(jobs);
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.paths[i]);
    free(list.paths);
    return status;
}
