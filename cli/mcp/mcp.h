/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tools that `lanescope mcp` offers, one row each: a tool is a command of lanescope with some of its words left to the
 * caller, run as a process of its own, so that an answer is what the shell gives, and a recording that breaks the reader breaks
 * no server. docs/mcp.md is the manual. Owned by mcp.c; the main thread.
 */
#ifndef CLI_MCP_MCP_H
#define CLI_MCP_MCP_H

#include <jansson.h>
#include <stddef.h>

#define MCP_ANSWER_BYTES 16000 /* of the text of an answer, at most */
#define MCP_ROWS_MAX 200

struct mcp_tool;
const struct mcp_tool *mcp_tool_find(const char *name); /* NULL: there is none */

/* As tools/list gives them; a new reference. */
json_t *mcp_tools_list(void);

/* Runs the tool: the result of tools/call, a new reference. Wrong arguments, and a command that failed, are results, too, with
 * isError and a sentence. */
json_t *mcp_tool_call(const struct mcp_tool *tool, json_t *arguments);

#endif
