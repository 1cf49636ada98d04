/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of sockets: what killed lanescopes leave goes, and nothing else does, however many start at once.
 */
#include "core/wire/wire.h"
#include "core/wire/wire_ring.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[] = "/tmp/lanescope-folders-XXXXXX";

static void enter_base(void)
{
    cr_assert(mkdtemp(base) != NULL);
    setenv("XDG_RUNTIME_DIR", base, 1);
}

static void leave_base(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", base);
    cr_assert(system(command) == 0);
}

TestSuite(wire_folder, .init = enter_base, .fini = leave_base, .timeout = 280);

static unsigned count_entries(void)
{
    DIR *folder = opendir(base);
    unsigned count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static struct wire_listener *listen_here(void)
{
    struct wire_listener *listener;
    struct error error;
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(strncmp(wire_listener_path(listener), base, strlen(base)), 0);
    return listener;
}

/* A process that listens; what it says on `says` is that it does. */
static pid_t start_listening(int says)
{
    pid_t child = fork();
    if (child == 0) {
        struct wire_listener *listener;
        struct error error;
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails does not wait for it */
        bool good = wire_listener_create(&listener, &error) == STATUS_OK;
        if (write(says, &good, 1) == 1)
            pause();
        _exit(1);
    }
    return child;
}

Test(wire_folder, of_a_killed_process_goes_and_of_a_living_one_stays)
{
    int says[2];
    char byte[2] = {0};
    cr_assert_eq(pipe2(says, O_CLOEXEC), 0);
    pid_t killed = start_listening(says[1]), living = start_listening(says[1]);
    cr_assert(read(says[0], byte, 1) == 1 && read(says[0], byte + 1, 1) == 1);
    cr_assert(byte[0] && byte[1]);
    cr_assert_eq(count_entries(), 2);
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);
    cr_assert_eq(count_entries(), 2);

    struct wire_listener *listener = listen_here(), *second = listen_here();
    cr_assert_eq(count_entries(), 3, "the living one's and our two");
    wire_listener_destroy(second);
    kill(living, SIGKILL);
    waitpid(living, NULL, 0);
    wire_listener_destroy(listener);
    wire_listener_destroy(listen_here());
    cr_assert_eq(count_entries(), 0);
}

static void make_folder(const char *name, mode_t mode)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", base, name);
    cr_assert_eq(mkdir(path, mode), 0);
    cr_assert_eq(chmod(path, mode), 0); /* whatever the umask is */
}

/* A socket BASE/NAME/wire; listening, the caller gets it. */
static int make_socket(const char *name, bool listening)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%s/wire", base, name);
    cr_assert_eq(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    if (listening)
        cr_assert_eq(listen(fd, 1), 0);
    else
        close(fd);
    return fd;
}

static void make_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", base, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);
    cr_assert_geq(fd, 0);
    close(fd);
}

static bool exists(const char *name)
{
    char path[128];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", base, name);
    return lstat(path, &status) == 0;
}

Test(wire_folder, what_is_not_left_by_lanescope_stays)
{
    char path[128];
    make_folder("lanescope-empty1",
                0700); /* its lanescope has not come to its socket yet, or it is no such folder */
    make_folder("lanescope-listen", 0700); /* of a lanescope from before the lock */
    int listening = make_socket("lanescope-listen", true);
    make_folder("lanescope-a-file", 0700);
    make_file("lanescope-a-file/wire");
    make_folder("lanescope-public", 0755);
    make_socket("lanescope-public", false);
    make_folder("lanescope-too-long", 0700);
    make_socket("lanescope-too-long", false);
    make_folder("elsewhere", 0700);
    make_socket("elsewhere", false);
    snprintf(path, sizeof path, "%s/lanescope-linked", base);
    cr_assert_eq(symlink("elsewhere", path), 0);
    make_folder("lanescope-other1", 0700);
    make_socket("lanescope-other1", false);
    snprintf(path, sizeof path, "%s/lanescope-other1", base);
    bool foreign =
        geteuid() == 0 && chown(path, 65534, 65534) == 0; /* only root can make it another user's */

    make_folder("lanescope-stale1", 0700);
    make_socket("lanescope-stale1", false);
    make_folder("lanescope-shared", 0700);
    make_socket("lanescope-shared", false);
    make_file("lanescope-shared/letter");

    wire_listener_destroy(listen_here());
    static const char *const stay[] = {"lanescope-empty1",        "lanescope-listen/wire",
                                       "lanescope-a-file/wire",   "lanescope-public/wire",
                                       "lanescope-too-long/wire", "elsewhere/wire",
                                       "lanescope-linked",        "lanescope-shared/letter"};
    for (size_t i = 0; i < sizeof stay / sizeof stay[0]; i++)
        cr_assert(exists(stay[i]), "%s is gone", stay[i]);
    cr_assert_eq(exists("lanescope-other1"), foreign);
    cr_assert_not(exists("lanescope-stale1"));
    close(listening);
}

/* Comes and goes, now and then by SIGKILL; as long as it is there, so is its socket. */
static _Noreturn void come_and_go(unsigned seed)
{
    for (int i = 0; i < 60; i++) {
        struct wire_listener *listener;
        struct error error;
        pid_t child = rand_r(&seed) % 3 == 0 ? fork() : -1;
        if (wire_listener_create(&listener, &error) != STATUS_OK)
            _exit(1);
        for (int look = rand_r(&seed) % 4; look > 0; look--) {
            usleep((useconds_t)rand_r(&seed) % 500);
            if (access(wire_listener_path(listener), F_OK) != 0)
                _exit(2);
        }
        if (child == 0)
            kill(getpid(), SIGKILL);
        wire_listener_destroy(listener);
        if (child > 0)
            waitpid(child, NULL, 0);
    }
    _exit(0);
}

Test(wire_folder, of_a_starting_one_is_never_taken_for_a_dead_ones)
{
    enum { PROCESSES = 6 };
    pid_t children[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            come_and_go(i + 1);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %u: %x", i, (unsigned)status);
    }
    wire_listener_destroy(listen_here());
    cr_assert_eq(count_entries(), 0);
}

/* Modules' code that agents put beside a socket goes with it, whether its lanescope ends in order or is
 * killed. */
static void put_beside(const char *socket, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(socket, '/') - socket), socket, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    close(fd);
}

Test(wire_folder, code_of_modules_goes_with_it)
{
    struct wire_listener *listener = listen_here();
    int says[2];
    char line[256] = "";
    put_beside(wire_listener_path(listener), "0123456789abcdef.cubin");
    put_beside(wire_listener_path(listener), "0123456789abcdef.cubin.733");
    wire_listener_destroy(listener);
    cr_assert_eq(count_entries(), 0);
    cr_assert_eq(pipe2(says, O_CLOEXEC), 0);
    pid_t killed = fork();
    if (killed == 0) {
        struct wire_listener *own = listen_here();
        put_beside(wire_listener_path(own), "0123456789abcdef.cubin");
        if (write(says[1], wire_listener_path(own), strlen(wire_listener_path(own))) > 0)
            pause();
        _exit(1);
    }
    cr_assert_gt(read(says[0], line, sizeof line - 1), 0);
    kill(killed, SIGKILL);
    cr_assert_eq(waitpid(killed, NULL, 0), killed);
    listener = listen_here();
    cr_assert_eq(count_entries(), 1);
    wire_listener_destroy(listener);
    cr_assert_eq(count_entries(), 0);
}
