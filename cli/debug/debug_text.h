/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the debugger shows as text. A strip has a letter a lane: equal values have equal letters, by the value of the
 * lowest lane; '.': the lane is not on the path that is executed. The main thread.
 */
#ifndef CLI_DEBUG_DEBUG_TEXT_H
#define CLI_DEBUG_DEBUG_TEXT_H

#include "cli/debug/debug_session.h"

#include <stdio.h>

enum debug_form { DEBUG_BY_TYPE, DEBUG_HEX, DEBUG_INT, DEBUG_UNSIGNED, DEBUG_FLOAT };

const char *debug_text_space(uint32_t space);
/* One value of a register. */
void debug_text_value(const struct debug_register *of, uint32_t lane, enum debug_form form, char *text,
                      size_t size_bytes);
/* 32 letters and an end. */
void debug_text_strip(const struct debug_register *of, uint32_t lanes, char strip[WARP_LANES + 1]);
/* The lanes of the place: # executes the instruction, - is turned off by its guard, letters as the legend says. */
void debug_text_lane_row(const struct debug_message *now, char row[WARP_LANES + 1]);
char debug_text_lane_letter(enum stepper_lane lane);
/* "0-3, 8"; `size_bytes` large enough for any: 100. */
void debug_text_lane_list(uint32_t lanes, char *text, size_t size_bytes);

bool debug_text_is_zero(const struct debug_register *of);
void debug_text_place(struct debug_session *session, FILE *out);
void debug_text_lanes(const struct debug_message *now, FILE *out);
void debug_text_warp(uint32_t index, const struct debug_warp *warp, bool now, FILE *out);
void debug_text_register(const struct debug_register *of, uint32_t lanes, enum debug_form form, FILE *out);
void debug_text_register_line(const struct debug_register *of, uint32_t lanes, FILE *out);
void debug_text_access(const struct debug_message *now, FILE *out);
void debug_text_bytes(uint32_t space, uint64_t address, const uint8_t *bytes, uint32_t count, FILE *out);
bool debug_text_code(struct debug_session *session, FILE *out);
/* A line of a source file, without blanks before it; false: it is not known. */
bool debug_text_source(const char *file, uint32_t line, char *text, size_t size_bytes);

#endif
