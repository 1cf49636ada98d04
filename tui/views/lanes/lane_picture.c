/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the picture are made from the 32 addresses by the rules of a compute capability; groups of
 * lanes that are served separately have a heading each. picture->steps counts the steps drawn; `step` of a
 * row is the number of steps before it. An atomic before which ptxas has the lanes combine their values is
 * drawn as a load is: many lanes on a word are one access to it.
 */
#include "tui/views/lanes/lane_picture.h"

#include "core/base/append.h"
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES 128
#define LINE_WORDS LANE_CELLS
#define SECTOR_WORDS 8
#define WORD_BYTES 4
#define SEVERAL '+' /* several lanes use one word */
#define UNUSED '.'  /* a word that is moved but not requested, or an idle bank */

char lane_letter(uint32_t lane)
{
    return "0123456789abcdefghijklmnopqrstuv"[lane % WARP_LANES];
}

const char *lane_picture_unit(const struct lane_picture *picture, uint32_t count)
{
    return picture->shared   ? count == 1 ? "wavefront" : "wavefronts"
           : picture->passes ? count == 1 ? "pass" : "passes"
           : count == 1      ? "sector"
                             : "sectors";
}

static struct lane_row *add_row(struct lane_picture *picture)
{
    if (picture->count == LANE_ROWS_MAX)
        return NULL;
    struct lane_row *row = &picture->rows[picture->count++];
    *row = (struct lane_row){0};
    return row;
}

static void add_heading(struct lane_picture *picture, uint32_t first, uint32_t together)
{
    struct lane_row *row = together < WARP_LANES ? add_row(picture) : NULL;
    if (!row)
        return;
    snprintf(row->heading, sizeof row->heading, "lanes %u to %u (%c to %c)", first, first + together - 1,
             lane_letter(first), lane_letter(first + together - 1));
}

static uint32_t group_of(uint32_t active, uint32_t first, uint32_t together)
{
    return active & (UINT32_MAX >> (WARP_LANES - together)) << first;
}

/* ---- memory ---- */

/* The number of lanes that make one request together (core/hardware/coalesce). */
static uint32_t memory_lanes_together(const struct arch *arch, uint32_t width)
{
    switch (arch->global_rules) {
    case GLOBAL_RULES_1_0:
    case GLOBAL_RULES_1_2: return WARP_LANES / 2;
    case GLOBAL_RULES_2_X:
    case GLOBAL_RULES_3_X: return width > 4 ? LINE_BYTES / width : WARP_LANES;
    case GLOBAL_RULES_5_X: break;
    }
    return WARP_LANES;
}

static struct coalesce_cost memory_cost(const struct arch *arch, const struct tui_access *access,
                                        uint32_t lanes)
{
    struct warp_access part = access->access;
    part.active = lanes;
    return access->atomic ? coalesce_count_atomic(arch, &part, NULL, NULL) : coalesce_count(arch, &part);
}

/* The next line above `after` that one of the lanes accesses; false: none. */
static bool next_line(const struct warp_access *access, uint32_t lanes, bool any, uint64_t after,
                      uint64_t *line)
{
    bool found = false;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t own = access->address[__builtin_ctz(lanes)] / LINE_BYTES;
        if ((!any || own > after) && (!found || own < *line)) {
            *line = own;
            found = true;
        }
    }
    return found;
}

static uint32_t lanes_in(const struct warp_access *access, uint32_t lanes, uint64_t line)
{
    uint32_t in = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        in |= (uint32_t)(access->address[lane] / LINE_BYTES == line) << lane;
    }
    return in;
}

/* The sectors of the line that are moved: those that lanes request, or the segments that contain them. */
static uint32_t sectors_moved(const struct coalesce_cost *cost, uint32_t wanted)
{
    if (cost->transactions_128 > 0)
        return 0xf;
    if (cost->transactions_64 > 0)
        return ((wanted & 3) != 0 ? 3u : 0u) | ((wanted & 12) != 0 ? 12u : 0u);
    return wanted;
}

static void words_of_line(const struct warp_access *access, uint32_t lanes, char words[LINE_WORDS],
                          uint32_t *wanted)
{
    memset(words, ' ', LINE_WORDS);
    *wanted = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint32_t first = (uint32_t)(access->address[lane] % LINE_BYTES) / WORD_BYTES;
        uint32_t last = (uint32_t)(access->address[lane] % LINE_BYTES + access->width_bytes - 1) / WORD_BYTES;
        for (uint32_t word = first; word <= last && word < LINE_WORDS; word++) {
            words[word] = words[word] == ' ' ? lane_letter(lane) : SEVERAL;
            *wanted |= 1u << word / SECTOR_WORDS;
        }
    }
}

