/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values are kept as texts, `value[i]` for parameter i of the workload; a value equal to its default is left
 * out of the spec. The selected row of the form is the variant (0), a parameter, or the size.
 */
#include "tui/views/lab.h"

#include "core/base/append.h"
#include "core/base/run_params.h"
#include "tui/frame/screen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t param_count(const struct lab *lab)
{
    size_t count = lab->workload->param_count;
    return count < LAB_PARAMS_MAX ? count : LAB_PARAMS_MAX;
}

int lab_case_rows(const struct lab *lab)
{
    return 1 + (int)param_count(lab);
}

bool lab_is_size(const struct lab *lab, int row)
{
    return lab->full_size && row == lab_case_rows(lab);
}

/* The parameter of the selected row; NULL: the row is the variant or the size. */
static const struct tui_param *chosen_param(const struct lab *lab)
{
    return lab->form.selected > 0 && !lab_is_size(lab, lab->form.selected)
               ? &lab->workload->params[lab->form.selected - 1]
               : NULL;
}

static void print_number(char text[LAB_VALUE_SIZE], int64_t number)
{
    snprintf(text, LAB_VALUE_SIZE, "%" PRId64, number);
}

const struct tui_workload *lab_find_workload(const struct screen *screen, const char *name)
{
    for (size_t i = 0; i < screen->host->workload_count; i++)
        if (strcmp(screen->host->workloads[i].name, name) == 0)
            return &screen->host->workloads[i];
    return NULL;
}

/* ---- opening ---- */

static const struct run_row *run_looked_at(const struct screen *screen)
{
    uint32_t run = screen_run_looked_at(screen);
    return run != NONE ? session_run(screen->session, run) : NULL;
}

/* Takes the run's values. Sizes that the device chose stay the device's choice. */
static void take_run(struct lab *lab, const struct session *session, const struct run_row *run)
{
    const char *variant = session_string(session, run->variant);
    for (size_t i = 0; i < lab->workload->variant_count; i++)
        if (strcmp(lab->workload->variants[i].name, variant) == 0)
            lab->variant = (int)i;
    for (size_t i = 0; i < param_count(lab); i++) {
        const struct tui_param *param = &lab->workload->params[i];
        double number;
        if (!param_is_size(param) &&
            run_param_number(session_string(session, run->params), param->name, &number))
            print_number(lab->value[i], (int64_t)number);
    }
}

/* run: NULL, or the run whose values are taken if it is of the workload. */
static void fill_form(struct lab *lab, const struct screen *screen, const struct tui_workload *workload,
                      const struct run_row *run)
{
    *lab = (struct lab){.workload = workload,
                        .full_size = screen->host->full_size,
                        .run = NONE,
                        .kernel = NONE,
                        .before = NONE,
                        .own_marked = NONE};
    lab->form.count = lab_case_rows(lab) + (lab->full_size != NULL);
    lab->form.selected = param_count(lab) > 0;
    for (size_t i = 0; i < param_count(lab); i++)
        print_number(lab->value[i], lab->workload->params[i].standard);
    if (run && strcmp(session_string(screen->session, run->workload), lab->workload->name) == 0)
        take_run(lab, screen->session, run);
}

const char *lab_lesson(const struct lab *lab)
{
    return lab->exercise ? lab->exercise->lesson : lab->workload->lesson;
}

/* Takes variant and parameters of "transpose:naive,n=128". */
static void take_spec(struct lab *lab, const char *spec)
{
    const char *at = spec + strcspn(spec, ":,");
    size_t length = *at == ':' ? strcspn(at + 1, ",") : 0;
    for (size_t i = 0; i < lab->workload->variant_count; i++)
        if (strlen(lab->workload->variants[i].name) == length &&
            strncmp(lab->workload->variants[i].name, at + 1, length) == 0)
            lab->variant = (int)i;
    for (at = strchr(spec, ','); at; at = strchr(at + 1, ',')) {
        size_t name = strcspn(at + 1, "=");
        for (size_t i = 0; i < param_count(lab); i++)
            if (strlen(lab->workload->params[i].name) == name &&
                strncmp(lab->workload->params[i].name, at + 1, name) == 0)
                snprintf(lab->value[i], LAB_VALUE_SIZE, "%.*s", (int)strcspn(at + name + 2, ","),
                         at + name + 2);
    }
}

/* An exercise is done in the lab of its case's workload. False: that is not there. */
static bool choose_exercise(struct screen *screen, const struct tui_workload *exercise)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(exercise->exercise->spec, ":,"),
             exercise->exercise->spec);
    const struct tui_workload *workload = lab_find_workload(screen, name);
    if (!workload)
        return false;
    fill_form(lab_state(screen), screen, workload, NULL);
    lab_state(screen)->exercise = exercise;
    take_spec(lab_state(screen), exercise->exercise->spec);
    return true;
}

void lab_choose(struct screen *screen, size_t workload)
{
    const struct tui_workload *row = &screen->host->workloads[workload];
    if (row->exercise && choose_exercise(screen, row))
        return;
    fill_form(lab_state(screen), screen, &screen->host->workloads[workload], run_looked_at(screen));
}

