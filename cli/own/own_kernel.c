/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FOLDER/own-HASH/NAME is the copy of the source, NAME.ptx beside it what the compiler made, and image.ptx
 * the own image. The user's PTX and the bundled one are parsed to compare the kernels that have the same
 * name.
 */
#include "cli/own/own_kernel.h"

#include "core/base/append.h"
#include "core/base/file.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_link.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATIC_SHARED_BYTES_MAX 49152u /* of every GPU; more is dynamic */

struct making {
    const struct own_options *options;
    struct own_kernel *kernel;
    const char *name; /* of the file, without its folder */
    bool compiled;    /* from CUDA C++ */
    char ptx_path[PATH_BYTES];
    char *source, *ptx; /* texts */
    size_t source_bytes, ptx_bytes;
    struct ptx_module *theirs, *bundled; /* theirs: the user's */
    const struct kernel_image *image;    /* the bundled one */
    struct own_image *own;
};

bool own_kernel_is_file(const char *text)
{
    const char *end = strrchr(text, '.');

    return end && (strcmp(end, ".cu") == 0 || strcmp(end, ".ptx") == 0);
}

/* ---- files ---- */
static enum status file_write(const char *path, const char *text, size_t size_bytes, struct error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    size_t done = 0;
    ssize_t part = 1;

    while (file >= 0 && part > 0 && done < size_bytes) {
        part = write(file, text + done, size_bytes - done);
        done += part > 0 ? (size_t)part : 0;
    }
    if (file < 0 || (close(file) < 0) | (done < size_bytes))
        return error_set_errno(error, STATUS_IO, errno, "Cannot write %.300s", path);
    return STATUS_OK;
}

/* A compiler driver passes the path of a source to a shell, in double quotes: what a shell reads in the
 * file's name is replaced in the copy's. Messages have the name that the user gave. */
static void name_for_shell(const char *name, char *text, size_t size_bytes)
{
    size_t used = 0;
    for (; *name && used + 1 < size_bytes; name++)
        text[used++] = isalnum((unsigned char)*name) || strchr("._+-", *name) ? *name : '_';
    text[used] = '\0';
}

static enum status source_keep(struct making *making, struct error *error)
{
    char name[256]; /* NAME_MAX */

    const struct own_options *options = making->options;
    struct own_kernel *kernel = making->kernel;
    const uint32_t hash = own_label_make(kernel->label, making->name, making->source, making->source_bytes);
    const size_t length = strlen(options->folder) + strlen(making->name);

    name_for_shell(making->name, name, sizeof name);
    if (making->compiled && strpbrk(options->folder, "$`\"\\\n"))
        return error_set(
            error, STATUS_USAGE,
            "The compiler's shell would read a character of the path %.300s, where lanescope keeps "
            "its files: set TMPDIR and XDG_RUNTIME_DIR to folders without $, `, \" and \\.",
            options->folder);
    if (length + sizeof "/own-12345678//.ptx" > PATH_BYTES)
        return error_set(error, STATUS_USAGE, "The path of %.200s is longer than %d bytes.", making->name,
                         PATH_BYTES);
    snprintf(kernel->folder, PATH_BYTES, "%.*s/own-%08" PRIx32, PATH_BYTES - 20, options->folder, hash);
    if (mkdir(kernel->folder, 0700) < 0 && errno != EEXIST)
        return error_set_errno(error, STATUS_IO, errno, "Cannot make the folder %.300s", kernel->folder);
    snprintf(kernel->source, PATH_BYTES, "%.*s/own-%08" PRIx32 "/%s", PATH_BYTES - 300, options->folder, hash,
             name);
    snprintf(making->ptx_path, PATH_BYTES, "%.*s/own-%08" PRIx32 "/%s%s", PATH_BYTES - 300, options->folder,
             hash, name, making->compiled ? ".ptx" : "");
    snprintf(kernel->image, PATH_BYTES, "%.*s/own-%08" PRIx32 "/image.ptx", PATH_BYTES - 300, options->folder,
             hash);
    return file_write(kernel->source, making->source, making->source_bytes, error);
}

