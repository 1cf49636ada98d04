/*
 * All three list the same: kernels that alarm, each with its counts that changed and below them the lines;
 * then those that were renamed. Times are of this run: a baseline has none.
 */
#include "cli/gate/gate_print.h"

#include "core/base/append.h"
#include "tui/terminal/text.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define LINES_SHOWN 20 /* of a kernel; --markdown and --junit too */
#define CHANGE_BYTES 160
#define PLACE_BYTES 4200

/* "1024 -> 8192 (+7168, 8.00x)" */
static void change_text(uint64_t before, uint64_t after, char text[CHANGE_BYTES])
{
    size_t used = 0;

    append_text(text, CHANGE_BYTES, &used, "%" PRIu64 " -> %" PRIu64 " (%c%" PRIu64, before, after,
                after > before ? '+' : '-', after > before ? after - before : before - after);
    if (before && after)
        append_text(text, CHANGE_BYTES, &used, ", %.2fx", (double)after / (double)before);
    append_text(text, CHANGE_BYTES, &used, ")");
}

/* "src/saxpy.cu:12": by its path from here, if the compiler was given one that leads there. */
static void place_text(const struct gate_line *line, char text[PLACE_BYTES])
{
    char here[PLACE_BYTES];
    const char *file = line->file;
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;

    if (line->line == 0) {
        snprintf(text, PLACE_BYTES, "(no line)");
        return;
    }
    if (length && strncmp(file, here, length) == 0 && file[length] == '/')
        file += length + 1;
    else if (*file == '/')
        file = gate_base_name(file);
    snprintf(text, PLACE_BYTES, "%s:%" PRIu32, file, line->line);
}

static const struct gate_kernel *kernel_of(const struct gate_pair *pair)
{
    return pair->after ? pair->after : pair->before;
}

/* What is said of a pair: its counts, then its lines. The writers below differ in their marks only. */
struct style {
    void (*text)(const char *text, FILE *out); /* names and files are text from outside */
    const char *row, *place, *end;             /* before a count, before a line, at their end */
};

static void print_counts(const struct style *style, const uint64_t before[TALLY_COUNTS],
                         const uint64_t after[TALLY_COUNTS], const char *lead, FILE *out)
{
    char change[CHANGE_BYTES];

    for (int i = 0; i < TALLY_COUNTS; i++) {
        if (before[i] == after[i])
            continue;
        change_text(before[i], after[i], change);
        fputs(lead, out);
        fprintf(out, "%s ", tally_count_id((enum tally_count)i));
        style->text(change, out);
        fputs(style->end, out);
    }
}

static void print_line(const struct style *style, const struct gate_line_pair *pair, FILE *out)
{
    static const uint64_t none[TALLY_COUNTS];
    char place[PLACE_BYTES], lead[64 + PLACE_BYTES], was[40] = "";

    place_text(pair->after ? pair->after : pair->before, place);
    if (!pair->before)
        snprintf(was, sizeof was, " (new)");
    else if (!pair->after)
        snprintf(was, sizeof was, " (gone; in the baseline)");
    else if (pair->before->line != pair->after->line)
        snprintf(was, sizeof was, " (was line %" PRIu32 ")", pair->before->line);
    fputs(style->place, out);
    style->text(place, out);
    fputs(was, out);
    fputs(style->end, out);
    snprintf(lead, sizeof lead, "  %s", style->row);
    print_counts(style, pair->before ? pair->before->counts : none, pair->after ? pair->after->counts : none,
                 lead, out);
}

static void print_pair(const struct style *style, const struct gate_pair *pair, FILE *out)
{
    char change[CHANGE_BYTES], shape[GATE_SHAPE_BYTES];
    size_t shown = pair->line_count < LINES_SHOWN ? pair->line_count : LINES_SHOWN;

    if (!pair->before || !pair->after)
        return;
    if (pair->change == GATE_SHAPE) {
        gate_kernel_shape(pair->before, shape);
        fprintf(out, "%sin the baseline it is launched ", style->row);
        style->text(shape, out);
        fputs(style->end, out);
    }
    if (pair->before->launches != pair->after->launches) {
        change_text(pair->before->launches, pair->after->launches, change);
        fprintf(out, "%slaunches ", style->row);
        style->text(change, out);
        fputs(style->end, out);
    }
    print_counts(style, pair->before->counts, pair->after->counts, style->row, out);
    for (size_t i = 0; i < shown; i++)
        print_line(style, &pair->lines[i], out);
    if (shown < pair->line_count)
        fprintf(out, "%sand %zu more lines%s", style->place, pair->line_count - shown, style->end);
    if (pair->line_count == 0)
        fprintf(out, "%sno source lines: compile with -lineinfo%s", style->place, style->end);
}

/* ---- text ---- */
static size_t count_kernels(const struct gate_result *result)
{
    size_t count = 0;

    for (size_t i = 0; i < result->pair_count; i++)
        count += result->pairs[i].after != NULL;
    return count;
}

