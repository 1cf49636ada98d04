/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing and reading go through the same keys. Values are percent-encoded except for plain characters; if
 * one does not fit or is malformed, the whole text is refused.
 */
#include "core/wire/agent_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const capture_texts[] = {
    [AGENT_CAPTURE_ALL] = "all",
    [AGENT_CAPTURE_PROFILER_API] = "profiler-api",
    [AGENT_CAPTURE_NVTX] = "nvtx",
    [AGENT_CAPTURE_DELAY] = "delay",
};

void agent_config_init(struct agent_config *config)
{
    *config = (struct agent_config){
        .mode = RUN_TRACE, .capture = AGENT_CAPTURE_ALL, .launches = 3, .api_calls = true};
}

/* A text in the making: once something does not fit, `full` stays set. */
struct writer {
    char *text;
    size_t size_bytes, used;
    bool full;
};

static void value_put(struct writer *w, char c)
{
    if (w->used + 1 >= w->size_bytes) {
        w->full = true;
        return;
    }
    w->text[w->used++] = c;
}

static void put_text(struct writer *w, const char *text)
{
    for (; *text; text++)
        value_put(w, *text);
}

/* key=value; all characters of the value that are not in `plain` are percent-encoded. */
static void put_pair(struct writer *w, const char *key, const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,/*?[]:";
    static const char hex[] = "0123456789abcdef";

    put_text(w, key);
    value_put(w, '=');
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;

        if (strchr(plain, c)) {
            value_put(w, (char)c);
        } else {
            value_put(w, '%');
            value_put(w, hex[c >> 4]);
            value_put(w, hex[c & 15]);
        }
    }
    value_put(w, ';');
}

static void put_number(struct writer *w, const char *key, int64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)number);
    put_pair(w, key, text);
}

enum status agent_config_format(const struct agent_config *config, char *text, size_t size_bytes,
                                struct error *error)
{
    struct writer w = {.text = text, .size_bytes = size_bytes};

    if (size_bytes == 0)
        return error_set(error, STATUS_USAGE, "The agent's settings do not fit in their buffer.");
    put_pair(&w, "mode", run_mode_text(config->mode));
    put_pair(&w, "capture", capture_texts[config->capture]);
    put_pair(&w, "range", config->capture_range);
    put_number(&w, "delay_ns", config->delay_ns);
    put_number(&w, "duration_ns", config->duration_ns);
    put_pair(&w, "kernel", config->kernel_glob);
    put_number(&w, "launches", config->launches);
    put_number(&w, "flush_ms", config->flush_ms);
    put_number(&w, "api_calls", config->api_calls);
    put_number(&w, "stacks", config->stacks);
    put_pair(&w, "cupti", config->cupti_path);
    put_number(&w, "memory_apart", config->memory_apart);
    put_number(&w, "bursts", config->bursts);
    put_pair(&w, "burst_kernel", config->burst_kernel);
    put_number(&w, "instructions", config->instructions);
    put_number(&w, "serialize", config->serialize);
    put_number(&w, "period", config->period);
    put_number(&w, "launches_per_sync", config->launches_per_sync);
    put_pair(&w, "counters", config->counters);
    text[w.used] = '\0';
    if (w.full)
        return error_set(
            error, STATUS_USAGE,
            "The agent's settings are longer than %zu bytes: name fewer counters or a shorter pattern.",
            size_bytes);
    return STATUS_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decode [value, end) into out; false when it does not fit or is malformed. */
static bool value_decode(const char *value, const char *end, char *out, size_t size_bytes)
{
    size_t used = 0;

    for (; value < end; value++) {
        char c = *value;

        if (c == '%') {
            if (end - value < 3 || hex_digit(value[1]) < 0 || hex_digit(value[2]) < 0)
                return false;
            c = (char)(hex_digit(value[1]) * 16 + hex_digit(value[2]));
            value += 2;
        }
        if (c == '\0' || used + 1 >= size_bytes)
            return false;
        out[used++] = c;
    }
    out[used] = '\0';
    return true;
}

static bool parse_number(const char *text, int64_t minimum, int64_t maximum, int64_t *number)
{
    char *end;

    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (errno || end == text || *end || parsed < minimum || parsed > maximum)
        return false;
    *number = parsed;
    return true;
}

static bool number_or_zero(const char *text, int64_t minimum, int64_t maximum, int64_t *number)
{
    return parse_number(text, 0, maximum, number) && (*number == 0 || *number >= minimum);
}

static bool parse_word(const char *text, const char *const *words, size_t count, int *index)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *index = (int)i;
            return true;
        }
    }
    return false;
}

static bool set_text(char *target, size_t size_bytes, const char *value)
{
    size_t length = strlen(value);

    if (length >= size_bytes)
        return false;
    memcpy(target, value, length + 1);
    return true;
}

