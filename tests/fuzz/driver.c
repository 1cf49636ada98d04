/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target once over every file of a folder, and once over nothing: what a build without libFuzzer
 * checks. Usage: fuzz_NAME CORPUS_FOLDER. A folder that is missing or empty is an error: it would check
 * nothing.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    /* Exactly as large as the input, so that a sanitizer sees one byte read too far. */
    uint8_t *data = malloc(size ? size : 1);
    int result = -1;
    if (data && fread(data, 1, size, file) == size) {
        LLVMFuzzerTestOneInput(data, size);
        result = 0;
    } else {
        fprintf(stderr, "%s could not be read.\n", path);
    }
    free(data);
    fclose(file);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    DIR *folder = opendir(argv[1]);
    if (!folder) {
        perror(argv[1]);
        return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    int files = 0;
    int failures = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[4096];
        struct stat status;
        int length = snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path || stat(path, &status) || !S_ISREG(status.st_mode))
            continue;
        files++;
        failures += run_file(path, (size_t)status.st_size) != 0;
    }
    closedir(folder);
    printf("%d files of %s\n", files, argv[1]);
    return files == 0 || failures > 0;
}
