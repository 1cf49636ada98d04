/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name can match a kernel in five ways, from the whole mangled name to a prefix. The most exact way that
 * matches any kernel of the file is used, and it must match exactly one.
 */
#include "cli/children/kernel_source.h"

#include "core/analysis/kernel_metrics.h"
#include "core/base/file.h"
#include "core/base/function_name.h"
#include "tui/widgets/name_parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which kernel is meant ---- */
#define SHOWN 16        /* names in a sentence, at most */
#define SHOWN_BYTES 100 /* of each */
#define SHARED_BYTES 20 /* characters shown before the first difference of long names */

/* How well `wanted` matches a name, larger is better: only the best matches of a file count. */
enum match { MATCH_NONE, MATCH_PREFIX, MATCH_PATTERN, MATCH_NAME, MATCH_MANGLED };

/* "_Z5saxpyIfEvPT_", "void saxpy<float>(float*)", "saxpy<float>", "saxpy". If memory runs out, the mangled
 * name is used for the others. */
enum { MANGLED, WHOLE, PLAIN, OWN, NAMES };

struct names {
    const char *list[NAMES]; /* of these, freed by names_free: */
    char *demangled, *plain, *own;
};

static struct names names_make(const char *mangled)
{
    struct names names = {.demangled = demangle(mangled)};
    const char *whole = names.demangled ? names.demangled : mangled;
    size_t size_bytes = strlen(whole) + 1;

    names.plain = malloc(size_bytes);
    names.own = malloc(size_bytes);
    if (names.plain)
        name_print_plain(whole, names.plain, size_bytes);
    if (names.own)
        name_print_own(whole, names.own, size_bytes);
    names.list[MANGLED] = mangled;
    names.list[WHOLE] = whole;
    names.list[PLAIN] = names.plain ? names.plain : mangled;
    names.list[OWN] = names.own ? names.own : mangled;
    return names;
}

static void names_free(struct names *names)
{
    free(names->demangled);
    free(names->plain);
    free(names->own);
}

static enum match name_match(const char *name, const char *wanted)
{
    if (strcmp(name, wanted) == 0)
        return MATCH_NAME;
    if (fnmatch(wanted, name, 0) == 0)
        return MATCH_PATTERN;
    return strncmp(name, wanted, strlen(wanted)) == 0 ? MATCH_PREFIX : MATCH_NONE;
}

/* wanted NULL: any kernel is meant. */
static enum match function_match(const struct ptx_function *function, const char *wanted)
{
    enum match best = MATCH_NONE;

    if (!function->entry || function->declared)
        return MATCH_NONE;
    if (!wanted)
        return MATCH_PREFIX;
    if (strcmp(function->name, wanted) == 0)
        return MATCH_MANGLED;
    struct names names = names_make(function->name);
    for (size_t i = 0; i < NAMES; i++) {
        enum match match = name_match(names.list[i], wanted);

        best = match > best ? match : best;
    }
    names_free(&names);
    return best;
}

struct candidates {
    const struct ptx_function **list; /* freed by choose */
    uint32_t count;
};

/* The kernels that match `wanted` best. */
static enum status find_candidates(const struct ptx_module *module, const char *wanted,
                                   struct candidates *found, struct error *error)
{
    enum match best = MATCH_PREFIX;

    *found = (struct candidates){.list = calloc(module->function_count + 1, sizeof *found->list)};
    if (!found->list)
        return error_no_memory(error, "for the names of %u functions", module->function_count);
    for (uint32_t i = 0; i < module->function_count; i++) {
        enum match match = function_match(&module->functions[i], wanted);

        if (match > best) {
            best = match;
            found->count = 0;
        }
        if (match == best)
            found->list[found->count++] = &module->functions[i];
    }
    return STATUS_OK;
}

