/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Model Context Protocol on standard input and output: JSON-RPC 2.0, a message a line, one after the other. Versions with a
 * handshake (initialize) and those without (each request names its version in _meta; server/discover) are answered alike. Standard
 * error is for people.
 */
#include "cli/options/commands.h"

#if LANESCOPE_JANSSON
#include "cli/mcp/mcp.h"

#include "cli/output/memory.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX (1u << 20)
#define VERSION_KEY "io.modelcontextprotocol/protocolVersion"
#define MODERN_FROM 4 /* from here on without a handshake */
static const char *const versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
#define VERSIONS (sizeof versions / sizeof *versions)

enum rpc_error {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_VERSION = -32022
};

static const char instructions[] =
    "lanescope reads recordings of CUDA programs (.lsr; also SQLite of Nsight Systems and JSON of PyTorch) and runs programs on a "
    "model of a GPU without a GPU. Begin with verdict. Tables are in compact JSON: `same` has the fields in which all rows are "
    "equal, `fields` names what each row has. null means not known, which is not 0; measured, modelled and expected numbers are "
    "named so. Each answer has the shell command that gives it. Only model_run runs anything. The manual is docs/mcp.md.";

static json_t *rpc_error(json_t *id, enum rpc_error code, const char *message)
{
    return json_pack("{s:s, s:O?, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id ? id : json_null(), "error",
                     "code", (int)code, "message", message);
}

static json_t *rpc_result(json_t *id, json_t *result)
{
    return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
}

static json_t *server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "lanescope", "title",
                     "lanescope: profiler and device model for CUDA", "version", LANESCOPE_VERSION);
}

static json_t *list_capabilities(void)
{
    return json_pack("{s:{s:b}}", "tools", "listChanged", 0);
}

/* The client's version where it has a handshake and is known, else the newest one that has. */
static json_t *answer_initialize(const json_t *params)
{
    const char *asked = json_string_value(json_object_get(params, "protocolVersion")),
               *version = versions[MODERN_FROM - 1];
    for (size_t i = 0; asked && i < MODERN_FROM; i++)
        if (strcmp(versions[i], asked) == 0)
            version = versions[i];
    return json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", version, "capabilities", list_capabilities(),
                     "serverInfo", server_info(), "instructions", instructions);
}

static json_t *answer_discover(void)
{
    json_t *supported = json_array();
    for (size_t i = MODERN_FROM; i < VERSIONS; i++)
        json_array_append_new(supported, json_string(versions[i]));
    return json_pack("{s:o, s:o, s:s, s:o}", "supportedVersions", supported, "capabilities",
                     list_capabilities(), "instructions", instructions, "_meta",
                     json_pack("{s:o}", "io.modelcontextprotocol/serverInfo", server_info()));
}

/* Of a request of the versions without a handshake, else NULL. */
static const char *version_of(const json_t *params)
{
    return json_string_value(json_object_get(json_object_get(params, "_meta"), VERSION_KEY));
}

static json_t *refuse_version(json_t *id, const char *version)
{
    json_t *answer = rpc_error(id, RPC_VERSION, "Unsupported protocol version");
    json_object_set_new(json_object_get(answer, "error"), "data",
                        json_pack("{s:[s], s:s}", "supported", versions[VERSIONS - 1], "requested", version));
    return answer;
}

static json_t *answer_call(json_t *id, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    const json_t *given = json_object_get(params, "arguments");
    const struct mcp_tool *tool = mcp_tool_find(name);
    char message[200];
    if (!tool) {
        snprintf(message, sizeof message, "There is no tool \"%.60s\": tools/list has them.",
                 name ? name : "");
        return rpc_error(id, RPC_PARAMS, message);
    }
    if (given && !json_is_object(given) && !json_is_null(given))
        return rpc_error(id, RPC_PARAMS, "arguments is no object.");
    json_t *arguments = json_is_object(given) ? json_copy((json_t *)given) : json_object();
    json_t *answer = rpc_result(id, mcp_tool_call(tool, arguments));
    json_decref(arguments);
    return answer;
}

