/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock on a folder shows that its lanescope runs. Before a folder is made, folders of the same user that
 * have a socket and no lock are emptied with openat, which follows no link.
 */
#include "core/wire/wire_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "lanescope-"
#define RANDOM "XXXXXX"
#define SOCKET_NAME "wire"
#define CONTROL_NAME "sampling" /* core/wire/sampling_control.h */

/* The address of the socket BASE/NAME; false if it does not fit. */
static bool set_address(struct sockaddr_un *address, const char *base, const char *name)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s/" SOCKET_NAME, base, name);
    return length > 0 && (size_t)length < sizeof address->sun_path;
}

/* Versions of lanescope from before the lock listen without it. */
static bool nobody_listens(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

/* Is it our folder, with a socket, and is its lanescope gone? If so this process now holds its lock. */
static bool is_left_over(int folder, const struct sockaddr_un *address)
{
    struct stat of_folder, of_socket;
    return fstat(folder, &of_folder) == 0 && of_folder.st_uid == geteuid() &&
           (of_folder.st_mode & 0777) == 0700 &&
           fstatat(folder, SOCKET_NAME, &of_socket, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISSOCK(of_socket.st_mode) && flock(folder, LOCK_EX | LOCK_NB) == 0 && nobody_listens(address);
}

/* What agents put beside the socket. */
static void clear_cubins(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        if (strstr(entry->d_name, WIRE_FOLDER_CUBIN))
            unlinkat(folder, entry->d_name, 0);
    if (entries)
        closedir(entries);
    else if (again >= 0)
        close(again);
}

static void clear_left_over(int base_fd, const char *base, const char *name)
{
    struct sockaddr_un address;
    int folder = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    if (set_address(&address, base, name) && is_left_over(folder, &address)) {
        unlinkat(folder, SOCKET_NAME, 0);
        clear_cubins(folder);
        unlinkat(folder, CONTROL_NAME, 0);
        unlinkat(base_fd, name, AT_REMOVEDIR); /* unless something else is in it */
    }
    close(folder);
}

static void clear_left_overs(const char *base)
{
    DIR *folder = opendir(base);
    int saved = errno;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0 &&
            strlen(entry->d_name) == sizeof PREFIX RANDOM - 1)
            clear_left_over(dirfd(folder), base, entry->d_name);
    if (folder)
        closedir(folder);
    errno = saved;
}

bool wire_folder_make(struct wire_folder *folder, const char *base, int fd)
{
    folder->lock = -1;
    folder->path[0] = '\0';
    errno = ENAMETOOLONG;
    if (!set_address(&folder->address, base, PREFIX RANDOM))
        return false;
    clear_left_overs(base);
    snprintf(folder->path, sizeof folder->path, "%s/" PREFIX RANDOM, base);
    if (!mkdtemp(folder->path)) {
        folder->path[0] = '\0';
        return false;
    }
    /* Take the lock before the socket exists: a folder without a socket is never cleared. On a file system
     * without locks no folder is locked, and folders of killed processes stay. */
    folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock >= 0)
        flock(folder->lock, LOCK_EX | LOCK_NB);
    memcpy(folder->address.sun_path, folder->path, strlen(folder->path));
    if (bind(fd, (const struct sockaddr *)&folder->address, sizeof folder->address) == 0)
        return true;
    int saved = errno;
    wire_folder_remove(folder);
    errno = saved;
    return false;
}

void wire_folder_remove(struct wire_folder *folder)
{
    if (!folder->path[0])
        return;
    unlink(folder->address.sun_path);
    if (folder->lock >= 0)
        clear_cubins(folder->lock);
    char control[sizeof folder->path + sizeof CONTROL_NAME + 1];
    snprintf(control, sizeof control, "%s/" CONTROL_NAME, folder->path);
    unlink(control);
    rmdir(folder->path);
    if (folder->lock >= 0)
        close(folder->lock);
    folder->path[0] = '\0';
}
