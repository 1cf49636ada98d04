/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's end. There is one server for a process; a fork has a copy of it, with another socket. Children are
 * forked twice, so that the program, which may wait for children of its own, does not find them.
 */
#include "core/base/function_name.h"
#include "core/base/progress.h"
#include "simt/debug/debug.h"
#include "simt/engine/grid.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- messages over a socket of sequential packets: each is sent and received whole ---- */

bool debug_send(int socket, const void *bytes, size_t size_bytes, int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {.bytes = {0}};
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size_bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(head), &fd, sizeof fd);
    }
    long sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (long)size_bytes;
}

long debug_receive(int socket, void *bytes, size_t size_bytes, int *fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = size_bytes};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    long got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (fd)
        *fd = -1;
    for (struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL; head && fd;
         head = CMSG_NXTHDR(&message, head))
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
            memcpy(fd, CMSG_DATA(head), sizeof *fd);
    return got;
}

/* ---- the server ---- */

/* Instructions between two snapshots: some 10 ms of the stepped model. After SPARSE of them in a launch the distance
 * doubles. */
#define SPACING UINT64_C(131072)
#define SPARSE 64

struct server {
    struct stepper stepper;
    int socket;
    pid_t pid; /* of the original */
    bool copy, detached;
    const char *kernel;
    uint64_t from, wanted;
    uint64_t spacing, extra_mark;
    uint32_t snapshots, no_line;
    struct debug_go go;
    const struct program *program; /* whose bitmaps these are */
    uint8_t *breaks, *goals;
};

/* ---- processes ---- */

/* A fork of this process that is nobody's child, with a socket of its own. In the parent: true, *peer its socket and
 * *pid. In the fork: false. Neither: -1 in *pid. */
