/*
 * Source lines of instructions: .file and .loc, PTX ISA 9.0, 11.5. A .loc may give the line that its code was
 * inlined at. That line may itself have been inlined, as an earlier .loc for it says: only the outermost line
 * is kept.
 */
#include "simt/ptx/ptx_parse.h"

#include <string.h>

/* The location as one number; 0: the numbers are too large for the look-up. */
static uint64_t place_id(const uint32_t place[3])
{
    if (place[0] > 0xffff || place[1] > 0xffffff || place[2] > 0xffffff)
        return 0;
    return (uint64_t)place[0] << 48 | (uint64_t)place[1] << 24 | place[2];
}

static bool parse_place(struct parser *parser, uint32_t place[3])
{
    return parse_uint32(parser, "a file's number", &place[0]) && parse_uint32(parser, "a line", &place[1]) &&
           parse_uint32(parser, "a column", &place[2]);
}

/* Follows the inlining from `at` to the outermost line. */
static void set_outermost(struct parser *parser, const uint32_t at[3])
{
    struct ptx_location *location = &parser->location;
    uint32_t number = idmap_find(&parser->inlined_ids, place_id(at));
    if (number == IDMAP_NONE) {
        location->inlined_file = at[0];
        location->inlined_line = at[1];
    } else {
        const struct parse_inlined *outer = (struct parse_inlined *)(void *)parser->inlined.items + number;
        location->inlined_file = outer->file;
        location->inlined_line = outer->line;
    }
}

static bool remember_inlined(struct parser *parser, const uint32_t place[3])
{
    uint64_t id = place_id(place);
    if (id == 0)
        return true;
    uint32_t number = idmap_find(&parser->inlined_ids, id);
    struct parse_inlined *inlined = number == IDMAP_NONE
                                        ? parse_push(parser, &parser->inlined, sizeof *inlined)
                                        : (struct parse_inlined *)(void *)parser->inlined.items + number;
    if (!inlined)
        return false;
    *inlined = (struct parse_inlined){parser->location.inlined_file, parser->location.inlined_line};
    if (number == IDMAP_NONE) /* a location beyond the limit is not looked up, which is no error */
        idmap_put(&parser->inlined_ids, id, parser->inlined.count - 1);
    return true;
}

/* What follows a comma: function_name LABEL + 4, inlined_at FILE LINE COLUMN, in any order. */
static bool parse_attribute(struct parser *parser, uint32_t at[3], bool *inlined)
{
    struct name *name;
    int64_t offset;
    bool plus;
    if (parse_is(parser, "inlined_at")) {
        *inlined = true;
        return parse_next(parser) && parse_place(parser, at);
    }
    if (!parse_is(parser, "function_name"))
        return parse_expected(parser, "'function_name' or 'inlined_at'");
    return parse_next(parser) && parse_word(parser, "a label", &name) && parse_skip(parser, "+", &plus) &&
           (!plus || parse_integer(parser, &offset));
}

bool parse_location(struct parser *parser)
{
    uint32_t place[3];
    uint32_t at[3];
    bool more;
    bool inlined = false;
    if (!parse_place(parser, place) || !parse_skip(parser, ",", &more))
        return false;
    while (more)
        if (!parse_attribute(parser, at, &inlined) || !parse_skip(parser, ",", &more))
            return false;
    parser->location = (struct ptx_location){.file = place[0], .line = place[1], .column = place[2]};
    if (inlined)
        set_outermost(parser, at);
    return !inlined || remember_inlined(parser, place);
}

bool parse_file(struct parser *parser)
{
    uint32_t number;
    uint32_t ignored;
    bool more;
    if (!parse_uint32(parser, "a file's number", &number))
        return false;
    if (parser->token.kind != PTX_TOKEN_STRING)
        return parse_expected(parser, "a file's name");
    char *name = arena_text(parser->arena, parser->token.text + 1, parser->token.size_bytes - 2);
    struct ptx_file *file = name ? parse_push(parser, &parser->files, sizeof *file) : NULL;
    if (!name)
        return parse_no_memory(parser);
    if (!file)
        return false;
    *file = (struct ptx_file){.number = number, .name = name};
    if (!parse_next(parser) || !parse_skip(parser, ",", &more))
        return false;
    /* the file's modification time and size */
    return !more || (parse_uint32(parser, "a time", &ignored) && parse_take(parser, ",", "after the time") &&
                     parse_uint32(parser, "a size", &ignored));
}
