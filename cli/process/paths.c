/*
 * Each path is written into the caller's buffer; if there is none, the message names the variable or folder
 * that was searched. A folder that lanescope makes has mode 0700 and is not a symbolic link.
 */
#include "cli/process/paths.h"

#include "core/base/rank.h"
#include "core/wire/standin_config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status path_of_program(char *path, struct error *error)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);

    if (length < 0)
        return error_set_errno(error, STATUS_IO, errno,
                               "Cannot find lanescope's own file through /proc/self/exe");
    path[length] = '\0';
    return STATUS_OK;
}

/* The program's folder + suffix, if that file exists. */
static enum status beside_program(const char *const *suffixes, char *path, struct error *error)
{
    char program[PATH_BYTES];
    enum status status = path_of_program(program, error);

    if (status != STATUS_OK)
        return status;
    *strrchr(program, '/') = '\0';
    for (; *suffixes; suffixes++)
        if ((size_t)snprintf(path, PATH_BYTES, "%s/%s", program, *suffixes) < PATH_BYTES &&
            access(path, R_OK) == 0)
            return STATUS_OK;
    return STATUS_IO;
}

enum status path_of_agent(char *path, struct error *error)
{
    static const char *const places[] = {"lanescope-agent.so", "../lib/lanescope/lanescope-agent.so", NULL};

    if (beside_program(places, path, error) == STATUS_OK)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNSUPPORTED,
        "lanescope-agent.so is neither beside lanescope nor in ../lib/lanescope: this build has no CUPTI "
        "part. Build lanescope with a CUDA 13 toolkit (./bootstrap cuda installs one).");
}

enum status path_of_standin(char *path, struct error *error)
{
    static const char *const places[] = {"lanescope-standin.so", "../lib/lanescope/lanescope-standin.so",
                                         NULL};

    if (beside_program(places, path, error) == STATUS_OK)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNSUPPORTED,
        "lanescope-standin.so is neither beside lanescope nor in ../lib/lanescope: this build cannot run "
        "programs on the device model. Build lanescope with a CUDA 13 toolkit (./bootstrap cuda installs "
        "one).");
}

enum status path_of_ladder(char *path, struct error *error)
{
    static const char *const places[] = {"lanescope-ladder", "../lib/lanescope/lanescope-ladder", NULL};

    if (beside_program(places, path, error) == STATUS_OK)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNSUPPORTED,
        "lanescope-ladder is neither beside lanescope nor in ../lib/lanescope. Build it where the "
        "CUDA toolkit has nvcc and CUB.");
}

/* Searches the folders of the installed toolkits. */
static enum status find_in_toolkits(const char *const *folders, size_t count, const char *name, int mode,
                                    char *path, struct error *error)
{
    char own[PATH_BYTES], beside[PATH_BYTES + sizeof "/../cuda"] = ""; /* build/cuda of ./bootstrap cuda */
    if (path_of_program(own, NULL) == STATUS_OK)
        snprintf(beside, sizeof beside, "%.*s/../cuda", (int)(strrchr(own, '/') - own), own);
    const char *roots[] = {getenv("CUDA_HOME"),    getenv("CUDA_PATH"), "/usr/local/cuda",
                           "/usr/local/cuda-13.0", "/opt/cuda",         beside};

    for (size_t r = 0; r < sizeof roots / sizeof *roots; r++) {
        for (size_t i = 0; roots[r] && i < count; i++) {
            int length = snprintf(path, PATH_BYTES, "%s/%s/%s", roots[r], folders[i], name);

            if (length < PATH_BYTES && access(path, mode) == 0)
                return STATUS_OK;
        }
    }
    path[0] = '\0';
    return error_set(error, STATUS_UNSUPPORTED, "There is no %s in the usual folders of a CUDA toolkit.",
                     name);
}

enum status path_of_toolkit_library(const char *name, char *path, struct error *error)
{
    static const char *const folders[] = {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib"};

    return find_in_toolkits(folders, sizeof folders / sizeof *folders, name, R_OK, path, error);
}

enum status path_of_toolkit_program(const char *name, char *path, struct error *error)
{
    static const char *const folders[] = {"bin"};