/* NULL: there is nothing to answer. */
static json_t *answer_request(json_t *request)
{
    json_t *id = json_object_get(request, "id"), *result = NULL;
    const json_t *params = json_object_get(request, "params");
    const char *method = json_string_value(json_object_get(request, "method"));
    const bool asks = json_is_string(id) || json_is_integer(id);
    if (!json_is_object(request) || (id && !asks))
        return rpc_error(NULL, RPC_REQUEST, "This is no request of JSON-RPC 2.0.");
    if (!method)
        return json_object_get(request, "result") || json_object_get(request, "error")
                   ? NULL /* an answer: nothing was asked */
                   : rpc_error(asks ? id : NULL, RPC_REQUEST, "The request has no method.");
    if (!asks)
        return NULL; /* a notification */
    const char *version = version_of(params);
    if (version && strcmp(version, versions[VERSIONS - 1]) != 0)
        return refuse_version(id, version);
    if (strcmp(method, "tools/call") == 0) {
        json_t *answer = answer_call(id, params);
        if (version && json_object_get(answer, "result"))
            json_object_set_new(json_object_get(answer, "result"), "resultType", json_string("complete"));
        return answer;
    }
    if (strcmp(method, "initialize") == 0)
        result = answer_initialize(params);
    else if (strcmp(method, "server/discover") == 0)
        result = answer_discover();
    else if (strcmp(method, "ping") == 0)
        result = json_object();
    else if (strcmp(method, "tools/list") == 0)
        result = json_pack("{s:o}", "tools", mcp_tools_list());
    if (!result) {
        char message[120];
        snprintf(message, sizeof message, "There is no method %.60s here: tools alone.", method);
        return rpc_error(id, RPC_METHOD, message);
    }
    if (version) {
        json_object_set_new(result, "resultType", json_string("complete"));
        json_object_set_new(result, "ttlMs", json_integer(0));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    return rpc_result(id, result);
}

/* Several requests in an array, as in 2025-03-26. */
static json_t *answer_batch(json_t *batch)
{
    json_t *answers = json_array();
    for (size_t i = 0; i < json_array_size(batch); i++) {
        json_t *answer = answer_request(json_array_get(batch, i));
        if (answer)
            json_array_append_new(answers, answer);
    }
    if (json_array_size(answers) > 0)
        return answers;
    json_decref(answers);
    return json_array_size(batch) > 0 ? NULL : rpc_error(NULL, RPC_REQUEST, "An empty batch.");
}

static json_t *answer_line(const char *line, size_t length)
{
    struct json_error_t why;
    json_t *message = length <= LINE_BYTES_MAX ? json_loadb(line, length, JSON_ALLOW_NUL, &why) : NULL;
    if (!message)
        return rpc_error(NULL, RPC_PARSE,
                         length > LINE_BYTES_MAX ? "The line is longer than a megabyte."
                                                 : "The line is no JSON.");
    json_t *answer = json_is_array(message) ? answer_batch(message) : answer_request(message);
    json_decref(message);
    return answer;
}

enum status mcp_command(struct error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    enum status status = STATUS_OK;
    signal(SIGPIPE, SIG_IGN);
    while (status == STATUS_OK && (length = getline(&line, &room, stdin)) > 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            length--;
        json_t *answer = length > 0 ? answer_line(line, (size_t)length) : NULL;
        if (!answer)
            continue;
        if (json_dumpf(answer, stdout, JSON_COMPACT) != 0 || putchar('\n') == EOF || fflush(stdout) != 0)
            status = error_set(error, STATUS_IO, "The answer could not be written: the client has gone.");
        json_decref(answer);
    }
    free(line);
    return status;
}
#else
enum status mcp_command(struct error *error)
{
    return error_set(
        error, STATUS_UNSUPPORTED,
        "This lanescope was built without libjansson, which lanescope mcp needs: install libjansson-dev and build it anew.");
}
#endif
