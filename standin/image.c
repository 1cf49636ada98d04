/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PTX of a file, extracted by `cuobjdump -all -xptx all`, which every CUDA toolkit has: it writes one
 * file for each PTX into the folder it runs in. Those that it writes only with -all are of relocatable code.
 * PTX that LANESCOPE_PTX names, or that lies beside the file (a.out.ptx), needs no tool.
 * The registers of its machine code, by `cuobjdump -res-usage`, are read with it.
 * Texts are read once and kept until the program ends; a text is parsed only when a kernel of it is launched.
 * Texts of relocatable code that need each other are linked into one. Under the lock of standin.c.
 */
#include "standin/standin.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/elf.h"
#include "core/base/file.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_link.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- programs of the toolkit ---- */

static char **environment_without_preload(void)
{
    size_t count = 0, kept = 0;

    while (environ[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            copy[kept++] = environ[i];
    return copy;
}

int64_t tool_within_ns = 60 * (int64_t)NS_PER_S;

/* Its status as of waitpid; the tool is killed if it does not end, and *killed set. 0, too, if a thread of the
 * program has waited for all children. */
static int tool_wait(pid_t pid, bool *killed)
{
    const int64_t until = clock_real_ns() + tool_within_ns;
    int status = 0;
    pid_t got;

    while ((got = waitpid(pid, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (clock_real_ns() > until)
            *killed = kill(pid, SIGKILL) == 0;
        clock_pause(NS_PER_MS);
    }
    return status;
}

int tool_run(const char *const argv[], const char *folder, int output)
{
    /* posix_spawn changes the folder since glibc 2.29 only. */
    const char *there[16] = {"sh", "-c", "cd \"$0\" && exec \"$@\"", folder};
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction theirs; /* SIG_IGN takes the status away, and so may a handler */
    char **environment = environment_without_preload();
    posix_spawn_file_actions_t actions;
    int status = -1, failed = ENOMEM;
    bool killed = false;
    pid_t pid;

    sigaction(SIGCHLD, &usual, &theirs);
    if (environment && posix_spawn_file_actions_init(&actions) == 0) {
        if (output >= 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        else
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        for (size_t i = 0; folder && argv[i] && i + 5 < sizeof there / sizeof *there; i++)
            there[i + 4] = argv[i];
        if (folder)
            argv = there;
        failed = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(environment);
    if (failed == 0)
        status = tool_wait(pid, &killed);
    sigaction(SIGCHLD, &theirs, NULL);
    if (failed) {
        errno = failed;
        return 127;
    }
    if (folder && WIFEXITED(status) && WEXITSTATUS(status) >= 126) { /* the shell could not start it */
        errno = WEXITSTATUS(status) == 127 ? ENOENT : EACCES;
        return 127;
    }
    errno = killed ? ETIMEDOUT : 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- files ---- */

struct image_text {
    char name[32]; /* unique: "ptx 3" */
    char *ptx;
    size_t size_bytes;
    uint32_t compute_capability; /* its .target */
};

struct image_code { /* a kernel's machine code */
    char *kernel;
    uint32_t compute_capability, registers;
};

struct image_file {
    struct image_code *codes;
    size_t code_count, code_capacity;
    char *path;
    struct image_text *texts;
    size_t count, capacity;
    char holds[128];
    char note[700]; /* where the PTX is from, if it is not in the file */
    bool note_warns;
};

static struct image_file **files;
static size_t file_count, file_capacity, text_count;
static uint32_t modelled_capability; /* compute capability of the modelled GPU */
static char unended[300]; /* the file that cuobjdump did not come to an end with; it is asked no more */

/* ---- the tool ---- */
static const char *cuobjdump_name(void)
{
    const char *program = getenv(STANDIN_CUOBJDUMP_VARIABLE);

    return program && *program ? program : "cuobjdump";
}

/* Runs the tool in `folder`; all: also for relocatable code. Returns its exit status; 127: it could not be started, errno
 * says why. */
static int run_cuobjdump(const char *path, const char *folder, bool all)
{
    const char *name = cuobjdump_name();
    const char *every[] = {name, "-all", "-xptx", "all", path, NULL};
    const char *placed[] = {name, "-xptx", "all", path, NULL};

    return tool_run(all ? every : placed, folder, -1);
}

/* ---- the registers ---- */
/* Reads what the tool prints: "arch = sm_90", then for each function its name and "REG:72". What is not
 * understood is passed over: the model then estimates the registers. */
static void codes_parse(struct image_file *file, FILE *stream)
{
    static const char function[] = " Function ", arch[] = "arch = sm_";
    char *line = NULL, *name = NULL, *end;
    size_t room = 0;
    uint32_t capability = 0;

    while (getline(&line, &room, stream) > 0) {
        const char *registers = strstr(line, "REG:");
        if (strncmp(line, arch, sizeof arch - 1) == 0) {
            capability = (uint32_t)strtoul(line + sizeof arch - 1, NULL, 10);
        } else if (strncmp(line, function, sizeof function - 1) == 0 && (end = strrchr(line, ':'))) {
            *end = '\0';
            free(name);
            name = strdup(line + sizeof function - 1);
        } else if (registers && name && array_grow(file->codes, file->code_capacity, file->code_count, 1)) {
            file->codes[file->code_count++] =
                (struct image_code){.kernel = name,
                                    .compute_capability = capability,
                                    .registers = (uint32_t)strtoul(registers + strlen("REG:"), NULL, 10)};
            name = NULL;
        }
    }
    free(name);
    free(line);
}

static void codes_read(struct image_file *file)
{
    const char *const argv[] = {cuobjdump_name(), "-res-usage", file->path, NULL};
    FILE *stream = tmpfile();

    if (stream && tool_run(argv, NULL, fileno(stream)) == 0) {
        rewind(stream);
        codes_parse(file, stream);
    }
    if (stream)
        fclose(stream);
}

static void codes_free(struct image_file *file)
{
    for (size_t i = 0; i < file->code_count; i++)
        free(file->codes[i].kernel);
    free(file->codes);
}

/* ---- the texts ---- */
static uint32_t target_of(const char *ptx)
{
    const char *target = strstr(ptx, "\n.target sm_");

    return target ? (uint32_t)strtoul(target + strlen("\n.target sm_"), NULL, 10) : 0;
}

/* Takes the text, into a row that is there. */
static void text_add(struct image_file *file, char *ptx, size_t size_bytes)
{
    struct image_text *text = &file->texts[file->count++];

    *text = (struct image_text){.ptx = ptx, .size_bytes = size_bytes};
    ptx[size_bytes] = '\0';
    text->compute_capability = target_of(ptx);
    snprintf(text->name, sizeof text->name, "ptx %zu", text_count++);
}

#define PTX_BYTES_MAX ((size_t)1 << 30)

static bool text_read(struct image_file *file, const char *path)
{
    char *ptx;
    size_t size_bytes;
    bool whole = array_grow(file->texts, file->capacity, file->count, 1) &&
                 file_read(path, PTX_BYTES_MAX, &ptx, &size_bytes, NULL) == STATUS_OK;

    if (whole)
        text_add(file, ptx, size_bytes);
    return whole;
}

static bool is_ptx(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end && strcmp(end, ".ptx") == 0;
}

static int select_ptx(const struct dirent *entry)
{
    return is_ptx(entry);
}

/* Reads all files that the tool wrote, in the order of their names, and removes the folder. */
static bool folder_take(struct image_file *file, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, select_ptx, versionsort);
    bool whole = count >= 0;

    for (int i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        whole = text_read(file, path) && whole;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    folder_remove(folder);
    return whole;
}

/* ---- relocatable code ---- */
/* Links the texts[0 ... count - 1] that belong to group `group` to one text, which replaces the first of
 * them. */
static enum status group_link(struct image_file *file, const uint32_t *rows, const struct ptx_text *texts,
                              const uint32_t *groups, uint32_t group, uint32_t count, struct error *error)
{
    struct image_text *first = &file->texts[rows[group]];
    struct ptx_text *members = calloc(count, sizeof *members);
    uint32_t member_count = 0;
    char *linked;
    size_t size_bytes;

    if (!members)
        return error_no_memory(error, "to link the program's PTX");
    for (uint32_t i = 0; i < count; i++)
        if (groups[i] == group)
            members[member_count++] = texts[i];
    enum status status =
        member_count > 1 ? ptx_link(members, member_count, &linked, &size_bytes, error) : STATUS_OK;
    free(members);
    if (status != STATUS_OK || member_count < 2)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i] != group)
            continue;
        free(file->texts[rows[i]].ptx);
        file->texts[rows[i]].ptx = NULL;
    }
    first->ptx = linked;
    first->size_bytes = size_bytes;
    return STATUS_OK;
}

/* Links all texts that were made for one compute capability. */
static enum status capability_link(struct image_file *file, uint32_t compute_capability, struct error *error)
{
    uint32_t *rows = calloc(2 * file->count, sizeof *rows), *groups = rows ? rows + file->count : NULL,
             count = 0;
    struct ptx_text *texts = calloc(file->count, sizeof *texts);
    bool needs = false; /* something that another text defines */
    enum status status = rows && texts ? STATUS_OK : error_no_memory(error, "to link the program's PTX");

    for (uint32_t i = 0; i < file->count && status == STATUS_OK; i++) {
        if (file->texts[i].compute_capability != compute_capability)
            continue;
        needs |= strstr(file->texts[i].ptx, ".extern ") != NULL;
        rows[count] = i;
        texts[count++] =
            (struct ptx_text){.text = file->texts[i].ptx, .size_bytes = file->texts[i].size_bytes};
    }
    if (status == STATUS_OK && needs && count > 1) {
        status = ptx_link_groups(texts, count, groups, error);
        for (uint32_t group = 0; group < count && status == STATUS_OK; group++)
            if (groups[group] == group)
                status = group_link(file, rows, texts, groups, group, count, error);
    }
    free(texts);
    free(rows);
    return status;
}

static enum status file_link(struct image_file *file, struct error *error)
{
    enum status status = STATUS_OK;
    size_t kept = 0;

    for (size_t i = 0; i < file->count && status == STATUS_OK; i++) {
        bool first = true;
        for (size_t before = 0; before < i; before++)
            first = first && file->texts[before].compute_capability != file->texts[i].compute_capability;
        if (first)
            status = capability_link(file, file->texts[i].compute_capability, error);
    }
    for (size_t i = 0; i < file->count; i++)
        if (file->texts[i].ptx)
            file->texts[kept++] = file->texts[i];
    file->count = kept;
    return status;
}

static void texts_free(struct image_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free(file->texts[i].ptx);
    free(file->texts);
}

static enum status refuse_unended(const struct image_file *file, struct error *error)
{
    bool same = strncmp(file->path, unended, sizeof unended - 1) == 0;

    return error_set(error, STATUS_UNSUPPORTED,
                     "cuobjdump could not extract the PTX of %.300s: it had not ended after %g s%s%s. "
                     "%s names another one.",
                     unended, (double)tool_within_ns / (double)NS_PER_S,
                     same ? "" : ", and was not asked for that of ", same ? "" : file->path,
                     STANDIN_CUOBJDUMP_VARIABLE);
}

/* Adds the texts that the tool extracts. */
static enum status texts_extract(struct image_file *file, bool all, struct error *error)
{
    char folder[300];

    if (*unended)
        return refuse_unended(file, error);
    int lock = folder_make("lanescope-ptx", folder, sizeof folder);
    if (lock < 0)
        return error_set_errno(error, STATUS_IO, errno,
                               "Cannot make a folder for the program's PTX in %.250s", folder_temporary());
    int status = run_cuobjdump(file->path, folder, all), why = errno;
    bool whole = folder_take(file, folder);
    close(lock);
    if (status == 127) {
        const char *how = getenv(STANDIN_TOOLLESS_VARIABLE), *named = getenv(STANDIN_CUOBJDUMP_VARIABLE);
        if (named && *named)
            return error_set(error, STATUS_UNSUPPORTED,
                             STANDIN_CUOBJDUMP_VARIABLE
                             " names %.300s, which cannot be run: %s. Name the cuobjdump of a "
                             "CUDA toolkit.",
                             named, strerror(why));
        return error_set(error, STATUS_UNSUPPORTED, "%s",
                         how && *how
                             ? how
                             : "cuobjdump, which extracts the PTX of a program, was not found: it is part of "
                               "every CUDA toolkit, and ./bootstrap cuda installs it. Put it on PATH.");
    }
    if (status == -1 && why == ETIMEDOUT) {
        snprintf(unended, sizeof unended, "%.299s", file->path);
        return refuse_unended(file, error);
    }
    if (status == -1)
        return error_set(error, STATUS_UNSUPPORTED,
                         "cuobjdump could not extract the PTX of %.300s: a signal ended it.", file->path);
    if (status != 0 || !whole)
        return error_set(error, STATUS_UNSUPPORTED,
                         "cuobjdump could not extract the PTX of %.300s (status %d).", file->path, status);
    return STATUS_OK;
}

/* Has the file a section for relocatable code? Only then is the tool asked a second time. */
static bool has_relocatable(const char *path)
{
    struct elf elf;

    if (elf_map(&elf, path, NULL) != STATUS_OK)
        return false;
    bool has = elf_has_section(&elf, "__nv_relfatbin");
    elf_unmap(&elf);
    return has;
}

static bool holds_text(const struct image_file *file, const struct image_text *text)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->texts[i].size_bytes == text->size_bytes && strcmp(file->texts[i].ptx, text->ptx) == 0)
            return true;
    return false;
}

static enum status text_mark(struct image_text *text, struct error *error)
{
    static const char mark[] = "\n" PTX_RELOCATABLE "\n";
    char *marked = realloc(text->ptx, text->size_bytes + sizeof mark);

    if (!marked)
        return error_no_memory(error, "for the program's PTX");
    memcpy(marked + text->size_bytes, mark, sizeof mark);
    text->ptx = marked;
    text->size_bytes += sizeof mark - 1;
    return STATUS_OK;
}

/* Marks the texts that are of relocatable code. */
static enum status texts_mark(struct image_file *file, struct error *error)
{
    struct image_file placed = {.path = file->path};
    enum status status = texts_extract(&placed, false, error);

    for (size_t i = 0; status == STATUS_OK && i < file->count; i++)
        if (!holds_text(&placed, &file->texts[i]))
            status = text_mark(&file->texts[i], error);
    texts_free(&placed);
    return status;
}

/* ---- PTX beside the file ---- */
bool image_is_program(const char *path)
{
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

    own[length > 0 ? length : 0] = '\0';
    return strcmp(own, path) == 0;
}

static enum status text_take(struct image_file *file, const char *path, struct error *error)
{
    errno = 0;
    if (!text_read(file, path))
        return error_set_errno(error, STATUS_UNSUPPORTED, errno ? errno : EIO,
                               "Cannot read the PTX in %.300s", path);
    if (file->texts[file->count - 1].compute_capability == 0)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%.300s is not PTX: it has no line \".target sm_...\". nvcc -ptx makes it.", path);
    return STATUS_OK;
}

/* What the user names for the program. */
static enum status texts_take_named(struct image_file *file, const char *names, struct error *error)
{
    enum status status = STATUS_OK;

    while (*names && status == STATUS_OK) {
        size_t length = strcspn(names, ":");
        char path[4096];
        snprintf(path, sizeof path, "%.*s", (int)length, names);
        if (length > 0)
            status = text_take(file, path, error);
        names += length + (names[length] == ':');
    }
    return status;
}

/* What lies beside the file, if anything does; notes so, since nothing binds it to the file. */
static enum status texts_take_beside(struct image_file *file, struct error *error)
{
    char path[4096 + sizeof STANDIN_PTX_SUFFIX];
    struct stat program, ptx;

    snprintf(path, sizeof path, "%.4095s" STANDIN_PTX_SUFFIX, file->path);
    if (stat(path, &ptx) != 0)
        return STATUS_OK;
    enum status status = text_take(file, path, error);
    if (status != STATUS_OK)
        return status;
    file->note_warns = stat(file->path, &program) == 0 && ptx.st_mtime < program.st_mtime;
    snprintf(file->note, sizeof file->note, "The kernels are those of %.500s.%s", path,
             file->note_warns
                 ? " That file is older than the program: make it again if the program has changed."
                 : "");
    return STATUS_OK;
}

static enum status image_file_read(struct image_file *file, struct error *error)
{
    const char *named = getenv(STANDIN_PTX_VARIABLE);
    bool given = named && *named && image_is_program(file->path);
    struct error unread = {0};
    size_t used = 0;
    enum status status = given ? texts_take_named(file, named, error) : texts_extract(file, true, error);

    if (!given && status == STATUS_OK && file->count && has_relocatable(file->path)) {
        status = texts_mark(file, error);
    } else if (!given && file->count == 0) {
        enum status beside = texts_take_beside(file, &unread);
        given = beside != STATUS_OK || file->count > 0;
        if (given)
            status = beside; /* in place of the tool's error */
        if (beside != STATUS_OK && error)
            *error = unread;
    }
    for (size_t i = 0; given && status == STATUS_OK && i < file->count && has_relocatable(file->path); i++)
        status = text_mark(&file->texts[i], error);
    if (status != STATUS_OK)
        return status;
    if (file->count && !given)
        codes_read(file);
    for (size_t i = 0; i < file->count && used < sizeof file->holds - 12; i++)
        used += (size_t)snprintf(file->holds + used, sizeof file->holds - used, "%ssm_%u", i ? ", " : "",
                                 file->texts[i].compute_capability);
    return file_link(file, error);
}

static void file_free(struct image_file *file)
{
    if (!file)
        return;
    codes_free(file);
    texts_free(file);
    free(file->path);
    free(file);
}

/* A file without texts, in no list yet; NULL: no memory. */
static struct image_file *file_make(const char *path)
{
    struct image_file *made = calloc(1, sizeof *made);

    if (made && (made->path = strdup(path)) && array_grow(files, file_capacity, file_count, 1))
        return made;
    file_free(made);
    return NULL;
}

static enum status file_add(const char *path, struct image_file **file, struct error *error)
{
    struct image_file *made = file_make(path);
    enum status status =
        made ? image_file_read(made, error) : error_no_memory(error, "for the program's PTX");

    if (status == STATUS_OK)
        files[file_count++] = *file = made;
    else
        file_free(made);
    return status;
}

enum status image_file_open(const char *path, struct image_file **file, struct error *error)
{
    for (size_t i = 0; i < file_count; i++) {
        if (strcmp(files[i]->path, path) == 0) {
            *file = files[i];
            return STATUS_OK;
        }
    }
    return file_add(path, file, error);
}

enum status image_text_open(const char *ptx, size_t size_bytes, struct image_file **file, struct error *error)
{
    struct image_file *made = file_make("");
    char *copy = made ? strndup(ptx, size_bytes) : NULL;

    if (!copy || !array_grow(made->texts, made->capacity, made->count, 1)) {
        free(copy);
        file_free(made);
        return error_no_memory(error, "for the program's PTX");
    }
    text_add(made, copy, strlen(copy));
    snprintf(made->holds, sizeof made->holds, "sm_%u", made->texts[0].compute_capability);
    files[file_count++] = *file = made;
    return STATUS_OK;
}

enum status image_bytes_open(const void *bytes, size_t size_bytes, struct image_file **file,
                             struct error *error)
{
    char path[300];

    snprintf(path, sizeof path, "%.250s/lanescope-fatbin-XXXXXX", folder_temporary());
    int descriptor = mkstemp(path);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool whole = stream && fwrite(bytes, 1, size_bytes, stream) == size_bytes;
    if (stream)
        whole = fclose(stream) == 0 && whole;
    else if (descriptor >= 0)
        close(descriptor);
    enum status status =
        whole ? file_add(path, file, error)
              : error_set_errno(error, STATUS_IO, errno, "Cannot write the program's PTX to %.250s", path);
    if (descriptor >= 0)
        unlink(path);
    if (status == STATUS_OK)
        (*file)->path[0] = '\0'; /* the name may come again */
    return status;
}

const char *image_file_note(const struct image_file *file, bool *warns)
{
    *warns = file->note_warns;
    return file->note;
}

uint32_t image_file_oldest(const struct image_file *file)
{
    uint32_t oldest = UINT32_MAX;

    for (size_t i = 0; i < file->count; i++)
        if (file->texts[i].compute_capability < oldest)
            oldest = file->texts[i].compute_capability;
    return file->count ? oldest : 0;
}

const char *image_file_holds(const struct image_file *file)
{
    return file->holds;
}

/* ---- which text ---- */
static bool is_name_character(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_' || character == '$';
}

/* Does the text define the name, after one of these words on the same line? */
static bool text_defines(const char *ptx, const char *name, const char *const *words)
{
    size_t length = strlen(name);

    for (const char *at = strstr(ptx, name); at; at = strstr(at + length, name)) {
        const char *line = at;
        if (is_name_character(at[length]) || (at > ptx && is_name_character(at[-1])))
            continue;
        while (line > ptx && line[-1] != '\n')
            line--;
        if (line[0] !=
            '.') /* a definition starts its line with a dot; instructions have a tab before them, or no dot */
            continue;
        for (size_t i = 0; words[i]; i++) {
            const char *word = strstr(line, words[i]);
            if (word && word < at && strncmp(line, ".extern", 7) != 0)
                return true;
        }
    }
    return false;
}

static const char *image_that(const struct image_file *file, const char *name, const char *const *words,
                              uint32_t compute_capability)
{
    const struct image_text *best = NULL;

    for (size_t i = 0; i < file->count; i++) {
        const struct image_text *text = &file->texts[i];
        if (text->compute_capability <= compute_capability &&
            (!best || text->compute_capability > best->compute_capability) &&
            text_defines(text->ptx, name, words))
            best = text;
    }
    return best ? best->name : NULL;
}

const char *image_of_entry(const struct image_file *file, const char *entry, uint32_t compute_capability)
{
    static const char *const words[] = {".entry ", NULL};

    return image_that(file, entry, words, compute_capability);
}

const char *image_of_variable(const struct image_file *file, const char *variable,
                              uint32_t compute_capability)
{
    static const char *const words[] = {".global ", ".const ", NULL};

    return image_that(file, variable, words, compute_capability);
}

static const struct image_text *text_of(const char *image)
{
    for (size_t f = 0; f < file_count; f++)
        for (size_t i = 0; i < files[f]->count; i++)
            if (strcmp(files[f]->texts[i].name, image) == 0)
                return &files[f]->texts[i];
    return NULL;
}

uint32_t image_capability(const char *image)
{
    const struct image_text *text = text_of(image);

    return text ? text->compute_capability : 0;
}

/* The kernel's machine code for the modelled GPU, or the newest for an older one. */
static const struct image_code *code_of(const char *image, const char *kernel)
{
    const struct image_text *text = text_of(image);
    const struct image_code *best = NULL;

    for (size_t f = 0; text && f < file_count; f++) {
        if (text < files[f]->texts || text >= files[f]->texts + files[f]->count)
            continue;
        for (size_t i = 0; i < files[f]->code_count; i++) {
            const struct image_code *code = &files[f]->codes[i];
            if (code->compute_capability <= modelled_capability && strcmp(code->kernel, kernel) == 0 &&
                (!best || code->compute_capability > best->compute_capability))
                best = code;
        }
    }
    return best;
}

void image_choose_code(uint32_t compute_capability)
{
    modelled_capability = compute_capability;
}

uint32_t image_registers(const char *image, const char *kernel)
{
    const struct image_code *code = code_of(image, kernel);

    return code ? code->registers : 0;
}

bool image_registers_are_exact(const char *image, const char *kernel)
{
    const struct image_code *code = code_of(image, kernel);

    return code && code->compute_capability == modelled_capability;
}

const char *image_ptx(const char *image, size_t *size_bytes)
{
    const struct image_text *text = text_of(image);

    if (!text)
        return NULL;
    *size_bytes = text->size_bytes;
    return text->ptx;
}