static bool process_make(struct server *server, int *peer, pid_t *pid)
{
    int pair[2], told[2];
    *pid = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return true;
    if (pipe2(told, O_CLOEXEC) < 0) {
        close(pair[0]);
        close(pair[1]);
        return true;
    }
    pid_t between = fork();
    if (between == 0) {
        pid_t made = fork();
        if (made != 0) {
            bool said = write(told[1], &made, sizeof made) == sizeof made;
            _exit(said ? 0 : 1);
        }
        close(told[0]);
        close(told[1]);
        close(pair[0]);
        close(server->socket);
        server->socket = pair[1];
        server->copy = true;
        return false;
    }
    close(told[1]);
    close(pair[1]);
    if (between > 0) {
        while (read(told[0], pid, sizeof *pid) < 0 && errno == EINTR)
            ;
        while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(told[0]);
    if (*pid <= 0)
        close(pair[0]);
    *peer = pair[0];
    return true;
}

/* Makes one and sends its socket. False: this is it. */
static bool process_offer(struct server *server, enum debug_kind kind)
{
    struct debug_message *message = calloc(1, sizeof *message);
    int peer = -1;
    pid_t pid = -1;
    if (!message)
        return true;
    bool parent = process_make(server, &peer, &pid);
    if (parent) {
        message->kind = kind;
        message->pid = pid;
        message->position = server->stepper.position;
        message->launch = server->stepper.launch;
        debug_send(server->socket, message, sizeof *message, pid > 0 ? peer : -1);
        if (pid > 0)
            close(peer);
    }
    free(message);
    return parent;
}

/* ---- lines ---- */

static bool file_is(const char *path, const char *end)
{
    size_t length = path ? strlen(path) : 0, wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0 &&
           (length == wanted || path[length - wanted - 1] == '/');
}

static const char *file_at(const struct program *program, uint32_t pc)
{
    struct ptx_location at = program_location(program, pc);
    const char *name = at.line ? ptx_file_name(program->module, at.file) : NULL;
    return name ? name : "";
}

/* The line in the file `file`: of the instruction itself, or the one that it was inlined at. */
static uint32_t line_in(const struct program *program, uint32_t pc, const char *file)
{
    struct ptx_location at = program_location(program, pc);
    const uint32_t files[] = {at.file, at.caller_file, at.inlined_file},
                   lines[] = {at.line, at.caller_line, at.inlined_line};
    for (int i = 0; i < 3; i++)
        if (lines[i] && file_is(ptx_file_name(program->module, files[i]), file))
            return lines[i];
    return 0;
}

static const char *kernels_file(const struct program *program)
{
    for (uint32_t pc = 0; pc < program->instruction_count; pc++) {
        struct ptx_location at = program_location(program, pc);
        uint32_t line = at.inlined_line ? at.inlined_line : at.line,
                 file = at.inlined_line ? at.inlined_file : at.file;
        if (line && program_function(program, pc) == program->entry && ptx_file_name(program->module, file))
            return ptx_file_name(program->module, file);
    }
    return "";
}

/* Marks the instructions at which a line begins; `leaves`: all that are at another one. A PTX without lines: those of
 * the PTX itself. 0, or if there is none the next line that has one; UINT32_MAX: no line has. */
static uint32_t lines_mark(const struct program *program, const struct debug_line *line, bool leaves,
                           uint8_t *marks)
{
    uint32_t after = UINT32_MAX, found = 0;
    const char *file = *line->file ? line->file : kernels_file(program);
    uint32_t before = 0;
    for (uint32_t pc = 0; pc < program->instruction_count; pc++) {
        const struct program_origin *origin = &program->origins[program->instructions[pc].origin];
        uint32_t at = *file ? line_in(program, pc, file)
                      : origin->instruction < origin->function->instruction_count
                          ? origin->function->instructions[origin->instruction].ptx_line
                          : 0;
        if (leaves ? at && at != line->line : at == line->line && before != line->line)
            found = marks[pc] = 1;
        if (at > line->line && at < after)
            after = at;
        before = at;
    }
    return found ? 0 : after;
}

/* As lines_mark, of the goal. */
static uint32_t lines_set(struct server *server)
{
    uint32_t missed = 0;
    struct stepper *stepper = &server->stepper;
    const struct debug_go *go = &server->go;
    stepper->breaks = stepper->goals = NULL;
    if (!stepper->program)
        return 0;
    if (server->program != stepper->program) {
        size_t count = stepper->program->instruction_count + 1u;
        uint8_t *both = realloc(server->breaks, 2 * count);
        if (!both)
            return UINT32_MAX;
        server->breaks = both;
        server->goals = both + count;
        server->program = stepper->program;
    }
    size_t count = stepper->program->instruction_count + 1u;
    memset(server->breaks, 0, 2 * count);
    for (uint32_t i = 0; i < go->break_count && i < DEBUG_BREAKS; i++)
        lines_mark(stepper->program, &go->breaks[i], false, server->breaks);
    if (go->goal.line)
        missed = lines_mark(stepper->program, &go->goal, go->leaves_goal, server->goals);
    stepper->breaks = go->break_count ? server->breaks : NULL;
    stepper->goals = go->goal.line ? server->goals : NULL;
    return missed;
}

/* ---- answers ---- */

static uint32_t line_of(const struct program *program, uint32_t pc)
{
    return pc < program->instruction_count ? program_location(program, pc).line : 0;
}

static bool register_find(const struct program *program, const struct ptx_function *function,
                          const char *name, struct debug_register *made, uint32_t *slot)
{
    for (uint32_t i = 0; i < program->register_count; i++) {
        const struct program_register *at = &program->registers[i];
        if (at->function != function || strcmp(at->variable->name, name) != 0)
            continue;
        snprintf(made->name, sizeof made->name, "%s", name);
        made->type = at->variable->type;
        *slot = at->slot;
        return true;
    }
    return false;
}

static void register_fill(const struct stepper *stepper, struct debug_register *made, uint32_t slot)
{
    uint32_t bytes = made->type == PTX_PRED ? 1 : ptx_type_bytes((enum ptx_type)made->type);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        made->values[lane] = stepper_register(stepper, slot, bytes, lane);
}

/* The registers that an operand names. */
static void operand_registers(const struct stepper *stepper, const struct ptx_function *function,
                              const struct ptx_operand *operand, struct debug_register *to, uint32_t *count,
                              uint32_t room)
{
    uint32_t slot;
    for (uint32_t i = 0; i < operand->part_count; i++)
        operand_registers(stepper, function, &operand->parts[i], to, count, room);
    if (!operand->name || *count == room)
        return;
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(to[i].name, operand->name) == 0)
            return;
    if (register_find(stepper->program, function, operand->name, &to[*count], &slot))
        register_fill(stepper, &to[(*count)++], slot);
}

static const struct ptx_instruction *instruction_at(const struct program *program, uint32_t pc)
{
    const struct program_origin *origin = &program->origins[program->instructions[pc].origin];
    return origin->instruction < origin->function->instruction_count
               ? &origin->function->instructions[origin->instruction]
               : NULL;
}