static void add_line(struct lane_picture *picture, const struct arch *arch, const struct tui_access *access,
                     uint32_t lanes, uint64_t line, uint64_t base, uint32_t place)
{
    const struct coalesce_cost cost = memory_cost(arch, access, lanes);
    struct lane_row *row = add_row(picture);
    char words[LINE_WORDS];
    uint32_t wanted;
    words_of_line(&access->access, lanes, words, &wanted);
    uint32_t moved = picture->passes ? wanted : sectors_moved(&cost, wanted);
    uint32_t step = picture->steps;
    picture->steps += (uint32_t)__builtin_popcount(moved);
    if (!row)
        return;
    row->line = (uint32_t)(line - base);
    row->place = place;
    row->step = step;
    row->moved = (uint8_t)moved;
    for (uint32_t word = 0; word < LINE_WORDS; word++)
        row->cells[word] =
            words[word] == ' ' && (moved >> word / SECTOR_WORDS & 1) != 0 ? UNUSED : words[word];
}

/* The lanes whose address no lower lane has: those that an atomic serves first. */
static uint32_t first_served(const struct warp_access *access, uint32_t lanes)
{
    uint32_t first = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), others = first;
        while (others && access->address[__builtin_ctz(others)] != access->address[lane])
            others &= others - 1;
        first |= others ? 0 : 1u << lane;
    }
    return first;
}

/* A line's rows: one, or of an atomic one for each of the lanes on its most wanted word. */
static void add_lines(struct lane_picture *picture, const struct arch *arch, const struct tui_access *access,
                      uint32_t lanes, uint64_t line, uint64_t base)
{
    for (uint32_t place = 1; lanes != 0; place++) {
        uint32_t served = picture->one_by_one ? first_served(&access->access, lanes) : lanes;
        add_line(picture, arch, access, served, line, base, place);
        lanes &= ~served;
    }
}

static void draw_memory(struct lane_picture *picture, const struct arch *arch,
                        const struct tui_access *access)
{
    const struct warp_access *of = &access->access;
    uint32_t together = picture->passes ? WARP_LANES : memory_lanes_together(arch, of->width_bytes);
    uint64_t base = 0;
    next_line(of, of->active, false, 0, &base);
    for (uint32_t first = 0; first < WARP_LANES; first += together) {
        uint32_t lanes = group_of(of->active, first, together);
        uint64_t line = 0, after = 0;
        if (lanes != 0)
            add_heading(picture, first, together);
        for (bool any = false; next_line(of, lanes, any, after, &line); any = true, after = line)
            add_lines(picture, arch, access, lanes_in(of, lanes, line), line, base);
    }
}

static void tell_passes(struct lane_picture *picture, const struct tui_access *access)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(access->access.active);
    uint32_t most = access_contention(&access->access);
    size_t used = 0;
    picture->cost = picture->one_by_one ? access_passes(&access->access) : access->counted;
    if (!picture->one_by_one)
        append_text(picture->sentence, sizeof picture->sentence, &used,
                    "the lanes' values are combined first: ");
    else if (most > 1)
        append_text(picture->sentence, sizeof picture->sentence, &used,
                    "%s%u updates of one word: ", most < lanes ? "up to " : "", most);
    append_text(picture->sentence, sizeof picture->sentence, &used, "%u %s, ideal %u", picture->cost,
                lane_picture_unit(picture, picture->cost), picture->ideal);
}

static void tell_memory(struct lane_picture *picture, const struct arch *arch,
                        const struct tui_access *access)
{
    const struct coalesce_cost cost = memory_cost(arch, access, access->access.active);
    picture->cost = cost.sectors;
    picture->ideal = cost.ideal_sectors;
    size_t used = 0;
    if (picture->passes) {
        tell_passes(picture, access);
        return;
    }
    append_text(picture->sentence, sizeof picture->sentence, &used, "%u sector%s of 32 bytes, ideal %u",
                cost.sectors, cost.sectors == 1 ? "" : "s", cost.ideal_sectors);
    if (arch->global_rules == GLOBAL_RULES_5_X)
        return;
    append_text(picture->sentence, sizeof picture->sentence, &used, ":");
    const struct {
        uint32_t count, bytes;
    } sizes[] = {{cost.transactions_32, 32}, {cost.transactions_64, 64}, {cost.transactions_128, 128}};
    for (int i = 0; i < 3; i++)
        if (sizes[i].count > 0)
            append_text(picture->sentence, sizeof picture->sentence, &used, " %u x %u B", sizes[i].count,
                        sizes[i].bytes);
}

/* ---- shared memory ---- */

/* Words that a bank can serve in one pass count as one place: on 3.x two words that are a row apart. */
static uint64_t place_of(const struct arch *arch, uint64_t word, uint32_t *bank)
{
    if (arch->shared_rules == SHARED_RULES_3_X_64_BIT) {
        *bank = (uint32_t)(word / 2 % arch->banks);
        return word / 2;
    }
    *bank = (uint32_t)(word % arch->banks);
    if (arch->shared_rules == SHARED_RULES_3_X_32_BIT)
        return word / (2 * arch->banks) * arch->banks + *bank;
    return word;
}

uint32_t lane_picture_bank(const struct arch *arch, uint64_t address)
{
    uint32_t bank;
    place_of(arch, address / WORD_BYTES, &bank);
    return bank;
}

static uint32_t shared_lanes_together(const struct arch *arch, uint32_t width)
{
    uint32_t together = arch->banks * arch->bank_bytes / (width > WORD_BYTES ? width : WORD_BYTES);
    return together < WARP_LANES ? together : WARP_LANES;
}

