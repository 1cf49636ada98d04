/*
 * The rows are the lines of the counter, in the same order. Lines are requested in ascending order, so a
 * source file is read once, from its start.
 */
#include "cli/children/kernel_lines.h"

#include "cli/process/source_reader.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_CELLS 60
#define SOURCE_LINE_BYTES 4096

/* ---- source text ---- */
struct source {
    uint32_t file; /* of the module; 0: none is read */
    uint32_t line; /* the last one taken */
    char *text, *next;
    size_t left; /* bytes from `next` on */
    char shown[SOURCE_LINE_BYTES];
};

/* The file under its own name, or a file of that name in the PTX's folder. */
static void source_read(struct source *source, const char *name, const char *ptx_path)
{
    const char *slash = strrchr(ptx_path, '/'), *base = strrchr(name, '/');
    char path[4096];
    bool there = source_reader_read(NULL, name, &source->text, &source->left);

    if (!there && name[0] != '/') {
        free(source->text);
        source->text = NULL;
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - ptx_path) + 1 : 0, ptx_path,
                 base ? base + 1 : name);
        there = source_reader_read(NULL, path, &source->text, &source->left);
    }
    source->left = there ? source->left : 0;
    source->next = source->text;
}

/* The text of a line; "" if the file is not here. Call it for the lines of a file in ascending order. */
static const char *source_text(struct source *source, const struct ptx_module *module, uint32_t file,
                               uint32_t line, const char *ptx_path)
{
    const char *name = ptx_file_name(module, file);

    if (source->file != file) {
        free(source->text);
        *source = (struct source){.file = file};
        if (name)
            source_read(source, name, ptx_path);
    }
    while (source->left > 0 && source->line < line) {
        const char *end = memchr(source->next, '\n', source->left);
        size_t length = end ? (size_t)(end - source->next) : source->left;

        snprintf(source->shown, sizeof source->shown, "%.*s",
                 (int)(length < sizeof source->shown ? length : sizeof source->shown - 1), source->next);
        source->next += length + (end != NULL);
        source->left -= length + (end != NULL);
        source->line++;
    }
    if (source->line != line)
        return "";
    source->shown[strcspn(source->shown, "\r")] = '\0';
    return source->shown + strspn(source->shown, " \t");
}

/* ---- rows ---- */
static void print_count(FILE *out, int cells, uint64_t number)
{
    fprintf(out, " %*s", cells, number ? number_short(number).text : "-");
}

/* transfers per request in one direction; "-" if there are none. */
static void print_per(FILE *out, int cells, const struct count_instruction *count)
{
    char text[32] = "-";

    if (count->requests > 0)
        snprintf(text, sizeof text, "%.2f", (double)count->transfers / (double)count->requests);
    fprintf(out, " %*s", cells, text);
}

static void print_heading(FILE *out, const char *what)
{
    fprintf(out, "\nmodelled, per %s\n%8s %6s %9s %7s %9s %7s %9s %7s %7s  %s\n", what, "warp", "lanes",
            "load", "sectors", "store", "sectors", "shared", "without", "parted", "");
    fprintf(out, "%8s %6s %9s %7s %9s %7s %9s %7s %7s  %s\n", "instr", "/instr", "sectors", "/req", "sectors",
            "/req", "wavefr", "confl", "warps", "line");
}

static void print_totals(FILE *out, const struct count_totals *totals)
{
    uint64_t wavefronts =
        totals->shared[0].transfers + totals->shared[1].transfers + totals->shared_atomics.transfers;
    uint64_t ideal = totals->shared[0].ideal_transfers + totals->shared[1].ideal_transfers +
                     totals->shared_atomics.ideal_transfers;
    char lanes[32] = "-";

    if (totals->warp_instructions > 0)
        snprintf(lanes, sizeof lanes, "%.1f",
                 (double)totals->thread_instructions_on / (double)totals->warp_instructions);
    print_count(out, 7, totals->warp_instructions);
    fprintf(out, " %6s", lanes);
    print_count(out, 9, totals->global[0].transfers);
    print_per(out, 7, &totals->global[0]);
    print_count(out, 9, totals->global[1].transfers + totals->global_atomics.transfers);
    print_per(out, 7, &totals->global[1]);
    print_count(out, 9, wavefronts);
    print_count(out, 7, ideal);
    print_count(out, 7, totals->divergent_branches);
    fputs("  ", out);
}

static void print_place(FILE *out, const char *name, uint32_t line, const char *text)
{
    char shown[4 * TEXT_CELLS + 1];
    const char *base = name ? strrchr(name, '/') : NULL;

    text_shorten(base ? base + 1 : name ? name : "?", 24, shown, sizeof shown);
    fprintf(out, "%s:%u", shown, line);
    if (text[0]) {
        text_cut(text, TEXT_CELLS, shown, sizeof shown);
        fprintf(out, "  %s", shown);
    }
    putc('\n', out);
}

static void print_lines(const struct counter *counter, const struct count_line *lines, uint32_t count,
                        const char *ptx_path, FILE *out)
{
    const struct ptx_module *module = counter->program->module;
    struct source source = {0};

    print_heading(out, "source line");
    for (uint32_t i = 0; i < count; i++) {
        const struct count_line *line = &lines[i];

        if (line->totals.warp_instructions == 0)
            continue;
        print_totals(out, &line->totals);
        if (line->line == 0)
            fputs("(no line)\n", out);
        else
            print_place(out, ptx_file_name(module, line->file), line->line,
                        source_text(&source, module, line->file, line->line, ptx_path));
    }
    free(source.text);
}

/* Without line information: the instructions that access memory or diverge. */
static void print_instructions(const struct counter *counter, const char *ptx_path, FILE *out)
{
    const struct program *program = counter->program;

    print_heading(out, "PTX instruction (compile with -lineinfo to see the lines of the source)");
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct count_instruction *count = &counter->instructions[i];
        const struct program_origin *origin = &program->origins[program->instructions[i].origin];
        struct count_totals totals = {0};
        char text[200];

        if (count->requests == 0 && count->divergent == 0)
            continue;
        count_totals_add(&totals, counter, i);
        print_totals(out, &totals);
        program_instruction_text(program, i, text, sizeof text);
        print_place(out, ptx_path, origin->function->instructions[origin->instruction].ptx_line, text);
    }
}

void kernel_lines_print(const struct counter *counter, const char *ptx_path, FILE *out)
{
    struct count_line *lines = NULL;
    struct error error = {0};
    uint32_t count = 0;

    if (count_lines(counter, &lines, &count, &error) != STATUS_OK) {
        fprintf(out, "\nno counts per line: %s\n", error.text);
        return;
    }
    if (count == 0 || (count == 1 && lines[0].line == 0))
        print_instructions(counter, ptx_path, out);
    else
        print_lines(counter, lines, count, ptx_path, out);
    free(lines);
}
