/* SPDX-License-Identifier: Apache-2.0 */
/* zlib reads plain files as they are. `at` and `end` bound what is unpacked and not yet read. */
#include "core/import/json_stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define CHUNK ((size_t)1 << 18)

struct json_stream {
    gzFile file;
    uint64_t file_bytes;
    unsigned char *chunk;
    size_t at, end;
    bool is_over, is_cut;
    uint32_t depth;
    char *text;
    size_t length;
};

enum status json_stream_open(struct json_stream **result, const char *path, struct error *error)
{
    struct stat status;
    struct json_stream *stream = calloc(1, sizeof *stream);
    *result = NULL;
    if (!stream || !(stream->chunk = malloc(CHUNK)) || !(stream->text = malloc(JSON_TEXT_MAX + 1))) {
        json_stream_close(stream);
        return error_no_memory(error, "to read %s", path);
    }
    stream->text[0] = '\0';
    stream->file = gzopen(path, "rb");
    if (!stream->file || stat(path, &status) != 0) {
        json_stream_close(stream);
        return error_set(error, STATUS_IO, "The trace %s cannot be opened.", path);
    }
    gzbuffer(stream->file, (unsigned)CHUNK);
    stream->file_bytes = (uint64_t)status.st_size;
    *result = stream;
    return STATUS_OK;
}

void json_stream_close(struct json_stream *stream)
{
    if (!stream)
        return;
    if (stream->file)
        gzclose(stream->file);
    free(stream->chunk);
    free(stream->text);
    free(stream);
}

/* ---- bytes ---- */
static bool fill_chunk(struct json_stream *stream)
{
    if (stream->is_over)
        return false;
    const int size = gzread(stream->file, stream->chunk, (unsigned)CHUNK);
    stream->at = 0;
    stream->end = size > 0 ? (size_t)size : 0;
    stream->is_over = size <= 0;
    int problem = Z_OK;
    gzerror(stream->file, &problem);
    stream->is_cut |= size < 0 || problem == Z_BUF_ERROR;
    return size > 0;
}

/* The next byte, which stays; -1: there is none. */
static inline int peek_byte(struct json_stream *stream)
{
    return stream->at < stream->end || fill_chunk(stream) ? stream->chunk[stream->at] : -1;
}

static inline void put_byte(struct json_stream *stream, char byte)
{
    if (stream->length < JSON_TEXT_MAX)
        stream->text[stream->length++] = byte;
}

static inline bool is_blank(int byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || byte == ',';
}

static int skip_blanks(struct json_stream *stream)
{
    int byte;
    while ((byte = peek_byte(stream)) >= 0 && is_blank(byte))
        stream->at++;
    return byte;
}

/* ---- texts ---- */
static void put_utf8(struct json_stream *stream, uint32_t code)
{
    if (code < 0x80) {
        put_byte(stream, (char)code);
    } else if (code < 0x800) {
        put_byte(stream, (char)(0xc0 | code >> 6));
        put_byte(stream, (char)(0x80 | (code & 0x3f)));
    } else {
        put_byte(stream, (char)(0xe0 | code >> 12));
        put_byte(stream, (char)(0x80 | (code >> 6 & 0x3f)));
        put_byte(stream, (char)(0x80 | (code & 0x3f)));
    }
}

static uint32_t read_hex(struct json_stream *stream)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const int byte = peek_byte(stream);
        const char *digit = byte > 0 ? strchr("0123456789abcdef", byte | 0x20) : NULL;
        if (!digit)
            return '?';
        code = code << 4 | (uint32_t)(digit - "0123456789abcdef");
        stream->at++;
    }
    return code >= 0xd800 && code < 0xe000 ? '?' : code; /* half of a pair */
}

static void read_escape(struct json_stream *stream)
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    const int byte = peek_byte(stream);
    if (byte < 0)
        return;
    stream->at++;
    const char *known = byte ? strchr(from, byte) : NULL;
    if (byte == 'u')
        put_utf8(stream, read_hex(stream));
    else
        put_byte(stream, known ? to[known - from] : (char)byte);
}

/* Behind the opening quote. */
static void read_string(struct json_stream *stream)
{
    int byte;
    stream->length = 0;
    while ((byte = peek_byte(stream)) >= 0 && byte != '\n') {
        stream->at++;
        if (byte == '"')
            break;
        if (byte == '\\')
            read_escape(stream);
        else
            put_byte(stream, byte == 0 ? '?' : (char)byte);
    }
    stream->text[stream->length] = '\0';
}

static void read_word(struct json_stream *stream)
{
    int byte;
    stream->length = 0;
    while ((byte = peek_byte(stream)) >= 0 && !is_blank(byte) && !strchr("{}[]:\"", byte)) {
        put_byte(stream, (char)byte);
        stream->at++;
    }
    stream->text[stream->length] = '\0';
}

/* ---- tokens ---- */
enum json_token json_next(struct json_stream *stream)
{
    int byte = skip_blanks(stream);
    while (byte == ':' || byte == 0) { /* without its key */
        stream->at++;
        byte = skip_blanks(stream);
    }
    switch (byte) {
    case -1: stream->is_cut |= stream->depth > 0; return JSON_END;
    case '{':
    case '[':
        stream->at++;
        stream->depth++;
        return byte == '{' ? JSON_OBJECT : JSON_ARRAY;
    case '}':
    case ']':
        stream->at++;
        stream->depth -= stream->depth > 0;
        return byte == '}' ? JSON_OBJECT_END : JSON_ARRAY_END;
    case '"':
        stream->at++;
        read_string(stream);
        if (skip_blanks(stream) != ':')
            return JSON_STRING;
        stream->at++;
        return JSON_KEY;
    default: read_word(stream); return JSON_WORD;
    }
}

const char *json_text(const struct json_stream *stream, size_t *size_bytes)
{
    if (size_bytes)
        *size_bytes = stream->length;
    return stream->text;
}

void json_skip_rest(struct json_stream *stream)
{
    for (uint32_t outer = stream->depth - 1; stream->depth > outer;)
        if (json_next(stream) == JSON_END)
            return;
}

void json_skip(struct json_stream *stream)
{
    const enum json_token token = json_next(stream);
    if (token == JSON_OBJECT || token == JSON_ARRAY)
        json_skip_rest(stream);
}

double json_progress(const struct json_stream *stream)
{
    const z_off_t at = gzoffset(stream->file);
    return stream->is_over || stream->file_bytes == 0 || at < 0 ? 1 : (double)at / (double)stream->file_bytes;
}

bool json_is_cut(const struct json_stream *stream)
{
    return stream->is_cut;
}
