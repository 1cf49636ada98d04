/*
 * The folder of a collector's socket: BASE/lanescope-XXXXXX, mode 0700, with the socket `wire` in it, what
 * sampling is steered by (core/wire/sampling_control.h), and the code of modules. The folder is locked
 * (flock) as long as its lanescope lives, however that ends: one that holds a socket and is not locked was
 * left by a killed one, and whoever makes a folder beside it removes it.
 */
#ifndef CORE_WIRE_WIRE_FOLDER_H
#define CORE_WIRE_WIRE_FOLDER_H

#define WIRE_FOLDER_CUBIN \
    ".cubin" /* in the names of modules' code, which agents put there and which goes with the folder */

#include <stdbool.h>
#include <sys/un.h>

struct wire_folder {
    struct sockaddr_un address; /* of the socket */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    int lock;
};

/* Clears base of what dead ones of this user left, makes a folder in it and binds `fd` to its socket. False,
 * with errno: it cannot be, and nothing is left behind. */
bool wire_folder_make(struct wire_folder *folder, const char *base, int fd);

/* Removes it; folders that were not made are left alone. */
void wire_folder_remove(struct wire_folder *folder);

#endif