void own_kernel_discard(const struct own_kernel *kernel)
{
    char path[PATH_BYTES + 8];

    if (!kernel->folder[0])
        return;
    snprintf(path, sizeof path, "%s.ptx", kernel->source);
    unlink(path);
    unlink(kernel->source);
    unlink(kernel->image);
    rmdir(kernel->folder);
}

/* ---- the kernels ---- */
static bool is_kernel(const struct ptx_function *function)
{
    return function->entry && !function->declared;
}

/* The declaration of a bundled kernel in its source, in one line: "copy_stride(float *out, ...)". False: its
 * source has none, since a macro makes it. */
static bool declaration_find(const char *image, const char *kernel, char *text, size_t size_bytes)
{
    const char *source = text_source(image), *at = source;
    size_t used = 0, length = strlen(kernel);

    while (at && (at = strstr(at, kernel)) &&
           !(at[length] == '(' && at > source && at[-1] == ' ')) /* not a call or a longer name */
        at += length;
    if (!at)
        return false;
    for (bool blank = false; *at && *at != ')'; at++) {
        bool space = strchr(" \t\n", *at) != NULL;

        if (!space)
            append_text(text, size_bytes, &used, "%s%c", blank ? " " : "", *at);
        blank = space;
    }
    return *at == ')' && append_text(text, size_bytes, &used, ")");
}

/* "copy_stride(u64, u64, u32)" */
static void signature_print(const struct ptx_function *kernel, char *text, size_t size_bytes)
{
    size_t used = 0;

    append_text(text, size_bytes, &used, "%.80s(", kernel->name);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        append_text(text, size_bytes, &used, "%s%s", i ? ", " : "",
                    ptx_type_text(kernel->parameters[i].type));
    append_text(text, size_bytes, &used, ")");
}

static bool is_real(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F32 || type == PTX_F64;
}

static bool same_parameters(const struct ptx_function *one, const struct ptx_function *other)
{
    if (one->parameter_count != other->parameter_count)
        return false;
    for (uint32_t i = 0; i < one->parameter_count; i++)
        if (one->parameters[i].size_bytes != other->parameters[i].size_bytes ||
            is_real(one->parameters[i].type) != is_real(other->parameters[i].type))
            return false;
    return true;
}

static enum status parameters_check(struct making *making, const struct ptx_function *kernel,
                                    struct error *error)
{
    const struct ptx_function *bundled = ptx_function_find(making->bundled, kernel->name);
    char theirs[240], ours[240], declared[240];

    if (!bundled || same_parameters(kernel, bundled))
        return STATUS_OK;
    signature_print(kernel, theirs, sizeof theirs);
    signature_print(bundled, ours, sizeof ours);
    return error_set(error, STATUS_USAGE,
                     "%.100s: the kernel %s has other parameters than the workload passes, %s. Keep its "
                     "parameter list: %s.",
                     making->name, theirs, ours,
                     declaration_find(making->image->name, kernel->name, declared, sizeof declared) ? declared
                                                                                                    : ours);
}

/* The kernel's name, from that with C++'s types: "_Z11copy_stridePfPKfj". NULL: it is none of the bundled. */
static const char *mangled_image(const char *mangled, char *plain, size_t size_bytes)
{
    char *end;

    if (strncmp(mangled, "_Z", 2) != 0)
        return NULL;
    unsigned long length = strtoul(mangled + 2, &end, 10);
    if (length == 0 || length > strlen(end) || length >= size_bytes)
        return NULL;
    snprintf(plain, size_bytes, "%.*s", (int)length, end);
    return kernel_image_of(plain);
}