/* Does its first operand get the result? */
static bool has_result(const struct program_instruction *instruction)
{
    return instruction->op != PROGRAM_ST && instruction->destination[0] != PROGRAM_NO_SLOT;
}

static void operands_fill(const struct stepper *stepper, struct debug_message *message)
{
    const struct program *program = stepper->program;
    const struct ptx_function *function = program_function(program, stepper->pc);
    const struct ptx_instruction *of = instruction_at(program, stepper->pc);
    bool result = has_result(&program->instructions[stepper->pc]);
    uint32_t slot;
    if (of && of->guard && register_find(program, function, of->guard, &message->operands[0], &slot))
        register_fill(stepper, &message->operands[message->operand_count++], slot);
    for (uint32_t i = result ? 1 : 0; of && i < of->operand_count; i++)
        operand_registers(stepper, function, &of->operands[i], message->operands, &message->operand_count,
                          DEBUG_OPERANDS);
    if (stepper->previous == STEPPER_NEVER || stepper->block != message->block ||
        stepper->warp != message->warp)
        return;
    message->previous = stepper->previous;
    of = instruction_at(program, stepper->previous_pc);
    program_instruction_text(program, stepper->previous_pc, message->done_text, sizeof message->done_text);
    message->done_line = line_of(program, stepper->previous_pc);
    if (of && of->operand_count && has_result(&program->instructions[stepper->previous_pc]))
        operand_registers(stepper, program_function(program, stepper->previous_pc), &of->operands[0],
                          message->done, &message->done_count, PROGRAM_VECTOR + 1);
}

static void lanes_fill(const struct stepper *stepper, uint32_t warp, uint8_t *states, uint32_t *pcs,
                       uint32_t *lines)
{
    enum stepper_lane lanes[WARP_LANES];
    uint32_t at[WARP_LANES];
    stepper_lanes(stepper, warp, lanes, at);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        states[lane] = (uint8_t)lanes[lane];
        lines[lane] = line_of(stepper->program, at[lane]);
        if (pcs)
            pcs[lane] = at[lane];
    }
}

static void instruction_fill(const struct stepper *stepper, struct debug_message *message)
{
    const struct program *program = stepper->program;
    enum ptx_space space = PTX_GENERIC;
    message->at = true;
    message->block = stepper_block(stepper, message->index);
    message->warp = stepper_warp_index(stepper);
    message->pc = stepper->pc;
    message->on = stepper->on;
    message->line = line_of(program, stepper->pc);
    snprintf(message->file, sizeof message->file, "%s", file_at(program, stepper->pc));
    program_instruction_text(program, stepper->pc, message->text, sizeof message->text);
    message->accesses = stepper_access(stepper, &space, &message->access);
    message->space = space;
    lanes_fill(stepper, message->warp, message->lane_state, message->lane_pc, message->lane_line);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        message->path |= (uint32_t)(message->lane_state[lane] == STEPPER_RUNS) << lane;
        message->alive |= (uint32_t)(message->lane_state[lane] != STEPPER_OVER) << lane;
    }
    operands_fill(stepper, message);
}

static void kernel_name(const struct program *program, char *name, size_t size_bytes)
{
    char *plain = demangle(program->entry->name);
    snprintf(name, size_bytes, "%s", plain ? plain : program->entry->name);
    free(plain);
}

static bool send_stop(struct server *server, enum stepper_reason reason)
{
    const struct stepper *stepper = &server->stepper;
    struct debug_message *message = calloc(1, sizeof *message);
    if (!message)
        return false;
    message->kind = DEBUG_STOPPED;
    message->reason = reason;
    message->pid = (int32_t)getpid();
    message->launch = stepper->launch;
    message->begun = stepper->begun;
    message->position = stepper->position;
    message->previous = STEPPER_NEVER;
    message->kept = stepper->kept;
    message->no_line = server->no_line;
    kernel_name(stepper->program, message->kernel, sizeof message->kernel);
    memcpy(message->grid, stepper->grid->grid, sizeof message->grid);
    memcpy(message->threads, stepper->grid->block, sizeof message->threads);
    message->warps = stepper_warps(stepper);
    if (stepper->worker)
        instruction_fill(stepper, message);
    else
        snprintf(message->file, sizeof message->file, "%s", kernels_file(stepper->program));
    if (stepper->report && (reason == STEPPER_REPORT || reason == STEPPER_ENDS))
        check_text(stepper->program, stepper->report, message->report, sizeof message->report);
    bool sent = debug_send(server->socket, message, sizeof *message, -1);
    free(message);
    return sent;
}

