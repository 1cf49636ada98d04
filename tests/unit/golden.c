#include "tests/unit/golden.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *golden_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL, bytes[4096];
    size_t size = 0, got;
    if (file == NULL)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        fwrite(bytes, 1, got, out);
    fclose(out);
    fclose(file);
    return text;
}

void golden_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s: %s", path, strerror(errno));
    cr_assert(fputs(text, file) >= 0);
    cr_assert_eq(fclose(file), 0);
}

bool golden_equals(const char *name, const char *text, const char *instead)
{
    const char *update = getenv("UPDATE_GOLDEN");
    char path[8192];
    snprintf(path, sizeof path, "%s/tests/golden/%s", TEST_SOURCE_DIR, name);
    if (update != NULL && update[0] != '\0')
        golden_write(path, text);
    char *wanted = golden_read(path);
    bool equal = wanted != NULL && strcmp(text, wanted) == 0;
    if (!equal)
        fprintf(stderr, "%s differs (UPDATE_GOLDEN=1 writes it anew). It is now:\n%s\n", path,
                instead != NULL ? instead : text);
    free(wanted);
    return equal;
}
