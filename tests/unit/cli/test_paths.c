/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/process/paths.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Test(paths, placeholders)
{
    char path[PATH_BYTES], expected[512], host[256] = "";

    gethostname(host, sizeof host - 1);
    setenv("OMPI_COMM_WORLD_RANK", "12", 1);
    snprintf(expected, sizeof expected, "run-%s-%d-12-%%.lsr", host, (int)getpid());
    cr_assert(path_expand("run-%h-%p-%r-%%.lsr", path, NULL) == STATUS_OK);
    cr_assert_str_eq(path, expected);
}

Test(paths, unknown_placeholders_and_long_names_get_a_sentence)
{
    char path[PATH_BYTES];
    static char pattern[PATH_BYTES + 10];
    struct error error = {0};

    cr_assert(path_expand("a%q", path, &error) == STATUS_USAGE && strstr(error.text, "%q"));
    cr_assert(path_expand("a%", path, &error) == STATUS_USAGE);
    memset(pattern, 'a', sizeof pattern - 1);
    cr_assert(path_expand(pattern, path, &error) == STATUS_USAGE && strstr(error.text, "longer"));
}

Test(paths, live_recordings_lie_in_a_private_state_folder)
{
    char path[PATH_BYTES], base[] = "/tmp/lanescope-paths-XXXXXX", folder[128];
    struct stat info;

    cr_assert(mkdtemp(base) != NULL);
    snprintf(folder, sizeof folder, "%s/deep/er", base);
    setenv("XDG_STATE_HOME", folder, 1);
    cr_assert(path_of_live_recording(path, NULL) == STATUS_OK);
    cr_assert(strncmp(path, folder, strlen(folder)) == 0 && strstr(path, ".lsr"), "%s", path);
    *strrchr(path, '/') = '\0';
    cr_assert(stat(path, &info) == 0 && (info.st_mode & 0777) == 0700);
}

Test(paths, no_state_folder_falls_back_to_the_temporary_one)
{
    char path[PATH_BYTES];

    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    setenv("TMPDIR", "/tmp", 1);
    cr_assert(path_of_live_recording(path, NULL) == STATUS_OK);
    cr_assert(strncmp(path, "/tmp/lanescope-", 15) == 0, "%s", path);
}

/* What another user made first there, a link, a file, and what others may enter, is not used. */
Test(paths, a_prepared_temporary_folder_is_not_used)
{
    enum { OWN, OPEN, READABLE, LINK, PLAIN, OTHERS, CASES };
    char path[PATH_BYTES], folder[128], target[128];
    struct stat info;

    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    for (int i = 0; i < (geteuid() == 0 ? CASES : OTHERS); i++) { /* only root can make another user's */
        char base[] = "/tmp/lanescope-paths-XXXXXX";

        cr_assert(mkdtemp(base) != NULL);
        setenv("TMPDIR", base, 1);
        snprintf(folder, sizeof folder, "%s/lanescope-%u", base, (unsigned)getuid());
        snprintf(target, sizeof target, "%s/elsewhere", base);
        cr_assert(mkdir(target, 0700) == 0);
        if (i == LINK)
            cr_assert(symlink(target, folder) == 0);
        else if (i == PLAIN)
            cr_assert(mkfifo(folder, 0600) == 0);
        else
            cr_assert(mkdir(folder, 0700) == 0 && chmod(folder, i == OPEN       ? 0777
                                                                : i == READABLE ? 0750
                                                                                : 0700) == 0);
        cr_assert(i != OTHERS || chown(folder, 65534, 65534) == 0);
        cr_assert(path_of_live_recording(path, NULL) == STATUS_OK);
        *strrchr(path, '/') = '\0';
        cr_assert_eq(strcmp(path, folder) == 0, i == OWN, "%d: %s", i, path);
        cr_assert(lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && (info.st_mode & 0777) == 0700 &&
                  info.st_uid == getuid());
        rmdir(path);
        unlink(folder);
        rmdir(folder);
        rmdir(target);
        cr_assert(rmdir(base) == 0, "%d: something is left", i);
    }
}

static void write_tool(const char *folder, const char *rest)
{
    char line[600];

    snprintf(line, sizeof line,
             "mkdir -p '%s/%s' && printf '#!/bin/sh\n' >'%s/%s/cuobjdump' && chmod +x '%s/%s/cuobjdump'",
             folder, rest, folder, rest, folder, rest);
    cr_assert_eq(system(line), 0);
}

