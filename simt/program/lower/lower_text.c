/* Writes an instruction as text. */
#include "simt/program/lower/lower_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct writer {
    char *text;
    size_t size_bytes, used; /* used < size_bytes; text that does not fit is cut off */
};

static void text_add(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void text_add(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = writer->size_bytes - writer->used;
    const int wanted = vsnprintf(writer->text + writer->used, room, format, arguments);
    va_end(arguments);
    writer->used += wanted >= 0 && (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static void add_offset(struct writer *writer, const char *between, int64_t offset)
{
    if (offset != 0)
        text_add(writer, "%s%" PRId64, between, offset);
}

static void add_operand(struct writer *writer, const struct ptx_operand *operand);

static void add_parts(struct writer *writer, const struct ptx_operand *operand, const char *opening,
                      const char *between, const char *closing)
{
    text_add(writer, "%s", opening);
    for (uint32_t i = 0; i < operand->part_count; i++) {
        text_add(writer, "%s", i == 0 ? "" : between);
        add_operand(writer, &operand->parts[i]);
    }
    text_add(writer, "%s", closing);
}

static void add_operand(struct writer *writer, const struct ptx_operand *operand)
{
    text_add(writer, "%s", operand->negated ? "!" : operand->minus ? "-" : "");
    switch (operand->kind) {
    case PTX_OPERAND_NAME:
        text_add(writer, "%s", operand->name);
        add_offset(writer, operand->offset > 0 ? "+" : "", operand->offset);
        break;
    case PTX_OPERAND_INTEGER: text_add(writer, "%" PRId64, (int64_t)operand->bits); break;
    case PTX_OPERAND_FLOAT:
        text_add(writer, operand->is_single ? "0f%08" PRIX64 : "0d%016" PRIX64, operand->bits);
        break;
    case PTX_OPERAND_ADDRESS:
        text_add(writer, "[%s", operand->name != NULL ? operand->name : "");
        add_offset(writer, operand->name != NULL && operand->offset > 0 ? "+" : "", operand->offset);
        if (operand->name == NULL && operand->offset == 0)
            text_add(writer, "0");
        add_parts(writer, operand, operand->part_count > 0 ? ", " : "", ", ", "]");
        break;
    case PTX_OPERAND_VECTOR: add_parts(writer, operand, "{", ", ", "}"); break;
    case PTX_OPERAND_LIST: add_parts(writer, operand, "(", ", ", ")"); break;
    case PTX_OPERAND_PAIR: add_parts(writer, operand, "", "|", ""); break;
    case PTX_OPERAND_SINK: text_add(writer, "_"); break;
    }
}

void lower_text(const struct ptx_instruction *instruction, char *text, size_t size_bytes)
{
    struct writer writer = {.text = text, .size_bytes = size_bytes};
    if (size_bytes == 0)
        return;
    text[0] = '\0';
    if (instruction->guard != NULL)
        text_add(&writer, "@%s%s ", instruction->guard_negated ? "!" : "", instruction->guard);
    text_add(&writer, "%s", instruction->opcode);
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        text_add(&writer, ".%s", instruction->modifiers[i]);
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        text_add(&writer, "%s", i == 0 ? " " : ", ");
        add_operand(&writer, &instruction->operands[i]);
    }
}

void program_instruction_text(const struct program *program, uint32_t instruction, char *text,
                              size_t size_bytes)
{
    const struct program_origin *const origin = &program->origins[program->instructions[instruction].origin];
    if (origin->instruction < origin->function->instruction_count)
        lower_text(&origin->function->instructions[origin->instruction], text, size_bytes);
    else if (size_bytes > 0)
        snprintf(text, size_bytes, "end of %s", origin->function->name);
}

struct ptx_location program_location(const struct program *program, uint32_t instruction)
{
    const struct program_origin *const origin = &program->origins[program->instructions[instruction].origin];
    if (origin->instruction < origin->function->instruction_count)
        return origin->function->instructions[origin->instruction].location;
    return (struct ptx_location){0};
}
