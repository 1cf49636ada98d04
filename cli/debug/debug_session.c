/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The original only moves forward. A place before it is that of a copy, made of the last snapshot before that place; a
 * copy that reaches the original's place is ended, and the original continues. Snapshots are those of one launch, in
 * order; the first one is at its begin and stays.
 */
#include "cli/debug/debug_session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A place so far behind the last snapshot gets one of its own, so that further steps back are short. */
#define NEAR UINT64_C(32768)

static void socket_close(int *socket)
{
    if (*socket >= 0)
        close(*socket);
    *socket = -1;
}

static void snapshots_drop(struct debug_session *session)
{
    for (uint32_t i = 0; i < session->snapshot_count; i++)
        socket_close(&session->snapshots[i].socket);
    session->snapshot_count = 0;
}

/* Copies and snapshots are nobody's children, and so lanescope's. */
static void children_reap(const struct debug_session *session)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid &&
           info.si_pid != session->pid) {
        waitpid(info.si_pid, NULL, 0);
        info = (siginfo_t){0};
    }
}

static void snapshot_add(struct debug_session *session, const struct debug_message *message, int socket)
{
    struct debug_snapshot *list = session->snapshots;
    uint32_t at;
    if (session->snapshots_launch != message->launch)
        snapshots_drop(session);
    session->snapshots_launch = message->launch;
    for (at = session->snapshot_count; at > 0 && list[at - 1].position > message->position; at--)
        ;
    if (at > 0 && list[at - 1].position == message->position) {
        close(socket);
        return;
    }
    memmove(&list[at + 1], &list[at], (session->snapshot_count - at) * sizeof *list);
    list[at] = (struct debug_snapshot){socket, message->position};
    if (++session->snapshot_count <= DEBUG_SNAPSHOTS)
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < session->snapshot_count; i++)
        if (i % 2 == 1)
            socket_close(&list[i].socket);
        else
            list[kept++] = list[i];
    session->snapshot_count = kept;
    children_reap(session);
}

/* Waits until the process has stopped, or a copy is made. False: it has ended. */
static bool message_wait(struct debug_session *session, int socket, struct debug_message *message, int *copy)
{
    for (;;) {
        int fd = -1;
        long got = debug_receive(socket, message, sizeof *message, &fd);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != (long)sizeof *message)
            return false;
        if (message->kind == DEBUG_SNAPSHOT && fd >= 0) {
            snapshot_add(session, message, fd);
        } else if (message->kind == DEBUG_COPIED) {
            *copy = fd;
            return fd >= 0;
        } else if (message->kind == DEBUG_STOPPED) {
            return true;
        }
    }
}

static bool request_send(int socket, struct debug_request *request)
{
    return debug_send(socket, request, sizeof *request, -1);
}

