/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lab: one workload with its variant and parameters as the user sets them. The values are texts, so that
 * a sweep ("1..32") can be given in place of a number; the host says whether they can be run. Part of the
 * screen; the tui's thread.
 */
#ifndef TUI_VIEWS_LAB_H
#define TUI_VIEWS_LAB_H

#include "core/replay/replay_twins.h"
#include "core/session/session.h"

#include "tui/frame/screen.h"
#include "tui/frame/workload.h"
#include "tui/widgets/list.h"

#include <stdbool.h>
#include <stdint.h>

#define LAB_PARAMS_MAX 8
#define LAB_VALUE_SIZE 64
#define LAB_SPEC_SIZE 1000
#define LAB_ALL_VARIANTS (-1)

enum lab_part { LAB_FORM, LAB_LESSON, LAB_VALUES, LAB_TIMELINE, LAB_PART_COUNT };

struct lab {
    const struct tui_workload *workload; /* NULL: none was opened yet */
    const struct tui_workload *exercise; /* that is done in it; NULL: none */
    int variant;                         /* or LAB_ALL_VARIANTS */
    char value[LAB_PARAMS_MAX][LAB_VALUE_SIZE];
    bool *full_size;  /* the host's setting; NULL: there is no choice */
    struct list form; /* row 0 is the variant, then the parameters, then the size if there is a choice */
    struct list lesson;
    bool answered;       /* the answer to the lesson's question is shown */
    bool turn_to_answer; /* the next frame shows it at the top of the page */
    enum lab_part focus;
    char label[400]; /* the prompt's label for a value */
    uint32_t run;    /* the run whose values are shown; NONE */
    uint32_t kernel; /* the kernel of that run; NONE */
    uint32_t before; /* the kernel shown before it; NONE */
    struct replay_twin
        twin;         /* of `run`, if it has what an edit does to another run: predicted and real gain */
    uint32_t twin_of; /* 1 + the run that it was looked for; 0: none */
    bool has_twin;
    uint32_t runs_asked; /* number of runs when the last run was requested */
    bool original;     /* the lesson is shown, and the bundled kernels are run, though the user has a copy */
    struct list own;   /* the rows of that copy */
    uint64_t own_made; /* its version that was shown last */
    uint64_t own_judged; /* its version whose changes were compared with the kernels that ran */
    uint32_t own_marked; /* the run of it that was marked last */
};

static inline struct lab *lab_state(const struct screen *screen)
{
    return screen->view_state[VIEW_LAB];
}

/* Opens the lab of a workload (by its index in the host's table). Variant and parameters are those of the
 * current run if it is of this workload, else the defaults. */
void lab_open(struct screen *screen, size_t workload);
/* Takes the workload and its values as lab_open does, for a view of them, and leaves the lab closed. */
void lab_choose(struct screen *screen, size_t workload);
/* Sets workload, variant and parameters to those of a run; its values are then shown. */
void lab_take_run(struct screen *screen, uint32_t index);
bool lab_has_keys(const struct screen *screen);
/* The number of the form's rows that define the case: the variant and the parameters, without the size. */
int lab_case_rows(const struct lab *lab);
/* Is this row of the form the size? */
bool lab_is_size(const struct lab *lab, int row);
/* Opens the lab of the selected kernel's workload, or shows a message why there is none. */
void lab_open_selected(struct screen *screen);

/* Runs the current case with sampling and counting of its instructions, or shows why that is not possible. */
void lab_run_lines(struct screen *screen);
/* Steps the case that is looked at, from this line of its source on. */
void lab_run_stepper(struct screen *screen, uint32_t line);

/* The value of a parameter as it is shown: "8", "1..32", or "auto" for what is left to the device. */
const char *lab_value(const struct lab *lab, size_t param);
/* "copy-stride:strided,stride=8": the spec that would be run; defaults are left out. */
void lab_spec(const struct lab *lab, char *text, size_t size_bytes);

/* The spec of a run of the workload, without sizes. */
void lab_spec_of_run(const struct screen *screen, const struct tui_workload *workload, uint32_t run,
                     char *text, size_t size_bytes);

/* Was the run made with this variant and these values? A value left to the device matches any. */
bool lab_matches(const struct lab *lab, const struct session *session, const struct run_row *run);

/* Changes the value of the selected row by one step, or sets it to a typed text; a text that the host rejects
 * is refused with the host's message. */
void lab_step(struct screen *screen, int by);
void lab_set(struct screen *screen, const char *text);
/* Prompts for the selected row's value, starting with `text`. */
void lab_ask(struct screen *screen, const char *text);

/* The lesson, or what the exercise asks for; NULL: there is none. */
const char *lab_lesson(const struct lab *lab);

/* The workload of that name in the host's table; NULL. */
const struct tui_workload *lab_find_workload(const struct screen *screen, const char *name);

#endif