/* No kernel of the file has the name of a bundled one. */
static enum status refuse_names(const struct making *making, struct error *error)
{
    char plain[OWN_KERNEL_NAME_BYTES], names[300] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < making->theirs->function_count; i++) {
        const struct ptx_function *function = &making->theirs->functions[i];

        if (!is_kernel(function))
            continue;
        if (mangled_image(function->name, plain, sizeof plain))
            return error_set(error, STATUS_USAGE,
                             "%.100s: the kernel %s has a C++ name: write extern \"C\" before its "
                             "__global__.",
                             making->name, plain);
        append_text(names, sizeof names, &used, "%s%.60s", *names ? ", " : "", function->name);
    }
    if (!*names)
        return error_set(error, STATUS_USAGE,
                         "%.100s has no kernel: no function with __global__ (in PTX: no .entry).",
                         making->name);
    return error_set(error, STATUS_USAGE,
                     "%.100s has no kernel that a workload runs: it has %s. Keep the name of the kernel that "
                     "yours is to replace.",
                     making->name, names);
}

/* Finds the bundled image whose kernels the file replaces. */
static enum status image_choose(struct making *making, struct error *error)
{
    const char *chosen = NULL, *because = NULL;
    enum status status = ptx_parse(&making->theirs, making->name, making->ptx, making->ptx_bytes, error);

    for (uint32_t i = 0; status == STATUS_OK && i < making->theirs->function_count; i++) {
        const struct ptx_function *function = &making->theirs->functions[i];
        const char *image = is_kernel(function) ? kernel_image_of(function->name) : NULL;

        if (image && chosen && strcmp(image, chosen) != 0)
            return error_set(error, STATUS_USAGE,
                             "%.100s has kernels of two bundled files: %s of %s.cu and %s of %s.cu. Put them "
                             "into two files, and run each with its workload.",
                             making->name, because, chosen, function->name, image);
        if (image) {
            chosen = image;
            because = function->name;
        }
    }
    if (status == STATUS_OK && !chosen)
        status = refuse_names(making, error);
    if (status != STATUS_OK)
        return status;
    making->image = kernel_ptx_find(chosen);
    return making->image
               ? ptx_parse(&making->bundled, chosen, making->image->data, making->image->size_bytes, error)
               : error_set(error, STATUS_STATE, "There is no bundled PTX of %s.", chosen);
}

/* ptxas refuses it too, where there is one. */
static enum status shared_check(const struct making *making, const struct ptx_function *kernel,
                                struct error *error)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < kernel->variable_count; i++)
        if (kernel->variables[i].space == PTX_SHARED)
            bytes += kernel->variables[i].size_bytes;
    if (bytes <= STATIC_SHARED_BYTES_MAX)
        return STATUS_OK;
    return error_set(
        error, STATUS_USAGE,
        "%.100s: the kernel %.80s has %llu bytes of __shared__ variables, and a block may have %u: "
        "make them smaller, or use fewer threads a block with less each.",
        making->name, kernel->name, (unsigned long long)bytes, STATIC_SHARED_BYTES_MAX);
}

static enum status kernels_take(struct making *making, struct error *error)
{
    struct own_image *own = making->own;

    snprintf(own->name, sizeof own->name, "%s", making->image->name);
    memcpy(own->label, making->kernel->label, sizeof own->label);
    for (uint32_t i = 0; i < making->theirs->function_count; i++) {
        const struct ptx_function *function = &making->theirs->functions[i];
        enum status status = STATUS_OK;

        if (is_kernel(function) && ptx_function_find(making->bundled, function->name))
            status = parameters_check(making, function, error);
        else
            continue;
        if (status == STATUS_OK)
            status = shared_check(making, function, error);
        if (status == STATUS_OK && own->kernel_count == OWN_KERNELS_MAX)
            status = error_set(error, STATUS_USAGE, "%.100s has more than %d kernels of %s.cu.", making->name,
                               OWN_KERNELS_MAX, own->name);
        if (status != STATUS_OK)
            return status;
        snprintf(own->kernels[own->kernel_count++].name, OWN_KERNEL_NAME_BYTES, "%s", function->name);
    }
    return STATUS_OK;
}

