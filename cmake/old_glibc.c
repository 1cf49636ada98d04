/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked into the files of a portable build on x86-64 (LANESCOPE_STATIC): what is built where glibc is new then runs where it is 2.28.
 * The agent and the stand-in are loaded into other people's processes, so the glibc of a container counts.
 *
 * glibc 2.34 moved the functions of libpthread and libdl into libc under a new version, and some of libm and stat have newer ones.
 * Here each is a hidden function that jumps to the oldest version, which every glibc keeps. The static libraries are bound to them, too.
 */
#if defined(__x86_64__)
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OLDEST(name, version)                                                                                          \
    __asm__(".symver oldest_" #name "," #name "@" version "\n"                                                         \
            ".section .text.oldest_" #name ",\"ax\",@progbits\n.globl " #name "\n.hidden " #name "\n.type " #name      \
            ",@function\n" #name ":\n endbr64\n jmp *oldest_" #name "@GOTPCREL(%rip)\n.size " #name ", .-" #name       \
            "\n.previous\n");

#define FUNCTIONS(OLD)                                                                                                 \
    OLD(pthread_create, "GLIBC_2.2.5") OLD(pthread_join, "GLIBC_2.2.5") OLD(pthread_detach, "GLIBC_2.2.5")              \
    OLD(pthread_once, "GLIBC_2.2.5") OLD(pthread_key_create, "GLIBC_2.2.5") OLD(pthread_sigmask, "GLIBC_2.2.5")         \
    OLD(__pthread_key_create, "GLIBC_2.2.5") OLD(pthread_getspecific, "GLIBC_2.2.5")                                   \
    OLD(pthread_setspecific, "GLIBC_2.2.5") OLD(pthread_mutex_trylock, "GLIBC_2.2.5")                                  \
    OLD(pthread_mutex_timedlock, "GLIBC_2.2.5") OLD(pthread_mutexattr_init, "GLIBC_2.2.5")                             \
    OLD(pthread_mutexattr_destroy, "GLIBC_2.2.5") OLD(pthread_mutexattr_settype, "GLIBC_2.2.5")                        \
    OLD(pthread_rwlock_init, "GLIBC_2.2.5") OLD(pthread_rwlock_rdlock, "GLIBC_2.2.5")                                  \
    OLD(pthread_rwlock_wrlock, "GLIBC_2.2.5") OLD(pthread_rwlock_timedwrlock, "GLIBC_2.2.5")                           \
    OLD(pthread_rwlock_unlock, "GLIBC_2.2.5") OLD(pthread_rwlockattr_init, "GLIBC_2.2.5")                              \
    OLD(pthread_rwlockattr_destroy, "GLIBC_2.2.5") OLD(pthread_rwlockattr_setkind_np, "GLIBC_2.2.5")                   \
    OLD(pthread_attr_setstacksize, "GLIBC_2.2.5") OLD(pthread_timedjoin_np, "GLIBC_2.3.3")                             \
    OLD(pthread_condattr_setclock, "GLIBC_2.3.3") OLD(pthread_setname_np, "GLIBC_2.12")                                \
    OLD(sem_init, "GLIBC_2.2.5") OLD(sem_post, "GLIBC_2.2.5") OLD(sem_wait, "GLIBC_2.2.5")                             \
    OLD(dladdr, "GLIBC_2.2.5") OLD(dladdr1, "GLIBC_2.3.3") OLD(dlclose, "GLIBC_2.2.5") OLD(dlerror, "GLIBC_2.2.5")     \
    OLD(dlinfo, "GLIBC_2.3.3") OLD(dlsym, "GLIBC_2.2.5") OLD(exp, "GLIBC_2.2.5") OLD(exp2, "GLIBC_2.2.5")              \
    OLD(log, "GLIBC_2.2.5") OLD(log2, "GLIBC_2.2.5") OLD(pow, "GLIBC_2.2.5") OLD(hypot, "GLIBC_2.2.5")                 \
    OLD(hypotf, "GLIBC_2.2.5")

FUNCTIONS(OLDEST)
#ifndef OLD_GLIBC_OWN_DLOPEN /* the stand-in has its own */
OLDEST(dlopen, "GLIBC_2.2.5")
#endif

#define HIDDEN __attribute__((visibility("hidden")))

/* Before 2.33 the functions of stat were macros of these. The 1 is the version of struct stat. */
int __xstat(int version, const char *path, struct stat *about);
int __lxstat(int version, const char *path, struct stat *about);
int __fxstat(int version, int file, struct stat *about);
int __fxstatat(int version, int folder, const char *path, struct stat *about, int flags);
__asm__(".symver __xstat,__xstat@GLIBC_2.2.5\n.symver __lxstat,__lxstat@GLIBC_2.2.5\n"
        ".symver __fxstat,__fxstat@GLIBC_2.2.5\n.symver __fxstatat,__fxstatat@GLIBC_2.4");

