/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, a process of its own. The view of a namespace is an empty file system in which the listed paths
 * are mounted read-only at their own names, and the job's folder as it is; it becomes the root. There is no
 * /proc. Under Landlock the same list is what may be read.
 */
#include "cli/process/confined.h"

#include "cli/options/options.h"
#include "cli/process/paths.h"
#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define VIEW "/view"            /* in the job's folder: where the new root is made */
#define NULL_DEVICE "/dev/null" /* the one thing outside of the folder that is written to */

#define CONFINEMENT_ID(name, id, text) id,
#define CONFINEMENT_TEXT(name, id, text) text,

const char *confinement_id(enum confinement how)
{
    static const char *const ids[] = {CONFINEMENT_LIST(CONFINEMENT_ID)};
    return ids[how];
}

const char *confinement_text(enum confinement how)
{
    static const char *const texts[] = {CONFINEMENT_LIST(CONFINEMENT_TEXT)};
    return texts[how];
}

/* ---- what a compiler needs ---- */
/* Those that are not there are left out. */
static const char *const system_paths[] = {"/usr",
                                           "/bin",
                                           "/sbin",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/etc/alternatives",
                                           "/etc/ld.so.cache",
                                           NULL_DEVICE,
                                           "/nix/store",
                                           "/gnu/store"};

struct paths {
    char text[8][PATH_BYTES];
    size_t count;
};

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static void paths_add(struct paths *paths, const char *path)
{
    for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths; i++)
        if (is_below(path, system_paths[i]))
            return;
    for (size_t i = 0; i < paths->count; i++)
        if (is_below(path, paths->text[i]))
            return;
    if (paths->count < sizeof paths->text / sizeof *paths->text)
        snprintf(paths->text[paths->count++], PATH_BYTES, "%s", path);
}

/* Adds the folder two levels above a file, if one of these is in it: a program in somebody's ~/bin does not
 * make the home a toolkit. */
static void paths_add_prefix(struct paths *paths, const char *file, const char *const *signs, size_t count)
{
    char prefix[PATH_BYTES], sign[PATH_BYTES + 40];

    snprintf(prefix, sizeof prefix, "%s", file);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(prefix, '/');

        if (!slash || slash == prefix)
            return;
        *slash = '\0';
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(sign, sizeof sign, "%s/%s", prefix, signs[i]);
        if (access(sign, F_OK) == 0) {
            paths_add(paths, prefix);
            return;
        }
    }
}

/* The toolkit of the tool, by both of its names, the host compiler's, and lanescope itself, which runs
 * NVRTC. */
static void paths_find(struct paths *paths, const char *tool)
{
    static const char *const toolkit[] = {"nvvm", "include/cuda_runtime.h", "include/nvrtc.h"},
                             *const compiler[] = {"lib/gcc", "lib64/gcc", "libexec/gcc", "lib/clang"};
    char path[PATH_BYTES], real[PATH_BYTES];

    paths->count = 0;
    paths_add_prefix(paths, tool, toolkit, 3);
    if (realpath(tool, real))
        paths_add_prefix(paths, real, toolkit, 3);
    if (path_of_tool("gcc", path, NULL) == STATUS_OK) {
        paths_add_prefix(paths, path, compiler, 4);
        if (realpath(path, real))
            paths_add_prefix(paths, real, compiler, 4);
    }
    if (path_of_program(path, NULL) == STATUS_OK)
        paths_add(paths, path);
}

/* ---- a namespace ---- */
static bool write_file(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

    if (file >= 0)
        close(file);
    return written;
}