/* Adds the user's kernels that a case runs to a list with commas. */
static void case_add_entries(const struct own_image *own, const struct workload_case *c, char *list,
                             size_t size_bytes, size_t *used)
{
    for (size_t k = 0; k < c->variant->kernel_count; k++) {
        const char *kernel = c->variant->kernels[k].kernel, *at = list;
        const size_t length = strlen(kernel);

        if (!own_image_has(own, kernel))
            continue;
        while ((at = strstr(at, kernel)) && !((at == list || at[-1] == ',') && strchr(",", at[length])))
            at += length; /* a longer name */
        if (!at)
            append_text(list, size_bytes, used, "%s%s", *list ? "," : "", kernel);
    }
}

/* The user's kernels that the workloads run, with commas, for ptxas: a file of a hundred kernels has few of
 * them. "": all, since no workload is named, or the list is longer than the text. */
static void entries_find(const struct making *making, char *list, size_t size_bytes)
{
    const struct own_options *options = making->options;
    size_t used = 0;

    list[0] = '\0';
    for (size_t i = 0; i < options->text_count; i++) {
        struct workload_case *cases = NULL;
        size_t count = 0;

        if (workload_parse(options->texts[i], &cases, &count, NULL) == STATUS_OK)
            for (size_t k = 0; k < count; k++)
                case_add_entries(making->own, &cases[k], list, size_bytes, &used);
        free(cases);
    }
    if (used + OWN_KERNEL_NAME_BYTES >= size_bytes)
        list[0] = '\0';
}

/* Does a case run one of the user's kernels? */
static bool case_uses(const struct own_image *own, const struct workload_case *c)
{
    for (size_t k = 0; k < c->variant->kernel_count; k++)
        if (own_image_has(own, c->variant->kernels[k].kernel))
            return true;
    return false;
}

static enum status texts_check(const struct making *making, struct error *error)
{
    const struct own_options *options = making->options;
    bool used = options->text_count == 0;

    for (size_t i = 0; i < options->text_count && !used; i++) {
        struct workload_case *cases = NULL;
        size_t count = 0;

        if (workload_parse(options->texts[i], &cases, &count, NULL) == STATUS_OK)
            for (size_t k = 0; k < count && !used; k++)
                used = case_uses(making->own, &cases[k]);
        free(cases);
    }
    if (used)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE,
                     "%.100s has the kernel %s of %s.cu, which %.100s does not run: name the workload that "
                     "does.",
                     making->name, making->own->kernels[0].name, making->own->name, options->texts[0]);
}

/* ---- registers ---- */
/* What ptxas -v says of the kernels. */
static void resources_read(struct own_image *own, const char *said)
{
    struct kernel_resources *row = NULL;

    while (*said) {
        const char *end = said + strcspn(said, "\n"), *at;
        char line[400], name[OWN_KERNEL_NAME_BYTES];
        unsigned first, second;

        snprintf(line, sizeof line, "%.*s", (int)(end - said), said);
        if ((at = strstr(line, "Compiling entry function '")) &&
            sscanf(at, "Compiling entry function '%127[^']'", name) == 1) {
            row = NULL;
            for (size_t i = 0; i < own->kernel_count; i++)
                if (strcmp(own->kernels[i].name, name) == 0)
                    row = &own->kernels[i].resources;
        } else if (row && (at = strstr(line, " bytes stack frame, ")) &&
                   sscanf(at, " bytes stack frame, %u bytes spill stores, %u bytes", &first, &second) == 2) {
            row->spilled_bytes[1] = first;
            row->spilled_bytes[0] = second;
        } else if (row && (at = strstr(line, "Used ")) && sscanf(at, "Used %u registers", &first) == 1) {
            row->registers = first;
            if ((at = strstr(line, " bytes smem"))) {
                while (at > line && at[-1] != ' ')
                    at--;
                row->static_shared_bytes = (uint32_t)strtoul(at, NULL, 10);
            }
        }
        said = end + (*end == '\n');
    }
}

