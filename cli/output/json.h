/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON to a stream. The caller must nest correctly; commas, line breaks and indentation are added. A
 * number that is not finite is written as null. Strings may hold any bytes: control and invisible formatting
 * characters are escaped, bytes that are not UTF-8 become U+FFFD, so the output is valid UTF-8 and harmless
 * in a terminal. Errors stay in the stream (ferror). One thread.
 */
#ifndef CLI_OUTPUT_JSON_H
#define CLI_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

/* libjansson, which lanescope mcp reads with, has functions of these names. */
#define json_string json_write_string
#define json_integer json_write_integer
#define json_null json_write_null

struct json {
    FILE *out;
    int depth;
    int lines_depth; /* deeper than this: on one line */
    bool begun[JSON_DEPTH_MAX];
};

void json_init(struct json *json, FILE *out, int lines_depth);

/* key NULL: an element of an array. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
void json_string(struct json *json, const char *key, const char *text);
void json_integer(struct json *json, const char *key, int64_t number);
void json_number(struct json *json, const char *key,
                 double number); /* writes the shortest text that reads back as the same number */
void json_bool(struct json *json, const char *key, bool yes);
void json_null(struct json *json, const char *key);
void json_raw(struct json *json, const char *key, const char *text); /* the text is JSON already */

#endif