static void answer_registers(const struct server *server, const struct debug_request *request)
{
    static struct debug_register found[DEBUG_LINES];
    const struct stepper *stepper = &server->stepper;
    uint32_t count = 0, seen = 0, slot;
    if (!stepper->worker) {
        debug_send(server->socket, found, 1, -1);
        return;
    }
    const struct ptx_function *function = program_function(stepper->program, stepper->pc);
    memset(found, 0, sizeof found);
    for (uint32_t i = 0; i < stepper->program->register_count && count < DEBUG_LINES; i++) {
        const struct program_register *at = &stepper->program->registers[i];
        if (at->function != function || (*request->name && strcmp(at->variable->name, request->name) != 0) ||
            seen++ < request->from)
            continue;
        if (register_find(stepper->program, function, at->variable->name, &found[count], &slot))
            register_fill(stepper, &found[count++], slot);
    }
    debug_send(server->socket, found, count ? count * sizeof *found : 1, -1);
}

static void answer_code(const struct server *server, uint32_t from)
{
    static struct debug_code code[DEBUG_LINES];
    const struct program *program = server->stepper.program;
    uint32_t count = 0;
    for (uint32_t pc = from; pc < program->instruction_count && count < DEBUG_LINES; pc++, count++) {
        code[count].pc = pc;
        code[count].line = line_of(program, pc);
        program_instruction_text(program, pc, code[count].text, sizeof code[count].text);
        snprintf(code[count].file, sizeof code[count].file, "%s", file_at(program, pc));
    }
    debug_send(server->socket, code, count ? count * sizeof *code : 1, -1);
}

static void answer_warps(const struct server *server)
{
    static struct debug_warp warps[32];
    uint32_t count = server->stepper.worker ? stepper_warps(&server->stepper) : 0;
    count = count < 32 ? count : 32;
    for (uint32_t i = 0; i < count; i++) {
        lanes_fill(&server->stepper, i, warps[i].state, NULL, warps[i].line);
        warps[i].alive = 0;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            warps[i].alive |= (uint32_t)(warps[i].state[lane] != STEPPER_OVER) << lane;
    }
    debug_send(server->socket, warps, count ? count * sizeof *warps : 1, -1);
}

static void answer_memory(const struct server *server, const struct debug_request *request)
{
    uint8_t bytes[DEBUG_BYTES + 1];
    size_t wanted = request->size_bytes < DEBUG_BYTES ? request->size_bytes : DEBUG_BYTES;
    size_t count = stepper_memory(&server->stepper, (enum ptx_space)request->space,
                                  request->lane % WARP_LANES, request->address, bytes + 1, wanted);
    debug_send(server->socket, bytes, count + 1, -1); /* a message is never empty */
}

/* ---- stops ---- */

static void next_mark(struct server *server)
{
    struct stepper *stepper = &server->stepper;
    uint64_t next =
        stepper->begun + ((stepper->position - stepper->begun) / server->spacing + 1) * server->spacing;
    bool extra = server->extra_mark > stepper->position && server->extra_mark < next;
    stepper->mark = extra ? server->extra_mark : next;
}

/* As lines_set. */
static uint32_t go_take(struct server *server, const struct debug_go *go)
{
    struct stepper *stepper = &server->stepper;
    server->go = *go;
    server->detached = go->detach;
    server->extra_mark = go->mark != STEPPER_NEVER ? go->mark : 0;
    stepper->stop_at = go->stop_at;
    stepper_choose(stepper, go->block, go->warp);
    stepper->every = go->every;
    stepper->keeps = go->keeps;
    stepper->kept = STEPPER_NEVER;
    stepper->reports = go->reports;
    stepper->watch_space = (enum ptx_space)go->watch_space;
    if (stepper->watch_address != go->watch_address || stepper->watch_bytes != go->watch_bytes)
        stepper->watched_known = false;
    stepper->watch_address = go->watch_address;
    stepper->watch_bytes =
        go->watch_bytes < sizeof stepper->watched ? go->watch_bytes : sizeof stepper->watched;
    stepper->watch_block = go->watch_block;
    uint32_t missed = lines_set(server);
    if (go->detach) {
        stepper->every = stepper->reports = false;
        stepper->breaks = stepper->goals = NULL;
        stepper->watch_bytes = 0;
        stepper->stop_at = STEPPER_NEVER;
    }
    next_mark(server);
    return missed;
}

