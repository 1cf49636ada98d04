/*
 * The lab: one workload with its variant and parameters as the user sets them. The values are texts, so that
 * a sweep ("1..32") can stand where a number does; the host says whether they can be run. Part of the screen;
 * the tui's thread.
 */
#ifndef TUI_VIEWS_LAB_H
#define TUI_VIEWS_LAB_H

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

enum lab_part { LAB_FORM, LAB_LESSON, LAB_VALUES, LAB_PART_COUNT };

struct lab {
    const struct tui_workload *workload; /* NULL: none was opened yet */
    int variant;                         /* or LAB_ALL_VARIANTS */
    char value[LAB_PARAMS_MAX][LAB_VALUE_SIZE];
    bool *full_size;  /* the host's; NULL: there is no choice */
    struct list form; /* row 0 is the variant, then the parameters, then the size where there is a choice */
    struct list lesson;
    enum lab_part focus;
    char label[400];     /* of the prompt for a value */
    uint32_t run;        /* whose values are shown; NONE */
    uint32_t kernel;     /* of it; NONE */
    uint32_t runs_asked; /* runs that there were when the last one was asked for */
};

static inline struct lab *lab_state(const struct screen *screen)
{
    return screen->view_state[VIEW_LAB];
}

/* Open the lab of a workload (by its index in the host's table). Variant and parameters are those of the
 * run looked at if it is of this workload, else the defaults. */
void lab_open(struct screen *screen, size_t workload);
bool lab_has_keys(const struct screen *screen);
/* Rows of the form that say which case it is: the variant's and the parameters', without the size's. */
int lab_case_rows(const struct lab *lab);
/* Is that row of the form the size's? */
bool lab_is_size(const struct lab *lab, int row);
/* The lab of the selected kernel's workload, or a sentence why there is none. */
void lab_open_selected(struct screen *screen);

/* Runs the current case with sampling and counting of its instructions, or shows why that is not possible. */
void lab_run_lines(struct screen *screen);

/* "copy-stride:strided,stride=8": what would be run; defaults are left out. */
void lab_spec(const struct lab *lab, char *text, size_t size_bytes);

/* Was the run made with this variant and these values? A value left to the device matches any. */
bool lab_matches(const struct lab *lab, const struct session *session, const struct run_row *run);

/* The value of the chosen row by one step; a text that the user typed, refused with the host's sentence. */
void lab_step(struct screen *screen, int by);
void lab_set(struct screen *screen, const char *text);
/* Prompts for the selected row's value, starting with `text`. */
void lab_ask(struct screen *screen, const char *text);

/* The workload of that name in the host's table; NULL. */
const struct tui_workload *lab_find_workload(const struct screen *screen, const char *name);

#endif