/* What pip and conda install, in the active environment, in the folder that the line names, and where the
 * Python of PATH looks; of several the newest. Folders' names may have what a pattern would expand. */
Test(paths, cuobjdump_is_found_where_pip_puts_it)
{
    char base[] = "/tmp/lanescope-pip[1]-XXXXXX", path[PATH_BYTES], wanted[PATH_BYTES], line[800];
    const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};

    cr_assert(mkdtemp(base) != NULL);
    unsetenv("LANESCOPE_CUOBJDUMP");
    unsetenv("VIRTUAL_ENV");
    unsetenv("CONDA_PREFIX");
    setenv("PATH", "/usr/bin:/bin", 1);
    snprintf(line, sizeof line, "mkdir '%s/bin' && ln -s /bin/true '%s/bin/python3'", base, base);
    cr_assert_eq(system(line), 0);
    snprintf(line, sizeof line, "%s/bin:/usr/bin:/bin", base);
    setenv("PATH", line, 1);
    setenv("XDG_DATA_HOME", base, 1);
    if (path_of_tool("cuobjdump", path, NULL) == STATUS_OK)
        return; /* a toolkit comes first */
    struct error error = {0};
    cr_assert_eq(path_of_cuobjdump(path, &error), STATUS_UNSUPPORTED);
    cr_assert(strstr(error.text, "was not found on PATH"), "%s", error.text);
    for (size_t i = 0; i < 2; i++) {
        write_tool(base, "env/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin");
        write_tool(base, "env/lib/python3.11/site-packages/nvidia/cu13/bin");
        snprintf(wanted, sizeof wanted, "%s/env/lib/python3.11/site-packages/nvidia/cu13/bin/cuobjdump",
                 base);
        snprintf(line, sizeof line, "%s/env", base);
        setenv(variables[i], line, 1);
        cr_assert_eq(path_of_cuobjdump(path, NULL), STATUS_OK);
        cr_assert_str_eq(path, wanted);
        unsetenv(variables[i]);
    }
    write_tool(base, "lanescope/cuda/nvidia/cu13/bin");
    snprintf(wanted, sizeof wanted, "%s/lanescope/cuda/nvidia/cu13/bin/cuobjdump", base);
    cr_assert_eq(path_of_cuobjdump(path, NULL), STATUS_OK);
    cr_assert_str_eq(path, wanted);
    setenv("XDG_DATA_HOME", "/proc/nowhere", 1);
    snprintf(line, sizeof line,
             "cd '%s/bin' && rm python3 && printf '#!/bin/sh\\necho /nowhere; echo "
             "\"%s/env/lib/python3.11/site-packages\"' "
             ">python3 && chmod +x python3",
             base, base);
    cr_assert_eq(system(line), 0);
    cr_assert_eq(path_of_cuobjdump(path, NULL), STATUS_OK);
    cr_assert(strstr(path, "/env/lib/python3.11/site-packages/nvidia/"), "%s", path);
    snprintf(line, sizeof line, "/bin/rm -rf '%s'", base);
    cr_assert_eq(system(line), 0);
}

/* One that is named has to be a program; the sentence says what it is. */
Test(paths, a_named_cuobjdump_is_checked)
{
    static const struct {
        const char *name, *says;
    } rows[] = {{"/no/such", "/no/such, which does not exist."},
                {"/etc/passwd/x", "which does not exist."},
                {"/etc", "/etc, which is a folder."},
                {"/etc/passwd", "/etc/passwd, which is a file without permission to execute it"},
                {"/dev/null", "/dev/null, which is not an executable file."},
                {"no-such-cuobjdump", "no-such-cuobjdump, which is no program on PATH."}};
    char path[PATH_BYTES];
    struct error error = {0};

    setenv("LANESCOPE_CUOBJDUMP", "/bin/sh", 1);
    cr_assert_eq(path_of_cuobjdump(path, &error), STATUS_OK);
    cr_assert_str_eq(path, "/bin/sh");
    setenv("LANESCOPE_CUOBJDUMP", "sh", 1);
    cr_assert_eq(path_of_cuobjdump(path, &error), STATUS_OK);
    cr_assert_eq(path[0], '/');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("LANESCOPE_CUOBJDUMP", rows[i].name, 1);
        cr_assert_eq(path_of_cuobjdump(path, &error), STATUS_UNSUPPORTED, "%s", rows[i].name);
        cr_expect(strstr(error.text, "LANESCOPE_CUOBJDUMP names ") && strstr(error.text, rows[i].says), "%s",
                  error.text);
        cr_expect_str_eq(path, "");
    }
}
