/* SPDX-License-Identifier: Apache-2.0 */
/* Values are told in the shortest form that is exact: one for all lanes, a step from lane to lane, or each. */
#include "cli/debug/debug_text.h"

#include "cli/process/source_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *debug_text_space(uint32_t space)
{
    static const char *const texts[] = {
        [PTX_GENERIC] = "generic", [PTX_REG] = "register", [PTX_CONST] = "constant",
        [PTX_GLOBAL] = "global",   [PTX_LOCAL] = "local",  [PTX_PARAM] = "parameter",
        [PTX_SHARED] = "shared"};
    return space < sizeof texts / sizeof texts[0] ? texts[space] : "?";
}

/* ---- values ---- */

static uint32_t bytes_of(const struct debug_register *of)
{
    return of->type == PTX_PRED ? 1 : ptx_type_bytes((enum ptx_type)of->type);
}

static enum debug_form form_by_type(const struct debug_register *of)
{
    switch ((enum ptx_type)of->type) {
    case PTX_F32:
    case PTX_F64: return DEBUG_FLOAT;
    case PTX_S8:
    case PTX_S16:
    case PTX_S32:
    case PTX_S64: return DEBUG_INT;
    case PTX_B64: return DEBUG_HEX;
    default: return DEBUG_UNSIGNED;
    }
}

void debug_text_value(const struct debug_register *of, uint32_t lane, enum debug_form form, char *text,
                      size_t size_bytes)
{
    uint64_t bits = of->values[lane];
    uint32_t bytes = bytes_of(of);
    form = form == DEBUG_BY_TYPE ? form_by_type(of) : form;
    if (form == DEBUG_FLOAT && bytes == 4) {
        float value;
        memcpy(&value, &(uint32_t){(uint32_t)bits}, sizeof value);
        snprintf(text, size_bytes, "%.9g", (double)value);
    } else if (form == DEBUG_FLOAT && bytes == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(text, size_bytes, "%.17g", value);
    } else if (form == DEBUG_INT && bytes > 1) {
        unsigned shift = 64 - 8 * (bytes > 8 ? 8 : bytes);
        snprintf(text, size_bytes, "%" PRId64, (int64_t)(bits << shift) >> shift);
    } else if (form == DEBUG_HEX) {
        snprintf(text, size_bytes, "0x%" PRIx64, bits);
    } else {
        snprintf(text, size_bytes, "%" PRIu64, bits);
    }
}

void debug_text_strip(const struct debug_register *of, uint32_t lanes, char strip[WARP_LANES + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint32_t distinct = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t same = 0;
        strip[lane] = '.';
        if (!(lanes >> lane & 1))
            continue;
        while (same < lane && (!(lanes >> same & 1) || of->values[same] != of->values[lane]))
            same++;
        strip[lane] = same < lane ? strip[same] : letters[distinct++];
    }
    strip[WARP_LANES] = '\0';
}

void debug_text_lane_list(uint32_t lanes, char *text, size_t size_bytes)
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t end = lane;
        if (!(lanes >> lane & 1))
            continue;
        while (end + 1 < WARP_LANES && lanes >> (end + 1) & 1)
            end++;
        int made = lane == end
                       ? snprintf(text + used, size_bytes - used, "%s%u", used ? ", " : "", lane)
                       : snprintf(text + used, size_bytes - used, "%s%u-%u", used ? ", " : "", lane, end);
        used += made > 0 && (size_t)made < size_bytes - used ? (size_t)made : 0;
        lane = end;
    }
}