static void print_verdict(const struct gate_report *report, FILE *out)
{
    if (report->result->alarms == 0)
        fputs("gate: the counts are those of ", out);
    else
        fprintf(out, "gate: %zu of %zu kernels (by shape) differ from ", report->result->alarms,
                report->result->pair_count);
    text_print(report->baseline, out);
    if (report->result->alarms == 0)
        fprintf(out, " (kernels by shape: %zu)", count_kernels(report->result));
    fputc('\n', out);
}

static void print_renamed(const struct gate_pair *pair, void (*text)(const char *, FILE *), FILE *out)
{
    text(pair->after->name, out);
    fputs(" was named ", out);
    text(pair->before->name, out);
    fputs(": its counts are the same", out);
}

/* The end of a kernel's first line. */
static void print_change(const struct gate_pair *pair, FILE *out)
{
    fprintf(out, ": %s", gate_change_text(pair->change));
    if (pair->after)
        fprintf(out, " (modelled time %.1f us, not gated)", pair->after->ns / 1e3);
}

static void print_remedy(const struct gate_report *report, void (*text)(const char *, FILE *), FILE *out)
{
    if (report->result->alarms == 0)
        return;
    fputs("\nIf this is meant, write the baseline anew: ", out);
    text(report->again, out);
    fputc('\n', out);
}

void gate_print_text(const struct gate_report *report, FILE *out)
{
    static const struct style style = {text_print, "  ", "  ", "\n"};

    print_verdict(report, out);
    for (size_t i = 0; i < report->result->pair_count; i++) {
        const struct gate_pair *pair = &report->result->pairs[i];
        char shape[GATE_SHAPE_BYTES];

        if (pair->change == GATE_EQUAL)
            continue;
        fputc('\n', out);
        if (pair->change == GATE_RENAMED) {
            print_renamed(pair, text_print, out);
            fputc('\n', out);
            continue;
        }
        text_print(kernel_of(pair)->name, out);
        gate_kernel_shape(kernel_of(pair), shape);
        fprintf(out, " %s", shape);
        print_change(pair, out);
        fputc('\n', out);
        print_pair(&style, pair, out);
    }
    print_remedy(report, text_print, out);
}

/* ---- Markdown ---- */
/* As code, since names have asterisks, angle brackets and bars. */
static void write_code(const char *text, FILE *out)
{
    putc('`', out);
    for (; *text; text++)
        putc(*text == '`' || (unsigned char)*text < ' ' ? '_' : *text, out);
    putc('`', out);
}

static void write_plain(const char *text, FILE *out)
{
    for (; *text; text++)
        if ((unsigned char)*text >= ' ')
            putc(*text, out);
}

void gate_print_markdown(const struct gate_report *report, FILE *out)
{
    static const struct style counts = {write_plain, "- ", "- ", "\n"};

    fprintf(out, "### %s lanescope gate\n\n", report->result->alarms ? ":x:" : ":white_check_mark:");
    print_verdict(report, out);
    for (size_t i = 0; i < report->result->pair_count; i++) {
        const struct gate_pair *pair = &report->result->pairs[i];
        char shape[GATE_SHAPE_BYTES];

        if (pair->change == GATE_EQUAL)
            continue;
        fputc('\n', out);
        if (pair->change == GATE_RENAMED) {
            print_renamed(pair, write_code, out);
            fputc('\n', out);
            continue;
        }
        fputs("**", out);
        write_code(kernel_of(pair)->name, out);
        fputs("** ", out);
        gate_kernel_shape(kernel_of(pair), shape);
        write_code(shape, out);
        print_change(pair, out);
        fputs("\n\n", out);
        print_pair(&counts, pair, out);
    }
    print_remedy(report, write_code, out);
}

/* ---- JUnit ---- */
static void write_xml(const char *text, FILE *out)
{
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: putc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
    }
}

void gate_print_junit(const struct gate_report *report, FILE *out)
{
    static const struct style style = {write_xml, "  ", "  ", "\n"};

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"lanescope gate\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
            report->result->pair_count, report->result->alarms);
    for (size_t i = 0; i < report->result->pair_count; i++) {
        const struct gate_pair *pair = &report->result->pairs[i];
        char shape[GATE_SHAPE_BYTES];

        fputs("  <testcase classname=\"", out);
        write_xml(kernel_of(pair)->name, out);
        gate_kernel_shape(kernel_of(pair), shape);
        fputs("\" name=\"", out);
        write_xml(shape, out);
        if (!gate_change_alarms(pair->change)) {
            fputs("\"/>\n", out);
            continue;
        }
        fprintf(out, "\">\n    <failure message=\"%s\">\n", gate_change_text(pair->change));
        print_pair(&style, pair, out);
        fputs("    </failure>\n  </testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}
