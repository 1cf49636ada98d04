/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conversion is copied from the kernel's format, with its `*` replaced by numbers and its length by that of
 * the host's type, and given to snprintf with one argument. A log is one text in the order of arrival, and
 * the block of each piece.
 */
#include "core/base/array.h"

#include "simt/engine/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 32
#define STRING_BYTES_MAX (1u << 20)
#define WIDTH_MAX (1 << 16)
#define CONVERSION_BYTES 48

/* ---- text ---- */
static bool text_reserve(struct print_text *text, size_t more_bytes)
{
    return array_grow(text->bytes, text->capacity, text->size_bytes, more_bytes + 1);
}

static bool text_append(struct print_text *text, const char *bytes, size_t size_bytes)
{
    if (!text_reserve(text, size_bytes))
        return false;
    memcpy(text->bytes + text->size_bytes, bytes, size_bytes);
    text->size_bytes += size_bytes;
    text->bytes[text->size_bytes] = '\0';
    return true;
}

bool print_add(struct print_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    bool good = length >= 0 && text_reserve(text, (size_t)length);
    if (good) {
        vsnprintf(text->bytes + text->size_bytes, (size_t)length + 1, format, again);
        text->size_bytes += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
    return good;
}

enum print_end print_string(const struct print_memory *memory, uint64_t address, struct print_text *text)
{
    for (uint32_t i = 0; i < STRING_BYTES_MAX; i++) {
        char letter;
        if (!memory->read(memory->owner, address + i, &letter, 1))
            return PRINT_UNREADABLE;
        if (letter == '\0')
            break;
        if (!text_append(text, &letter, 1))
            return PRINT_NO_MEMORY;
    }
    return text_reserve(text, 0) ? PRINT_DONE : PRINT_NO_MEMORY;
}

/* ---- formats ---- */
struct printer {
    const struct print_memory *memory;
    struct print_text *text;
    uint64_t argument; /* address of the next argument, before alignment */
    int32_t taken;
    enum print_end end;
};

static uint64_t argument_take(struct printer *printer, uint32_t size_bytes)
{
    uint64_t value = 0, at = (printer->argument + size_bytes - 1) / size_bytes * size_bytes;
    uint32_t half = 0;
    if (size_bytes == 8 && !printer->memory->read(printer->memory->owner, at, &value, 8))
        printer->end = PRINT_UNREADABLE;
    if (size_bytes == 4) {
        if (!printer->memory->read(printer->memory->owner, at, &half, 4))
            printer->end = PRINT_UNREADABLE;
        value = half;
    }
    printer->argument = at + size_bytes;
    printer->taken++;
    return value;
}

/* A conversion as written, and as the host's snprintf needs it. */
struct conversion {
    char host[CONVERSION_BYTES]; /* "%-08.3", without its length and type */
    size_t host_bytes;
    char length; /* 'h', 'H' for hh, 'l' for 64 bits, or 0 */
    char type;
};

static bool conversion_add(struct conversion *conversion, const char *bytes, size_t size_bytes)
{
    if (conversion->host_bytes + size_bytes + 4 > sizeof conversion->host) /* "ll", a type, the end */
        return false;
    memcpy(conversion->host + conversion->host_bytes, bytes, size_bytes);
    conversion->host_bytes += size_bytes;
    conversion->host[conversion->host_bytes] = '\0';
    return true;
}

/* Digits, or `*`, which takes an argument. */
static bool conversion_number(struct printer *printer, struct conversion *conversion, const char **at)
{
    char digits[16];
    int32_t number = 0;
    if (**at == '*') {
        ++*at;
        if (printer->taken >= ARGUMENTS_MAX)
            return false;
        number = (int32_t)argument_take(printer, 4);
    } else if (**at < '0' || **at > '9') {
        return true;
    } else {
        for (; **at >= '0' && **at <= '9'; ++*at)
            number = number < WIDTH_MAX ? number * 10 + (**at - '0') : WIDTH_MAX;
    }
    number = number > WIDTH_MAX ? WIDTH_MAX : number < -WIDTH_MAX ? -WIDTH_MAX : number;
    return conversion_add(conversion, digits, (size_t)snprintf(digits, sizeof digits, "%d", number));
}

static void conversion_length(struct conversion *conversion, const char **at)
{
    while (**at != '\0' && strchr("hljztL", **at)) {
        if (**at == 'h')
            conversion->length = conversion->length == 'h' ? 'H' : 'h';
        else
            conversion->length = 'l';
        ++*at;
    }
}

/* Reads after the '%'; false: not a conversion, *at is unchanged. */
static bool conversion_read(struct printer *printer, struct conversion *conversion, const char **at)
{
    const char *next = *at;
    conversion_add(conversion, "%", 1);
    while (*next != '\0' && strchr("-+ #0'", *next))
        if (!conversion_add(conversion, next++, 1))
            return false;
    if (!conversion_number(printer, conversion, &next))
        return false;
    if (*next == '.') {
        conversion_add(conversion, next++, 1);
        if (*next == '*') /* digits alone (CUDA C++ Programming Guide, Format Specifiers); an H200 prints it
                             as it is written */
            return false;
        if (!conversion_number(printer, conversion, &next))
            return false;
    }
    conversion_length(conversion, &next);
    if (*next == '\0' || !strchr("diuoxXcspeEfFgGaA", *next) || printer->taken >= ARGUMENTS_MAX)
        return false;
    conversion->type = *next;
    *at = next + 1;
    return true;
}

static bool print_whole(struct printer *printer, struct conversion *conversion)
{
    bool is_signed = conversion->type == 'd' || conversion->type == 'i';
    uint64_t value = argument_take(printer, conversion->length == 'l' ? 8 : 4);
    if (is_signed) {
        value = conversion->length == 'l'   ? value
                : conversion->length == 'h' ? (uint64_t)(int16_t)value
                : conversion->length == 'H' ? (uint64_t)(int8_t)value
                                            : (uint64_t)(int32_t)value;
    } else {
        value = conversion->length == 'h'   ? (uint16_t)value
                : conversion->length == 'H' ? (uint8_t)value
                                            : value;
    }
    conversion_add(conversion, "ll", 2);
    conversion_add(conversion, &conversion->type, 1);
    return is_signed ? print_add(printer->text, conversion->host, (long long)value)
                     : print_add(printer->text, conversion->host, (unsigned long long)value);
}

static bool print_device_string(struct printer *printer, struct conversion *conversion)
{
    uint64_t address = argument_take(printer, 8);
    struct print_text string = {0};
    bool good = true;
    conversion_add(conversion, "s", 1);
    if (address)
        printer->end = print_string(printer->memory, address, &string);
    if (printer->end == PRINT_DONE)
        good = print_add(printer->text, conversion->host, address ? string.bytes : "(null)");
    free(string.bytes);
    return good;
}

static bool print_conversion(struct printer *printer, struct conversion *conversion)
{
    uint64_t bits;
    double number;
    switch (conversion->type) {
    case 's': return print_device_string(printer, conversion);
    case 'c':
        conversion_add(conversion, "c", 1);
        return print_add(printer->text, conversion->host, (int)(uint8_t)argument_take(printer, 4));
    case 'p':
        conversion_add(conversion, "p", 1);
        return print_add(printer->text, conversion->host, (void *)(uintptr_t)argument_take(printer, 8));
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return print_whole(printer, conversion);
    default:
        bits = argument_take(printer, 8);
        memcpy(&number, &bits, sizeof number);
        conversion_add(conversion, &conversion->type, 1);
        return print_add(printer->text, conversion->host, number);
    }
}

enum print_end print_format(const struct print_memory *memory, uint64_t format, uint64_t arguments,
                            struct print_text *text, int32_t *result)
{
    struct printer printer = {.memory = memory, .text = text, .argument = arguments};
    struct print_text own = {0};
    bool good = true;
    *result = -1;
    if (format == 0)
        return PRINT_DONE;
    printer.end = print_string(memory, format, &own);
    const char *at = own.bytes;
    while (good && printer.end == PRINT_DONE && *at != '\0') {
        struct conversion conversion = {0};
        size_t plain = strcspn(at, "%");
        good = text_append(text, at, plain);
        at += plain;
        if (*at == '\0' || !good)
            continue;
        at++;
        if (*at == '%')
            good = text_append(text, at++, 1);
        else if (conversion_read(&printer, &conversion, &at))
            good = printer.end != PRINT_DONE || print_conversion(&printer, &conversion);
        else
            good = text_append(text, "%", 1);
    }
    free(own.bytes);
    *result = printer.taken;
    return good ? printer.end : PRINT_NO_MEMORY;
}

/* ---- logs ---- */
struct print_line {
    uint64_t block;
    size_t begin, size_bytes;
};

void print_log_init(struct print_log *log)
{
    *log = (struct print_log){0};
    pthread_mutex_init(&log->mutex, NULL);
}

void print_log_fini(struct print_log *log)
{
    pthread_mutex_destroy(&log->mutex);
    free(log->text.bytes);
    free(log->lines);
}

bool print_log_add(struct print_log *log, uint64_t block, const struct print_text *text)
{
    pthread_mutex_lock(&log->mutex);
    bool good = array_grow(log->lines, log->capacity, log->count, 1);
    if (good) {
        log->lines[log->count] = (struct print_line){block, log->text.size_bytes, text->size_bytes};
        good = text_append(&log->text, text->bytes ? text->bytes : "", text->size_bytes);
        log->count += good;
    }
    pthread_mutex_unlock(&log->mutex);
    return good;
}

static int compare_lines(const void *left, const void *right)
{
    const struct print_line *a = left, *b = right;
    return a->block != b->block ? (a->block > b->block) - (a->block < b->block)
                                : (a->begin > b->begin) - (a->begin < b->begin);
}

bool print_log_take(struct print_log *log, struct print_text *text)
{
    bool good = true;
    *text = (struct print_text){0};
    if (log->count > 1)
        qsort(log->lines, log->count, sizeof *log->lines, compare_lines);
    for (size_t i = 0; i < log->count && good; i++)
        good = text_append(text, log->text.bytes + log->lines[i].begin, log->lines[i].size_bytes);
    return good;
}
