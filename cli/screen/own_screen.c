/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is looked at by its facts (time, size, number) at most every LOOK_NS; a version counts when two
 * looks in a row saw the same facts, since an editor writes in pieces, and when its text is another than that
 * of the version before.
 */
#include "cli/screen/own_screen.h"

#include "cli/exercise/exercises.h"
#include "cli/exercise/hand_in.h"
#include "cli/own/changes.h"
#include "cli/process/launch.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/run_params.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_NS (40 * (int64_t)NS_PER_MS)
#define TEXT_BYTES_MAX ((size_t)1 << 20)

struct own_screen {
    struct live *live;
    const bool *full_size;
    const char *workload; /* its name; NULL: no file is watched */
    const char *exercise; /* its name; "": the file is a copy of the workload's kernels */
    char path[PATH_BYTES];
    char *original; /* the text that the file began with */
    char *text;     /* of the newest version */
    bool *changed;
    uint32_t line_count, changed_count;
    struct stat facts; /* at the last look */
    bool settling;     /* they differed from those before */
    int64_t looked_ns;
    uint64_t saves, made;
    bool saved; /* the version was not run yet */
    struct live_own newest;
    struct grade grade; /* after this run of this version; no exercise: there is none yet */
    uint32_t grade_run;
    uint64_t grade_saves;
    struct own_case {
        char label[OWN_LABEL_BYTES];
        struct own_image *image;
        char path[PATH_BYTES];
        char *text;
        bool *changed;
        struct model_own own;
    } * *cases; /* the elements do not move */
    size_t case_count, case_room;
};

enum status own_screen_create(struct own_screen **own, const bool *full_size, struct error *error)
{
    *own = calloc(1, sizeof **own);
    if (!*own)
        return error_no_memory(error, "for the user's own kernels");
    (*own)->full_size = full_size;
    return STATUS_OK;
}

void own_screen_set_live(struct own_screen *own, struct live *live)
{
    own->live = live;
}

static void case_destroy(struct own_case *c)
{
    own_image_destroy(c->image);
    free(c->text);
    free(c->changed);
    free(c);
}

void own_screen_destroy(struct own_screen *own)
{
    if (!own)
        return;
    for (size_t i = 0; i < own->case_count; i++)
        case_destroy(own->cases[i]);
    free(own->cases);
    free(own->original);
    free(own->text);
    free(own->changed);
    free(own);
}

/* ---- the file ---- */

/* NULL: it is not there, or is no text of a size to be shown. */
static char *text_of(const char *path)
{
    size_t size_bytes;
    char *text;

    return file_read(path, TEXT_BYTES_MAX, &text, &size_bytes, NULL) == STATUS_OK ? text : NULL;
}

/* Takes a text that differs from the version before. */
static void take_version(struct own_screen *own, char *text)
{
    uint32_t count = changes_lines(text);
    bool *changed = calloc((size_t)count + 1, sizeof *changed);

    if (!changed || !changes_find(text, own->original, changed)) {
        free(changed);
        free(text); /* tried again with the next version */
        return;
    }
    free(own->text);
    free(own->changed);
    own->text = text;
    own->changed = changed;
    own->line_count = count;
    own->changed_count = 0;
    for (uint32_t i = 0; i < count; i++)
        own->changed_count += changed[i];
    own->saves++;
    own->saved = true;
}

static void read_version(struct own_screen *own)
{
    char *text = text_of(own->path);

    if (text && (!own->text || strcmp(text, own->text) != 0))
        take_version(own, text);
    else
        free(text);
}

