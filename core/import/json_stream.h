/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as other programs write it, token by token: from a file of any size, plain or gzip. Lenient, since such
 * files are cut off, hold control characters and lack quotes: a string ends at a line's end too, what is no
 * token is a word, and the file's end closes all that is open. One thread.
 */
#ifndef CORE_IMPORT_JSON_STREAM_H
#define CORE_IMPORT_JSON_STREAM_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_stream;

enum json_token {
    JSON_END, /* of the file */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY, /* a string before a colon */
    JSON_STRING,
    JSON_WORD /* a number, true, false, null, or something else */
};

enum status json_stream_open(struct json_stream **stream, const char *path, struct error *error);
void json_stream_close(struct json_stream *stream); /* NULL: nothing */

enum json_token json_next(struct json_stream *stream);
/* The text of the last KEY, STRING or WORD, unescaped and terminated; until the next call. Texts longer than
 * JSON_TEXT_MAX are cut. */
#define JSON_TEXT_MAX ((size_t)1 << 16)
const char *json_text(const struct json_stream *stream, size_t *size_bytes);
/* After a KEY: leaves its value out. */
void json_skip(struct json_stream *stream);
/* After an OBJECT or ARRAY: leaves out what is left of it. */
void json_skip_rest(struct json_stream *stream);

double json_progress(const struct json_stream *stream); /* 0...1 of the file */
bool json_is_cut(const struct json_stream *stream);     /* it ended within something, or cannot be unpacked */

#endif