static size_t common_length(const char *a, const char *b)
{
    size_t length = 0;

    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

/* A name as a pattern that --kernel accepts. A long name is shown from shortly before the first character in
 * which it differs from the other name that is most like it. */
static int print_name(const struct names *all, uint32_t count, uint32_t which, size_t form, char *text,
                      size_t size_bytes)
{
    const char *name = all[which].list[form];
    size_t alike = 0, from;

    for (uint32_t i = 0; i < count; i++) {
        size_t length = i == which ? 0 : common_length(name, all[i].list[form]);

        alike = length > alike ? length : alike;
    }
    from = strlen(name) > SHOWN_BYTES && alike > SHARED_BYTES ? alike - SHARED_BYTES : 0;
    return snprintf(text, size_bytes, "%s%s%.*s%s", which ? ", " : "", from ? "*" : "", SHOWN_BYTES,
                    name + from, strlen(name + from) > SHOWN_BYTES ? "*" : "");
}

/* "saxpy, scan, and 3 more"; overloads, whose plain names are equal, are listed with their arguments. */
static void list_names(const struct candidates *candidates, char *text, size_t size_bytes)
{
    struct names all[SHOWN];
    uint32_t shown = candidates->count < SHOWN ? candidates->count : SHOWN;
    size_t form = PLAIN, used = 0;

    for (uint32_t i = 0; i < shown; i++) {
        all[i] = names_make(candidates->list[i]->name);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(all[k].list[PLAIN], all[i].list[PLAIN]) == 0)
                form = WHOLE;
    }
    text[0] = '\0';
    for (uint32_t i = 0; i < candidates->count; i++) {
        if (i == shown || used + SHOWN_BYTES + sizeof ", **, and 4294967295 more" > size_bytes) {
            snprintf(text + used, size_bytes - used, ", and %u more", candidates->count - i);
            break;
        }
        used += (size_t)print_name(all, shown, i, form, text + used, size_bytes - used);
    }
    for (uint32_t i = 0; i < shown; i++)
        names_free(&all[i]);
}

static enum status kernel_choose(struct kernel_source *source, const char *wanted, struct error *error)
{
    struct candidates found = {0}, all = {0};
    char list[600];
    enum status status = find_candidates(source->module, wanted, &found, error);

    if (status == STATUS_OK && found.count == 0)
        status = find_candidates(source->module, NULL, &all, error);
    if (status == STATUS_OK && found.count == 1)
        source->kernel = found.list[0];
    if (status == STATUS_OK && found.count != 1) {
        list_names(found.count ? &found : &all, list, sizeof list);
        if (found.count)
            status = error_set(error, STATUS_USAGE,
                               "%.200s has several kernels%s%.60s%s; choose one with --kernel NAME: %s.",
                               source->image.name, wanted ? " that fit '" : "", wanted ? wanted : "",
                               wanted ? "'" : "", list);
        else if (all.count == 0)
            status = error_set(error, STATUS_USAGE, "%.200s has no kernel: no .entry with a body.",
                               source->image.name);
        else
            status = error_set(error, STATUS_USAGE, "%.200s has no kernel '%.60s'. It has: %s.",
                               source->image.name, wanted, list);
    }
    free(found.list);
    free(all.list);
    return status;
}

enum status kernel_source_open(struct kernel_source *source, const char *path, const char *wanted,
                               struct error *error)
{
    const char *slash = strrchr(path, '/');
    struct error unread;
    char *text;

    *source = (struct kernel_source){.image = {.name = slash ? slash + 1 : path, .format = "ptx"}};
    enum status status = file_read(path, KERNEL_SOURCE_BYTES_MAX, &text, &source->image.size_bytes, &unread);
    if (status != STATUS_OK)
        return error_set(error, status, "%.*s; give the PTX file that nvcc -ptx wrote.",
                         (int)(strlen(unread.text) - (unread.text[strlen(unread.text) - 1] == '.')),
                         unread.text);
    source->image.data = text;
    status = ptx_parse(&source->module, source->image.name, text, source->image.size_bytes, error);
    if (status == STATUS_OK)
        status = kernel_choose(source, wanted, error);
    if (status != STATUS_OK)
        kernel_source_close(source);
    return status;
}

void kernel_source_close(struct kernel_source *source)
{
    if (source->module)
        ptx_destroy(source->module);
    free((void *)(uintptr_t)source->image.data);
    *source = (struct kernel_source){0};
}