static bool same_facts(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool own_screen_work(struct own_screen *own)
{
    const uint64_t saves = own->saves, made = own->made;
    const bool compiling = own->newest.compiling;
    int64_t now_ns = clock_monotonic_ns();
    struct stat facts;

    if (!own->workload || now_ns - own->looked_ns < LOOK_NS)
        return false;
    own->looked_ns = now_ns;
    if (stat(own->path, &facts) == 0) { /* an editor may be about to rename a new one */
        bool other = !same_facts(&facts, &own->facts);

        if (own->settling && !other)
            read_version(own);
        own->settling = other;
        own->facts = facts;
    }
    live_own(own->live, &own->newest);
    own->made = own->newest.number;
    return own->saves != saves || own->made != made || own->newest.compiling != compiling;
}

bool own_screen_watches(const struct own_screen *own, uint64_t *saves)
{
    *saves = own->saves + own->made + own->newest.compiling;
    return own->workload != NULL;
}

/* ---- opening ---- */

#define HEAD_BEGIN 12 /* characters of the head that other files do not begin with */
static const char head[] =
    "// YOUR COPY of the kernels of %s. lanescope has made it and does not overwrite it:\n"
    "// delete the file to begin anew. Change a kernel and save: lanescope compiles it, runs it in place of "
    "the\n"
    "// bundled one and compares the result with the workload's CPU reference. Keep the kernels' names, "
    "extern\n"
    "// \"C\" and parameter lists. A kernel that you delete here is the bundled one again.\n"
    "\n";

/* The bundled file with a workload's kernels: of its name, or of its first kernel. */
static const char *kernels_of(const struct workload *workload, char *name, size_t size_bytes)
{
    const char *image = NULL;

    for (size_t i = 0; i < workload->variant_count && !image; i++)
        for (size_t k = 0; k < workload->variants[i].kernel_count && !image; k++)
            image = kernel_image_of(workload->variants[i].kernels[k].kernel);
    snprintf(name, size_bytes, "%s.cu", image ? image : "");
    return image ? text_source(image) : NULL;
}

static char *original_make(const char *workload, const char *source)
{
    size_t size_bytes = sizeof head + strlen(workload) + strlen(source);
    char *text = malloc(size_bytes);
    int length = text ? snprintf(text, size_bytes, head, workload) : 0;

    if (text)
        snprintf(text + length, size_bytes - (size_t)length, "%s", source);
    return text;
}

/* Makes the file if it is not there. */
static enum status file_make(const char *path, const char *text, struct error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const size_t length = strlen(text);
    bool whole = file >= 0 && write(file, text, length) == (ssize_t)length;

    if (file < 0 && errno == EEXIST)
        return STATUS_OK;
    if (file >= 0 && close(file) < 0)
        whole = false;
    return whole ? STATUS_OK : error_set_errno(error, STATUS_IO, errno, "Cannot write %.300s", path);
}

/* The text that the user's copy begins with, and the copy's name. */
static enum status original_of(const struct workload *workload, const struct exercise *exercise, char *file,
                               size_t size_bytes, char **original, struct error *error)
{
    const char *source = exercise ? NULL : kernels_of(workload, file, size_bytes);

    if (!exercise && !source)
        return error_set(error, STATUS_STATE, "%.60s only copies: it has no kernel that could be edited.",
                         workload->name);
    if (exercise)
        snprintf(file, size_bytes, "exercise_%s.cu", exercise->name);
    *original = exercise ? exercise_file_text(exercise) : original_make(workload->name, source);
    return *original ? STATUS_OK : error_no_memory(error, "for a copy of %.60s", file);
}

enum status own_screen_open(struct own_screen *own, const char *name, const char *exercise_name,
                            struct error *error)
{
    const struct exercise *exercise = exercise_name ? exercise_find(exercise_name) : NULL;
    const struct workload *workload = workload_find(name);
    char folder[PATH_BYTES], file[128], path[PATH_BYTES];
    char *original = NULL;

    if (!workload)
        return error_set(error, STATUS_STATE, "There is no workload %.60s.", name);
    enum status status = path_of_kernels(folder, error);
    if (status == STATUS_OK)
        status = original_of(workload, exercise, file, sizeof file, &original, error);
    if (status != STATUS_OK)
        return status;
    if ((size_t)snprintf(path, sizeof path, "%.*s/%s", PATH_BYTES - 130, folder, file) >= sizeof path) {
        free(original);
        return error_set(error, STATUS_USAGE, "The folder %.200s... has a name that is too long.", folder);
    }
    status = file_make(path, original, error);
    if (status != STATUS_OK || (own->workload && strcmp(own->path, path) == 0)) {
        free(original);
        return status;
    }
    free(own->original);
    free(own->text);
    own->text = NULL;
    own->original = original;
    own->workload = workload->name;
    own->exercise = exercise ? exercise->name : "";
    memcpy(own->path, path, sizeof own->path);
    own->facts = (struct stat){0};
    read_version(own);
    if (!own->text) {
        own->workload = NULL;
        return error_set(error, STATUS_IO, "Cannot read %.300s: it is no text file of at most 1 MB.", path);
    }
    return STATUS_OK;
}

enum status own_screen_edit(struct own_screen *own, struct error *error)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    const char *chosen = visual && *visual ? visual : editor && *editor ? editor : NULL;
    char script[1024];
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", script, (char *)"sh", own->path, NULL};
    struct launch_options options = {.argv = argv, .foreground = true};
    struct launch *launch;
    int exit_status;

    if (chosen)
        snprintf(script, sizeof script, "%.900s \"$1\"", chosen); /* as git runs it: it may have options */
    else
        snprintf(script, sizeof script,
                 "for e in sensible-editor nano vim vi; do command -v $e >/dev/null && exec $e \"$1\"; done; "
                 "exit 127");
    enum status status = launch_start(&launch, &options, &exit_status, error);
    if (status == STATUS_OK) {
        exit_status = launch_wait(launch, NULL);
        launch_destroy(launch);
    }
    if (status == STATUS_OK && exit_status == 127)
        status =
            error_set(error, STATUS_USAGE,
                      "The editor %.100s was not found: set VISUAL or EDITOR to yours, or edit %.300s in "
                      "another terminal: it is watched.",
                      chosen ? chosen : "(nano, vim, vi)", own->path);
    read_version(own);
    if (stat(own->path, &own->facts) < 0)
        own->facts = (struct stat){0};
    return status;
}

