/* SPDX-License-Identifier: Apache-2.0 */
/* Peers and their rows: a process row each, and a run row for those that are a user's program. */
#include "core/base/array.h"

#include "cli/run/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_MAX_BYTES 4096

void peers_init(struct peers *peers, struct session *session)
{
    *peers = (struct peers){.session = session};
    if (!getcwd(peers->folder, sizeof peers->folder))
        peers->folder[0] = '\0';
}

void peers_fini(struct peers *peers)
{
    for (size_t i = 0; i < peers->count; i++)
        free(peers->list[i]);
    free(peers->list);
    *peers = (struct peers){.session = peers->session};
}

/* The command line as /proc has it, blanks between arguments; the program's name if it cannot be read. */
static uint32_t add_command(struct session *session, const struct wire_hello *hello)
{
    char path[64];
    char text[COMMAND_MAX_BYTES];
    size_t size = 0;
    if (session_is_anonymous(session))
        return 0;
    snprintf(path, sizeof path, "/proc/%d/cmdline", hello->pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && size < sizeof text) {
        ssize_t got = read(file, text + size, sizeof text - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    if (file >= 0)
        close(file);
    while (size > 0 && text[size - 1] == '\0')
        size--;
    if (size == 0)
        return session_add_string(session, hello->program, strlen(hello->program));
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    return session_add_string(session, text, size);
}

/* Runs of a program by what they give: those on the device model are a kind of their own, which times and
 * counts at once. */
enum { KIND_MODEL = RUN_MODE_COUNT, KIND_COUNT };

static unsigned run_kind(uint8_t mode, uint8_t clock)
{
    return clock == CLOCK_MODEL ? KIND_MODEL : mode;
}

/* Only runs of a user's program have no workload. */
static bool is_run_of(const struct run_row *row, uint32_t program)
{
    return row->workload == 0 && row->program == program;
}

/* The same rank of a program with the same command line: what several processes of one program are told apart
 * by, since the order in which they begin differs between runs. */
static bool is_process_of(const struct session *session, const struct run_row *row,
                          const struct process_row *own)
{
    const struct process_row *process = session_process(session, row->process);
    return process->rank == own->rank && process->command == own->command;
}

/* The n-th run of a program of one kind is the same work as its n-th run of another kind, counted among the
 * processes with `own`'s command line and rank, or, if there are none of another kind, among all of the program:
 * own NULL. Lines runs come several for the same work, one process for each counted kernel: they belong to the
 * first. NONE: there is no such run. `new_row`: the row about to be added. */
static uint32_t find_run_of(const struct session *session, uint32_t program, unsigned kind,
                            const struct process_row *own, uint32_t new_row)
{
    uint32_t nth = 0, all[KIND_COUNT] = {0}, seen[KIND_COUNT] = {0};
    for (uint32_t i = 0; i < new_row; i++) {
        const struct run_row *row = session_run(session, i);
        if (!is_run_of(row, program) || (own && !is_process_of(session, row, own)))
            continue;
        nth += run_kind(row->mode, row->clock) == kind;
        all[run_kind(row->mode, row->clock)]++;
    }
    for (uint32_t i = 0; i < new_row; i++) {
        const struct run_row *row = session_run(session, i);
        const unsigned other = run_kind(row->mode, row->clock);
        if (!is_run_of(row, program) || (own && !is_process_of(session, row, own)))
            continue;
        if (kind == RUN_LINES && other == kind && all[RUN_TRACE] + all[RUN_COUNTERS] == 0)
            return row->group;
        if (other != kind && seen[other]++ == (kind == RUN_LINES ? nth % all[other] : nth))
            return row->group;
    }
    return NONE;
}

static uint32_t find_group(const struct session *session, uint32_t program, unsigned kind,
                           const struct process_row *own, uint32_t new_row)
{
    uint32_t group = find_run_of(session, program, kind, own, new_row);
    if (group == NONE)
        group = find_run_of(session, program, kind, NULL, new_row);
    return group == NONE ? new_row : group;
}

static uint32_t add_run(struct session *session, uint32_t process, const struct wire_hello *hello)
{
    uint32_t new_row = session_run_count(session);
    uint32_t program = session_add_string(session, hello->program, strlen(hello->program));
    const struct run_row row = {
        .process = process,
        .device = NONE,
        .group = find_group(session, program, run_kind((uint8_t)hello->run_mode, (uint8_t)hello->clock),
                            session_process(session, process), new_row),
        .program = program,
        .mode = (uint8_t)hello->run_mode,
        .clock = (uint8_t)hello->clock,
        /* a run's times are on its clock, and the model's clock starts with its process */
        .start_ns = hello->clock == CLOCK_MODEL ? 0 : hello->start_ns - session_start_ns(session),
        .end_ns = INT64_MIN,
        .verified = -1,
    };
    return session_add_run(session, &row);
}

static bool add_rows(struct session *session, struct peer *peer, const struct wire_hello *hello)
{
    const struct process_row row = {
        .pid = hello->pid,
        .parent_pid = hello->parent_pid,
        .rank = hello->rank,
        .host = session_add_host(session, hello->host),
        .program = session_add_string(session, hello->program, strlen(hello->program)),
        .command = add_command(session, hello),
        .role = (uint8_t)hello->role,
        .mode = (uint8_t)hello->run_mode,
        .clock = (uint8_t)hello->clock,
        .start_ns = hello->start_ns - session_start_ns(session),
        .end_ns = INT64_MIN,
        .exit_status = -1,
    };
    peer->process = session_add_process(session, &row);
    if (peer->process == NONE)
        return false;
    if (hello->role == WIRE_ROLE_WORKLOAD || hello->role == WIRE_ROLE_SAMPLER)
        return true;
    peer->run = add_run(session, peer->process, hello);
    return peer->run != NONE;
}

struct peer *peers_join(struct peers *peers, const struct wire_hello *hello, struct error *error)
{
    const uint32_t role = UINT32_C(1) << (hello->role & 31);
    for (size_t i = peers->count; i-- > 0;) {
        struct peer *peer = peers->list[i];
        if (peer->pid == hello->pid && peer->connections > 0 && !(peer->roles & role)) {
            peer->connections++;
            peer->roles |= role;
            return peer;
        }
    }
    if (!array_grow(peers->list, peers->capacity, peers->count, 1))
        goto fail;
    struct peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        goto fail;
    peer->pid = hello->pid;
    peer->run = NONE;
    peer->connections = 1;
    peer->roles = role;
    peer->gone_ns = INT64_MIN;
    peer->exit_status = -1;
    peer->sampler = hello->role == WIRE_ROLE_SAMPLER;
    memcpy(peer->program, hello->program, sizeof peer->program);
    if (!add_rows(peers->session, peer, hello)) {
        free(peer);
        goto fail;
    }
    peers->list[peers->count++] = peer;
    return peer;

fail:
    error_set(error, STATUS_MEMORY,
              "There is no memory to follow process %d (%s): it runs on without tracing.", hello->pid,
              hello->program);
    return NULL;
}

void peer_leave(struct peer *peer, int64_t now_ns)
{
    if (--peer->connections == 0)
        peer->gone_ns = now_ns;
}

void peers_exited(struct peers *peers, int32_t pid, int wait_status, int64_t now_ns)
{
    for (size_t i = peers->count; i-- > 0;) {
        struct peer *peer = peers->list[i];
        if (peer->pid != pid)
            continue;
        peer->exit_status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
        if (peer->ended) /* the status came late: send the end again, with the status */
            session_end_process(peers->session, peer->process, peer->gone_ns, peer->exit_status);
        else if (peer->connections == 0)
            peers_end(peers, now_ns, false);
        return;
    }
}

static int64_t run_end_ns(const struct session *session, uint32_t run, int64_t process_end_ns)
{
    bool model = session_run(session, run)->clock == CLOCK_MODEL;
    return model ? session_now_ns(session, CLOCK_MODEL) : process_end_ns;
}

bool peers_end(struct peers *peers, int64_t now_ns, bool all)
{
    bool waiting = false;
    for (size_t i = 0; i < peers->count; i++) {
        struct peer *peer = peers->list[i];
        if (peer->ended || (peer->connections > 0 && !all))
            continue;
        if (!all && peer->exit_status < 0 && now_ns - peer->gone_ns < PEER_STATUS_WAIT_NS) {
            waiting = true;
            continue;
        }
        int64_t end_ns = peer->gone_ns == INT64_MIN ? now_ns : peer->gone_ns;
        if (peer->run != NONE)
            session_end_run(peers->session, peer->run, run_end_ns(peers->session, peer->run, end_ns), -1, 0);
        session_end_process(peers->session, peer->process, end_ns, peer->exit_status);
        peer->ended = true;
    }
    return waiting;
}

unsigned peers_live(const struct peers *peers)
{
    unsigned live = 0;
    for (size_t i = 0; i < peers->count; i++)
        live += peers->list[i]->connections > 0 && !peers->list[i]->sampler;
    return live;
}
