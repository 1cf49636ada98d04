/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into programs of AArch64 that qemu-user runs on another processor, in place of the kernel's binfmt_misc, which takes root: what they
 * execute is given to qemu, if it is of AArch64. qemu knows its sysroot by QEMU_LD_PREFIX, and passes LD_PRELOAD on by QEMU_SET_ENV.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EMULATOR "/usr/bin/qemu-aarch64"
#define WORDS_MAX 4096

static bool is_aarch64(const char *path)
{
    Elf64_Ehdr head = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = file >= 0 && read(file, &head, sizeof head) == (ssize_t)sizeof head;

    if (file >= 0)
        close(file);
    return whole && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_machine == EM_AARCH64;
}

/* The words of qemu, -0 and the program's own name for itself, the program, its arguments; NULL: there are too many. */
static char **words_of_qemu(const char *path, char *const argv[])
{
    static __thread char *words[WORDS_MAX];
    size_t count = 0;

    words[count++] = (char *)EMULATOR;
    words[count++] = (char *)"-0";
    words[count++] = argv[0] ? argv[0] : (char *)path;
    words[count++] = (char *)path;
    for (size_t i = 1; argv[0] && argv[i]; i++) {
        if (count + 1 == WORDS_MAX)
            return NULL;
        words[count++] = argv[i];
    }
    words[count] = NULL;
    return words;
}

/* qemu itself is of this machine: what is preloaded must wait for the program. */
static char **environment_of_qemu(char *const envp[])
{
    static __thread char *environment[WORDS_MAX], passed[8192];
    size_t count = 0;

    strcpy(passed, "QEMU_SET_ENV=");
    for (size_t i = 0; envp[i]; i++) {
        if (count + 2 == WORDS_MAX)
            return NULL;
        if (strncmp(envp[i], "LD_PRELOAD=", 11) == 0 || strncmp(envp[i], "LD_LIBRARY_PATH=", 16) == 0) {
            if (strlen(passed) + strlen(envp[i]) + 2 > sizeof passed)
                return NULL;
            if (passed[13])
                strcat(passed, ",");
            strcat(passed, envp[i]);
        } else if (strncmp(envp[i], "QEMU_SET_ENV=", 13) != 0) {
            environment[count++] = envp[i];
        }
    }
    environment[count++] = passed;
    environment[count] = NULL;
    return environment;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
    int (*next)(const char *, char *const[], char *const[]) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "execve");

    if (!is_aarch64(path))
        return next(path, argv, envp);
    char **words = words_of_qemu(path, argv), **environment = environment_of_qemu(envp);
    return words && environment ? next(EMULATOR, words, environment) : -1;
}

/* glibc's own would call its own execve. Names without a slash are of this machine's PATH. */
int execvpe(const char *file, char *const argv[], char *const envp[])
{
    int (*next)(const char *, char *const[], char *const[]) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "execvpe");

    return strchr(file, '/') ? execve(file, argv, envp) : next(file, argv, envp);
}

int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                char *const[], char *const[]) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "posix_spawn");

    if (!is_aarch64(path))
        return next(pid, path, actions, attributes, argv, envp);
    return next(pid, EMULATOR, actions, attributes, words_of_qemu(path, argv), environment_of_qemu(envp));
}