/* ---- running ---- */

bool own_screen_saved(const struct own_screen *own)
{
    return own->workload && own->saved;
}

enum status own_screen_run(struct own_screen *own, const char *spec, struct error *error)
{
    own->saved = false;
    own->newest.compiling = true;
    return live_run_own(own->live, own->path, spec, !*own->full_size, error);
}

void own_screen_state(const struct own_screen *own, struct tui_own *state)
{
    const struct own_kernel *kernel = &own->newest.kernel;
    const bool refused = own->newest.error.status != STATUS_OK;

    *state = (struct tui_own){.workload = own->workload ? own->workload : "",
                              .exercise = own->exercise ? own->exercise : "",
                              .path = own->path,
                              .text = own->text ? own->text : "",
                              .changed = own->changed,
                              .line_count = own->text ? own->line_count : 0,
                              .changed_count = own->changed_count,
                              .compiling = own->newest.compiling,
                              .made = own->made,
                              .compile_s = own->newest.compile_s,
                              .label = refused ? "" : kernel->label,
                              .refused = refused ? own->newest.error.text : ""};
    for (uint32_t i = 0;
         i < kernel->diagnostics.count && state->said_count < sizeof state->said / sizeof *state->said; i++) {
        const struct diagnostic *from = &kernel->diagnostics.list[i];
        struct tui_own_line *said = &state->said[state->said_count++];

        *said = (struct tui_own_line){.line = from->line <= state->line_count ? from->line : 0,
                                      .column = from->column,
                                      .warning = from->warning,
                                      .text = from->text};
    }
}

/* Has the run ended, and is it one of the newest version? */
static bool is_of_newest(const struct own_screen *own, const struct session *session, uint32_t run)
{
    const struct run_row *row = session_run(session, run);
    const char *label = own->newest.kernel.label;
    struct run_param param;

    return !own->saved && !own->newest.compiling && own->newest.error.status == STATUS_OK &&
           atomic_load(&row->end_ns) != INT64_MIN &&
           run_param_find(session_string(session, row->params), RUN_PARAM_KERNEL, &param) &&
           (size_t)param.value_length == strlen(label) && strncmp(param.value, label, strlen(label)) == 0;
}

