/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of each side are listed with a key of their work; each rule then walks what is left over. */
#include "core/analysis/compare_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint32_t kernel, hash; /* of the key */
    char *key;
    bool model, matched;
};

struct side {
    const struct session *session;
    struct entry *entries;
    size_t count;
};

const char *compare_how_text(enum compare_how how)
{
#define HOW_TEXT(id, text) [COMPARE_BY_##id] = text,
    static const char *const texts[] = {COMPARE_HOW_LIST(HOW_TEXT)};
#undef HOW_TEXT

    return (unsigned)how < COMPARE_HOW_COUNT ? texts[how] : "";
}

/* ---- what a pick takes ---- */

/* Returns the next "key=value" of a list and its length in *length; NULL at the end. */
static const char *next_param(const char **rest, size_t *length)
{
    const char *param = *rest;
    if (!param || !*param)
        return NULL;
    *length = strcspn(param, ",");
    *rest = param + *length + (param[*length] == ',');
    return param;
}

/* Does the list have this "key=value", or, with key_only, another value of the same key? */
static bool has_param(const char *list, const char *param, size_t length, bool key_only)
{
    size_t wanted = key_only ? strcspn(param, "=,") : length, candidate_length;
    const char *candidate;
    while ((candidate = next_param(&list, &candidate_length))) {
        size_t compared = key_only ? strcspn(candidate, "=,") : candidate_length;
        if (compared == wanted && strncmp(candidate, param, wanted) == 0)
            return true;
    }
    return false;
}

static bool is_named(const char *wanted)
{
    return wanted && *wanted;
}

static const char *work_name(const struct session *session, const struct run_row *run)
{
    return session_string(session, run->workload ? run->workload : run->program);
}

bool compare_pick_takes(const struct compare_pick *pick, const struct session *session,
                        const struct run_row *run)
{
    const char *params = session_string(session, run->params), *rest = pick->params, *param;
    size_t length;
    if ((is_named(pick->work) && strcmp(pick->work, work_name(session, run)) != 0) ||
        (is_named(pick->variant) && strcmp(pick->variant, session_string(session, run->variant)) != 0))
        return false;
    while ((param = next_param(&rest, &length)))
        if (!has_param(params, param, length, false))
            return false;
    return true;
}

/* ---- a side ---- */

/* The work, variant and parameters that neither pick names, as a key. NULL: no memory. */
static char *make_key(const struct session *session, const struct run_row *run,
                      const struct compare_pick *const picks[2])
{
    bool work = is_named(picks[0]->work) || is_named(picks[1]->work);
    bool variant = is_named(picks[0]->variant) || is_named(picks[1]->variant);
    const char *rest = session_string(session, run->params), *param;
    size_t length, size_bytes = 0;
    char *key = NULL;
    FILE *out = open_memstream(&key, &size_bytes);
    if (!out)
        return NULL;
    fprintf(out, "%s\n%s\n", work ? "" : work_name(session, run),
            variant ? "" : session_string(session, run->variant));
    while ((param = next_param(&rest, &length)))
        if (!has_param(picks[0]->params, param, length, true) &&
            !has_param(picks[1]->params, param, length, true))
            fprintf(out, "%.*s,", (int)length, param);
    if (fclose(out) != 0) {
        free(key);
        return NULL;
    }
    return key;
}

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static enum status list_side(struct side *side, const struct kernel_index *index,
                             const struct compare_pick *pick, const struct compare_pick *const picks[2],
                             struct error *error)
{
    uint32_t count = kernel_index_count(index);
    side->session = kernel_index_session(index);
    side->entries = calloc(count + 1u, sizeof *side->entries);
    if (!side->entries)
        return error_no_memory(error, "to compare the kernels");
    for (uint32_t kernel = 0; kernel < count; kernel++) {
        const struct kernel_row *row = session_kernel(side->session, kernel);
        const struct run_row *run = session_run(side->session, row->run);
        if (!run || !session_shape(side->session, row->shape) || !kernel_index_leads(index, kernel))
            continue;
        bool model = kernel_on_model(side->session, kernel);
        if (!compare_pick_takes(pick, side->session, run) ||
            (pick->device != COMPARE_ANY_DEVICE && model != (pick->device == COMPARE_MODEL)))
            continue;
        char *key = make_key(side->session, run, picks);
        if (!key)
            return error_no_memory(error, "to compare the kernels");
        side->entries[side->count++] =
            (struct entry){.kernel = kernel, .hash = hash_of(key), .key = key, .model = model};
    }
    return STATUS_OK;
}

static void free_side(struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        free(side->entries[i].key);
    free(side->entries);
}

/* ---- the rules ---- */

static bool same_key(const struct entry *a, const struct entry *b)
{
    return a->hash == b->hash && strcmp(a->key, b->key) == 0;
}

static bool one_work(const struct side *side)
{
    for (size_t i = 1; i < side->count; i++)
        if (!same_key(&side->entries[0], &side->entries[i]))
            return false;
    return side->count > 0;
}

static const struct shape_row *shape_of(const struct side *side, const struct entry *entry)
{
    return session_shape(side->session, session_kernel(side->session, entry->kernel)->shape);
}