/* All of the lanes have one value, or values that grow by one step; false: neither. */
static bool values_short(const struct debug_register *of, uint32_t lanes, enum debug_form form, char *text,
                         size_t size_bytes)
{
    char value[40];
    uint32_t first = lanes ? (uint32_t)__builtin_ctz(lanes) : 0, second = 0, bytes = bytes_of(of);
    uint64_t mask = bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1, step = 0;
    bool same = true, steps = bytes > 1;
    if (!lanes)
        return false;
    debug_text_value(of, first, form, value, sizeof value);
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t grown = (of->values[lane] - of->values[first]) & mask;
        same &= grown == 0;
        if (!second) {
            second = lane;
            steps &= grown % (lane - first) == 0;
            step = grown / (lane - first);
        }
        steps &= grown == (step * (lane - first) & mask);
    }
    bool less = step > mask - mask / 64;
    if (same)
        snprintf(text, size_bytes, "%s in all", value);
    else if (steps && (form == DEBUG_BY_TYPE ? form_by_type(of) : form) != DEBUG_FLOAT &&
             (less || step <= mask / 64))
        snprintf(text, size_bytes, "%s, %" PRIu64 " %s from lane to lane", value,
                 less ? (0 - step) & mask : step, less ? "less" : "more");
    else
        return false;
    return true;
}

bool debug_text_is_zero(const struct debug_register *of)
{
    uint64_t any = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        any |= of->values[lane];
    return any == 0;
}

void debug_text_register_line(const struct debug_register *of, uint32_t lanes, FILE *out)
{
    char strip[WARP_LANES + 1], text[120], value[40];
    debug_text_strip(of, lanes, strip);
    fprintf(out, "  %-8s %-5s %s  ", of->name, ptx_type_text((enum ptx_type)of->type), strip);
    if (values_short(of, lanes, DEBUG_BY_TYPE, text, sizeof text)) {
        fprintf(out, "%s\n", text);
        return;
    }
    uint32_t shown = 0;
    for (uint32_t left = lanes; left && shown < 4; left &= left - 1, shown++) {
        debug_text_value(of, (uint32_t)__builtin_ctz(left), DEBUG_BY_TYPE, value, sizeof value);
        fprintf(out, "%s%s", shown ? " " : "", value);
    }
    fprintf(out, "%s\n", __builtin_popcount(lanes) > 4 ? " ..." : "");
}

void debug_text_register(const struct debug_register *of, uint32_t lanes, enum debug_form form, FILE *out)
{
    char strip[WARP_LANES + 1], text[120], value[40];
    debug_text_strip(of, lanes, strip);
    fprintf(out, "  %s (%s)  %s", of->name, ptx_type_text((enum ptx_type)of->type), strip);
    if (values_short(of, lanes, form, text, sizeof text)) {
        fprintf(out, "  %s\n", text);
        return;
    }
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (lane % 8 == 0)
            fprintf(out, "\n  %2u:", lane);
        debug_text_value(of, lane, form, value, sizeof value);
        fprintf(out, " %12s%c", value, lanes >> lane & 1 ? ' ' : '.');
    }
    fprintf(out, "\n%s", lanes != UINT32_MAX ? "  '.': not on this path, an earlier value\n" : "");
}

/* ---- the place ---- */

bool debug_text_source(const char *file, uint32_t line, char *text, size_t size_bytes)
{
    static char *kept, kept_path[DEBUG_FILE_BYTES];
    static size_t kept_bytes;
    if (!line || !*file)
        return false;
    if (!kept || strcmp(kept_path, file) != 0) {
        free(kept);
        kept = NULL;
        snprintf(kept_path, sizeof kept_path, "%s", file);
        if (!source_reader_read(NULL, file, &kept, &kept_bytes)) {
            kept = NULL;
            return false;
        }
    }
    const char *at = kept, *end = kept + kept_bytes;
    for (uint32_t i = 1; i < line && at < end; i++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    size_t length = (size_t)((stop ? stop : end) - at);
    while (length > 0 && strchr(" \t\r", at[length - 1]))
        length--;
    snprintf(text, size_bytes, "%.*s", (int)(length < size_bytes ? length : size_bytes - 1), at);
    return *text != '\0';
}

char debug_text_lane_letter(enum stepper_lane lane)
{
    static const char letters[STEPPER_LANE_COUNT] = {'#', 'o', 'w', 's', 'B', 'M', 'C', ' '};
    return letters[lane];
}

void debug_text_lane_row(const struct debug_message *now, char row[WARP_LANES + 1])
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        enum stepper_lane state = (enum stepper_lane)now->lane_state[lane];
        row[lane] = state == STEPPER_RUNS && !(now->on >> lane & 1) ? '-' : debug_text_lane_letter(state);
    }
    row[WARP_LANES] = '\0';
}

