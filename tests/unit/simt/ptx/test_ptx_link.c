/* SPDX-License-Identifier: Apache-2.0 */
/* PTX texts of relocatable code made one: what is found by name, what stays a text's own. */
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_link.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static const char caller[] = HEAD ".file 1 \"caller.cu\"\n"
                                  ".extern .func (.param .b32 r) helper (.param .b32 a) ;\n"
                                  ".extern .global .align 4 .u32 shared_word;\n"
                                  ".global .align 1 .b8 $str[3] = {97, 44, 0};\n"
                                  ".weak .func (.param .b32 r) twice (.param .b32 a) { .loc 1 3 1\n ret; }\n"
                                  ".visible .entry first(.param .u64 out) { .reg .b64 %rd<4>; .loc 1 7 3\n"
                                  "mov.u64 %rd1, $str; mov.u64 %rd2, shared_word; ret; }\n";
static const char definer[] = HEAD
    "// .extern .func in a comment; and a \"quote\n"
    ".file 1 \"definer.cu\"\n.file 2 \"header.h\"\n"
    ".global .align 1 .b8 $str[2] = {98, 0};\n"
    ".visible .global .align 4 .u32 shared_word = 5;\n"
    ".weak .func (.param .b32 r) twice (.param .b32 a) { .loc 2 9 1\n ret; }\n"
    ".visible .func (.param .b32 r) helper (.param .b32 a) { .loc 1 4 1\n ret; }\n"
    ".visible .entry second(.param .u64 out) { .reg .b64 %rd<4>; .loc 2 5 3, function_name $L__info_string0, "
    "inlined_at 1 6 2\n mov.u64 %rd1, $str; ret; }\n";
static const char apart[] = HEAD ".visible .entry third(.param .u64 out) { ret; }\n";

/* clang-format off */
#define TEXT(name) {.text = (name), .size_bytes = sizeof(name) - 1}
/* clang-format on */

static struct ptx_module *link_and_parse(const struct ptx_text *texts, uint32_t count)
{
    struct ptx_module *module = NULL;
    struct error error = {.text = ""};
    size_t size_bytes;
    char *linked;
    cr_assert_eq(ptx_link(texts, count, &linked, &size_bytes, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(strlen(linked), size_bytes);
    cr_assert_eq(ptx_parse(&module, "linked", linked, size_bytes, &error), STATUS_OK, "%s\n%s", error.text,
                 linked);
    free(linked);
    return module;
}

static const struct ptx_variable *variable_find(const struct ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i].name, name) == 0)
            return &module->variables[i];
    return NULL;
}

Test(ptx_link, names_of_other_texts_are_found)
{
    const struct ptx_text orders[][2] = {{TEXT(caller), TEXT(definer)}, {TEXT(definer), TEXT(caller)}};
    for (int order = 0; order < 2; order++) {
        struct ptx_module *module = link_and_parse(orders[order], 2);
        const struct ptx_function *helper = ptx_function_find(module, "helper");
        cr_assert(helper && !helper->declared);
        const struct ptx_variable *word = variable_find(module, "shared_word");
        cr_assert(word && !word->external && word->initial_bytes > 0 && word->initial[0] == 5);
        cr_assert(ptx_function_find(module, "first") && ptx_function_find(module, "second"));
        cr_assert(ptx_function_find(module, "twice") && !ptx_function_find(module, "twice")->declared);
        ptx_destroy(module);
    }
}

Test(ptx_link, a_texts_own_names_stay_its_own)
{
    const struct ptx_text texts[] = {TEXT(caller), TEXT(definer)};
    struct ptx_module *module = link_and_parse(texts, 2);
    const char *const functions[] = {"first", "second"};
    for (int i = 0; i < 2; i++) {
        const char *name = ptx_function_find(module, functions[i])->instructions[0].operands[1].name;
        const struct ptx_variable *text = variable_find(module, name);
        cr_assert(text && text->initial[0] == (i ? 98 : 97), "%s", name);
    }
    ptx_destroy(module);
}

Test(ptx_link, files_keep_their_names)
{
    const struct ptx_text texts[] = {TEXT(caller), TEXT(definer)};
    struct ptx_module *module = link_and_parse(texts, 2);
    const struct ptx_location *first = &ptx_function_find(module, "first")->instructions[0].location,
                              *second = &ptx_function_find(module, "second")->instructions[0].location;
    cr_assert_str_eq(ptx_file_name(module, first->file), "caller.cu");
    cr_assert_eq(first->line, 7);
    cr_assert_str_eq(ptx_file_name(module, second->file), "header.h");
    cr_assert_str_eq(ptx_file_name(module, second->inlined_file), "definer.cu");
    cr_assert_eq(second->inlined_line, 6);
    ptx_destroy(module);
}

Test(ptx_link, texts_that_need_each_other_are_a_group)
{
    const struct ptx_text texts[] = {TEXT(apart), TEXT(caller), TEXT(apart), TEXT(definer)};
    const uint32_t wanted[] = {0, 1, 2, 1};
    uint32_t groups[4];
    struct error error;
    cr_assert_eq(ptx_link_groups(texts, 4, groups, &error), STATUS_OK);
    cr_assert_eq(memcmp(groups, wanted, sizeof wanted), 0);
}

Test(ptx_link, what_cannot_be_read_is_said)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {HEAD ".global .u32 x", "Line 4 of PTX text 1 cannot be read: the text ends within a statement."},
        {HEAD "\n/* ...", "Line 5 of PTX text 1 cannot be read: a comment that does not end."}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ptx_text text = {.text = rows[i].text, .size_bytes = strlen(rows[i].text)};
        struct error error = {.text = ""};
        char *linked;
        size_t size_bytes;
        uint32_t group;
        cr_assert_eq(ptx_link(&text, 1, &linked, &size_bytes, &error), STATUS_FORMAT);
        cr_assert_str_eq(error.text, rows[i].sentence);
        cr_assert_eq(ptx_link_groups(&text, 1, &group, &error), STATUS_FORMAT);
    }
}