struct matching {
    struct side sides[2];
    bool any_work; /* each side has one work only */
};

static bool same_work(const struct matching *matching, const struct entry *a, const struct entry *b)
{
    return matching->any_work || same_key(a, b);
}

static bool same_name(const struct matching *matching, const struct entry *a, const struct entry *b)
{
    return strcmp(session_string(matching->sides[0].session, shape_of(&matching->sides[0], a)->name),
                  session_string(matching->sides[1].session, shape_of(&matching->sides[1], b)->name)) == 0;
}

static bool same_shape(const struct matching *matching, const struct entry *a, const struct entry *b)
{
    const struct shape_row *left = shape_of(&matching->sides[0], a),
                           *right = shape_of(&matching->sides[1], b);
    return memcmp(left->grid, right->grid, sizeof left->grid) == 0 &&
           memcmp(left->block, right->block, sizeof left->block) == 0 &&
           left->dynamic_shared_bytes == right->dynamic_shared_bytes;
}

static const struct rule {
    enum compare_how how;
    bool same_device, only_one; /* same kind of device; no other unmatched row may fit */
} rules[] = {
    {COMPARE_BY_SHAPE, true, false}, {COMPARE_BY_SHAPE, false, false}, {COMPARE_BY_NAME, true, true},
    {COMPARE_BY_NAME, false, true},  {COMPARE_BY_LEFT, true, true},    {COMPARE_BY_LEFT, false, true},
};

static bool entries_fit(const struct matching *matching, const struct rule *rule, const struct entry *a,
                        const struct entry *b)
{
    if (!same_work(matching, a, b) || (rule->same_device && a->model != b->model))
        return false;
    switch (rule->how) {
    case COMPARE_BY_SHAPE: return same_name(matching, a, b) && same_shape(matching, a, b);
    case COMPARE_BY_NAME: return same_name(matching, a, b);
    case COMPARE_BY_LEFT:
    case COMPARE_HOW_COUNT: break;
    }
    return true;
}

/* The first row on the other side that fits row `of` and is not matched yet; NULL if there is none, or if the
 * rule wants only one and there are several. */
static struct entry *find_counterpart(struct matching *matching, const struct rule *rule, int of,
                                      const struct entry *entry)
{
    struct side *others = &matching->sides[1 - of];
    struct entry *found = NULL;
    for (size_t i = 0; i < others->count; i++) {
        struct entry *other = &others->entries[i];
        if (other->matched || !entries_fit(matching, rule, of == 0 ? entry : other, of == 0 ? other : entry))
            continue;
        if (!rule->only_one)
            return other;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

static void apply_rule(struct matching *matching, const struct rule *rule, struct compare_match *rows)
{
    struct side *side = &matching->sides[0];
    for (size_t i = 0; i < side->count; i++) {
        struct entry *a = &side->entries[i];
        struct entry *b = a->matched ? NULL : find_counterpart(matching, rule, 0, a);
        if (b && (!rule->only_one || find_counterpart(matching, rule, 1, b) == a)) {
            a->matched = b->matched = true;
            rows[i] = (struct compare_match){.a = a->kernel, .b = b->kernel, .how = rule->how};
        }
    }
}

enum status compare_match(struct compare_matches *matches, const struct kernel_index *a,
                          const struct compare_pick *pick_a, const struct kernel_index *b,
                          const struct compare_pick *pick_b, struct error *error)
{
    const struct compare_pick *const picks[2] = {pick_a, pick_b};
    struct matching matching = {0};
    *matches = (struct compare_matches){0};
    enum status status = list_side(&matching.sides[0], a, pick_a, picks, error);
    if (status == STATUS_OK)
        status = list_side(&matching.sides[1], b, pick_b, picks, error);
    if (status == STATUS_OK) {
        matches->rows = calloc(matching.sides[0].count + 1, sizeof *matches->rows);
        for (int s = 0; s < 2; s++)
            matches->only[s] = calloc(matching.sides[s].count + 1, sizeof **matches->only);
        status = matches->rows && matches->only[0] && matches->only[1]
                     ? STATUS_OK
                     : error_no_memory(error, "to compare the kernels");
    }
    if (status == STATUS_OK) {
        matching.any_work = one_work(&matching.sides[0]) && one_work(&matching.sides[1]);
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
            apply_rule(&matching, &rules[i], matches->rows);
        for (size_t i = 0; i < matching.sides[0].count; i++) /* close the gaps */
            if (matching.sides[0].entries[i].matched)
                matches->rows[matches->count++] = matches->rows[i];
        for (int s = 0; s < 2; s++) {
            for (size_t i = 0; i < matching.sides[s].count; i++)
                if (!matching.sides[s].entries[i].matched)
                    matches->only[s][matches->only_count[s]++] = matching.sides[s].entries[i].kernel;
        }
    }
    free_side(&matching.sides[0]);
    free_side(&matching.sides[1]);
    return status;
}

void compare_matches_fini(struct compare_matches *matches)
{
    free(matches->rows);
    free(matches->only[0]);
    free(matches->only[1]);
    *matches = (struct compare_matches){0};
}