/* NULL: the run is not of the newest version of an exercise. */
static const struct grade *grade_of(struct own_screen *own, const struct session *session, uint32_t run)
{
    const struct exercise *exercise = own->workload && *own->exercise ? exercise_find(own->exercise) : NULL;

    if (!exercise || !is_of_newest(own, session, run))
        return NULL;
    if (own->grade.exercise == exercise && own->grade_run == run && own->grade_saves == own->saves)
        return &own->grade;
    char *code = strdup(own->text);
    if (!code)
        return NULL;
    own->grade = (struct grade){.exercise = exercise};
    hand_in_strip(code);
    grade_of_hand_in(&own->grade, session, run, code);
    free(code);
    own->grade_run = run;
    own->grade_saves = own->saves;
    return &own->grade;
}

const char *own_screen_hint(struct own_screen *own, const struct session *session, uint32_t run)
{
    const struct grade *grade = grade_of(own, session, run);

    return grade && grade->hint ? grade->hint : "";
}

double own_screen_share(struct own_screen *own, const struct session *session, uint32_t run, size_t goal)
{
    const struct grade *grade = grade_of(own, session, run);

    return grade && goal < grade->goal_count ? grade->goals[goal].figure : (double)NAN;
}

/* ---- what runs on the model beside ---- */

/* Marks the lines of a case's text that its file did not begin with: the watched file, or a file that
 * --kernel names, which is compared with the bundled one, without the head of a copy. False: no memory. */
static bool case_mark_changes(const struct own_screen *own, struct own_case *c)
{
    const char *watched = strrchr(own->path, '/'), *file = strrchr(c->path, '/');
    const bool is_watched = own->workload && watched && file && strcmp(watched, file) == 0;
    const char *before = is_watched ? own->original : text_source(c->image->name), *text = c->text;
    const char *blank = strncmp(text, head, HEAD_BEGIN) == 0 ? strstr(text, "\n\n") : NULL;
    uint32_t skipped = 0;

    if (!is_watched && blank)
        for (; text < blank + 2; text++)
            skipped += *text == '\n';
    c->own.line_count = changes_lines(c->text);
    c->changed = calloc((size_t)c->own.line_count + 1, sizeof *c->changed);
    c->own.changed = c->changed;
    return c->changed && (!before || changes_find(text, before, c->changed + skipped));
}

static enum status case_make(struct own_screen *own, const char *label, struct own_case **made,
                             struct error *error)
{
    struct own_kernel kernel;

    if (!own || !live_own_find(own->live, label, &kernel))
        return error_set(error, STATUS_STATE, "The kernels of %.80s are not of this session: run them again.",
                         label);
    *made = calloc(1, sizeof **made);
    if (!*made)
        return error_no_memory(error, "for the kernels of %.80s", label);
    snprintf((*made)->label, sizeof(*made)->label, "%s", label);
    memcpy((*made)->path, kernel.source, sizeof(*made)->path);
    (*made)->text = text_of(kernel.source);
    enum status status = own_image_read(&(*made)->image, kernel.image, error);
    if (status == STATUS_OK && !(*made)->text)
        status = error_set(error, STATUS_IO, "Cannot read the source of %.80s.", label);
    if (status == STATUS_OK && !array_grow(own->cases, own->case_room, own->case_count, 1))
        status = error_no_memory(error, "for the kernels of %.80s", label);
    (*made)->own = (struct model_own){.image = (*made)->image, .path = (*made)->path, .text = (*made)->text};
    if (status == STATUS_OK && !case_mark_changes(own, *made))
        status = error_no_memory(error, "for the lines of %.80s", label);
    if (status == STATUS_OK)
        own->cases[own->case_count++] = *made;
    else
        case_destroy(*made);
    return status;
}

enum status own_screen_case(struct own_screen *own, const char *label, const struct model_own **found,
                            struct error *error)
{
    struct own_case *made = NULL;
    enum status status = STATUS_OK;

    *found = NULL;
    if (!*label)
        return STATUS_OK;
    for (size_t i = 0; own && i < own->case_count && !made; i++)
        if (strcmp(own->cases[i]->label, label) == 0)
            made = own->cases[i];
    if (!made)
        status = case_make(own, label, &made, error);
    if (status == STATUS_OK)
        *found = &made->own;
    return status;
}
