/* SPDX-License-Identifier: Apache-2.0 */
/* The comments are read line by line from the start; the PTX is the whole text, comments included. */
#include "workloads/frame/own_image.h"

#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_BYTES_MAX ((size_t)64 << 20)
#define HEAD "// lanescope's own image 1: "

/* False: not such a file. */
static bool comments_read(struct own_image *own)
{
    const char *line = own->text;

    if (sscanf(line, HEAD "%63s is %79s", own->name, own->label) != 2)
        return false;
    while ((line = strchr(line, '\n')) && strncmp(++line, "// kernel ", 10) == 0) {
        struct own_kernel_row *row = &own->kernels[own->kernel_count];
        struct kernel_resources *of = &row->resources;

        if (own->kernel_count == OWN_KERNELS_MAX ||
            sscanf(line, "// kernel %127s %u %u %u %u", row->name, &of->registers, &of->static_shared_bytes,
                   &of->spilled_bytes[1], &of->spilled_bytes[0]) != 5)
            return false;
        of->image = own->name;
        of->kernel = row->name;
        own->kernel_count++;
    }
    return own->kernel_count > 0;
}

static uint64_t text_hash(const char *text, size_t size_bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

uint32_t own_label_make(char label[OWN_LABEL_BYTES], const char *path, const char *text, size_t size_bytes)
{
    const char *slash = strrchr(path, '/');
    const uint32_t hash = (uint32_t)text_hash(text, size_bytes);

    snprintf(label, OWN_LABEL_BYTES, "%.60s@%08" PRIx32, slash ? slash + 1 : path, hash);
    for (char *at = label; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@", *at))
            *at = '_';
    return hash;
}

enum status own_image_read(struct own_image **own, const char *path, struct error *error)
{
    struct own_image *made = calloc(1, sizeof *made);

    if (!made)
        return error_no_memory(error, "for %.200s", path);
    enum status status = file_read(path, OWN_BYTES_MAX, &made->text, &made->image.size_bytes, error);
    if (status != STATUS_OK) {
        free(made);
        return status == STATUS_MEMORY ? status : STATUS_IO;
    }
    if (!comments_read(made)) {
        own_image_destroy(made);
        return error_set(error, STATUS_FORMAT,
                         "%.300s is not PTX that lanescope has made of a user's kernels.", path);
    }
    made->image.name = made->name;
    made->image.data = made->text;
    made->image.format = "ptx";
    *own = made;
    return STATUS_OK;
}

void own_image_destroy(struct own_image *own)
{
    if (!own)
        return;
    free(own->text);
    free(own);
}

enum status own_image_write(const struct own_image *own, const char *ptx, size_t size_bytes, const char *path,
                            struct error *error)
{
    char unfinished[4096];

    if ((size_t)snprintf(unfinished, sizeof unfinished, "%s~", path) >= sizeof unfinished)
        return error_set(error, STATUS_USAGE, "The path %.200s... is too long.", path);
    int file = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    bool whole = out != NULL;

    if (out) {
        fprintf(out, HEAD "%s is %s\n", own->name, own->label);
        for (size_t i = 0; i < own->kernel_count; i++) {
            const struct kernel_resources *of = &own->kernels[i].resources;

            fprintf(out, "// kernel %s %u %u %u %u\n", own->kernels[i].name, of->registers,
                    of->static_shared_bytes, of->spilled_bytes[1], of->spilled_bytes[0]);
        }
        fwrite(ptx, 1, size_bytes, out);
        whole = !ferror(out);
        whole = fclose(out) == 0 && whole && rename(unfinished, path) == 0; /* somebody may read it */
    } else if (file >= 0) {
        close(file);
    }
    return whole ? STATUS_OK
                 : error_set_errno(error, STATUS_IO, errno, "Cannot write the compiled kernels to %.300s",
                                   path);
}

bool own_image_has(const struct own_image *own, const char *kernel)
{
    for (size_t i = 0; own && i < own->kernel_count; i++)
        if (strcmp(own->kernels[i].name, kernel) == 0)
            return true;
    return false;
}

void own_image_use(const struct own_image *own)
{
    static struct kernel_resources rows[OWN_KERNELS_MAX];

    for (size_t i = 0; own && i < own->kernel_count; i++)
        rows[i] = own->kernels[i].resources;
    kernel_image_replace(own ? &own->image : NULL, rows, own ? own->kernel_count : 0);
}
