/* SPDX-License-Identifier: Apache-2.0 */
/* made_code_grow of made_session.h: random functions, instructions, what they cost, accesses, call paths. */
#include "core/hardware/access.h"
#include "core/session/code.h"
#include "core/session/stacks.h"
#include "tests/shared/made/made_session.h"

#include <stdio.h>
#include <string.h>

/* The maker's random numbers with a state of their own: code leaves the rest of a session as its seed says.
 */
static uint64_t random_code(struct maker *maker, uint64_t below)
{
    struct maker own = {.state = maker->code_state};
    uint64_t number = made_random(&own, below);
    maker->code_state = own.state;
    return number;
}

static uint32_t any_string(struct maker *maker, const char *what, uint64_t of)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%s\x1b%u", what, (unsigned)random_code(maker, of));
    return session_add_string(maker->session, text, (size_t)size);
}

static uint32_t any_row(struct maker *maker, uint32_t count)
{
    return count == 0 || random_code(maker, 5) == 0 ? NONE : (uint32_t)random_code(maker, count);
}

static void add_function(struct maker *maker)
{
    struct function_row row = {.mangled = any_string(maker, "_Z", 40)};
    row.module = random_code(maker, 3) == 0 ? UINT64_MAX - random_code(maker, 3) : random_code(maker, 3);
    row.name = any_string(maker, "name", 40);
    row.size_bytes = (uint32_t)random_code(maker, UINT64_C(1) << 32);
    session_add_function(maker->session, &row);
}

static void add_source(struct maker *maker)
{
    char text[400];
    uint32_t file = any_string(maker, "file", 6);
    int size =
        snprintf(text, sizeof text, "line one\n\tline \xff two\n%*u", (int)random_code(maker, 300), 7u);
    session_add_source(maker->session, file, text, (size_t)size);
}

static void add_costs(struct maker *maker)
{
    struct session *session = maker->session;
    uint32_t function = (uint32_t)random_code(maker, session_function_count(session));
    uint32_t offset = (uint32_t)random_code(maker, 50) * 16;
    uint32_t instruction = session_add_instruction(session, function, offset);
    struct stall_row stall = {.instruction = instruction, .period_cycles = 1024};
    struct tally_row tally = {.instruction = instruction, .launches = 1};
    if (random_code(maker, 3) == 0) {
        uint32_t text = any_string(maker, "IMAD", 90);
        session_set_instruction(session, instruction, text, any_string(maker, "file", 6),
                                (uint32_t)random_code(maker, 99));
    }
    stall.kernel = tally.kernel = any_row(maker, session_kernel_count(session));
    stall.run = tally.run = any_row(maker, session_run_count(session));
    stall.reason = any_string(maker, "stalled", 20);
    stall.samples = random_code(maker, CODE_AMOUNT_MAX / 64);
    session_add_stall(session, &stall);
    tally.counter = any_string(maker, "counter", 9);
    tally.number = random_code(maker, 1000000);
    session_add_tally(session, &tally);
}

static void add_access(struct maker *maker)
{
    struct session *session = maker->session;
    struct access_row row = {.kernel = any_row(maker, session_kernel_count(session)),
                             .run = any_row(maker, session_run_count(session)),
                             .instruction = (uint32_t)random_code(maker, session_instruction_count(session)),
                             .block = random_code(maker, INT64_MAX),
                             .warp = (uint16_t)random_code(maker, 32),
                             .part = (uint16_t)random_code(maker, 2),
                             .transfers = (uint16_t)random_code(maker, 64),
                             .ideal_transfers = (uint16_t)random_code(maker, 32),
                             .requests = (uint32_t)random_code(maker, 1000),
                             .all_transfers = random_code(maker, CODE_AMOUNT_MAX),
                             .all_ideal_transfers = random_code(maker, CODE_AMOUNT_MAX),
                             .space = (uint8_t)random_code(maker, ACCESS_SPACE_COUNT),
                             .width_bytes = (uint8_t)(1u << random_code(maker, 5)),
                             .flags = (uint8_t)random_code(maker, ACCESS_FLAGS + 1)};
    struct warp_access access = {.active = 1u | (uint32_t)random_code(maker, UINT32_MAX)};
    char text[ACCESS_TEXT_BYTES];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        access.address[lane] = UINT64_C(0x700000000) + lane * row.width_bytes;
    access_print(&access, text);
    row.addresses = session_add_string(session, text, strlen(text));
    session_add_access(session, &row);
}

static void add_launch_site(struct maker *maker)
{
    struct session *session = maker->session;
    struct stack_row stack = {.caller = any_row(maker, session_stack_count(session))};
    stack.name = any_string(maker, "call", 30);
    stack.file = random_code(maker, 4) == 0 ? 0 : any_string(maker, "file", 6);
    stack.line = (uint32_t)random_code(maker, 30);
    stack.flags = (uint32_t)random_code(maker, 2) * STACK_LIBRARY;
    struct launch_site_row site = {.stack = session_add_stack(session, &stack), .launches = 1};
    site.run = any_row(maker, session_run_count(session));
    site.kernel = any_row(maker, session_kernel_count(session));
    site.kind = (uint8_t)random_code(maker, 3);
    site.copy_kind = (uint8_t)random_code(maker, COPY_KIND_COUNT);
    site.total_ns = random_code(maker, 1000000);
    session_add_launch_site(session, &site);
}

static void add_event_use(struct maker *maker)
{
    struct event_use_row use = {.correlation = (uint32_t)random_code(maker, 1000000)};
    use.process = (uint32_t)random_code(maker, session_process_count(maker->session));
    use.context = (uint32_t)random_code(maker, 4);
    use.stream = (uint32_t)random_code(maker, 100);
    use.event = (uint32_t)random_code(maker, 1000);
    use.use = (uint8_t)random_code(maker, EVENT_USE_COUNT);
    use.record = random_code(maker, UINT64_C(1) << 62);
    session_add_event_use(maker->session, &use);
}

static void add_graph_node(struct maker *maker)
{
    struct graph_node_row row = {.graph = (uint32_t)random_code(maker, 10),
                                 .node = (uint32_t)random_code(maker, 100),
                                 .dependency = NONE};
    row.process = (uint32_t)random_code(maker, session_process_count(maker->session));
    if (random_code(maker, 2) == 0) {
        row.dependency = (uint32_t)random_code(maker, 100);
    } else {
        row.stream = (uint32_t)random_code(maker, 100);
        row.start_ns = (int64_t)random_code(maker, 1000000);
    }
    session_add_graph_node(maker->session, &row);
}

void made_code_grow(struct maker *maker, size_t rows)
{
    if (session_function_count(maker->session) == 0) {
        add_function(maker);
        add_source(maker);
    }
    for (size_t i = 0; i < rows; i++) {
        add_costs(maker);
        add_launch_site(maker);
        if (session_process_count(maker->session) > 0) {
            add_event_use(maker);
            add_graph_node(maker);
        }
        if (i % 8 == 0)
            add_access(maker);
        if (random_code(maker, 20) == 0)
            add_function(maker);
        if (random_code(maker, 40) == 0)
            add_source(maker);
    }
}
