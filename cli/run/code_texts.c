/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose disassembly is wanted are marked. The disassembler's lines are kept for one cubin at a
 * time, and the collector's thread writes them into the session.
 */
#include "cli/run/code_texts.h"

#include "cli/process/disassemble.h"
#include "cli/process/paths.h"
#include "core/base/array.h"
#include "core/session/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Instructions of functions of one cubin, to be written. */
struct texts {
    const struct session *session;
    const bool *wanted; /* by function */
    uint32_t function_count;
    uint64_t module;
    uint32_t function; /* of `name` */
    char name[DISASSEMBLY_NAME_BYTES];
    struct text {
        uint32_t function, pc_offset;
        size_t text; /* where it begins in `bytes` */
    } * list;
    size_t count, room;
    char *bytes;
    size_t used, size_bytes;
    bool full;
};

static void texts_free(struct texts *texts)
{
    free(texts->list);
    free(texts->bytes);
    free(texts);
}

/* On the collector's thread. */
static void write_texts(struct session *session, void *context)
{
    struct texts *texts = context;

    for (size_t i = 0; session && i < texts->count; i++) {
        const struct text *text = &texts->list[i];
        const char *bytes = texts->bytes + text->text;
        uint32_t instruction = session_add_instruction(session, text->function, text->pc_offset);

        if (instruction != NONE)
            session_set_instruction(session, instruction,
                                    session_add_code_text(session, bytes, strlen(bytes)), 0, 0);
    }
    texts_free(texts);
}

static uint32_t find_function(const struct texts *texts, const char *name)
{
    for (uint32_t i = 0; i < texts->function_count; i++) {
        const struct function_row *row = session_function(texts->session, i);

        if (texts->wanted[i] && row->module == texts->module &&
            strcmp(session_string(texts->session, row->mangled), name) == 0)
            return i;
    }
    return NONE;
}

static bool make_room(struct texts *texts, size_t length)
{
    return array_grow(texts->list, texts->room, texts->count, 1) &&
           array_grow(texts->bytes, texts->size_bytes, texts->used, length);
}

static void text_take(void *user, const char *function, uint32_t pc_offset, const char *text)
{
    struct texts *texts = user;
    size_t length = strlen(text) + 1;

    if (strcmp(texts->name, function) != 0) {
        memcpy(texts->name, function, strlen(function) + 1);
        texts->function = find_function(texts, function);
    }
    if (texts->function == NONE || texts->full ||
        pc_offset >= session_function(texts->session, texts->function)->size_bytes)
        return;
    texts->full = !make_room(texts, length);
    if (texts->full)
        return;
    memcpy(texts->bytes + texts->used, text, length);
    texts->list[texts->count++] =
        (struct text){.function = texts->function, .pc_offset = pc_offset, .text = texts->used};
    texts->used += length;
}

/* Functions with a cubin but without text, to be freed by the caller. NULL: none, or no memory. */
static bool *wanted_functions(const struct session *session, uint32_t count)
{
    bool *wanted = calloc(count ? count : 1, sizeof *wanted), any = false;

    for (uint32_t i = 0; wanted && i < count; i++)
        wanted[i] = session_function(session, i)->cubin != 0;
    for (uint32_t i = 0; wanted && i < session_instruction_count(session); i++) {
        const struct instruction_row *row = session_instruction(session, i);

        if (row->function < count && atomic_load_explicit(&row->text, memory_order_acquire))
            wanted[row->function] = false;
    }
    for (uint32_t i = 0; wanted && i < count; i++)
        any |= wanted[i];
    if (!any) {
        free(wanted);
        return NULL;
    }
    return wanted;
}

static enum status read_cubin(const struct session *session, struct collector *collector,
                              const char *disassembler, uint32_t function, const bool *wanted, uint32_t count,
                              struct error *error)
{
    const struct function_row *row = session_function(session, function);
    const char *socket = collector_socket_path(collector), *name = session_string(session, row->cubin);
    char path[PATH_BYTES];
    struct texts *texts;

    if (strchr(name, '/') || !*name)
        return error_set(error, STATUS_FORMAT, "The file of a kernel's machine code has the name %s.", name);
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(socket, '/') - socket), socket, name);
    texts = calloc(1, sizeof *texts);
    if (!texts)
        return error_no_memory(error, "for the text of machine code");
    texts->session = session;
    texts->wanted = wanted;
    texts->function_count = count;
    texts->module = row->module;
    texts->function = NONE;
    enum status status = disassemble(disassembler, path, text_take, texts, error);
    if (status == STATUS_OK && texts->count > 0)
        collector_write(collector, write_texts, texts);
    else
        texts_free(texts);
    return status;
}

void code_texts_add(const struct session *session, struct collector *collector, bool (*ended)(void *context),
                    void *context, bool *told)
{
    uint32_t count = session_function_count(session);
    bool *wanted = wanted_functions(session, count);
    time_t end = time(NULL) + CODE_TEXTS_SECONDS;
    char disassembler[PATH_BYTES];
    struct error error;

    if (!wanted)
        return;
    enum status status = disassembler_find(disassembler, &error);
    for (uint32_t i = 0; i < count && status != STATUS_UNSUPPORTED && time(NULL) < end; i++) {
        if (!wanted[i])
            continue;
        if (ended(context))
            break;
        enum status its = read_cubin(session, collector, disassembler, i, wanted, count, &error);

        status = its ? its : status;
        for (uint32_t k = i; k < count; k++) /* the others of this cubin are done too */
            wanted[k] &= session_function(session, k)->module != session_function(session, i)->module;
    }
    if (status != STATUS_OK && !*told) {
        *told = true;
        collector_notice(collector, SEVERITY_INFO, error.text);
    }
    free(wanted);
}
