/* SPDX-License-Identifier: Apache-2.0 */
/* The session's rows of a kernel are in the order of the program; they are copied, with the texts that the
 * view shows. */
#include "tui/views/lanes/lane_recorded.h"

#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"
#include "core/session/code.h"
#include "tui/widgets/short_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of an atomic in files that were written before they had passes: not what it costs, so it is left out. */
static bool is_of(const struct access_row *row, uint32_t kernel)
{
    bool atomic = row->flags & ACCESS_IS_ATOMIC && row->space == ACCESS_GLOBAL;
    return row->kernel == kernel && (!atomic || row->flags & ACCESS_IS_PASSES);
}

bool lane_recorded_any(const struct session *session, uint32_t kernel)
{
    uint32_t count = session_access_count(session);
    for (uint32_t i = 0; i < count; i++)
        if (is_of(session_access(session, i), kernel))
            return true;
    return false;
}

static void line_copy(const char *at, uint32_t line, char *text, size_t size_bytes)
{
    for (; line > 1 && *at != '\0'; line--) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    at += strspn(at, " \t");
    snprintf(text, size_bytes, "%.*s", (int)strcspn(at, "\n"), at);
}

static void names_take(struct tui_access *item, const struct session *session, const struct access_row *row)
{
    const struct instruction_row *instruction = session_instruction(session, row->instruction);
    const struct function_row *function = session_function(session, instruction->function);
    const char *file = session_string(session, instruction->file), *slash = strrchr(file, '/');
    short_names_print(NULL, session_string(session, function->name), SHORT_NAME_WHOLE, item->kernel,
                      sizeof item->kernel);
    snprintf(item->instruction, sizeof item->instruction, "%.79s",
             session_string(session, instruction->text));
    item->line = instruction->line;
    if (item->line == 0)
        return;
    snprintf(item->place, sizeof item->place, "%.36s:%u", slash ? slash + 1 : file, item->line);
    item->file_text = session_source_text(session, file);
    line_copy(item->file_text ? item->file_text : "", item->line, item->text, sizeof item->text);
}

static void cost_take(struct tui_access *item, const struct arch *rules)
{
    if (item->space == TUI_SPACE_SHARED) {
        struct bank_cost cost = bank_count(rules, &item->access);
        item->counted = cost.wavefronts;
        item->counted_ideal = cost.ideal_wavefronts;
    } else {
        struct coalesce_cost cost = coalesce_count(rules, &item->access);
        item->counted = cost.sectors;
        item->counted_ideal = cost.ideal_sectors;
    }
}

static void access_take(struct tui_access *item, const struct session *session, const struct access_row *row,
                        const struct arch *rules, bool own_rules)
{
    *item = (struct tui_access){.space = row->space == ACCESS_SHARED  ? TUI_SPACE_SHARED
                                         : row->space == ACCESS_LOCAL ? TUI_SPACE_LOCAL
                                                                      : TUI_SPACE_GLOBAL,
                                .atomic = row->flags & ACCESS_IS_ATOMIC,
                                .compare_and_swap = row->flags & ACCESS_IS_SWAP,
                                .by_rule = row->flags & ACCESS_IS_ALONE,
                                .counted = row->transfers,
                                .counted_ideal = row->ideal_transfers,
                                .block = row->block,
                                .warp = row->warp};
    session_access_addresses(session, row, &item->access);
    if (own_rules) {
        item->requests = row->requests;
        item->all_counted = row->all_transfers;
        item->all_ideal = row->all_ideal_transfers;
    } else if (item->by_rule) {
        cost_take(item, rules);
    }
    names_take(item, session, row);
}

/* The model counted by the rules of its GPU unless the costs that follow from addresses alone differ. */
static bool rules_are_own(const struct session *session, uint32_t kernel, const struct arch *rules)
{
    uint32_t count = session_access_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const struct access_row *row = session_access(session, i);
        struct tui_access item = {.space = row->space == ACCESS_SHARED ? TUI_SPACE_SHARED : TUI_SPACE_GLOBAL};
        if (row->kernel != kernel || !(row->flags & ACCESS_IS_ALONE))
            continue;
        session_access_addresses(session, row, &item.access);
        cost_take(&item, rules);
        if (item.counted != row->transfers || item.counted_ideal != row->ideal_transfers)
            return false;
    }
    return true;
}

enum status lane_recorded_make(const struct session *session, uint32_t kernel, const struct arch *rules,
                               struct tui_accesses *accesses, struct error *error)
{
    const bool own_rules = rules_are_own(session, kernel, rules);
    uint32_t rows = session_access_count(session), count = 0;
    *accesses = (struct tui_accesses){0};
    for (uint32_t i = 0; i < rows; i++)
        count += is_of(session_access(session, i), kernel);
    if (count == 0)
        return error_set(error, STATUS_STATE, "No addresses of this kernel were recorded.");
    accesses->items = calloc(count, sizeof *accesses->items);
    if (!accesses->items)
        return error_no_memory(error, "for the addresses of a kernel");
    for (uint32_t i = 0; i < rows && accesses->count < count; i++) {
        const struct access_row *row = session_access(session, i);
        if (!is_of(row, kernel))
            continue;
        access_take(&accesses->items[accesses->count], session, row, rules, own_rules);
        accesses->items[accesses->count].site = accesses->count;
        accesses->count++;
    }
    accesses->sites = accesses->count;
    return STATUS_OK;
}
