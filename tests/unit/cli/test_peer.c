/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of one program that run side by side, once in each mode: which runs are the same work. */
#include "cli/run/peer.h"
#include "core/analysis/compare_work.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t children[16];
static size_t child_count;

static void kill_children(void)
{
    for (size_t i = 0; i < child_count; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
}

TestSuite(peer, .fini = kill_children, .timeout = 60);

/* A process whose command line /proc has, when it is returned. */
static pid_t start_process(const char *argument)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sleep", "program", argument, (char *)NULL);
        _exit(127);
    }
    cr_assert_gt(pid, 0);
    children[child_count++] = pid;
    char path[64], line[64] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    while (strcmp(line, "program") != 0) {
        FILE *file = fopen(path, "r");
        cr_assert_not_null(file);
        size_t got = fread(line, 1, sizeof line - 1, file);
        line[got] = '\0';
        fclose(file);
    }
    return pid;
}

static uint32_t join_run(struct peers *peers, const char *argument, int rank, enum run_mode mode)
{
    struct wire_hello hello = {.role = WIRE_ROLE_AGENT,
                               .pid = (int32_t)start_process(argument),
                               .run_mode = mode,
                               .rank = rank,
                               .host = "host",
                               .program = "program"};
    struct peer *peer = peers_join(peers, &hello, NULL);
    cr_assert_not_null(peer);
    return peer->run;
}

static struct session *make_session(struct peers *peers)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    peers_init(peers, session);
    return session;
}

static uint32_t group(const struct session *session, uint32_t run)
{
    return session_run(session, run)->group;
}

struct start {
    const char *argument;
    int rank;
};

/* Two processes are traced; then two are counted, in the order given. Each joins the traced one whose
 * place is given. */
static void expect_joined(const struct start traced[2], const struct start counted[2], const size_t places[2])
{
    struct peers peers;
    struct session *session = make_session(&peers);
    uint32_t runs[2];
    for (int i = 0; i < 2; i++)
        runs[i] = join_run(&peers, traced[i].argument, traced[i].rank, RUN_TRACE);
    cr_assert_neq(group(session, runs[0]), group(session, runs[1]));
    for (int i = 0; i < 2; i++) {
        uint32_t run = join_run(&peers, counted[i].argument, counted[i].rank, RUN_COUNTERS);
        cr_assert_eq(group(session, run), group(session, runs[places[i]]), "counted run %d", i);
    }
    peers_fini(&peers);
    session_destroy(session);
}

Test(peer, joins_the_runs_of_one_command_line_whatever_their_order)
{
    expect_joined((const struct start[]){{"1001", -1}, {"1002", -1}},
                  (const struct start[]){{"1002", -1}, {"1001", -1}}, (const size_t[]){1, 0});
}

Test(peer, joins_the_runs_of_one_rank_whatever_their_order)
{
    expect_joined((const struct start[]){{"1001", 0}, {"1001", 1}},
                  (const struct start[]){{"1001", 1}, {"1001", 0}}, (const size_t[]){1, 0});
}

/* A command line that is another in each run, such as one with the name of a temporary file. */
Test(peer, joins_by_order_what_has_no_counterpart)
{
    expect_joined((const struct start[]){{"1001", -1}, {"1002", -1}},
                  (const struct start[]){{"1003", -1}, {"1004", -1}}, (const size_t[]){0, 1});
}

Test(peer, compares_the_times_of_equal_command_lines_only)
{
    struct peers peers;
    struct session *session = make_session(&peers);
    uint32_t a = join_run(&peers, "1001", -1, RUN_TRACE), b = join_run(&peers, "1002", -1, RUN_TRACE),
             again = join_run(&peers, "1001", -1, RUN_TRACE);
    cr_assert(compare_runs_alike(session, a, again));
    cr_assert_not(compare_runs_alike(session, a, b));
    peers_fini(&peers);
    session_destroy(session);
}

/* An agent beside a workload is of its process; a second agent of a pid is another program that it executes. */
Test(peer, a_process_that_executes_another_program_is_two)
{
    struct peers peers;
    struct session *session = make_session(&peers);
    struct wire_hello hello = {.role = WIRE_ROLE_WORKLOAD,
                               .pid = (int32_t)start_process("60"),
                               .run_mode = RUN_TRACE,
                               .host = "host",
                               .program = "program"};
    struct peer *workload = peers_join(&peers, &hello, NULL);
    hello.role = WIRE_ROLE_AGENT;
    cr_assert_eq(peers_join(&peers, &hello, NULL), workload);
    cr_assert_eq(session_process_count(session), 1);
    struct peer *second = peers_join(&peers, &hello, NULL);
    cr_assert_neq(second, workload);
    cr_assert_eq(session_process_count(session), 2);
    cr_assert_eq(peers_join(&peers, &hello, NULL) == second, false);
    peers_fini(&peers);
    session_destroy(session);
}
