/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a kernel's errors: selects the ones to keep. check_text.c has their sentences. */
#include "simt/check/check.h"

#include "core/base/function_name.h"
#include "simt/check/place.h"
#include "simt/memory/mbarrier.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_ROW(id, text, cuda) [CHECK_##id] = {text, cuda},
static const struct {
    const char *text;
    uint32_t cuda_error;
} check_kinds[] = {CHECK_KIND_LIST(CHECK_ROW)};
#undef CHECK_ROW

const char *check_kind_text(enum check_kind kind)
{
    return (unsigned)kind < CHECK_KIND_COUNT ? check_kinds[kind].text : "unknown";
}

uint32_t check_cuda_error(enum check_kind kind)
{
    return (unsigned)kind < CHECK_KIND_COUNT ? check_kinds[kind].cuda_error : 0;
}

bool check_stops(enum check_kind kind)
{
    return check_cuda_error(kind) != 0;
}

/* Order in which reports are kept: first errors that stop a kernel, then by instruction, kind and calls.
 */
static int check_compare(const struct check_report *a, const struct check_report *b)
{
    bool a_stops = check_stops(a->kind), b_stops = check_stops(b->kind);
    if (a_stops != b_stops)
        return a_stops ? -1 : 1;
    if ((!a->own_program) != (!b->own_program))
        return !a->own_program ? -1 : 1;
    if (a->instruction != b->instruction)
        return a->instruction < b->instruction ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return memcmp(a->returns, b->returns, sizeof a->returns);
}

static bool check_is_in_lower_block(const struct check_report *a, const struct check_report *b)
{
    for (int i = 2; i >= 0; i--)
        if (a->block[i] != b->block[i])
            return a->block[i] < b->block[i];
    return false;
}

static void check_keep(struct check_result *result, const struct check_report *report)
{
    uint32_t at = 0;
    while (at < result->report_count && check_compare(&result->reports[at], report) < 0)
        at++;
    if (at == CHECK_REPORTS)
        return;
    struct check_report *place = &result->reports[at];
    if (at < result->report_count && check_compare(place, report) == 0) {
        uint64_t count = place->count + report->count;
        bool note = check_is_note(report), was_note = check_is_note(place);
        if (note == was_note ? check_is_in_lower_block(report, place) : was_note)
            *place = *report;
        place->count = count;
        return;
    }
    result->report_count += result->report_count < CHECK_REPORTS;
    memmove(place + 1, place, (result->report_count - 1 - at) * sizeof *place);
    *place = *report;
}

void check_add(struct check_result *result, const struct check_report *report)
{
    result->total[report->kind] += report->count;
    check_keep(result, report);
}

void check_merge(struct check_result *to, const struct check_result *from)
{
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++)
        to->total[kind] += from->total[kind];
    to->unwatched += from->unwatched;
    to->widened |= from->widened;
    for (uint32_t i = 0; i < from->report_count; i++)
        check_keep(to, &from->reports[i]);
}

/* ---- the end of a launch ---- */
#define GUESS_NAMES 64

struct names {
    uint32_t of[GUESS_NAMES], count;
};

static bool names_have(const struct names *names, uint32_t name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (names->of[i] == name)
            return true;
    return false;
}

static bool names_add(struct names *names, uint32_t name)
{
    if (name == PROGRAM_NO_SLOT || names->count == GUESS_NAMES || names_have(names, name))
        return false;
    names->of[names->count++] = name;
    return true;
}

/* Returns whether the value that an instruction loads is what a compare-and-swap compares with: straight, or
 * through moves. */
static bool is_guess(const struct program *program, uint32_t load)
{
    struct names compared = {.count = 0};
    for (uint32_t pc = 0; pc < program->instruction_count; pc++) {
        const struct program_instruction *instruction = &program->instructions[pc];
        if (instruction->op == PROGRAM_ATOM && instruction->sub == ATOMIC_CAS)
            names_add(&compared, program_names_at(program, pc).source[1]);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = 0; pc < program->instruction_count; pc++) {
            const struct program_names names = program_names_at(program, pc);
            bool moves = program->instructions[pc].op == PROGRAM_LANES &&
                         program->instructions[pc].source[1] == PROGRAM_NO_SLOT;
            if (moves && names_have(&compared, names.destination[0]))
                more |= names_add(&compared, names.source[0]);
        }
    }
    const struct program_names loaded = program_names_at(program, load);
    for (int i = 0; i < PROGRAM_VECTOR; i++)
        if (names_have(&compared, loaded.destination[i]))
            return true;
    return false;
}

/* Of the reports of one missing barrier, the one to keep: an error, and of a barrier of the whole block. */
static bool is_better_head(const struct check_report *a, const struct check_report *b)
{
    if (check_is_note(a) != check_is_note(b))
        return check_is_note(b);
    return a->missing == MISSING_BARRIER && b->missing != MISSING_BARRIER;
}

/* Reports of the same two source lines become one. */
static void join_lines(const struct program *program, struct check_result *result)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->report_count; i++) {
        struct check_report *report = &result->reports[i];
        uint32_t read = report->write ? report->other_instruction : report->instruction;
        report->guess = report->guess && is_guess(program, read);
        uint64_t key = place_key(program, report);
        uint32_t same = 0;
        while (same < kept && place_key(program, &result->reports[same]) != key)
            same++;
        if (same == kept) {
            result->reports[kept++] = *report;
            continue;
        }
        uint64_t count = result->reports[same].count + report->count;
        if (is_better_head(report, &result->reports[same]))
            result->reports[same] = *report;
        result->reports[same].count = count;
    }
    result->report_count = kept;
}

static bool is_same_line(const struct program *a, uint32_t at, const struct program *b, uint32_t other)
{
    struct ptx_location of_a = place_of(a, at), of_b = place_of(b, other);
    return of_a.line ? of_a.line == of_b.line && of_a.file == of_b.file : at == other;
}

