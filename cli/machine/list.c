/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of workloads and the table of modelled GPUs as sheets; the text is some of them. */
#include "cli/machine/list.h"

#include "core/metric/metric.h"
#include "simt/timing/gpu.h"
#include "tui/frame/glossary.h"
#include "tui/frame/lesson_script.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <math.h>
#include <string.h>

/* clang-format off */
static const struct sheet_column workload_columns[] = {
    {"name", "workload", "name of the workload", SHEET_TEXT, SHEET_NEITHER, 20, 0, false},
    {"chapter", NULL, "letter of its chapter", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"chapter_name", "chapter", "its chapter", SHEET_TEXT, SHEET_NEITHER, 30, 2, false},
    {"reading", "lesson", "number of its lesson, in the order of reading", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"lesson_minutes", "min", "minutes that the lesson takes", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"devices_needed", "GPUs", "devices that it needs", SHEET_COUNT, SHEET_NEITHER, 4, 3, false},
    {"meaning", NULL, "what it teaches", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"title", "what it shows", "what it shows", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false}};
static const struct sheet_column variant_columns[] = {
    {"workload", "workload", "name of the workload", SHEET_TEXT, SHEET_NEITHER, 20, 0, false},
    {"variant", "variant", "name of the variant", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},
    {"meaning", "what it does", "what it does", SHEET_SENTENCE, SHEET_NEITHER, 40, 0, false}};
static const struct sheet_column parameter_columns[] = {
    {"workload", "workload", "name of the workload", SHEET_TEXT, SHEET_NEITHER, 20, 0, false},
    {"parameter", "parameter", "name of the parameter", SHEET_TEXT, SHEET_NEITHER, 10, 0, false},
    {"minimum", "least", "the least value", SHEET_NUMBER, SHEET_NEITHER, 5, 0, false},
    {"maximum", "most", "the largest value", SHEET_NUMBER, SHEET_NEITHER, 10, 0, false},
    {"default", "default", "without it; 0 of a size: as the device is", SHEET_NUMBER, SHEET_NEITHER, 8, 0, false},
    {"unit", "unit", "its unit", SHEET_TEXT, SHEET_NEITHER, 10, 1, false},
    {"meaning", "what it is", "what it is", SHEET_SENTENCE, SHEET_NEITHER, 24, 0, false}};