HIDDEN int stat(const char *restrict path, struct stat *restrict about)
{
    return __xstat(1, path, about);
}

HIDDEN int lstat(const char *restrict path, struct stat *restrict about)
{
    return __lxstat(1, path, about);
}

HIDDEN int fstat(int file, struct stat *about)
{
    return __fxstat(1, file, about);
}

HIDDEN int fstatat(int folder, const char *restrict path, struct stat *restrict about, int flags)
{
    return __fxstatat(1, folder, path, about, flags);
}

/* The same where files are large, for the static libraries. */
__asm__(".globl stat64\n.hidden stat64\n.set stat64, stat\n.globl lstat64\n.hidden lstat64\n.set lstat64, lstat\n"
        ".globl fstat64\n.hidden fstat64\n.set fstat64, fstat\n.globl fstatat64\n.hidden fstatat64\n"
        ".set fstatat64, fstatat");

__asm__(".symver oldest_fcntl,fcntl@GLIBC_2.2.5\n.text\n.globl fcntl64\n.hidden fcntl64\n.type fcntl64,@function\n"
        "fcntl64:\n endbr64\n jmp *oldest_fcntl@GOTPCREL(%rip)\n");

HIDDEN pid_t gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}

HIDDEN int close_range(unsigned first, unsigned last, int flags)
{
    struct rlimit limit = {0};

    if (syscall(SYS_close_range, first, last, flags) == 0)
        return 0;
    if (errno != ENOSYS || flags)
        return -1;
    getrlimit(RLIMIT_NOFILE, &limit);
    for (unsigned file = first; file <= last && file < limit.rlim_cur; file++)
        syscall(SYS_close, file);
    return 0;
}

/* The unwinder of libgcc finds the frames of a library by this function of 2.35; it knows no other way once it was built with it. */
struct dl_find_object;
typedef int find_object(void *address, struct dl_find_object *result);

struct searched {
    uintptr_t address;
    struct dl_find_object *result;
};

static int find_in(struct dl_phdr_info *info, size_t size, void *data)
{
    struct searched *searched = data;
    const ElfW(Phdr) *frames = NULL;
    uintptr_t first = 0, end = 0;

    (void)size;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;

        if (part->p_type == PT_LOAD && searched->address >= from && searched->address < to)
            first = from, end = to;
        if (part->p_type == PT_GNU_EH_FRAME)
            frames = part;
    }
    if (!end || !frames)
        return 0;
    searched->result->dlfo_map_start = (void *)first;
    searched->result->dlfo_map_end = (void *)end;
    searched->result->dlfo_link_map = NULL;
    searched->result->dlfo_eh_frame = (void *)(info->dlpi_addr + frames->p_vaddr);
    return 1;
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *result)
{
    static find_object *newer;
    static int looked;

    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        *(void **)&newer = dlsym(RTLD_NEXT, "_dl_find_object");
        __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
    }
    if (newer)
        return newer(address, result);
    struct searched searched = {(uintptr_t)address, result};
    return dl_iterate_phdr(find_in, &searched) ? 0 : -1;
}

#ifdef OLD_GLIBC_PROGRAM
/* Programs that were linked since 2.34 leave it to libc to run their constructors, which the older one does not know. */
typedef int main_function(int argc, char **argv, char **environment);
typedef void constructor(int argc, char **argv, char **environment);
extern constructor *__preinit_array_start[] HIDDEN, *__preinit_array_end[] HIDDEN;
extern constructor *__init_array_start[] HIDDEN, *__init_array_end[] HIDDEN;
int oldest_start(main_function *main, int argc, char **argv, constructor *init, void (*fini)(void),
                 void (*rtld_fini)(void), void *stack_end);
__asm__(".symver oldest_start,__libc_start_main@GLIBC_2.2.5");

static void construct(int argc, char **argv, char **environment)
{
    for (constructor **at = __preinit_array_start; at < __preinit_array_end; at++)
        (*at)(argc, argv, environment);
    for (constructor **at = __init_array_start; at < __init_array_end; at++)
        (*at)(argc, argv, environment);
}

HIDDEN int __libc_start_main(main_function *main, int argc, char **argv, constructor *init, void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end)
{
    return oldest_start(main, argc, argv, init ? init : construct, fini, rtld_fini, stack_end);
}
#endif
#endif
