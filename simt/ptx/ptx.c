/* The module and its look-up functions. ptx_parse*.c parse the text. */
#include "simt/ptx/ptx.h"

#include "simt/ptx/ptx_parse.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    uint32_t bytes;
} types[PTX_TYPE_COUNT] = {[PTX_NO_TYPE] = {"", 0},
#define TYPE_ROW(id, text, bytes) [PTX_##id] = {text, bytes},
                           PTX_TYPE_LIST(TYPE_ROW)
#undef TYPE_ROW
};

uint32_t ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

const char *ptx_type_text(enum ptx_type type)
{
    return types[type].text;
}

enum ptx_type ptx_type_find(const char *text)
{
    for (int type = PTX_NO_TYPE + 1; type < PTX_TYPE_COUNT; type++)
        if (strcmp(types[type].text, text) == 0)
            return (enum ptx_type)type;
    return PTX_NO_TYPE;
}

#define RUNTIME_ROW(id, name, result, p0, p1, p2, p3, p4) \
    [PTX_RUNTIME_##id] = {name, result, {p0, p1, p2, p3, p4}},
const struct ptx_runtime_function ptx_runtime_functions[] = {PTX_RUNTIME_LIST(RUNTIME_ROW)};
#undef RUNTIME_ROW

struct owned_module { /* the module and the arena that holds everything in it */
    struct ptx_module module;
    struct arena arena;
};

enum status ptx_parse(struct ptx_module **module, const char *name, const char *text, size_t size_bytes,
                      struct error *error)
{
    struct owned_module *owned = calloc(1, sizeof *owned);
    *module = NULL;
    if (!owned)
        return error_no_memory(error, "to read %s", name);
    struct parser parser = {.arena = &owned->arena, .name = name, .error = error, .module = &owned->module};
    ptx_lexer_init(&parser.lexer, text, size_bytes);
    names_init(&parser.names, &owned->arena);
    bool good = parse_module(&parser);
    names_fini(&parser.names);
    idmap_fini(&parser.inlined_ids);
    struct parse_list *lists[] = {&parser.files,        &parser.variables, &parser.functions, &parser.locals,
                                  &parser.instructions, &parser.labels,    &parser.inlined};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        parse_list_free(lists[i]);
    if (good)
        *module = &owned->module;
    else
        ptx_destroy(&owned->module);
    return good ? STATUS_OK : parser.status;
}

void ptx_destroy(struct ptx_module *module)
{
    if (!module)
        return;
    struct owned_module *owned = (struct owned_module *)module; /* `module` is its first member */
    arena_fini(&owned->arena);
    free(owned);
}

const struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

const char *ptx_file_name(const struct ptx_module *module, uint32_t number)
{
    for (uint32_t i = 0; i < module->file_count; i++)
        if (module->files[i].number == number)
            return module->files[i].name;
    return NULL;
}