/* Whether the two lines are the same, in any order. */
static bool is_same_pair(const struct program *program, const struct check_pair *a,
                         const struct check_pair *b)
{
    return (is_same_line(program, a->instruction, program, b->instruction) &&
            is_same_line(a->other_program, a->other_instruction, b->other_program, b->other_instruction)) ||
           (is_same_line(program, a->instruction, b->other_program, b->other_instruction) &&
            is_same_line(a->other_program, a->other_instruction, program, b->instruction));
}

/* Lists the two lines of a report beside those of the head of its group, unless they are there. */
static void add_pair(const struct program *program, struct check_report *head,
                     const struct check_report *report)
{
    const struct check_pair pair = {report->instruction, report->other_instruction, report->other_program};
    const struct check_pair first = {head->instruction, head->other_instruction, head->other_program};
    bool there = is_same_pair(program, &first, &pair);
    for (uint32_t i = 0; i < head->pair_count && i < CHECK_PAIRS; i++)
        there |= is_same_pair(program, &head->pairs[i], &pair);
    head->count += report->count;
    if (there)
        return;
    if (head->pair_count < CHECK_PAIRS)
        head->pairs[head->pair_count] = pair;
    head->pair_count++;
}

/* group[i]: the first report of those of the same missing barrier. Those with the fewest lines are asked first, so that
 * a long way between two accesses joins the barrier of a short one, and notes last. */
static void find_groups(struct check_gap *gaps, const struct check_result *result, uint32_t *group)
{
    uint32_t order[CHECK_REPORTS], weight[CHECK_REPORTS], count = result->report_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        weight[i] = gaps[i].count + (check_is_note(&result->reports[i]) ? CHECK_GAP_LINES + 1 : 0);
        for (; at > 0 && weight[order[at - 1]] > weight[i]; at--)
            order[at] = order[at - 1];
        order[at] = group[i] = i;
    }
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = 0; j < i && group[order[i]] == order[i]; j++)
            if (group[order[j]] == order[j] && place_gap_join(&gaps[order[j]], &gaps[order[i]]))
                group[order[i]] = order[j];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i && group[i] == i; j++)
            for (uint32_t k = 0; group[j] == j && place_gap_follows(&gaps[j], &gaps[i]) && k < count; k++)
                group[k] = group[k] == i ? j : group[k];
}

/* Reports of one missing barrier become one. */
static void join_gaps(const struct program *program, struct check_result *result)
{
    uint32_t group[CHECK_REPORTS], head[CHECK_REPORTS], kept = 0;
    struct check_report *reports = result->reports;
    struct check_gap *gaps = result->report_count > 1 ? malloc(result->report_count * sizeof *gaps) : NULL;
    if (!gaps)
        return;
    for (uint32_t i = 0; i < result->report_count; i++) {
        place_gap_find(program, &reports[i], &gaps[i]);
        head[i] = UINT32_MAX;
    }
    find_groups(gaps, result, group);
    free(gaps);
    for (uint32_t i = 0; i < result->report_count; i++) {
        uint32_t *best = &head[group[i]];
        if (*best == UINT32_MAX || is_better_head(&reports[i], &reports[*best]))
            *best = i;
    }
    for (uint32_t i = 0; i < result->report_count; i++)
        if (head[group[i]] != i)
            add_pair(program, &reports[head[group[i]]], &reports[i]);
    for (uint32_t i = 0; i < result->report_count; i++)
        if (head[group[i]] == i)
            reports[kept++] = reports[i];
    result->report_count = kept;
}

void check_finish(const struct program *program, struct check_result *result)
{
    join_lines(program, result);
    join_gaps(program, result);
}

/* The gap of a report and of those that it has joined. */
static void find_gap(const struct program *program, const struct check_report *report, struct check_gap *gap)
{
    struct check_report other = *report;
    struct check_gap more;
    place_gap_find(program, report, gap);
    for (uint32_t i = 0; i < report->pair_count && i < CHECK_PAIRS; i++) {
        other.instruction = report->pairs[i].instruction;
        other.other_instruction = report->pairs[i].other_instruction;
        other.other_program = report->pairs[i].other_program;
        if (place_gap_find(program, &other, &more))
            place_gap_join(gap, &more);
    }
}

bool check_see(struct check_seen *seen, const struct program *program, const struct check_report *report)
{
    struct check_report one = *report;
    struct check_gap gap;
    uint64_t key = place_key(program, report);
    uint32_t same = 0;
    while (same < seen->count && seen->rows[same].key != key)
        same++;
    if (same == seen->count) {
        find_gap(program, report, &gap);
        for (same = 0; same < seen->count; same++)
            if (seen->rows[same].note == check_is_note(report) &&
                (place_gap_join(&seen->rows[same].gap, &gap) ||
                 place_gap_follows(&seen->rows[same].gap, &gap)))
                break;
    }
    if (same < seen->count) {
        seen->rows[same].count += report->count;
        seen->rows[same].launches++;
        return false;
    }
    if (seen->count == CHECK_SEEN)
        return false;
    struct check_seen_row *row = &seen->rows[seen->count++];
    *row = (struct check_seen_row){
        .key = key, .count = report->count, .launches = 1, .note = check_is_note(report), .gap = gap};
    one.count = 1;
    check_text(program, &one, row->text, sizeof row->text);
    return true;
}

bool check_seen_text(const struct check_seen_row *row, char *text, size_t size_bytes)
{
    if (row->launches < 2)
        return false;
    snprintf(text, size_bytes, "%llu times in %llu launches: %s", (unsigned long long)row->count,
             (unsigned long long)row->launches, row->text);
    return true;
}