static const char *file_short(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static void print_why(const struct debug_message *now, FILE *out)
{
    switch (now->reason) {
    case STEPPER_REPORT:
        fprintf(out, "The check reports of the instruction before: %s\n", now->report);
        break;
    case STEPPER_WRITE:
        fprintf(out, "The watched word is written here, or was by the instruction before:\n");
        break;
    case STEPPER_ENDS:
        fprintf(out, "Launch %" PRIu64 ", %s, has ended after %" PRIu64 " warp instructions%s%s\n",
                now->launch, now->kernel, now->position - now->begun,
                *now->report ? ": a GPU would have stopped it: " : ".", now->report);
        break;
    case STEPPER_BEGINS:
        fprintf(out,
                "Launch %" PRIu64 ": %s, grid %u,%u,%u, block %u,%u,%u (%u warps). Nothing has run: step.\n",
                now->launch, now->kernel, now->grid[0], now->grid[1], now->grid[2], now->threads[0],
                now->threads[1], now->threads[2], now->warps);
        break;
    default: break;
    }
}

void debug_text_place(struct debug_session *session, FILE *out)
{
    const struct debug_message *now = &session->now;
    char row[WARP_LANES + 1], source[200], list[100];
    print_why(now, out);
    if (!now->at)
        return;
    for (uint32_t i = 0; i < now->done_count; i++)
        debug_text_register_line(&now->done[i], now->path, out);
    fprintf(out, "#%" PRIu64 "  block (%u,%u,%u) warp %u", now->position, now->index[0], now->index[1],
            now->index[2], now->warp);
    if (now->line)
        fprintf(out, "  %s:%u", file_short(now->file), now->line);
    if (debug_text_source(now->file, now->line, source, sizeof source))
        fprintf(out, "  %s", source);
    debug_text_lane_row(now, row);
    debug_text_lane_list(now->on, list, sizeof list);
    fprintf(out, "\n  [%s]  %s\n", row, now->text);
    if (now->on != now->alive)
        fprintf(out, "  executed by %s%s of %d lanes\n", now->on ? "lanes " : "none", list,
                __builtin_popcount(now->alive));
}

/* The last warp of a block may have fewer threads than lanes. */
static bool lane_has_thread(const struct debug_message *now, uint32_t lane)
{
    return (uint64_t)now->warp * WARP_LANES + lane <
           (uint64_t)now->threads[0] * now->threads[1] * now->threads[2];
}

void debug_text_lanes(const struct debug_message *now, FILE *out)
{
    char row[WARP_LANES + 1], list[100];
    uint32_t seen = 0;
    debug_text_lane_row(now, row);
    fprintf(out, "  [%s]\n", row);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t lanes = 0;
        if (seen >> lane & 1)
            continue;
        for (uint32_t other = lane; other < WARP_LANES; other++)
            if (row[other] == row[lane] && now->lane_pc[other] == now->lane_pc[lane] &&
                lane_has_thread(now, other) == lane_has_thread(now, lane))
                lanes |= UINT32_C(1) << other;
        seen |= lanes;
        debug_text_lane_list(lanes, list, sizeof list);
        fprintf(out, "  %c lanes %s: ", row[lane], list);
        if (!lane_has_thread(now, lane))
            fprintf(out, "no threads: the block has %u", now->threads[0] * now->threads[1] * now->threads[2]);
        else if (row[lane] == '-')
            fprintf(out, "turned off by the guard of this instruction");
        else
            fprintf(out, "%s",
                    row[lane] == '#' ? "executing this instruction"
                                     : stepper_lane_text((enum stepper_lane)now->lane_state[lane]));
        if (lane_has_thread(now, lane) && now->lane_line[lane] && row[lane] != '#' && row[lane] != '-')
            fprintf(out, " at line %u", now->lane_line[lane]);
        fprintf(out, "\n");
    }
}