/* ---- the image ---- */
/* Does the file define all that the bundled image has? */
static bool defines_all(const struct making *making)
{
    for (uint32_t i = 0; i < making->bundled->function_count; i++) {
        const struct ptx_function *function = &making->bundled->functions[i];

        if (is_kernel(function) && !ptx_function_find(making->theirs, function->name))
            return false;
    }
    return true;
}

static enum status image_write(struct making *making, struct error *error)
{
    const struct ptx_text texts[] = {
        {.text = making->image->data, .size_bytes = making->image->size_bytes, .replaceable = true},
        {.text = making->ptx, .size_bytes = making->ptx_bytes}};
    char *linked = NULL;
    size_t size_bytes = making->ptx_bytes;
    enum status status = STATUS_OK;

    if (!defines_all(making))
        status = ptx_link(texts, 2, &linked, &size_bytes, error);
    if (status == STATUS_OK)
        status = own_image_write(making->own, linked ? linked : making->ptx, size_bytes,
                                 making->kernel->image, error);
    free(linked);
    return status;
}

static enum status ptx_make(struct making *making, const struct compile *compile, struct error *error)
{
    enum status status = STATUS_OK;

    if (making->compiled)
        status = compile_source(compile, &making->kernel->diagnostics, error);
    return status == STATUS_OK
               ? file_read(making->ptx_path, OWN_SOURCE_BYTES_MAX, &making->ptx, &making->ptx_bytes, error)
               : status;
}

static enum status kernel_make(struct making *making, struct error *error)
{
    const struct own_options *options = making->options;
    const char *slash = strrchr(options->path, '/');
    char include[PATH_BYTES] = ".", entries[8192], *said = NULL;
    struct compile compile = {.source = making->kernel->source,
                              .include = include,
                              .name = making->name,
                              .ptx = making->ptx_path,
                              .architecture = options->architecture ? options->architecture : 90,
                              .running = options->running,
                              .context = options->context};
    enum status status =
        file_read(options->path, OWN_SOURCE_BYTES_MAX, &making->source, &making->source_bytes, error);

    if (slash)
        snprintf(include, sizeof include, "%.*s", (int)(slash - options->path + 1), options->path);
    if (status == STATUS_OK)
        status = source_keep(making, error);
    if (status == STATUS_OK)
        status = ptx_make(making, &compile, error);
    if (status == STATUS_OK)
        status = image_choose(making, error);
    if (status == STATUS_OK)
        status = kernels_take(making, error);
    if (status == STATUS_OK)
        status = texts_check(making, error);
    if (status == STATUS_OK) {
        compile.runtime = strstr(making->ptx, "cudaCDP2") != NULL;
        entries_find(making, entries, sizeof entries);
        compile.entries = compile.runtime || !*entries ? NULL : entries; /* kernels launch others */
    }
    if (status == STATUS_OK)
        status = compile_assemble(&compile, &said, &making->kernel->diagnostics, error);
    if (said)
        resources_read(making->own, said);
    free(said);
    return status == STATUS_OK ? image_write(making, error) : status;
}

enum status own_kernel_make(const struct own_options *options, struct own_kernel *kernel, struct error *error)
{
    const char *slash = strrchr(options->path, '/');
    struct making making = {.options = options,
                            .kernel = kernel,
                            .name = slash ? slash + 1 : options->path,
                            .own = calloc(1, sizeof *making.own)};
    enum status status;

    *kernel = (struct own_kernel){.label = ""};
    const char *end = strrchr(making.name, '.');
    making.compiled = end && strcmp(end, ".cu") == 0;
    if (!own_kernel_is_file(options->path))
        status =
            error_set(error, STATUS_USAGE,
                      "%.300s is neither CUDA C++ nor PTX: its name must end in .cu or .ptx.", options->path);
    else if (!making.own)
        status = error_no_memory(error, "for %.200s", options->path);
    else
        status = kernel_make(&making, error);
    own_image_destroy(making.own);
    if (making.theirs)
        ptx_destroy(making.theirs);
    if (making.bundled)
        ptx_destroy(making.bundled);
    free(making.source);
    free(making.ptx);
    return status;
}