/* Of its own users, in which this one is itself, and of its own mounts, of which the others hear nothing. */
static bool unshare_mounts(void)
{
    const unsigned user = geteuid(), group = getegid();
    char text[60];

    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    write_file("/proc/self/setgroups", "deny"); /* older kernels have no such file, and need none */
    snprintf(text, sizeof text, "%u %u 1", user, user);
    if (!write_file("/proc/self/uid_map", text))
        return false;
    snprintf(text, sizeof text, "%u %u 1", group, group);
    return write_file("/proc/self/gid_map", text) && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* The folders above a path. */
static void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

static bool make_read_only(const char *path)
{
    struct statvfs facts;
    unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;

    if (statvfs(path, &facts) != 0)
        return false;
    flags |= facts.f_flag & ST_NOSUID ? MS_NOSUID : 0; /* what a mount has it must keep */
    flags |= facts.f_flag & ST_NODEV ? MS_NODEV : 0;
    flags |= facts.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
    flags |= facts.f_flag & ST_NOATIME ? MS_NOATIME : 0;
    flags |= facts.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0;
    flags |= facts.f_flag & ST_RELATIME ? MS_RELATIME : 0;
    return mount(NULL, path, NULL, flags, NULL) == 0;
}

/* A path appears in the view, as a link, a folder or a file. */
static bool view_add(const char *view, const char *path, bool read_only)
{
    char there[2 * PATH_BYTES], target[PATH_BYTES];
    struct stat facts;
    int file;

    if (lstat(path, &facts) != 0)
        return errno == ENOENT;
    snprintf(there, sizeof there, "%s%s", view, path);
    make_parents(there);
    if (S_ISLNK(facts.st_mode)) {
        ssize_t length = readlink(path, target, sizeof target - 1);

        target[length > 0 ? length : 0] = '\0';
        return symlink(target, there) == 0 || errno == EEXIST;
    }
    if (S_ISDIR(facts.st_mode))
        mkdir(there, 0755);
    else if ((file = open(there, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) >= 0)
        close(file);
    return mount(path, there, NULL, MS_BIND | MS_REC, NULL) == 0 && (!read_only || make_read_only(there));
}

static bool enter_view(const char *view, const char *folder)
{
    char old[PATH_BYTES + 40];

    snprintf(old, sizeof old, "%s/old", view);
    if (mkdir(old, 0700) != 0 || syscall(SYS_pivot_root, view, old) != 0 || chdir("/") != 0 ||
        umount2("/old", MNT_DETACH) != 0 || rmdir("/old") != 0)
        return false;
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0 && chdir(folder) == 0;
}

/* folder is bound before the view is mounted in it, so that it has no way back into the view. */
static bool confine_in_namespace(const char *folder, const struct paths *paths)
{
    char view[PATH_BYTES + 20];

    snprintf(view, sizeof view, "%s" VIEW, folder);
    if ((mkdir(view, 0700) != 0 && errno != EEXIST) || !unshare_mounts() ||
        mount("view", view, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0)
        return false;
    for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths; i++)
        if (!view_add(view, system_paths[i], strcmp(system_paths[i], NULL_DEVICE) != 0))
            return false;
    for (size_t i = 0; i < paths->count; i++)
        if (!view_add(view, paths->text[i], true))
            return false;
    return view_add(view, folder, false) && enter_view(view, folder);
}

/* ---- Landlock ---- */
/* As in linux/landlock.h of 5.13, which has no library and not every system's headers. */
enum { LANDLOCK_CREATE_RULESET = 444, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF };
#define LANDLOCK_PATH_BENEATH 1
#define LANDLOCK_EXECUTE UINT64_C(1)
#define LANDLOCK_WRITE_FILE UINT64_C(2)
#define LANDLOCK_READ_FILE UINT64_C(4)
#define LANDLOCK_READ_DIR UINT64_C(8)
#define LANDLOCK_ALL ((UINT64_C(1) << 13) - 1) /* these, and making and removing of all kinds */
#define LANDLOCK_READ (LANDLOCK_EXECUTE | LANDLOCK_READ_FILE | LANDLOCK_READ_DIR)
#define LANDLOCK_OF_FILES (LANDLOCK_EXECUTE | LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE)

struct landlock_beneath {
    uint64_t access;
    int32_t folder;
} __attribute__((packed));

static bool landlock_allow(int rules, const char *path, uint64_t access)
{
    struct landlock_beneath beneath = {.access = access, .folder = open(path, O_PATH | O_CLOEXEC)};
    struct stat facts;

    if (beneath.folder < 0)
        return errno == ENOENT;
    if (fstat(beneath.folder, &facts) == 0 && !S_ISDIR(facts.st_mode))
        beneath.access &= LANDLOCK_OF_FILES;
    bool added = syscall(LANDLOCK_ADD_RULE, rules, LANDLOCK_PATH_BENEATH, &beneath, 0) == 0;

    close(beneath.folder);
    return added;
}

static bool confine_by_landlock(const char *folder, const struct paths *paths)
{
    const uint64_t handled = LANDLOCK_ALL;
    int rules = (int)syscall(LANDLOCK_CREATE_RULESET, &handled, sizeof handled, 0);
    bool done = rules >= 0;

    for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths && done; i++)
        done = landlock_allow(rules, system_paths[i],
                              strcmp(system_paths[i], NULL_DEVICE) == 0 ? LANDLOCK_OF_FILES : LANDLOCK_READ);
    for (size_t i = 0; i < paths->count && done; i++)
        done = landlock_allow(rules, paths->text[i], LANDLOCK_READ);
    done = done && landlock_allow(rules, folder, LANDLOCK_ALL) &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(LANDLOCK_RESTRICT_SELF, rules, 0) == 0;
    if (rules >= 0)
        close(rules);
    return done && chdir(folder) == 0;
}

/* ---- which ---- */
static bool confine_process(enum confinement how, const char *folder, const char *tool)
{
    static struct paths paths;

    paths_find(&paths, tool);
    switch (how) {
    case CONFINED_NAMESPACE: return confine_in_namespace(folder, &paths);
    case CONFINED_LANDLOCK: return confine_by_landlock(folder, &paths);
    default: return true;
    }
}

/* In a process of its own, with a folder of its own. */
static bool confinement_works(enum confinement how)
{
    char folder[PATH_BYTES];
    int wait_status = -1, lock = folder_make("lanescope-grade", folder, sizeof folder);

    if (lock < 0)
        return false;
    pid_t child = fork();

    if (child == 0)
        _exit(!confine_process(how, folder, ""));
    while (child > 0 && waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    close(lock);
    folder_remove(folder);
    return child > 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
}

enum confinement confinement_find(enum confinement from)
{
    while (from < CONFINED_NONE && !confinement_works(from))
        from++;
    return from;
}

static bool read_id(const char *text, size_t length, enum confinement *how)
{
    for (*how = 0; *how < CONFINEMENT_COUNT; (*how)++)
        if (strlen(confinement_id(*how)) == length && strncmp(confinement_id(*how), text, length) == 0)
            return true;
    return false;
}

enum status confinement_choose(enum confinement *how, struct error *error)
{
    const char *wanted = getenv(CONFINEMENT_VARIABLE);

    if (!wanted || !*wanted) {
        *how = confinement_find(CONFINED_NAMESPACE);
        return STATUS_OK;
    }
    if (!read_id(wanted, strlen(wanted), how))
        return error_set(error, STATUS_USAGE,
                         CONFINEMENT_VARIABLE " is '%.60s': it may be namespace, landlock or none.", wanted);
    if (confinement_find(*how) != *how)
        return error_set(error, STATUS_USAGE,
                         CONFINEMENT_VARIABLE
                         " is '%s', which this system does not allow: without it lanescope "
                         "takes what works.",
                         wanted);
    return STATUS_OK;
}

/* ---- the compiler ---- */
enum status confined_prepend(char **argv, const char *tool, char *program, struct error *error)
{
    char *to = getenv(CONFINED_VARIABLE);
    size_t count = 0;
    enum status status;

    if (!to || !*to)
        return STATUS_OK;
    if ((status = path_of_program(program, error)) != STATUS_OK)
        return status;
    while (argv[count])
        count++;
    memmove(argv + CONFINED_WORDS, argv, (count + 1) * sizeof *argv);
    argv[0] = program;
    argv[1] = (char *)(uintptr_t)CONFINED_OPTION;
    argv[2] = to;
    argv[3] = (char *)(uintptr_t)tool;
    return STATUS_OK;
}

int confined_main(int argc, char **argv, struct error *error)
{
    const char *colon = argc > 2 ? strchr(argv[0], ':') : NULL;
    enum confinement how;

    if (!colon || !read_id(argv[0], (size_t)(colon - argv[0]), &how)) {
        error_set(error, STATUS_USAGE, CONFINED_OPTION " takes HOW:FOLDER TOOL PROGRAM ARGS...");
        return EXIT_USAGE;
    }
    if (!confine_process(how, colon + 1, argv[1])) {
        error_set_errno(error, STATUS_IO, errno, "The compiler could not be confined (%s)",
                        confinement_id(how));
        return EXIT_FAILED;
    }
    execv(argv[2], argv + 2);
    error_set_errno(error, STATUS_IO, errno, "%.300s cannot be executed where the compiler is confined",
                    argv[2]);
    return EXIT_NOT_FOUND;
}