void debug_text_warp(uint32_t index, const struct debug_warp *warp, bool now, FILE *out)
{
    char row[WARP_LANES + 1];
    uint32_t line = 0;
    enum stepper_lane first = STEPPER_OVER;
    for (uint32_t lane = WARP_LANES; lane-- > 0;) {
        row[lane] = debug_text_lane_letter((enum stepper_lane)warp->state[lane]);
        if (warp->state[lane] != STEPPER_OVER) {
            first = (enum stepper_lane)warp->state[lane];
            line = warp->line[lane];
        }
    }
    row[WARP_LANES] = '\0';
    fprintf(out, "%c warp %2u [%s] ", now ? '*' : ' ', index, row);
    if (first == STEPPER_OVER)
        fprintf(out, "ended\n");
    else
        fprintf(out, "%s%s%u\n", first == STEPPER_READY ? "will run" : stepper_lane_text(first),
                line ? " at line " : " ", line);
}

/* ---- memory ---- */

void debug_text_access(const struct debug_message *now, FILE *out)
{
    const struct warp_access *access = &now->access;
    uint64_t sectors[WARP_LANES];
    uint32_t at_once[WARP_LANES], count = 0;
    access_meetings(access, sectors, at_once, &count);
    fprintf(out, "  %d lanes %s %u bytes each in %s memory", __builtin_popcount(access->active),
            access->store ? "write" : "read", access->width_bytes, debug_text_space(now->space));
    if (now->space == PTX_GLOBAL)
        fprintf(out, ": %u sectors of 32 bytes", count);
    fprintf(out, "\n");
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (lane % 4 == 0)
            fprintf(out, "  %2u:", lane);
        if (access->active >> lane & 1)
            fprintf(out, " 0x%-14" PRIx64, access->address[lane]);
        else
            fprintf(out, " %-16s", "-");
        fprintf(out, "%s", lane % 4 == 3 ? "\n" : "");
    }
}

void debug_text_bytes(uint32_t space, uint64_t address, const uint8_t *bytes, uint32_t count, FILE *out)
{
    for (uint32_t at = 0; at < count; at += 16) {
        fprintf(out, "  %s 0x%" PRIx64 ":", debug_text_space(space), address + at);
        for (uint32_t word = at; word + 4 <= count && word < at + 16; word += 4) {
            uint32_t bits;
            float value;
            memcpy(&bits, bytes + word, sizeof bits);
            memcpy(&value, bytes + word, sizeof value);
            fprintf(out, "  %08x", bits);
            if (bits >> 23 && (bits >> 23 & 0xff) > 60 && (bits >> 23 & 0xff) < 190)
                fprintf(out, " (%g)", (double)value);
            else
                fprintf(out, " (%d)", (int32_t)bits);
        }
        fprintf(out, "\n");
    }
}

bool debug_text_code(struct debug_session *session, FILE *out)
{
    static struct debug_code code[DEBUG_LINES];
    const struct debug_message *now = &session->now;
    uint32_t from = now->pc > 8 ? now->pc - 8 : 0, count = debug_code(session, from, code), before = 0;
    char source[200];
    for (uint32_t i = 0; i < count && i < 20; i++) {
        if (code[i].line && code[i].line != before &&
            debug_text_source(code[i].file, code[i].line, source, sizeof source))
            fprintf(out, "%6u  %s\n", code[i].line, source);
        before = code[i].line;
        fprintf(out, "%c         %4u  %s\n", code[i].pc == now->pc ? '*' : ' ', code[i].pc, code[i].text);
    }
    return count > 0;
}
