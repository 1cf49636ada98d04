/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a collector's socket: BASE/lanescope-XXXXXX, mode 0700, with the socket `wire` in it, the
 * link to the sampling control page (core/wire/sampling_control.h), and the code of modules. The folder is
 * locked (flock) while its lanescope runs, however that ends: a folder that has a socket and no lock was left
 * by a killed process, and the next lanescope that makes a folder there removes it.
 */
#ifndef CORE_WIRE_WIRE_FOLDER_H
#define CORE_WIRE_WIRE_FOLDER_H

/* In the names of the modules' code files, which agents write and which are removed with the folder. */
#define WIRE_FOLDER_CUBIN ".cubin"

#include <stdbool.h>
#include <sys/un.h>

struct wire_folder {
    struct sockaddr_un address; /* of the socket */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    int lock;
};

/* Removes the folders that killed processes of this user left in base, makes a folder and binds `fd` to a
 * socket in it. False: it failed; errno is set and nothing is left behind. */
bool wire_folder_make(struct wire_folder *folder, const char *base, int fd);

/* Removes the folder, if this process made it. */
void wire_folder_remove(struct wire_folder *folder);

#endif
