/* The result of `lanescope gate` as text, as Markdown for a pull request, and as JUnit XML. One thread. */
#ifndef CLI_GATE_GATE_PRINT_H
#define CLI_GATE_GATE_PRINT_H

#include "cli/gate/gate_compare.h"

struct gate_report {
    const struct gate_result *result;
    const char *baseline; /* its path */
    const char *again;    /* the command line that writes the baseline anew */
};

void gate_print_text(const struct gate_report *report, FILE *out);
void gate_print_markdown(const struct gate_report *report, FILE *out);
void gate_print_junit(const struct gate_report *report, FILE *out);

#endif
