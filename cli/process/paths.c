/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each path is written into the caller's buffer; if there is none, the message names the variable or folder
 * that was searched. A folder that lanescope makes has mode 0700 and is not a symbolic link.
 */
#include "cli/process/paths.h"

#include "cli/process/launch.h"
#include "core/base/file.h"
#include "core/base/machine.h"
#include "core/base/rank.h"
#include "core/wire/standin_config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
        "one) and without -DLANESCOPE_STANDIN=OFF.");
}

/* lanescope's data folder of this user, without a slash at its end; false: there is no home. */
static bool folder_of_data(char *path)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = -1;

    if (data && data[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/lanescope", data);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/.local/share/lanescope", home);
    return length > 0 && length < PATH_BYTES;
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

/* The links of the folder that CMake fills, as made by standin/CMakeLists.txt: name, file. */
static const struct {
    const char *name, *file;
} standin_links[] = {{"libcuda.so.1", "../lanescope-standin.so"},
                     {"libcudart.so.12", "../lanescope-standin.so"},
                     {"libcublasLt.so.13", "libcublas.so.13"},
                     {"libcublasLt.so.12", "libcublas.so.12"}};

enum status path_of_standin_links(const char *standin, char *folder, struct error *error)
{
    char data[PATH_BYTES], name[PATH_BYTES + 64], target[PATH_BYTES + 64], made[PATH_BYTES + 96];
    int length = snprintf(folder, PATH_BYTES, "%.*s", (int)(strrchr(standin, '.') - standin), standin);

    snprintf(name, sizeof name, "%.4000s/%s", folder, standin_links[0].name);
    if (length >= PATH_BYTES || access(name, R_OK) == 0)
        return STATUS_OK;
    if (!folder_of_data(data) ||
        snprintf(folder, PATH_BYTES, "%.4000s/lanescope-standin", data) >= PATH_BYTES - 64)
        return error_set(
            error, STATUS_STATE,
            "The links to the stand-in are not beside it, and there is no folder to make them in: "
            "set HOME to a folder that exists.");
    enum status status = STATUS_OK;
    if (make_folder(folder) < 0)
        status = error_set_errno(error, STATUS_IO, errno, "Cannot make the folder %.300s", folder);
    for (size_t i = 0; i < sizeof standin_links / sizeof *standin_links && status == STATUS_OK; i++) {
        const char *file = standin_links[i].file;

        if (*file == '.') /* the stand-in itself */
            snprintf(target, sizeof target, "%.4000s", standin);
        else
            snprintf(target, sizeof target, "%.*s/%s", length, standin, file);
        snprintf(name, sizeof name, "%.4000s/%s", folder, standin_links[i].name);
        snprintf(made, sizeof made, "%s.%ld", name, (long)getpid());
        unlink(made);
        if (symlink(target, made) != 0 || rename(made, name) != 0)
            status = error_set_errno(error, STATUS_IO, errno, "Cannot make the link %.300s", name);
    }
    return status;
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

/* ---- CUDA's tools and libraries: on PATH, in toolkits, in Python's packages ---- */
struct wanted {
    const char *name;
    const char *const *folders; /* of a toolkit or of a package of Python's, ends with NULL */
    int mode;
};

static bool find_in_root(const struct wanted *wanted, const char *root, char *path)
{
    for (const char *const *folder = wanted->folders; *folder; folder++) {
        int length = snprintf(path, PATH_BYTES, "%s/%s/%s", root, *folder, wanted->name);

        if (length < PATH_BYTES && access(path, wanted->mode) == 0)
            return true;
    }
    return false;
}

/* The installed toolkits. */
static bool find_in_toolkits(const struct wanted *wanted, char *path)
{
    char own[PATH_BYTES], beside[PATH_BYTES + sizeof "/../cuda"] = ""; /* build/cuda of ./bootstrap cuda */
    if (path_of_program(own, NULL) == STATUS_OK)
        snprintf(beside, sizeof beside, "%.*s/../cuda", (int)(strrchr(own, '/') - own), own);
    const char *roots[] = {getenv("CUDA_HOME"),    getenv("CUDA_PATH"), "/usr/local/cuda",
                           "/usr/local/cuda-13.0", "/opt/cuda",         beside};

    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (roots[i] && *roots[i] && find_in_root(wanted, roots[i], path))
            return true;
    return false;
}

/* NVIDIA's packages in a folder of Python packages: nvidia/cu13/bin, until CUDA 12 nvidia/cuda_nvcc/bin ...
 */
static bool find_in_packages(const struct wanted *wanted, const char *packages, char *path)
{
    static const char *const names[] = {"/nvidia/cu[0-9]*", "/nvidia/*"};
    char pattern[2 * PATH_BYTES];
    size_t used = 0;
    bool there = false;

    for (; *packages && used + 32 < sizeof pattern; packages++) {
        if (strchr("*?[\\", *packages))
            pattern[used++] = '\\';
        pattern[used++] = *packages;
    }
    for (size_t n = 0; n < sizeof names / sizeof *names && !there; n++) {
        glob_t found;
        snprintf(pattern + used, sizeof pattern - used, "%s", names[n]);
        if (glob(pattern, GLOB_ONLYDIR, NULL, &found) != 0)
            continue;
        for (size_t i = found.gl_pathc; i-- > 0 && !there;) /* the newest comes last */
            there = find_in_root(wanted, found.gl_pathv[i], path);
        globfree(&found);
    }
    return there;
}

/* An environment of Python's, or of conda's: ROOT/lib/python3.N/site-packages. */
static bool find_in_environment(const struct wanted *wanted, const char *root, char *path)
{
    char folder[PATH_BYTES + 32];
    bool there = false;

    if (!root || !*root)
        return false;
    snprintf(folder, sizeof folder, "%s/lib", root);
    DIR *lib = opendir(folder);
    for (struct dirent *entry; lib && !there && (entry = readdir(lib));) {
        if (strncmp(entry->d_name, "python3", 7) != 0)
            continue;
        char packages[sizeof folder + sizeof entry->d_name + 16];
        snprintf(packages, sizeof packages, "%s/%s/site-packages", folder, entry->d_name);
        there = strlen(packages) < PATH_BYTES && find_in_packages(wanted, packages, path);
    }
    if (lib)
        closedir(lib);
    return there;
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

/* The folders in which the Python of PATH looks for its packages: only Python itself knows them all. */
static bool find_by_python(const struct wanted *wanted, char *path)
{
    char python[PATH_BYTES], line[PATH_BYTES];
    bool there = false;

    if (!find_on_path("python3", python) && !find_on_path("python", python))
        return false;
    char *argv[] = {
        python, (char *)"-c",
        (char *)"import site\nprint(*site.getsitepackages(), site.getusersitepackages(), sep='\\n')", NULL};
    struct launch_options options = {.argv = argv, .errors = -1, .time_limit_s = 10.0};
    struct kept_output capture;
    struct launch *launch;
    int exit_status;

    if (kept_output_open(&capture, NULL) != STATUS_OK)
        return false;
    options.output = capture.fd;
    if (launch_start(&launch, &options, &exit_status, NULL) == STATUS_OK) {
        launch_wait(launch, NULL);
        launch_destroy(launch);
        FILE *list = lseek(capture.fd, 0, SEEK_SET) == 0 ? fdopen(dup(capture.fd), "r") : NULL;
        while (list && !there && fgets(line, sizeof line, list)) {
            line[strcspn(line, "\n")] = '\0';
            there = line[0] == '/' && find_in_packages(wanted, line, path);
        }
        if (list)
            fclose(list);
    }
    kept_output_close(&capture);
    return there;
}

/* What pip or conda installed: in the active environment, in lanescope's own, in the folder that
 * cuobjdump_line names. */
static bool find_in_environments(const struct wanted *wanted, char *path)
{
    char own[PATH_BYTES], folder[PATH_BYTES + 8];

    if (find_in_environment(wanted, getenv("VIRTUAL_ENV"), path) ||
        find_in_environment(wanted, getenv("CONDA_PREFIX"), path))
        return true;
    if (path_of_program(own, NULL) == STATUS_OK) {
        snprintf(folder, sizeof folder, "%.*s/..", (int)(strrchr(own, '/') - own), own);
        if (find_in_environment(wanted, folder, path))
            return true;
    }
    if (folder_of_data(own)) {
        snprintf(folder, sizeof folder, "%s/cuda", own);
        return find_in_packages(wanted, folder, path);
    }
    return false;
}

enum status path_of_toolkit_library(const char *name, char *path, struct error *error)
{
    static const char *const folders[] = {"extras/CUPTI/lib64", "lib64", "lib", MACHINE_CUDA_FOLDER, NULL};
    const struct wanted wanted = {name, folders, R_OK};

    if (find_in_toolkits(&wanted, path) || find_in_environments(&wanted, path))
        return STATUS_OK;
    path[0] = '\0';
    return error_set(error, STATUS_UNSUPPORTED,
                     "There is no %s in the usual folders of a CUDA toolkit or of Python's environment.",
                     name);
}

static const char *const program_folders[] = {"bin", NULL};

enum status path_of_toolkit_program(const char *name, char *path, struct error *error)
{
    const struct wanted wanted = {name, program_folders, X_OK};

    if (find_in_toolkits(&wanted, path) || find_in_environments(&wanted, path))
        return STATUS_OK;
    path[0] = '\0';
    return error_set(error, STATUS_UNSUPPORTED,
                     "There is no %s in the usual folders of a CUDA toolkit or of Python's environment.",
                     name);
}

enum status path_of_tool(const char *name, char *path, struct error *error)
{
    return find_on_path(name, path) ? STATUS_OK : path_of_toolkit_program(name, path, error);
}

/* ---- cuobjdump ---- */
static bool environment_has_pip(void)
{
    char path[PATH_BYTES];

    return find_on_path("pip3", path) || find_on_path("pip", path);
}

static bool lists_are_there(const char *pattern)
{
    glob_t found;
    bool there = glob(pattern, GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc > 0;

    globfree(&found);
    return there;
}

/* The line that installs cuobjdump on this machine; false: no package manager that has it is here. */
static bool cuobjdump_line(char *line, size_t size_bytes)
{
    static const char package[] = "nvidia-cuda-cuobjdump";
    char path[PATH_BYTES], into[PATH_BYTES + 32] = "";
    const char *environment = getenv("VIRTUAL_ENV");
    const char *root = geteuid() == 0 ? "" : "sudo ";

    if (!environment || !*environment)
        environment = getenv("CONDA_PREFIX");
    if (path_of_program(path, NULL) == STATUS_OK) {
        snprintf(strrchr(path, '/'), 24, "/../../bootstrap"); /* build/release/lanescope */
        char *script = realpath(path, NULL);
        bool there = script && access(script, X_OK) == 0;
        if (there)
            snprintf(line, size_bytes, "%.400s cuda", script);
        free(script);
        if (there)
            return true;
    }
    if (environment && *environment) {
        snprintf(line, size_bytes, "%s install %s",
                 environment_has_pip()      ? "python3 -m pip"
                 : find_on_path("uv", path) ? "uv pip"
                                            : "python3 -m ensurepip && python3 -m pip",
                 package);
        return true;
    }
    if (folder_of_data(path)) /* Debian's Python lets pip install nowhere else outside of an environment */
        snprintf(into, sizeof into, "--target %s/cuda ", path);
    if (environment_has_pip() || find_on_path("uv", path)) {
        snprintf(line, size_bytes, "%s install %.400s%s", environment_has_pip() ? "python3 -m pip" : "uv pip",
                 into, package);
        return true;
    }
    bool apt = find_on_path("apt-get", path);
    if (apt && lists_are_there("/var/lib/apt/lists/*developer.download.nvidia.com*_Packages*")) {
        snprintf(line, size_bytes, "%sapt-get install cuda-cuobjdump-13-0", root);
        return true;
    }
    if (apt)
        snprintf(line, size_bytes,
                 "%s%sapt-get install -y --no-install-recommends python3-pip && python3 -m pip install "
                 "%.400s%s",
                 lists_are_there("/var/lib/apt/lists/*_Packages*") ? ""
                 : *root                                           ? "sudo apt-get update && "
                                                                   : "apt-get update && ",
                 root, into, package);
    else if (find_on_path("dnf", path))
        snprintf(line, size_bytes, "%sdnf install -y python3-pip && python3 -m pip install %.400s%s", root,
                 into, package);
    else
        return false;
    return true;
}

/* The tool that the variable names: found on PATH, too, as the one that runs it does. */
static enum status path_of_named_cuobjdump(const char *named, char *path, struct error *error)
{
    struct stat about;
    const char *what = "is not an executable file";

    if (strchr(named, '/') ? snprintf(path, PATH_BYTES, "%s", named) < PATH_BYTES && access(path, X_OK) == 0
                           : find_on_path(named, path))
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            return STATUS_OK;
    path[0] = '\0';
    if (!strchr(named, '/'))
        what = "is no program on PATH";
    else if (stat(named, &about) != 0)
        what = errno == ENOENT || errno == ENOTDIR ? "does not exist" : strerror(errno);
    else if (S_ISDIR(about.st_mode))
        what = "is a folder";
    else if (S_ISREG(about.st_mode))
        what = "is a file without permission to execute it (chmod +x)";
    return error_set(error, STATUS_UNSUPPORTED,
                     STANDIN_CUOBJDUMP_VARIABLE
                     " names %.300s, which %s. Name the cuobjdump of a CUDA toolkit, "
                     "or unset the variable, and lanescope looks for it.",
                     named, what);
}

enum status path_of_cuobjdump(char *path, struct error *error)
{
    const char *named = getenv(STANDIN_CUOBJDUMP_VARIABLE);
    const struct wanted wanted = {"cuobjdump", program_folders, X_OK};
    char line[700] = "";

    if (named && *named)
        return path_of_named_cuobjdump(named, path, error);
    if (path_of_tool("cuobjdump", path, NULL) == STATUS_OK || find_by_python(&wanted, path))
        return STATUS_OK;
    path[0] = '\0';
    bool known = cuobjdump_line(line, sizeof line);
    return error_set(
        error, STATUS_UNSUPPORTED,
        "cuobjdump, which extracts the PTX of a program, was not found on PATH, in a CUDA toolkit or "
        "among Python's packages. %s%s",
        known ? "Type: " : "Install a CUDA toolkit.", line);
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
        size_t length = strlen(piece);
        if (used + length + 1 > PATH_BYTES)
            return error_set(error, STATUS_USAGE, "The file name is longer than %d bytes.", PATH_BYTES);
        memcpy(path + used, piece, length);
        used += length;
    }
    path[used] = '\0';
    return STATUS_OK;
}

/* lanescope-UID in the temporary folder; but if it belongs to somebody else, is a link, or others can enter
 * it, a new folder with a random name. */
static bool make_temporary_folder(char *folder, size_t size_bytes)
{
    struct stat info;
    int length = snprintf(folder, size_bytes, "%s/lanescope-%u", folder_temporary(), (unsigned)getuid());

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
    if (!folder_of_data(path) || strlen(path) + sizeof "/kernels" > PATH_BYTES)
        return error_set(
            error, STATUS_IO,
            "There is no folder for your kernels: set HOME, or XDG_DATA_HOME, to a folder of yours.");
    strcat(path, "/kernels");
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

/* ---- reports of Nsight Systems ---- */
static bool folder_of_cache(char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;

    if (cache && cache[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/lanescope", cache);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/.cache/lanescope", home);
    return length > 0 && length < PATH_BYTES - 400 && make_folder(path) == 0 && access(path, W_OK) == 0;
}

static bool is_nsys_report(const char *path)
{
    static const char *const endings[] = {".nsys-rep", ".qdrep"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && strcmp(path + length - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

/* Runs nsys without its output; its exit status, or -1. */
static int run_nsys(char *const *argv)
{
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = -1, result = posix_spawn_file_actions_init(&quiet);
    if (result == 0)
        result = posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (result == 0)
        result = posix_spawn(&child, argv[0], &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (result != 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum status path_of_nsys_export(const char *report, char *path, struct error *error)
{
    char nsys[PATH_BYTES], folder[PATH_BYTES], half[PATH_BYTES];
    const char *slash = strrchr(report, '/'), *name = slash ? slash + 1 : report;
    struct stat about;

    path[0] = '\0';
    if (!is_nsys_report(report) || stat(report, &about) != 0 || !S_ISREG(about.st_mode) ||
        !find_on_path("nsys", nsys) || !folder_of_cache(folder))
        return STATUS_OK;
    snprintf(path, PATH_BYTES, "%.3500s/%.200s-%jx-%jx-%jx.sqlite", folder, name, (uintmax_t)about.st_ino,
             (uintmax_t)about.st_size,
             (uintmax_t)about.st_mtim.tv_sec * 1000000000 + (uintmax_t)about.st_mtim.tv_nsec);
    if (access(path, R_OK) == 0)
        return STATUS_OK;
    snprintf(half, sizeof half, "%.3900s.%d", path, (int)getpid());
    fprintf(stderr, "lanescope: nsys exports %s, once; the export stays in %s.\n", report, folder);
    char *lazy[] = {
        nsys, "export", "--type", "sqlite", "--lazy", "true", "--output", half, (char *)(uintptr_t)report,
        NULL};
    char *older[] = {nsys, "export", "--type", "sqlite", "--output", half, (char *)(uintptr_t)report, NULL};
    if (run_nsys(lazy) != 0 && (unlink(half), run_nsys(older) != 0)) {
        unlink(half);
        path[0] = '\0';
        return error_set(
            error, STATUS_IO,
            "nsys could not export %.300s: see what it said above, or export it by hand: nsys export --type sqlite %.300s",
            report, report);
    }
    if (rename(half, path) != 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot keep the export of %.300s", report);
    return STATUS_OK;
}