void lab_open(struct screen *screen, size_t workload)
{
    lab_choose(screen, workload);
    screen_open(screen, VIEW_LAB);
}

void lab_take_run(struct screen *screen, uint32_t index)
{
    const struct run_row *run = session_run(screen->session, index);
    const struct tui_workload *workload =
        lab_find_workload(screen, session_string(screen->session, run->workload));
    enum lab_part focus = lab_state(screen)->focus;
    const struct tui_workload *exercise =
        lab_state(screen)->workload == workload ? lab_state(screen)->exercise : NULL;
    if (!workload)
        return;
    fill_form(lab_state(screen), screen, workload, run);
    lab_state(screen)->focus = focus;
    lab_state(screen)->exercise = exercise;
}

bool lab_has_keys(const struct screen *screen)
{
    return screen_top(screen) == screen->views[VIEW_LAB];
}

/* ---- line runs ---- */
/* The case that the keys are about: the lab's, else that of the current run. */
static bool case_looked_at(const struct screen *screen, char *spec, size_t size_bytes)
{
    const struct tui_workload *workload = lab_find_workload(screen, screen_workload_looked_at(screen));
    struct lab lab;
    if (!workload)
        return false;
    if (lab_has_keys(screen))
        lab = *lab_state(screen);
    else
        fill_form(&lab, screen, workload, run_looked_at(screen));
    lab_spec(&lab, spec, size_bytes);
    return true;
}

/* "transpose:naive,n=1024": the workload's own parameters as the run had them. */
static void run_spec(const struct screen *screen, const struct tui_workload *workload,
                     const struct run_row *run, char *spec, size_t size_bytes)
{
    const char *params = session_string(screen->session, run->params);
    size_t used = 0;
    append_text(spec, size_bytes, &used, "%s:%s", workload->name,
                session_string(screen->session, run->variant));
    for (struct run_param param; run_param_next(&params, &param);)
        for (size_t i = 0; i < workload->param_count; i++)
            if (strlen(workload->params[i].name) == (size_t)param.name_length &&
                strncmp(workload->params[i].name, param.name, (size_t)param.name_length) == 0)
                append_text(spec, size_bytes, &used, ",%.*s=%.*s", param.name_length, param.name,
                            param.value_length, param.value);
}

/* What is to be stepped: the lab's case, else the run that is looked at, as it was. */
static bool stepped_looked_at(struct screen *screen)
{
    const struct tui_workload *workload = lab_find_workload(screen, screen_workload_looked_at(screen));
    const struct run_row *run = lab_has_keys(screen) ? NULL : run_looked_at(screen);
    screen->step_run = run ? screen_run_looked_at(screen) : NONE;
    if (!run || !workload)
        return case_looked_at(screen, screen->step_spec, sizeof screen->step_spec);
    run_spec(screen, workload, run, screen->step_spec, sizeof screen->step_spec);
    return true;
}

void lab_run_stepper(struct screen *screen, uint32_t line)
{
    if (!screen->host->step)
        screen_message(screen, SEVERITY_INFO,
                       "Nothing is stepped here: lanescope debug steps a workload or a program.");
    else if (line == 0)
        screen_message(screen, SEVERITY_INFO, "This row is no line of a source: select one.");
    else if (!stepped_looked_at(screen))
        screen_message(
            screen, SEVERITY_INFO,
            "@ steps bundled workloads: select a kernel of one. A program: lanescope debug -- PROGRAM.");
    else
        screen->step_line = line;
}

void lab_run_lines(struct screen *screen)
{
    char spec[LAB_SPEC_SIZE];
    struct error error = {0};
    if (!screen->host->run_lines)
        screen_message(
            screen, SEVERITY_INFO,
            screen->host->model
                ? "Sampling needs a GPU, and this runs on the device model."
                : "Nothing can be run here: record with --runs lines to sample and count instructions.");
    else if (!case_looked_at(screen, spec, sizeof spec))
        screen_message(screen, SEVERITY_INFO,
                       "D samples the lines of bundled workloads: select a kernel of one. Start your own "
                       "program with --runs lines.");
    else if (screen->host->run_lines(screen->host->context, spec, &error) != STATUS_OK)
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
    else
        screen_message(screen, SEVERITY_INFO, "Sampling and counting the instructions of %s.", spec);
}

void lab_open_selected(struct screen *screen)
{
    const struct run_row *run = run_looked_at(screen);
    const struct tui_workload *workload =
        run ? lab_find_workload(screen, session_string(screen->session, run->workload)) : NULL;
    if (workload)
        lab_open(screen, (size_t)(workload - screen->host->workloads));
    else
        screen_message(screen, SEVERITY_INFO,
                       "The lab shows a bundled workload: select a kernel of one, or choose one with w.");
}

/* ---- values ---- */

