/*
 * The argument is split in place: the text behind the colon becomes the compare_pick. The whole session is
 * loaded before its index is made.
 */
#include "cli/diff/diff_side.h"

#include "cli/output/memory.h"
#include "core/base/append.h"
#include "core/recording/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the selection begins: after the first colon at which a file's name can end; NULL: all of it is the
 * file's name. */
static char *find_selection(char *text)
{
    if (access(text, F_OK) == 0)
        return NULL;
    for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        bool there = access(text, F_OK) == 0;
        if (there)
            return colon + 1;
        *colon = ':';
    }
    return NULL;
}

static enum status parse_device(struct compare_pick *pick, const char *value, struct error *error)
{
    pick->device = strcmp(value, "simt") == 0   ? COMPARE_MODEL
                   : strcmp(value, "cuda") == 0 ? COMPARE_GPU
                                                : COMPARE_ANY_DEVICE;
    return pick->device != COMPARE_ANY_DEVICE
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "device=%.40s: give device=cuda (a GPU) or device=simt (the device model).",
                           value);
}

/* Splits "WORKLOAD:variant,param=value,device=simt" into the pick. Moves the parameters together, without the
 * device. */
static enum status parse_selection(struct diff_side *side, char *selection, struct error *error)
{
    struct compare_pick *pick = &side->pick;
    char *rest = strchr(selection, ','), *param, *params = NULL, *end = NULL;
    if (!rest && strchr(selection, '=')) {
        rest = selection; /* nothing but a parameter */
    } else if (rest && memchr(selection, '=', (size_t)(rest - selection))) {
        rest = selection;
    } else {
        if (rest)
            *rest++ = '\0';
        char *colon = strchr(selection, ':');
        if (colon) {
            *colon = '\0';
            pick->variant = colon + 1;
        }
        pick->work = selection;
    }
    while ((param = strsep(&rest, ","))) {
        size_t length = strlen(param);
        if (!strchr(param, '=') || *param == '=') {
            return error_set(error, STATUS_USAGE,
                             "\"%.60s\" in %.120s is not a parameter: after a recording, give "
                             ":WORKLOAD[:variant][,param=value]...",
                             param, side->text);
        }
        if (strncmp(param, "device=", 7) == 0) {
            enum status status = parse_device(pick, param + 7, error);
            if (status != STATUS_OK)
                return status;
            continue;
        }
        if (!params)
            params = end = param;
        else
            *end++ = ',';
        memmove(end, param, length + 1);
        end += length;
    }
    pick->params = params;
    return STATUS_OK;
}

enum status diff_side_open(struct diff_side *side, const char *text, struct error *error)
{
    *side = (struct diff_side){.text = text, .words = memory_copy_text(text)};
    char *selection = find_selection(side->words);
    side->file = side->words;
    enum status status = selection && *selection ? parse_selection(side, selection, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    if (memory_check(recording_load(&side->session, side->file, error)) != STATUS_OK) {
        if (error)
            error->status = STATUS_USAGE; /* the text names no recording that can be read */
        return STATUS_USAGE;
    }
    memory_check(kernel_index_create(&side->index, side->session, error));
    return STATUS_OK;
}

void diff_side_close(struct diff_side *side)
{
    kernel_index_destroy(side->index);
    if (side->session)
        session_destroy(side->session);
    free(side->words);
    *side = (struct diff_side){0};
}

static void run_name(const struct session *session, const struct run_row *run, bool params, char *text,
                     size_t size_bytes)
{
    const char *variant = session_string(session, run->variant),
               *given = session_string(session, run->params);
    snprintf(text, size_bytes, "%s%s%s%s%s",
             session_string(session, run->workload ? run->workload : run->program), *variant ? ":" : "",
             variant, params && *given ? " " : "", params ? given : "");
}

void diff_side_run_name(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct kernel_row *row = session_kernel(side->session, kernel);
    run_name(side->session, session_run(side->session, row->run), true, text, size_bytes);
}

void diff_side_device(const struct diff_side *side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct device_row *device =
        session_device(side->session, session_kernel(side->session, kernel)->device);
    bool model = kernel_on_model(side->session, kernel);
    snprintf(text, size_bytes, "%s%.*s", model ? "device model of " : "",
             device ? (int)sizeof device->info.name : 9, device ? device->info.name : "a device");
}

void diff_side_works(const struct diff_side *side, char *text, size_t size_bytes)
{
    size_t length = 0;
    char name[200], last[200] = "";
    text[0] = '\0';
    for (uint32_t i = 0; i < session_run_count(side->session); i++) {
        run_name(side->session, session_run(side->session, i), false, name, sizeof name);
        if (strcmp(name, last) == 0) /* a sweep, or the run's other modes */
            continue;
        if (length + strlen(name) + 8 > size_bytes) {
            snprintf(text + length, size_bytes - length, ", ...");
            return;
        }
        append_text(text, size_bytes, &length, "%s%s", length ? ", " : "", name);
        memcpy(last, name, sizeof last);
    }
}