#define AGAIN (UINT64_C(1) << 62) /* the second pass of a compare-and-swap, as if it were another word */

struct bank_stack {
    uint64_t place[2 * WARP_LANES];
    char letter[2 * WARP_LANES];
    uint32_t count;
};

/* apart: other lanes that use the place have places of their own. */
static void stack_add(struct bank_stack *stack, uint64_t place, char letter, bool apart)
{
    uint32_t i = 0;
    while (i < stack->count && (stack->place[i] != place || (apart && stack->letter[i] != letter)))
        i++;
    if (i < stack->count) {
        stack->letter[i] = stack->letter[i] == letter ? letter : SEVERAL;
        return;
    }
    if (i < 2 * WARP_LANES) {
        stack->place[i] = place;
        stack->letter[i] = letter;
        stack->count++;
    }
}

static void add_banks(struct lane_picture *picture, const struct bank_stack *stacks, uint32_t banks)
{
    uint32_t deepest = 0;
    for (uint32_t bank = 0; bank < banks; bank++)
        deepest = stacks[bank].count > deepest ? stacks[bank].count : deepest;
    for (uint32_t depth = 0; depth < deepest; depth++) {
        struct lane_row *row = add_row(picture);
        if (!row)
            return;
        row->place = depth + 1;
        row->step = picture->steps++;
        for (uint32_t bank = 0; bank < banks; bank++)
            row->cells[bank] = stacks[bank].count > depth ? stacks[bank].letter[depth] : UNUSED;
    }
}

static void draw_shared(struct lane_picture *picture, const struct arch *arch,
                        const struct tui_access *access)
{
    const struct warp_access *of = &access->access;
    uint32_t together = shared_lanes_together(arch, of->width_bytes);
    bool twice = picture->one_by_one && access->compare_and_swap && arch->shared_rules == SHARED_RULES_5_X;
    picture->cells = arch->banks;
    for (uint32_t first = 0; first < WARP_LANES; first += together) {
        struct bank_stack stacks[WARP_LANES] = {0};
        uint32_t lanes = group_of(of->active, first, together);
        if (lanes == 0)
            continue;
        add_heading(picture, first, together);
        for (; lanes; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes), bank;
            uint64_t end = (of->address[lane] + of->width_bytes - 1) / WORD_BYTES;
            for (uint64_t word = of->address[lane] / WORD_BYTES; word <= end; word++) {
                uint64_t place = place_of(arch, word, &bank);
                stack_add(&stacks[bank], place, lane_letter(lane), picture->one_by_one);
                if (twice)
                    stack_add(&stacks[bank], place + AGAIN, lane_letter(lane), true);
            }
        }
        add_banks(picture, stacks, arch->banks);
    }
}

static struct bank_cost shared_cost(const struct arch *arch, const struct tui_access *access, bool one_by_one)
{
    return one_by_one ? bank_count_atomic(arch, &access->access, access->compare_and_swap)
                      : bank_count(arch, &access->access);
}

static void tell_shared(struct lane_picture *picture, const struct arch *arch,
                        const struct tui_access *access)
{
    const struct bank_cost cost = shared_cost(arch, access, picture->one_by_one);
    picture->cost = cost.wavefronts;
    picture->ideal = cost.ideal_wavefronts;
    size_t used =
        (size_t)snprintf(picture->sentence, sizeof picture->sentence, "%u %s, ideal %u", cost.wavefronts,
                         lane_picture_unit(picture, cost.wavefronts), cost.ideal_wavefronts);
    bool vowel = cost.degree == 8 || cost.degree == 11 || cost.degree == 18;
    if (cost.degree > 1)
        snprintf(picture->sentence + used, sizeof picture->sentence - used, ": a%s %u-way conflict",
                 vowel ? "n" : "", cost.degree);
    else
        snprintf(picture->sentence + used, sizeof picture->sentence - used, ": no conflict");
}

/* Does ptxas have the lanes of one word combine their values first? Then the model counts what a load of the
 * addresses would cost, and not what the atomic would. */
static bool is_combined(const struct arch *arch, const struct tui_access *access)
{
    bool shared = access->space == TUI_SPACE_SHARED;
    uint32_t apart = shared ? shared_cost(arch, access, true).wavefronts : access_passes(&access->access);
    uint32_t combined = shared ? shared_cost(arch, access, false).wavefronts
                               : memory_cost(arch, access, access->access.active).sectors;
    return access->counted != apart && access->counted == combined;
}

void lane_picture_make(struct lane_picture *picture, const struct arch *arch, const struct tui_access *access)
{
    picture->count = 0;
    picture->steps = 0;
    picture->cells = LINE_WORDS;
    picture->shared = access->space == TUI_SPACE_SHARED;
    picture->passes = access->atomic && !picture->shared;
    picture->one_by_one = access->atomic && !is_combined(arch, access);
    if (picture->shared) {
        draw_shared(picture, arch, access);
        tell_shared(picture, arch, access);
    } else {
        draw_memory(picture, arch, access);
        tell_memory(picture, arch, access);
    }
}