    return find_in_toolkits(folders, 1, name, X_OK, path, error);
}

static bool find_on_path(const char *name, char *path)
{
    const char *folders = getenv("PATH");

    while (folders && *folders) {
        const char *end = strchrnul(folders, ':');
        int length = snprintf(path, PATH_BYTES, "%.*s/%s", (int)(end - folders), folders, name);

        if (*folders == '/' && length < PATH_BYTES && access(path, X_OK) == 0)
            return true;
        folders = *end ? end + 1 : end;
    }
    return false;
}

enum status path_of_tool(const char *name, char *path, struct error *error)
{
    return find_on_path(name, path) ? STATUS_OK : path_of_toolkit_program(name, path, error);
}

enum status path_of_cuobjdump(char *path, struct error *error)
{
    const char *named = getenv(STANDIN_CUOBJDUMP_VARIABLE);

    if (named && *named && snprintf(path, PATH_BYTES, "%s", named) < PATH_BYTES)
        return STATUS_OK;
    if (path_of_tool("cuobjdump", path, NULL) == STATUS_OK)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNSUPPORTED,
        "cuobjdump, which takes the PTX out of a program, was not found on PATH or in a CUDA toolkit: "
        "every full toolkit has it, and ./bootstrap cuda brings it.");
}

enum status path_of_libcupti(char *path, struct error *error)
{
    return path_of_toolkit_library("libcupti.so.13", path, error);
}

enum status path_expand(const char *pattern, char *path, struct error *error)
{
    size_t used = 0;

    for (; *pattern; pattern++) {
        char piece[256] = {*pattern, '\0'};
        size_t length;

        if (*pattern == '%') {
            pattern++;
            if (*pattern == 'h')
                gethostname(piece, sizeof piece - 1);
            else if (*pattern == 'p')
                snprintf(piece, sizeof piece, "%d", (int)getpid());
            else if (*pattern == 'r')
                snprintf(piece, sizeof piece, "%d", rank_of_job() < 0 ? 0 : (int)rank_of_job());
            else if (*pattern != '%')
                return error_set(error, STATUS_USAGE,
                                 "The file name has %%%c: the placeholders are %%h (host), %%p (pid), %%r "
                                 "(rank) and %%%%.",
                                 *pattern ? *pattern : ' ');
        }
        length = strlen(piece);
        if (used + length + 1 > PATH_BYTES)
            return error_set(error, STATUS_USAGE, "The file name is longer than %d bytes.", PATH_BYTES);
        memcpy(path + used, piece, length);
        used += length;
    }
    path[used] = '\0';
    return STATUS_OK;
}

/* Makes the folder and its parents. */
static int make_folder(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return mkdir(path, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

/* lanescope-UID in the temporary folder; but if it belongs to somebody else, is a link, or others can enter
 * it, a new folder with a random name. */
static bool make_temporary_folder(char *folder, size_t size_bytes)
{
    const char *temporary = getenv("TMPDIR");
    struct stat info;
    int length = snprintf(folder, size_bytes, "%s/lanescope-%u", temporary && *temporary ? temporary : "/tmp",
                          (unsigned)getuid());

    errno = ENAMETOOLONG;
    if (length < 0 || (size_t)length + sizeof "-XXXXXX" > size_bytes)
        return false;
    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        return false;
    if (lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == getuid() &&
        !(info.st_mode & 077) && access(folder, W_OK) == 0)
        return true;
    strcat(folder, "-XXXXXX");
    return mkdtemp(folder) != NULL;
}

enum status path_of_kernels(char *path, struct error *error)
{
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    int length = -1;

    if (data && data[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/lanescope/kernels", data);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/.local/share/lanescope/kernels", home);
    if (length < 0 || length >= PATH_BYTES)
        return error_set(
            error, STATUS_IO,
            "There is no folder for your kernels: set HOME, or XDG_DATA_HOME, to a folder of yours.");
    if (make_folder(path) < 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot make the folder %.300s for your kernels",
                               path);
    return STATUS_OK;
}

enum status path_of_live_recording(char *path, struct error *error)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    char folder[PATH_BYTES - 128];
    char host[33] = "";
    int length = -1;

    if (state && state[0] == '/')
        length = snprintf(folder, sizeof folder, "%s/lanescope", state);
    else if (home && home[0] == '/')
        length = snprintf(folder, sizeof folder, "%s/.local/state/lanescope", home);
    if (length < 0 || (size_t)length >= sizeof folder || make_folder(folder) < 0 ||
        access(folder, W_OK) < 0) {
        /* there is no writable home: use the temporary folder */
        if (!make_temporary_folder(folder, sizeof folder))
            return error_set_errno(error, STATUS_IO, errno,
                                   "Cannot make the folder %s for the live recording", folder);
    }
    gethostname(host, sizeof host - 1);
    snprintf(path, PATH_BYTES, "%s/live-%s-%d.lsr", folder, host, (int)getpid());
    return STATUS_OK;
}
