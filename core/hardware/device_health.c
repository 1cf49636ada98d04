/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table of the numbers, by their place in the struct, gives their words, their text and the JSON; the
 * line for the screen is made from the known numbers.
 */
#include "core/hardware/device_health.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *id, *label, *unit;
    size_t offset;
} numbers[HEALTH_COUNT] = {
#define HEALTH_ROW(id, label, unit) [HEALTH_##id] = {#id, label, unit, offsetof(struct device_health, id)},
    HEALTH_LIST(HEALTH_ROW)
#undef HEALTH_ROW
};

static const struct {
    const char *id, *label;
    size_t offset;
} words[HEALTH_WORD_COUNT] = {
#define HEALTH_WORD_ROW(id, label) [HEALTH_##id] = {#id, label, offsetof(struct device_health, id)},
    HEALTH_WORD_LIST(HEALTH_WORD_ROW)
#undef HEALTH_WORD_ROW
};

void device_health_none(struct device_health *health, const char *why)
{
    memset(health, 0, sizeof *health);
    snprintf(health->why, sizeof health->why, "%s", why);
#define HEALTH_NOT_KNOWN(id, label, unit) health->id = HEALTH_UNKNOWN;
    HEALTH_LIST(HEALTH_NOT_KNOWN)
#undef HEALTH_NOT_KNOWN
}

const char *health_number_id(enum health_number which)
{
    return numbers[which].id;
}

const char *health_number_label(enum health_number which)
{
    return numbers[which].label;
}

int64_t health_number(const struct device_health *health, enum health_number which)
{
    int64_t number;
    memcpy(&number, (const char *)health + numbers[which].offset, sizeof number);
    return number;
}

const char *health_word_id(enum health_word which)
{
    return words[which].id;
}

const char *health_word_label(enum health_word which)
{
    return words[which].label;
}

const char *health_word(const struct device_health *health, enum health_word which)
{
    const char *word = (const char *)health + words[which].offset;
    return health->available && word[0] ? word : "n/a";
}

/* 12345678 -> "12,345,678" */
static void format_whole(int64_t number, char *text, size_t size_bytes)
{
    char plain[24], grouped[32];
    size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRId64, number), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > (size_t)(number < 0) && (length - i) % 3 == 0)
            grouped[at++] = ',';
        grouped[at++] = plain[i];
    }
    grouped[at] = '\0';
    snprintf(text, size_bytes, "%s", grouped);
}

void health_number_text(const struct device_health *health, enum health_number which, char *text,
                        size_t size_bytes)
{
    int64_t number = health_number(health, which);
    const char *unit = numbers[which].unit;
    if (!health->available || number == HEALTH_UNKNOWN) {
        snprintf(text, size_bytes, "n/a");
    } else if (strcmp(unit, "mW") == 0) {
        snprintf(text, size_bytes, "%" PRId64 " W", (number + 500) / 1000);
    } else if (strcmp(unit, HEALTH_P_STATE) == 0) {
        snprintf(text, size_bytes, "P%" PRId64, number);
    } else if (strcmp(unit, HEALTH_ON_OFF) == 0) {
        snprintf(text, size_bytes, "%s", number ? "on" : "off");
    } else if (strcmp(unit, "B") == 0) {
        double gigabytes = (double)number / 1e9;
        snprintf(text, size_bytes, "%.*f GB", gigabytes < 99.95 ? 1 : 0, gigabytes);
    } else {
        char whole[32];
        format_whole(number, whole, sizeof whole);
        snprintf(text, size_bytes, "%s %s", whole, unit);
    }
}

struct line {
    char *text;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void line_add(struct line *line, const char *format, ...)
{
    va_list arguments;
    if (line->used > 0 && line->used + 2 < line->size) {
        memcpy(line->text + line->used, ", ", 3);
        line->used += 2;
    }
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        line->used += (size_t)length < line->size - line->used ? (size_t)length : line->size - line->used - 1;
}

/* "412 of 700 W": the limit without its unit, with the number before it. */
static void line_add_of(struct line *line, const struct device_health *health, enum health_number now,
                        enum health_number limit)
{
    char first[40], second[40];
    if (health_number(health, now) == HEALTH_UNKNOWN)
        return;
    health_number_text(health, now, first, sizeof first);
    if (health_number(health, limit) == HEALTH_UNKNOWN) {
        line_add(line, "%s", first);
        return;
    }
    health_number_text(health, limit, second, sizeof second);
    first[strcspn(first, " ")] = '\0';
    line_add(line, "%s of %s", first, second);
}

static void line_add_ecc(struct line *line, const struct device_health *health)
{
    int64_t corrected = health->ecc_corrected, uncorrected = health->ecc_uncorrected;
    if (corrected == HEALTH_UNKNOWN && uncorrected == HEALTH_UNKNOWN)
        return;
    if (corrected <= 0 && uncorrected <= 0) {
        line_add(line, "no ECC errors");
        return;
    }
    line_add(line, "ECC errors: %" PRId64 " corrected, %" PRId64 " not", corrected > 0 ? corrected : 0,
             uncorrected > 0 ? uncorrected : 0);
}

void device_health_line(const struct device_health *health, char *text, size_t size_bytes)
{
    struct line line = {.text = text, .size = size_bytes};
    char number[40];
    if (size_bytes == 0)
        return;
    text[0] = '\0';
    if (!health->available) {
        snprintf(text, size_bytes, "%s", health->why);
        return;
    }
    if (health->gpu_use_pct != HEALTH_UNKNOWN)
        line_add(&line, "%" PRId64 " %% used", health->gpu_use_pct);
    if (health->core_clock_mhz != HEALTH_UNKNOWN) {
        health_number_text(health, HEALTH_core_clock_mhz, number, sizeof number);
        line_add(&line, "%s", number);
    }
    line_add_of(&line, health, HEALTH_power_mw, HEALTH_power_limit_mw);
    if (health->temperature_c != HEALTH_UNKNOWN)
        line_add(&line, "%" PRId64 " C", health->temperature_c);
    line_add_of(&line, health, HEALTH_memory_used_bytes, HEALTH_memory_total_bytes);
    line_add_ecc(&line, health);
    if (health->processes_known) {
        line_add(&line, "%" PRIu32 " process%s", health->process_count,
                 health->process_count == 1 ? "" : "es");
    }
    if (line.used == 0)
        line_add(&line, "the driver reports no sensors here");
}

void device_health_modelled(struct device_health *health, const struct device_info *info)
{
    char known[160] = "", text[sizeof health->why], number[32];
    struct line line = {.text = known, .size = sizeof known};

    format_whole((info->core_clock_khz + 500) / 1000, number, sizeof number);
    if (info->core_clock_khz > 0)
        line_add(&line, "%s MHz", number);
    format_whole((info->memory_clock_khz + 500) / 1000, number, sizeof number);
    if (info->memory_clock_khz > 0)
        line_add(&line, "memory %s MHz", number);
    if (info->memory_bytes > 0)
        line_add(&line, "%.*f GB", info->memory_bytes < 99950000000u ? 1 : 0,
                 (double)info->memory_bytes / 1e9);
    line_add(&line, "%s ECC", info->ecc ? "with" : "no");
    snprintf(text, sizeof text, "modelled: %s; no sensors", known);
    device_health_none(health, text);
}
