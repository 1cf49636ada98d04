/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of names. Each name has a stack of bindings; the bindings of one scope are also a list, so
 * that closing the scope removes exactly these. A member of a range is bound to its own full name. While an
 * inner range that contains the member is open, outer ranges are not consulted, so these stacks are also
 * undone in order.
 */
#include "core/base/array.h"

#include "simt/ptx/ptx_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum binding_kind { BINDING_VARIABLE, BINDING_RANGE, BINDING_LABEL };

struct name_binding {
    enum binding_kind kind;
    struct name *name;
    const char *text;
    uint32_t depth;
    struct name_binding *hidden; /* binding of the same name and kind in an enclosing scope */
    struct name_binding *next;   /* next binding of the same scope */
    uint32_t range;              /* RANGE: number of members */
    const struct ptx_variable *like;
    struct name_member *members;
};

struct name_member {
    struct name *name;
    const char *text;
    struct name_binding *of;
    struct name_member *hidden, *next;
};

void names_init(struct names *names, struct arena *texts)
{
    *names = (struct names){.texts = texts};
}

void names_fini(struct names *names)
{
    arena_fini(&names->scratch);
    free(names->slots);
    free(names->pendings);
}

static uint64_t hash_text(const char *text, size_t size_bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, with a final mix of its high bits */
    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static bool names_grow(struct names *names)
{
    uint32_t slot_count = names->slot_count ? 2 * names->slot_count : 256;
    struct name **slots = slot_count ? calloc(slot_count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < names->slot_count; i++) {
        for (struct name *name = names->slots[i], *next; name; name = next) {
            next = name->next;
            name->next = slots[name->hash & (slot_count - 1)];
            slots[name->hash & (slot_count - 1)] = name;
        }
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = slot_count;
    return true;
}

static struct name *name_find(const struct names *names, const char *text, size_t size_bytes, uint64_t hash)
{
    struct name *name = names->slot_count ? names->slots[hash & (names->slot_count - 1)] : NULL;
    while (name && (name->hash != hash || name->size_bytes != size_bytes ||
                    memcmp(name->text, text, size_bytes) != 0))
        name = name->next;
    return name;
}

struct name *names_intern(struct names *names, const char *text, size_t size_bytes)
{
    uint64_t hash = hash_text(text, size_bytes);
    struct name *name = name_find(names, text, size_bytes, hash);
    if (name)
        return name;
    if (names->count >= names->slot_count && !names_grow(names))
        return NULL;
    name = arena_alloc(&names->scratch, 1, sizeof *name);
    char *copy = arena_text(names->texts, text, size_bytes);
    if (!name || !copy)
        return NULL;
    struct name **slot = &names->slots[hash & (names->slot_count - 1)];
    *name = (struct name){.text = copy, .size_bytes = size_bytes, .hash = hash, .next = *slot};
    *slot = name;
    names->count++;
    return name;
}

void names_begin_function(struct names *names)
{
    names->function++;
    names->scope_count = 0;
    names->pending_count = 0;
}

enum name_result names_open(struct names *names)
{
    if (names->scope_count == NAMES_DEPTH)
        return NAME_TOO_DEEP;
    names->scopes[names->scope_count++] = (struct name_scope){.first_pending = names->pending_count};
    return NAME_OK;
}

static struct name_binding **stack_of(struct name *name, enum binding_kind kind)
{
    switch (kind) {
    case BINDING_RANGE: return &name->range;
    case BINDING_LABEL: return &name->label;
    default: return &name->variable;
    }
}

static void binding_forget(struct name_binding *binding)
{
    *stack_of(binding->name, binding->kind) = binding->hidden;
    for (struct name_member *member = binding->members; member; member = member->next)
        member->name->member = member->hidden;
}

void names_close(struct names *names)
{
    struct name_scope *scope = &names->scopes[names->scope_count - 1];
    uint32_t kept = scope->first_pending;
    for (uint32_t i = scope->first_pending; i < names->pending_count; i++) {
        struct name_pending *pending = &names->pendings[i];
        const struct name_binding *label = pending->name->label;
        if (label && label->depth == names->scope_count)
            *pending->place = label->text;
        else
            names->pendings[kept++] = *pending;
    }
    names->pending_count = kept;
    for (struct name_binding *binding = scope->bindings; binding; binding = binding->next)
        binding_forget(binding);
    names->scope_count--;
}

/* A text that no other variable or label of this function has. */
static const char *text_of_its_own(struct names *names, struct name *name)
{
    if (name->function != names->function) {
        name->function = names->function;
        name->times = name->module_kind == NAME_NOTHING ? 0 : 1;
    }
    if (++name->times == 1)
        return name->text;
    char suffix[16];
    int size = snprintf(suffix, sizeof suffix, "#%u", name->times);
    char *text = arena_alloc(names->texts, name->size_bytes + (size_t)size + 1, 1);
    if (text) {
        memcpy(text, name->text, name->size_bytes);
        memcpy(text + name->size_bytes, suffix, (size_t)size);
    }
    return text;
}

static enum name_result name_bind(struct names *names, struct name *name, enum binding_kind kind,
                                  struct name_binding **made)
{
    struct name_binding **stack = stack_of(name, kind);
    uint32_t depth = names->scope_count;
    if ((*stack && (*stack)->depth == depth) ||
        (kind == BINDING_VARIABLE && name->label && name->label->depth == depth) ||
        (kind == BINDING_LABEL && name->variable && name->variable->depth == depth))
        return NAME_TAKEN;
    struct name_binding *binding = arena_alloc(&names->scratch, 1, sizeof *binding);
    const char *text = !binding || kind == BINDING_RANGE ? name->text : text_of_its_own(names, name);
    if (!binding || !text)
        return NAME_NO_MEMORY;
    struct name_scope *scope = &names->scopes[depth - 1];
    *binding = (struct name_binding){
        .kind = kind, .name = name, .text = text, .depth = depth, .hidden = *stack, .next = scope->bindings};
    *stack = scope->bindings = *made = binding;
    return NAME_OK;
}

enum name_result names_declare(struct names *names, struct name *name, const char *owner, const char **text)
{
    struct name_binding *binding;
    enum name_result result = name_bind(names, name, BINDING_VARIABLE, &binding);
    if (result != NAME_OK)
        return result;
    if (owner) {
        size_t size = strlen(owner) + 2 + strlen(binding->text) + 1;
        char *owned = arena_alloc(names->texts, size, 1);
        if (!owned)
            return NAME_NO_MEMORY;
        snprintf(owned, size, "%s::%s", owner, binding->text);
        binding->text = owned;
    }
    *text = binding->text;
    return NAME_OK;
}

enum name_result names_declare_label(struct names *names, struct name *name, const char **text)
{
    struct name_binding *binding;
    enum name_result result = name_bind(names, name, BINDING_LABEL, &binding);
    if (result == NAME_OK)
        *text = binding->text;
    return result;
}

enum name_result names_declare_range(struct names *names, struct name *prefix, uint32_t count,
                                     const struct ptx_variable *like)
{
    struct name_binding *binding;
    enum name_result result = name_bind(names, prefix, BINDING_RANGE, &binding);
    if (result == NAME_OK) {
        binding->range = count;
        binding->like = like;
    }
    return result;
}

/* The innermost range that contains the name: %r12 is member 12 of %r<N>, N > 12. %r012 is not a member. */
static struct name_binding *find_range(const struct names *names, const struct name *name)
{
    struct name_binding *range = NULL;
    size_t digits = 0;
    uint64_t index = 0;
    uint64_t place = 1;
    while (digits < name->size_bytes && digits < 10) {
        char c = name->text[name->size_bytes - 1 - digits];
        if (c < '0' || c > '9')
            break;
        index += (uint64_t)(c - '0') * place;
        place *= 10;
        digits++;
    }
    /* The prefix may itself end in digits: tries every split and takes the innermost range. */
    for (; digits > 0; digits--) {
        const char *first = name->text + name->size_bytes - digits;
        place /= 10;
        uint64_t value = index % (place * 10);
        if (digits > 1 && *first == '0')
            continue;
        size_t size = name->size_bytes - digits;
        const struct name *prefix = name_find(names, name->text, size, hash_text(name->text, size));
        struct name_binding *binding = prefix ? prefix->range : NULL;
        while (binding && binding->range <= value)
            binding = binding->hidden;
        if (binding && (!range || binding->depth > range->depth))
            range = binding;
    }
    return range;
}

enum name_result names_use(struct names *names, struct name *name, const char **text,
                           const struct ptx_variable **like)
{
    *like = NULL;
    struct name_binding *range = find_range(names, name);
    if (name->variable && (!range || name->variable->depth >= range->depth)) {
        *text = name->variable->text;
        return NAME_OK;
    }
    if (!range)
        return NAME_UNKNOWN;
    if (name->member && name->member->of == range) {
        *text = name->member->text;
        return NAME_OK;
    }
    struct name_member *member = arena_alloc(&names->scratch, 1, sizeof *member);
    const char *own = member ? text_of_its_own(names, name) : NULL;
    if (!own)
        return NAME_NO_MEMORY;
    *member = (struct name_member){
        .name = name, .text = own, .of = range, .hidden = name->member, .next = range->members};
    name->member = range->members = member;
    *text = own;
    *like = range->like;
    return NAME_OK;
}

enum name_result names_use_later(struct names *names, struct name *name, uint32_t line, const char **place)
{
    if (!array_grow(names->pendings, names->pending_capacity, names->pending_count, 1))
        return NAME_NO_MEMORY;
    names->pendings[names->pending_count++] =
        (struct name_pending){.place = place, .name = name, .line = line};
    return NAME_OK;
}

/* PTX ISA 9.0, chapter 10. */
static const char *const plain_registers[] = {
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
};
/* With the elements .x .y .z (.w). */
static const char *const vector_registers[] = {
    "%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid",
};
/* Followed by a number: %envreg12, %pm0_64. */
static const char *const numbered_registers[] = {"%pm", "%envreg", "%reserved_smem_offset_"};

/* The rest of `text` after the longest entry of the table that it begins with; NULL: it begins with none. */
static const char *rest_of(const char *text, const char *const table[], size_t count)
{
    const char *rest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(table[i]);
        if (strncmp(text, table[i], size) == 0 && (!rest || text + size > rest))
            rest = text + size;
    }
    return rest;
}

#define REST_OF(text, table) rest_of(text, table, sizeof table / sizeof *table)

bool names_is_special(const char *text)
{
    const char *rest = REST_OF(text, plain_registers);
    if (rest && *rest == '\0')
        return true;
    rest = REST_OF(text, vector_registers);
    if (rest && (*rest == '\0' || (rest[0] == '.' && rest[1] >= 'w' && rest[1] <= 'z' && !rest[2])))
        return true;
    rest = REST_OF(text, numbered_registers);
    return rest && *rest >= '0' && *rest <= '9';
}
