/* Counts per line of the kernel's source. */
#include "simt/count/count.h"

#include <stdlib.h>

static int count_line_compare(const void *a, const void *b)
{
    const struct count_line *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* The kernel's own line that an instruction belongs to. */
static struct count_line count_line_of(const struct program *program, uint32_t instruction)
{
    struct ptx_location location = program_location(program, instruction);
    bool inlined = location.inlined_line != 0;
    return (struct count_line){.file = inlined ? location.inlined_file : location.file,
                               .line = inlined ? location.inlined_line : location.line};
}

enum status count_lines(const struct counter *counter, struct count_line **lines, uint32_t *line_count,
                        struct error *error)
{
    const struct program *program = counter->program;
    struct count_line *list = calloc(program->instruction_count + 1u, sizeof *list);
    uint32_t count = 0;
    if (!list)
        return error_no_memory(error, "for the lines of %s", program->entry->name);
    for (uint32_t i = 0; i < program->instruction_count; i++)
        list[i] = count_line_of(program, i);
    qsort(list, program->instruction_count, sizeof *list, count_line_compare);
    for (uint32_t i = 0; i < program->instruction_count; i++)
        if (count == 0 || count_line_compare(&list[count - 1], &list[i]) != 0)
            list[count++] = list[i];
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        struct count_line key = count_line_of(program, i);
        struct count_line *line = bsearch(&key, list, count, sizeof *list, count_line_compare);
        line->instructions++;
        count_totals_add(&line->totals, counter, i);
    }
    *lines = list;
    *line_count = count;
    return STATUS_OK;
}