void lab_spec(const struct lab *lab, char *text, size_t size_bytes)
{
    size_t used = 0;
    append_text(text, size_bytes, &used, "%s", lab->workload->name);
    if (lab->variant != LAB_ALL_VARIANTS)
        append_text(text, size_bytes, &used, ":%s", lab->workload->variants[lab->variant].name);
    for (size_t i = 0; i < param_count(lab); i++) {
        const struct tui_param *param = &lab->workload->params[i];
        char standard[LAB_VALUE_SIZE];
        print_number(standard, param->standard);
        if (strcmp(lab->value[i], standard) != 0)
            append_text(text, size_bytes, &used, ",%s=%s", param->name, lab->value[i]);
    }
}

void lab_spec_of_run(const struct screen *screen, const struct tui_workload *workload, uint32_t run,
                     char *text, size_t size_bytes)
{
    struct lab lab;
    fill_form(&lab, screen, workload, session_run(screen->session, run));
    lab_spec(&lab, text, size_bytes);
}

/* Is the value left to the device? The device then replaces it by its own number. */
static bool is_devices(const struct lab *lab, size_t param)
{
    return param_is_size(&lab->workload->params[param]) && strcmp(lab->value[param], "0") == 0;
}

const char *lab_value(const struct lab *lab, size_t param)
{
    return is_devices(lab, param) ? PARAM_AUTO : lab->value[param];
}

bool lab_matches(const struct lab *lab, const struct session *session, const struct run_row *run)
{
    const char *params = session_string(session, run->params);
    if (lab->variant != LAB_ALL_VARIANTS &&
        strcmp(session_string(session, run->variant), lab->workload->variants[lab->variant].name) != 0)
        return false;
    for (size_t i = 0; i < param_count(lab); i++) {
        struct run_param param;
        if (is_devices(lab, i) || !run_param_find(params, lab->workload->params[i].name, &param))
            continue;
        if (strlen(lab->value[i]) != (size_t)param.value_length ||
            memcmp(lab->value[i], param.value, (size_t)param.value_length) != 0)
            return false;
    }
    return true;
}

static void step_variant(struct lab *lab, int by)
{
    int count = (int)lab->workload->variant_count + 1; /* the variants, and "all" */
    lab->variant = (lab->variant + 1 + count + by) % count - 1;
}

/* Is the text one number, not a sweep? */
static bool is_number(const char *text, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

void lab_step(struct screen *screen, int by)
{
    struct lab *lab = lab_state(screen);
    const struct tui_param *param = chosen_param(lab);
    if (lab_is_size(lab, lab->form.selected)) {
        *lab->full_size = !*lab->full_size;
        return;
    }
    if (!param) {
        step_variant(lab, by);
        return;
    }
    char *value = lab->value[lab->form.selected - 1];
    long long number;
    print_number(value, is_number(value, &number) ? workload_param_step(param, number, by) : param->standard);
}

/* A number in the form that runs use: "8" for "08". */
static void take_value(char value[LAB_VALUE_SIZE], const char *text)
{
    long long number;
    if (is_number(text, &number))
        print_number(value, number);
    else
        snprintf(value, LAB_VALUE_SIZE, "%s", text);
}

void lab_set(struct screen *screen, const char *text)
{
    struct lab *lab = lab_state(screen);
    const struct tui_param *param = chosen_param(lab);
    struct error error = {0};
    char spec[LAB_SPEC_SIZE];
    if (lab_is_size(lab, lab->form.selected)) {
        if (strcmp(text, "small") == 0 || strcmp(text, "full") == 0)
            *lab->full_size = *text == 'f';
        else
            screen_message(screen, SEVERITY_ERROR, "The size is small or full, not '%.40s'.", text);
        return;
    }
    if (!param) {
        for (size_t i = 0; i < lab->workload->variant_count; i++) {
            if (strcmp(lab->workload->variants[i].name, text) == 0) {
                lab->variant = (int)i;
                return;
            }
        }
        snprintf(spec, sizeof spec, "%s:%s", lab->workload->name, text);
    } else {
        if (param_is_size(param) && strcmp(text, PARAM_AUTO) == 0)
            text = "0";
        snprintf(spec, sizeof spec, "%s,%s=%s", lab->workload->name, param->name, text);
    }
    if (strlen(text) >= LAB_VALUE_SIZE)
        screen_message(screen, SEVERITY_ERROR, "A value has at most %d characters.", LAB_VALUE_SIZE - 1);
    else if (screen->host->check && screen->host->check(screen->host->context, spec, &error) != STATUS_OK)
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
    else if (param)
        take_value(lab->value[lab->form.selected - 1], text);
}

void lab_ask(struct screen *screen, const char *text)
{
    struct lab *lab = lab_state(screen);
    const struct tui_param *param = chosen_param(lab);
    if (lab_is_size(lab, lab->form.selected))
        snprintf(lab->label, sizeof lab->label, "size, small or full:");
    else if (!param)
        snprintf(lab->label, sizeof lab->label, "variant:");
    else
        snprintf(lab->label, sizeof lab->label,
                 "%s, %" PRId64 "..%" PRId64 "%s%s, or a sweep (1..8):", param->name, param->minimum,
                 param->maximum, param->unit[0] != '\0' ? " " : "", param->unit);
    prompt_open(&screen->prompt, PROMPT_LINE, lab->label, text, lab_set);
}
