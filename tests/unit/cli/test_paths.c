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