/* The next request. Ends the process with the status if the debugger has ended, or wants this process no more. */
static void request_take(const struct server *server, struct debug_request *request, int status)
{
    long got;
    do
        got = debug_receive(server->socket, request, sizeof *request, NULL);
    while (got < 0 && errno == EINTR);
    if (got != (long)sizeof *request)
        _exit(status);
}

/* Serves requests until one says to go on. */
static void requests_serve(struct server *server)
{
    static struct debug_request request;
    for (;;) {
        request_take(server, &request, server->copy ? 0 : 1);
        switch (request.ask) {
        case DEBUG_GO: {
            uint32_t missed = go_take(server, &request.go);
            if (!missed)
                return;
            server->no_line = missed;
            if (!send_stop(server, STEPPER_POSITION))
                _exit(1);
            server->no_line = 0;
            break;
        }
        case DEBUG_COPY:
        case DEBUG_PAUSE: break;
        case DEBUG_REGISTERS: answer_registers(server, &request); break;
        case DEBUG_MEMORY: answer_memory(server, &request); break;
        case DEBUG_WARPS: answer_warps(server); break;
        case DEBUG_CODE: answer_code(server, request.from); break;
        }
    }
}

/* Waits as a snapshot. Returns in a copy of it, which has been told where to go. */
static void snapshot_wait(struct server *server)
{
    static struct debug_request request;
    for (;;) {
        request_take(server, &request, 0);
        if (request.ask == DEBUG_COPY && !process_offer(server, DEBUG_COPIED)) {
            requests_serve(server);
            return;
        }
    }
}

/* Has the debugger something to say while this runs? */
static bool is_called(const struct server *server)
{
    struct pollfd socket = {.fd = server->socket, .events = POLLIN};
    return poll(&socket, 1, 0) > 0;
}

static void snapshot_make(struct server *server)
{
    if (!process_offer(server, DEBUG_SNAPSHOT)) {
        signal(SIGINT, SIG_IGN);
        snapshot_wait(server);
    } else if (++server->snapshots % SPARSE == 0) {
        server->spacing *= 2;
    }
}

static void server_stopped(void *owner, struct stepper *stepper, enum stepper_reason reason)
{
    struct server *server = owner;
    if (server->detached)
        return;
    if (reason == STEPPER_MARK) {
        bool extra = server->copy && stepper->position == server->extra_mark;
        if (!server->copy || extra)
            snapshot_make(server);
        next_mark(server);
        if (stepper->position == stepper->stop_at || !is_called(server))
            return;
        reason = STEPPER_POSITION;
    }
    if (reason == STEPPER_BEGINS) {
        server->spacing = SPACING;
        server->snapshots = 0;
        lines_set(server);
        snapshot_make(server);
        if (server->copy)
            return; /* a copy of the begin runs on */
    }
    if (!send_stop(server, reason))
        _exit(1);
    requests_serve(server);
}

static bool server_wants(void *owner, struct stepper *stepper, const struct program *program)
{
    struct server *server = owner;
    char name[DEBUG_FILE_BYTES], plain[DEBUG_FILE_BYTES];
    (void)stepper;
    if (server->detached || getpid() != server->pid)
        return false;
    kernel_name(program, name, sizeof name);
    progress_kernel_name(name, plain, sizeof plain);
    if (server->kernel && fnmatch(server->kernel, program->entry->name, 0) != 0 &&
        fnmatch(server->kernel, plain, 0) != 0)
        return false;
    return ++server->wanted >= server->from;
}

struct stepper *debug_serve(int socket, const char *kernel, uint64_t from)
{
    struct server *server = calloc(1, sizeof *server);
    if (!server)
        return NULL;
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    stepper_init(&server->stepper);
    server->stepper.wants = server_wants;
    server->stepper.stopped = server_stopped;
    server->stepper.owner = server;
    server->socket = socket;
    server->pid = getpid();
    server->kernel = kernel;
    server->from = from ? from : 1;
    server->spacing = SPACING;
    return &server->stepper;
}
