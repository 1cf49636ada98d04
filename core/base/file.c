/* SPDX-License-Identifier: Apache-2.0 */
/* The file is opened without waiting for a writer, and its kind and size are those of what was opened. */
#include "core/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum status file_read(const char *path, size_t most_bytes, char **text, size_t *size_bytes,
                      struct error *error)
{
    enum status status = STATUS_OK;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat facts = {0};
    size_t got = 0;
    ssize_t part = 1;

    *text = NULL;
    if (file < 0)
        return error_set_errno(error, STATUS_USAGE, errno, "Cannot read %.300s", path);
    if (fstat(file, &facts) < 0 || !S_ISREG(facts.st_mode))
        status = error_set(error, STATUS_USAGE, "Cannot read %.300s: it is not a regular file.", path);
    else if (facts.st_size > (off_t)most_bytes)
        status = error_set(error, STATUS_USAGE, "Cannot read %.300s: it is larger than %zu kB.", path,
                           most_bytes >> 10);
    else if (!(*text = malloc((size_t)facts.st_size + 1)))
        status = error_no_memory(error, "for %.200s", path);
    while (status == STATUS_OK && part != 0 && got < (size_t)facts.st_size) {
        part = read(file, *text + got, (size_t)facts.st_size - got);
        got += part > 0 ? (size_t)part : 0;
        if (part < 0 && errno != EINTR)
            status = error_set_errno(error, STATUS_IO, errno, "Cannot read %.300s", path);
    }
    close(file);
    if (status != STATUS_OK) {
        free(*text);
        *text = NULL;
        return status;
    }
    (*text)[got] = '\0';
    *size_bytes = got;
    return STATUS_OK;
}

/* ---- temporary folders ---- */
/* Copies between file systems, where rename fails. */
enum status file_move(const char *from, const char *to, struct error *error)
{
    char buffer[65536];

    if (rename(from, to) == 0)
        return STATUS_OK;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0666);
    ssize_t got = -1;

    while (in >= 0 && out >= 0 && (got = read(in, buffer, sizeof buffer)) > 0) {
        if (write(out, buffer, (size_t)got) != got) {
            got = -1;
            break;
        }
    }
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) < 0)
        got = -1;
    if (got != 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot move %.300s to %.300s", from, to);
    unlink(from);
    return STATUS_OK;
}

const char *folder_temporary(void)
{
    const char *temporary = getenv("TMPDIR");
    return temporary && *temporary ? temporary : "/tmp";
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
    (void)facts, (void)walk;
    return kind == FTW_DP || kind == FTW_DNR || kind == FTW_D ? rmdir(path) : unlink(path), 0;
}

void folder_remove(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static bool is_left_behind(int folder, const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    struct stat facts;
    int entry;
    if (strncmp(name, prefix, length) != 0 || name[length] != '-' ||
        fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(facts.st_mode) ||
        facts.st_uid != geteuid() || time(NULL) - facts.st_mtime < FOLDER_LEFT_S ||
        (entry = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        return false;
    bool unused = flock(entry, LOCK_EX | LOCK_NB) == 0;
    close(entry);
    return unused;
}

static void remove_left_behind(const char *prefix)
{
    DIR *folder = opendir(folder_temporary());
    char path[4096];
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_left_behind(dirfd(folder), entry->d_name, prefix) &&
            (size_t)snprintf(path, sizeof path, "%s/%s", folder_temporary(), entry->d_name) < sizeof path)
            folder_remove(path);
    if (folder)
        closedir(folder);
}

int folder_make(const char *prefix, char *path, size_t size_bytes)
{
    remove_left_behind(prefix);
    errno = ENAMETOOLONG;
    if ((size_t)snprintf(path, size_bytes, "%s/%s-XXXXXX", folder_temporary(), prefix) >= size_bytes ||
        !mkdtemp(path))
        return -1;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0)
        flock(folder, LOCK_EX); /* nobody else has it */
    return folder;
}