static const struct sheet_column model_columns[] = {
    {"id", "--model", "name for --model; the first is the default", SHEET_TEXT, SHEET_NEITHER, 12, 0, false},
    {"compute_capability", "cc", "compute capability", SHEET_TEXT, SHEET_NEITHER, 5, 0, false},
    {"multiprocessors", "SMs", "multiprocessors", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"name", "modelled GPU", "the GPU's name", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
static const struct sheet_column catalogue_columns[] = {
    {"metric", "metric", "id of the metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 40, 0, false},
    {"title", NULL, "its title", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"unit", "unit", "its unit", SHEET_TEXT, SHEET_NEITHER, 12, 1, false},
    {"group", NULL, "group of the panel", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"derived", "derived", "is it computed from others", SHEET_YES, SHEET_NEITHER, 7, 3, false},
    {"exact", "exact", "is it a count that the device model and a GPU agree on", SHEET_YES, SHEET_NEITHER, 5, 3, false},
    {"taught", "taught by", "the workload that teaches it; null: none", SHEET_TEXT, SHEET_NEITHER, 16, 2, false},
    {"formula", NULL, "how it is computed from counters", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"meaning", "what it is", "what it is", SHEET_SENTENCE, SHEET_NEITHER, 30, 0, false}};
static const struct sheet_column term_columns[] = {
    {"term", "term", "the term", SHEET_TEXT, SHEET_NEITHER, 22, 0, false},
    {"meaning", "what it means", "what it means", SHEET_SENTENCE, SHEET_NEITHER, 60, 0, false}};
static const struct sheet_column syllabus_columns[] = {
    {"document", NULL, "the document: guide, fermi, course, slides, article", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"step", "step", "number of the step in the document's order", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"title", "in the document's order", "title of the step", SHEET_TEXT, SHEET_NEITHER, 28, 0, false},
    {"workload", "lesson", "the workload that it runs, whose lesson has the point; null: the step is text", SHEET_TEXT, SHEET_NEITHER, 18, 0, false},
    {"lesson_minutes", "min", "minutes that this lesson takes", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"run", "lanescope ...", "what it runs: words for lanescope", SHEET_TEXT, SHEET_NEITHER, 32, 2, false}};
/* clang-format on */

static const char *const documents[] = {"guide", "fermi", "course", "slides", "article"};

static const char *chosen_document; /* of the sheet of syllabi; NULL: all of them */

enum status list_document_choose(const char *name, struct error *error)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (strcmp(name, documents[i]) == 0) {
            chosen_document = documents[i];
            return STATUS_OK;
        }
    return error_set(
        error, STATUS_USAGE,
        "There is no document '%.60s': --document takes guide, fermi, course, slides or article.", name);
}

/* The workload of "--model m2090 copy-offset:copy,offset=0"; NULL: none of its words names one. */
static const struct workload *workload_of_run(const char *run)
{
    char words[LESSON_LINE_MAX + 1], *rest = words;
    const struct workload *workload = NULL;

    snprintf(words, sizeof words, "%s", run);
    for (char *word; !workload && (word = strsep(&rest, " "));) {
        word[strcspn(word, ":,")] = '\0';
        workload = workload_find(word);
    }
    return workload;
}

static void add_step(const struct lesson_script *script, uint32_t step, const char *document,
                     struct sheet_sink *to)
{
    const struct workload *workload = NULL;
    const char *run = NULL;

    for (uint32_t i = 0; i < script->steps[step].count && !run; i++) {
        const struct lesson_line *line = &script->lines[script->steps[step].first + i];

        if (line->kind == LESSON_RUN)
            run = line->text;
    }
    if (run)
        workload = workload_of_run(run);
    sheet_row(to, (const struct sheet_cell[]){
                      {.text = document},
                      {.number = step + 1},
                      {.text = script->steps[step].title},
                      {.text = workload ? workload->name : NULL},
                      {.number = workload ? text_lesson_minutes(workload->name) : (double)NAN},
                      {.text = run}});
}

static enum status make_syllabus(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        char path[64];
        struct lesson_script script;

        if (chosen_document && strcmp(chosen_document, documents[i]) != 0)
            continue;
        snprintf(path, sizeof path, "docs/syllabi/%s.lesson", documents[i]);
        const struct text_file *file = text_find(path);
        if (!file)
            return error_set(error, STATUS_STATE, "This lanescope has no %s.", path);
        if (lesson_script_read(&script, path, file->text, strlen(file->text), error) != STATUS_OK)
            return error->status;
        char title[200];
        snprintf(title, sizeof title, "%s  %s: lanescope present %s", documents[i], script.title,
                 documents[i]);
        sheet_group(to, title);
        for (uint32_t step = 0; step < script.step_count; step++)
            add_step(&script, step, documents[i], to);
        lesson_script_free(&script);
    }
    return STATUS_OK;
}

static enum status make_workloads(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct workload *workload;
    (void)from, (void)error;
    for (size_t i = 0; (workload = workload_at(i)); i++) {
        if (i == 0 || workload->chapter != workload_at(i - 1)->chapter) {
            char chapter[100];
            snprintf(chapter, sizeof chapter, "%s  %s", chapter_letter(workload->chapter),
                     chapter_name(workload->chapter));
            sheet_group(to, chapter);
        }
        const struct sheet_cell cells[] = {{.text = workload->name},
                                           {.text = chapter_letter(workload->chapter)},
                                           {.text = chapter_name(workload->chapter)},
                                           {.number = (double)i + 1},
                                           {.number = text_lesson_minutes(workload->name)},
                                           {.number = workload->devices_needed},
                                           {.text = workload->meaning},
                                           {.text = workload->title}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static enum status make_variants(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct workload *workload;
    (void)from, (void)error;
    for (size_t i = 0; (workload = workload_at(i)); i++)
        for (size_t k = 0; k < workload->variant_count; k++)
            sheet_row(to, (const struct sheet_cell[]){{.text = workload->name},
                                                      {.text = workload->variants[k].name},
                                                      {.text = workload->variants[k].meaning}});
    return STATUS_OK;
}

static enum status make_parameters(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct workload *workload;
    (void)from, (void)error;
    for (size_t i = 0; (workload = workload_at(i)); i++) {
        for (size_t k = 0; k < workload->param_count; k++) {
            const struct workload_param *param = &workload->params[k];
            const struct sheet_cell cells[] = {
                {.text = workload->name},
                {.text = param->name},
                {.number = (double)param->minimum},
                {.number = (double)param->maximum},
                {.number = (double)param->standard, .text = workload_param_is_size(param) ? "auto" : NULL},
                {.text = param->unit ? param->unit : ""},
                {.text = param->meaning}};
            sheet_row(to, cells);
        }
    }
    return STATUS_OK;
}

static enum status make_models(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from, (void)error;
    for (size_t i = 0; gpu_at(i); i++) {
        const struct device_info *info = &gpu_at(i)->info;
        struct capability_text capability = capability_text(info->compute_capability);
        sheet_row(to, (const struct sheet_cell[]){{.text = gpu_at(i)->id},
                                                  {.text = capability.text},
                                                  {.number = info->multiprocessors},
                                                  {.text = info->name}});
    }
    return STATUS_OK;
}

static enum status make_catalogue(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from, (void)error;
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        const struct metric_info *info = metric_info(metric);
        const struct sheet_cell cells[] = {
            {.text = info->id},        {.text = info->title},
            {.text = info->unit},      {.text = metric_group_text(info->group)},
            {.number = info->derived}, {.number = info->exact},
            {.text = info->taught},    {.text = info->formula},
            {.text = info->meaning}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static enum status make_terms(const void *from, struct sheet_sink *to, struct error *error)
{
    struct glossary_term term;
    (void)from, (void)error;
    for (uint32_t i = 0; glossary_at(text_glossary(), i, &term); i++)
        sheet_row(to, (const struct sheet_cell[]){{.text = term.term}, {.text = term.meaning}});
    return STATUS_OK;
}

#define LISTED(name, words, list, function)                                                      \
    {                                                                                            \
        .id = name, .title = words, SHEET_COLUMNS(list), .none = name ": none", .rows = function \
    }
static const struct sheet sheets[] = {
    LISTED("workloads", "Bundled workloads, in the order of their lessons", workload_columns, make_workloads),
    LISTED("variants", "Variants of the workloads", variant_columns, make_variants),
    LISTED("parameters", "Parameters of the workloads", parameter_columns, make_parameters),
    LISTED("models", "GPUs that the device model imitates", model_columns, make_models),
    LISTED("catalogue", "Metrics: what each is, and how it is computed", catalogue_columns, make_catalogue),
    LISTED("glossary", "Terms, and what they mean", term_columns, make_terms),
    LISTED("syllabus", "The five documents in their own order, and what shows each step", syllabus_columns,
           make_syllabus)};

const struct sheet *list_sheet_at(size_t index)
{
    return index < sizeof sheets / sizeof *sheets ? &sheets[index] : NULL;
}

const struct sheet_document list_document = {
    .title = "lanescope list --json",
    .description =
        "The bundled workloads, the GPUs that the device model imitates, the metrics, the glossary and the syllabi.",
    .version = 2,
    .list = list_sheet_at};

enum status list_workloads(FILE *out, bool json, struct error *error)
{
    if (json)
        return sheet_document_print(&list_document, NULL, &(struct sheet_look){0}, out, error);
    /* of the first sheets */
    static const struct part {
        const char *heading, *fields, *below;
    } parts[] = {
        {"The lessons are listed in the order in which to read them; e shows one on the screen.\n\n",
         "name,reading,lesson_minutes,devices_needed,title", "meaning"},
        {"\nvariants\n", NULL, NULL},
        {"\nparameters\n", NULL, NULL},
        {"\ndevices: cuda, an NVIDIA GPU: numbers are measured; simt, the device model on the CPU: they are "
         "modelled\n(--model: the first if it is not given)\n",
         NULL, NULL}};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof parts / sizeof *parts; i++)
        status = sheet_print_part(parts[i].heading, &sheets[i], NULL,
                                  &(struct sheet_look){.fields = parts[i].fields, .below = parts[i].below},
                                  true, out, error);
    fputs("\nRun one:  lanescope copy-stride,stride=1..32      A list of values: lanescope "
          "'copy-stride,stride=1|2|32'\n",
          out);
    return status;
}

enum status list_terms(FILE *out, const char *word, struct error *error)
{
    const char *text = text_glossary();
    struct glossary_term term;
    bool found = false;

    for (uint32_t i = 0; glossary_at(text, i, &term); i++) {
        if (!strcasestr(term.term, word) && !strcasestr(term.meaning, word))
            continue;
        fprintf(out, "%s\n    %s\n", term.term, term.meaning);
        found = true;
    }
    return found ? STATUS_OK
                 : error_set(error, STATUS_USAGE,
                             "The glossary has no \"%.80s\": lanescope glossary prints all terms.", word);
}