/* The original has ended. */
static bool session_over(struct debug_session *session, struct error *error)
{
    int status = 0;
    socket_close(&session->original);
    socket_close(&session->copy);
    snapshots_drop(session);
    session->over = true;
    if (session->pid > 0) {
        while (waitpid(session->pid, &status, 0) < 0 && errno == EINTR)
            ;
        session->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    session->pid = 0;
    children_reap(session);
    error_set(error, STATUS_STATE, "The program has ended with status %d.", session->exit_status);
    return false;
}

static struct debug_request request_of(const struct debug_session *session)
{
    struct debug_request request = {.ask = DEBUG_GO};
    request.go = (struct debug_go){
        .stop_at = STEPPER_NEVER, .mark = STEPPER_NEVER, .block = session->block, .warp = session->warp};
    return request;
}

/* Runs the original. */
static bool original_go(struct debug_session *session, struct debug_request *request, struct error *error)
{
    socket_close(&session->copy);
    if (!request_send(session->original, request) ||
        !message_wait(session, session->original, &session->now, NULL))
        return session_over(session, error);
    session->at_original = session->now;
    children_reap(session);
    return true;
}

static bool line_is_there(const struct debug_session *session, const struct debug_request *request,
                          struct error *error)
{
    if (!session->now.no_line)
        return true;
    if (session->now.no_line == UINT32_MAX)
        error_set(error, STATUS_USAGE, "No instruction of this kernel is at line %u, nor after it.",
                  request->go.goal.line);
    else
        error_set(error, STATUS_USAGE,
                  "No instruction of this kernel is at line %u: the next line with one is %u.",
                  request->go.goal.line, session->now.no_line);
    return false;
}

/* Runs the process that stands at `now`. */
static bool session_go(struct debug_session *session, struct debug_request *request, struct error *error)
{
    uint64_t wanted = request->go.stop_at;
    if (session->copy < 0)
        return original_go(session, request, error);
    request->go.stop_at = wanted < session->at_original.position ? wanted : session->at_original.position;
    if (!request_send(session->copy, request) || !message_wait(session, session->copy, &session->now, NULL)) {
        socket_close(&session->copy);
        session->now = session->at_original;
        error_set(error, STATUS_STATE,
                  "The copy of the program has ended: lanescope is where the program is.");
        return false;
    }
    if (session->now.no_line || session->now.position < session->at_original.position)
        return true;
    bool on = session->now.reason == STEPPER_POSITION && wanted != session->now.position;
    enum stepper_reason reason = session->now.reason;
    socket_close(&session->copy);
    session->now = session->at_original;
    if (session->now.at)
        session->now.reason = reason;
    request->go.stop_at = wanted;
    return !on || original_go(session, request, error);
}

/* A copy made of a snapshot stands for the program until the next move. */
static bool copy_make(struct debug_session *session, const struct debug_snapshot *snapshot,
                      struct error *error)
{
    struct debug_request request = {.ask = DEBUG_COPY};
    int copy = -1;
    socket_close(&session->copy);
    children_reap(session);
    if (request_send(snapshot->socket, &request) &&
        message_wait(session, snapshot->socket, &session->now, &copy)) {
        session->copy = copy;
        return true;
    }
    session->now = session->at_original;
    error_set(error, STATUS_STATE, "There is no memory for a copy of the program: it is where it was.");
    return false;
}

bool debug_seek(struct debug_session *session, uint64_t position, struct error *error)
{
    struct debug_request request = request_of(session);
    uint32_t at = session->snapshot_count;
    request.go.stop_at = position;
    if (session->over)
        return session_over(session, error);
    if (position >= session->at_original.position) {
        socket_close(&session->copy);
        session->now = session->at_original;
        return position == session->now.position || original_go(session, &request, error);
    }
    while (at > 0 && session->snapshots[at - 1].position > position)
        at--;
    if (at == 0) {
        error_set(error, STATUS_STATE, "This launch begins at %llu: there is no way back to a launch before.",
                  (unsigned long long)session->at_original.begun);
        return false;
    }
    if (!copy_make(session, &session->snapshots[at - 1], error))
        return false;
    if (position - session->snapshots[at - 1].position > 2 * NEAR)
        request.go.mark = position - NEAR;
    return session_go(session, &request, error);
}

/* ---- ways ---- */

/* The name, or as much of its end as fits. */
static void file_end(const char *file, char end[DEBUG_NAME_BYTES])
{
    const char *slash = strrchr(file, '/');
    if (strlen(file) >= DEBUG_NAME_BYTES)
        file = slash && strlen(slash) < DEBUG_NAME_BYTES ? slash + 1 : "";
    memcpy(end, file, strlen(file) + 1);
}

static bool way_fill(const struct debug_session *session, enum debug_way way, const struct debug_line *line,
                     struct debug_go *go, struct error *error)
{
    switch (way) {
    case DEBUG_STEP: go->every = true; break;
    case DEBUG_NEXT:
        if (!session->now.at || !session->now.line) {
            go->every = true;
            break;
        }
        file_end(session->now.file, go->goal.file);
        go->goal.line = session->now.line;
        go->leaves_goal = true;
        break;
    case DEBUG_LINE:
        if (!line || !line->line) {
            error_set(error, STATUS_USAGE, "Give a line: line 14, or line kernel.cu:14.");
            return false;
        }
        go->goal = *line;
        break;
    case DEBUG_LAUNCH: return true;
    case DEBUG_RUN: break;
    }
    if (way != DEBUG_RUN)
        return true;
    go->reports = session->reports;
    go->break_count = session->break_count;
    memcpy(go->breaks, session->breaks, sizeof go->breaks);
    go->watch_space = session->watch_space;
    go->watch_address = session->watch_address;
    go->watch_bytes = session->watch_bytes;
    go->watch_block = session->watch_block;
    return true;
}

void debug_choose_stopped(struct debug_session *session)
{
    if (!session->now.at)
        return;
    session->block = session->now.block;
    session->warp = session->now.warp;
}

bool debug_forward(struct debug_session *session, enum debug_way way, const struct debug_line *line,
                   struct error *error)
{
    struct debug_request request = request_of(session);
    if (session->over)
        return session_over(session, error);
    if (!way_fill(session, way, line, &request.go, error))
        return false;
    if (way == DEBUG_LAUNCH) {
        uint64_t launch = session->at_original.launch;
        while (session->at_original.launch == launch)
            if (!original_go(session, &request, error))
                return false;
        return true;
    }
    const uint64_t from = session->now.position;
    const bool was_at = session->now.at;
    if (!session_go(session, &request, error) || !line_is_there(session, &request, error))
        return false;
    if (way != DEBUG_RUN && was_at && !session->now.at) { /* the warp has ended: it stays where it was */
        if (!debug_seek(session, from, error))
            return false;
        if (way == DEBUG_LINE)
            error_set(error, STATUS_STATE, "This warp does not come to line %u from here on: it ends.",
                      line->line);
        else
            error_set(error, STATUS_STATE,
                      "The warp ends with this instruction: step another warp, or run to the end.");
        return false;
    }
    debug_choose_stopped(session);
    return true;
}

/* The last position before `now` at which what `request` names is met. */
static bool back_scan(struct debug_session *session, const struct debug_request *request, struct error *error)
{
    const uint64_t from = session->now.position;
    uint64_t end = from;
    for (uint32_t at = session->snapshot_count; at-- > 0;) {
        struct debug_request part = *request;
        if (session->snapshots[at].position >= from)
            continue;
        uint64_t begin = session->snapshots[at].position;
        if (!copy_make(session, &session->snapshots[at], error))
            return false;
        part.go.keeps = true;
        part.go.stop_at = end;
        if (!request_send(session->copy, &part) ||
            !message_wait(session, session->copy, &session->now, NULL)) {
            socket_close(&session->copy);
            session->now = session->at_original;
            error_set(error, STATUS_STATE, "The copy of the program has ended.");
            return false;
        }
        if (!line_is_there(session, request, error)) {
            debug_seek(session, from, NULL);
            return false;
        }
        if (session->now.kept != STEPPER_NEVER && session->now.kept < from)
            return debug_seek(session, session->now.kept, error);
        end = begin;
        while (at > 0 && session->snapshots[at].position > begin) /* a snapshot more */
            at--;
    }
    debug_seek(session, from, NULL);
    error_set(error, STATUS_STATE, "There is no such place before this one in this launch.");
    return false;
}

bool debug_back(struct debug_session *session, enum debug_way way, const struct debug_line *line,
                struct error *error)
{
    struct debug_request request = request_of(session);
    if (session->over)
        return session_over(session, error);
    if (way == DEBUG_STEP && session->now.reason == STEPPER_ENDS && !session->now.at &&
        session->now.position > session->now.begun) { /* the last instruction of all: of a fault, its cause */
        if (!debug_seek(session, session->now.position - 1, error))
            return false;
        debug_choose_stopped(session);
        return true;
    }
    bool mine = session->now.at && session->now.block == session->block && session->now.warp == session->warp;
    if (way == DEBUG_STEP && mine && session->now.previous != STEPPER_NEVER)
        return debug_seek(session, session->now.previous, error);
    if (!way_fill(session, way, line, &request.go, error) || !back_scan(session, &request, error))
        return false;
    debug_choose_stopped(session);
    return true;
}

bool debug_back_to_write(struct debug_session *session, uint32_t space, uint64_t address, uint64_t bytes,
                         struct error *error)
{
    struct debug_request request = request_of(session);
    if (session->over)
        return session_over(session, error);
    request.go.watch_space = space;
    request.go.watch_address = address;
    request.go.watch_bytes = bytes;
    request.go.watch_block = session->now.block;
    if (!back_scan(session, &request, error)) {
        if (error && !session->over)
            error_set(
                error, STATUS_STATE,
                "Nothing in this launch has written these bytes before: they are as they were when it began.");
        return false;
    }
    debug_choose_stopped(session);
    return true;
}

/* ---- questions ---- */

static long answer_get(struct debug_session *session, struct debug_request *request, void *answer,
                       size_t size_bytes)
{
    int socket = session->copy >= 0 ? session->copy : session->original;
    long got;
    if (session->over || !request_send(socket, request))
        return 0;
    do
        got = debug_receive(socket, answer, size_bytes, NULL);
    while (got < 0 && errno == EINTR);
    return got > 0 ? got : 0;
}

uint32_t debug_registers(struct debug_session *session, const char *name, uint32_t from,
                         struct debug_register registers[DEBUG_LINES])
{
    struct debug_request request = {.ask = DEBUG_REGISTERS, .from = from};
    snprintf(request.name, sizeof request.name, "%s", name);
    return (uint32_t)((size_t)answer_get(session, &request, registers, DEBUG_LINES * sizeof *registers) /
                      sizeof *registers);
}

uint32_t debug_code(struct debug_session *session, uint32_t from, struct debug_code code[DEBUG_LINES])
{
    struct debug_request request = {.ask = DEBUG_CODE, .from = from};
    return (uint32_t)((size_t)answer_get(session, &request, code, DEBUG_LINES * sizeof *code) / sizeof *code);
}

uint32_t debug_warps(struct debug_session *session, struct debug_warp warps[32])
{
    struct debug_request request = {.ask = DEBUG_WARPS};
    return (uint32_t)((size_t)answer_get(session, &request, warps, 32 * sizeof *warps) / sizeof *warps);
}

uint32_t debug_memory(struct debug_session *session, uint32_t space, uint32_t lane, uint64_t address,
                      uint8_t *bytes, uint32_t size_bytes)
{
    static uint8_t answer[DEBUG_BYTES + 1];
    struct debug_request request = {
        .ask = DEBUG_MEMORY, .space = space, .lane = lane, .address = address, .size_bytes = size_bytes};
    long got = answer_get(session, &request, answer, sizeof answer);
    uint32_t count = got > 1 ? (uint32_t)got - 1 : 0;
    memcpy(bytes, answer + 1, count < size_bytes ? count : size_bytes);
    return count < size_bytes ? count : size_bytes;
}

void debug_pause(const struct debug_session *session)
{
    static const struct debug_request request = {.ask = DEBUG_PAUSE};
    int socket = session->copy >= 0 ? session->copy : session->original;
    if (socket >= 0)
        debug_send(socket, &request, sizeof request, -1);
}

/* ---- begin and end ---- */

enum status debug_session_begin(struct debug_session *session, int socket, pid_t pid, struct error *error)
{
    *session = (struct debug_session){.original = socket, .copy = -1, .pid = pid, .reports = true};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (message_wait(session, socket, &session->now, NULL)) {
        session->at_original = session->now;
        return STATUS_OK;
    }
    session_over(session, error);
    return error_set(
        error, STATUS_STATE,
        "The program has ended with status %d, and has launched no kernel that is to be stepped.",
        session->exit_status);
}

void debug_session_end(struct debug_session *session)
{
    if (session->pid > 0)
        kill(session->pid, SIGKILL);
    session_over(session, NULL);
}