/* One key; unknown ones are true. */
static bool set_key(struct agent_config *config, const char *key, const char *value)
{
    int64_t number = 0;
    int index = 0;
    bool good = true;

    if (strcmp(key, "mode") == 0) {
        index = (int)run_mode_find(value);
        good = index != RUN_MODE_COUNT;
        if (good)
            config->mode = (enum run_mode)index;
    } else if (strcmp(key, "capture") == 0) {
        good = parse_word(value, capture_texts, sizeof capture_texts / sizeof *capture_texts, &index);
        if (good)
            config->capture = (enum agent_capture)index;
    } else if (strcmp(key, "range") == 0) {
        good = set_text(config->capture_range, sizeof config->capture_range, value);
    } else if (strcmp(key, "delay_ns") == 0) {
        good = parse_number(value, 0, INT64_MAX, &config->delay_ns);
    } else if (strcmp(key, "duration_ns") == 0) {
        good = parse_number(value, 0, INT64_MAX, &config->duration_ns);
    } else if (strcmp(key, "kernel") == 0) {
        good = set_text(config->kernel_glob, sizeof config->kernel_glob, value);
    } else if (strcmp(key, "launches") == 0) {
        good = parse_number(value, 0, UINT32_MAX, &number);
        if (good)
            config->launches = (uint32_t)number;
    } else if (strcmp(key, "flush_ms") == 0) {
        good = parse_number(value, 0, 60000, &number);
        if (good)
            config->flush_ms = (uint32_t)number;
    } else if (strcmp(key, "api_calls") == 0) {
        good = parse_number(value, 0, 1, &number);
        if (good)
            config->api_calls = number != 0;
    } else if (strcmp(key, "stacks") == 0) {
        good = parse_number(value, AGENT_STACKS_NONE, AGENT_STACKS_NATIVE, &number);
        if (good)
            config->stacks = (enum agent_stacks)number;
    } else if (strcmp(key, "burst_kernel") == 0) {
        good = set_text(config->burst_kernel, sizeof config->burst_kernel, value);
    } else if (strcmp(key, "bursts") == 0) {
        good = parse_number(value, 0, 1, &number);
        if (good)
            config->bursts = number != 0;
    } else if (strcmp(key, "memory_apart") == 0) {
        good = parse_number(value, 0, 1, &number);
        if (good)
            config->memory_apart = number != 0;
    } else if (strcmp(key, "launches_per_sync") == 0) {
        good = parse_number(value, 0, 1, &number);
        if (good)
            config->launches_per_sync = number != 0;
    } else if (strcmp(key, "instructions") == 0) {
        good = parse_number(value, 0, 1, &number);
        if (good)
            config->instructions = number != 0;
    } else if (strcmp(key, "serialize") == 0) {
        good = parse_number(value, 0, 1, &number);
        if (good)
            config->serialize = number != 0;
    } else if (strcmp(key, "period") == 0) {
        good = number_or_zero(value, AGENT_PERIOD_LEAST, AGENT_PERIOD_MOST, &number);
        if (good)
            config->period = (uint32_t)number;
    } else if (strcmp(key, "cupti") == 0) {
        good = set_text(config->cupti_path, sizeof config->cupti_path, value);
    } else if (strcmp(key, "counters") == 0) {
        good = set_text(config->counters, sizeof config->counters, value);
    }
    return good;
}

enum status agent_config_parse(const char *text, struct agent_config *config, struct error *error)
{
    char value[sizeof config->counters];

    agent_config_init(config);
    if (strnlen(text, AGENT_CONFIG_MAX_BYTES) >= AGENT_CONFIG_MAX_BYTES)
        return error_set(error, STATUS_FORMAT, "%s is longer than %u bytes: it was not written by lanescope.",
                         AGENT_CONFIG_VARIABLE, AGENT_CONFIG_MAX_BYTES);
    while (*text) {
        const char *end = strchrnul(text, ';');
        const char *equals = memchr(text, '=', (size_t)(end - text));
        char key[32];

        if (!equals || (size_t)(equals - text) >= sizeof key)
            return error_set(error, STATUS_FORMAT, "%s holds \"%.*s\", which is not key=value.",
                             AGENT_CONFIG_VARIABLE, (int)(end - text < 40 ? end - text : 40), text);
        memcpy(key, text, (size_t)(equals - text));
        key[equals - text] = '\0';
        if (!value_decode(equals + 1, end, value, sizeof value) || !set_key(config, key, value))
            return error_set(error, STATUS_FORMAT, "%s: the value of \"%s\" is out of range or malformed.",
                             AGENT_CONFIG_VARIABLE, key);
        text = *end ? end + 1 : end;
    }
    return STATUS_OK;
}
