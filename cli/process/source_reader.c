/* SPDX-License-Identifier: Apache-2.0 */
/* A file is read only if it is regular, small enough and text. */
#include "cli/process/source_reader.h"

#include "core/base/file.h"
#include "core/session/code.h"
#include "workloads/frame/texts.h"

#include <stdlib.h>
#include <string.h>

static bool read_file(const char *path, char **text, size_t *size_bytes)
{
    if (file_read(path, SOURCE_BYTES_MAX, text, size_bytes, NULL) != STATUS_OK)
        return false;
    if (*size_bytes > 0 && !memchr(*text, '\0', *size_bytes))
        return true;
    free(*text);
    *text = NULL;
    return false;
}

bool source_reader_read(void *context, const char *path, char **text, size_t *size_bytes)
{
    (void)context;
    char name[512];
    code_file_name(path, NULL, name, sizeof name);
    const struct text_file *bundled = text_find(name);
    if (!bundled)
        return read_file(path, text, size_bytes);
    *size_bytes = strlen(bundled->text);
    *text = strdup(bundled->text);
    return *text != NULL;
}
