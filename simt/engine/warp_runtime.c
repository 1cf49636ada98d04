/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of CUDA's device runtime (PTX_RUNTIME_LIST), lane by lane, in the order of lanes. Parameters
 * and results are .param areas of the frame: a lane's bytes lie at slot + lane * size.
 */
#include "simt/engine/nested.h"
#include "simt/engine/print.h"
#include "simt/engine/warp_memory.h"
#include "simt/memory/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cudaError values that calls in kernels can return. */
enum { ERROR_NONE = 0, ERROR_VALUE = 1, ERROR_MEMORY = 2 };
static const struct {
    const char *name, *string;
} errors[RUNTIME_ERRORS] = {[ERROR_NONE] = {"cudaSuccess", "no error"},
                            [ERROR_VALUE] = {"cudaErrorInvalidValue", "invalid argument"},
                            [ERROR_MEMORY] = {"cudaErrorMemoryAllocation", "out of memory"},
                            [RUNTIME_ERRORS - 1] = {"unrecognized error code", "unrecognized error code"}};

struct call { /* of one lane */
    struct worker *worker;
    struct warp *warp;
    const struct program_instruction *instruction;
    const struct ptx_runtime_function *function;
    uint32_t pc, lane;
};

static const char *error_text(uint32_t error, bool name)
{
    uint32_t row = error < RUNTIME_ERRORS - 1 ? error : RUNTIME_ERRORS - 1;
    return name ? errors[row].name : errors[row].string;
}

void runtime_texts_fill(uint8_t *bytes)
{
    for (uint32_t i = 0; i < 2 * RUNTIME_ERRORS; i++)
        snprintf((char *)bytes + (size_t)i * RUNTIME_TEXT_BYTES, RUNTIME_TEXT_BYTES, "%s",
                 error_text(i / 2, i % 2));
}

/* ---- a lane's parameters, result and memory ---- */
static void parameter_read(const struct call *call, uint32_t i, void *value)
{
    size_t bytes = call->function->parameter_bytes[i];
    memcpy(value, call->warp->frame + call->instruction->source[i] + call->lane * bytes, bytes);
}

static uint64_t parameter_number(const struct call *call, uint32_t i)
{
    uint64_t value = 0;
    parameter_read(call, i, &value);
    return value;
}

static void result_write(const struct call *call, uint64_t value)
{
    size_t bytes = call->function->result_bytes;
    memcpy(call->warp->frame + call->instruction->destination[0] + call->lane * bytes, &value, bytes);
}

/* Reads or writes bytes at a generic address; false: the worker's fault says why. */
static bool lane_bytes_move(const struct call *call, uint64_t address, uint8_t *bytes, uint32_t size_bytes,
                            bool write)
{
    uint64_t base, local_bytes = call->worker->run->local_bytes;
    enum ptx_space space = warp_space_of(address, &base);
    struct warp_access access = {.width_bytes = 1, .store = write};
    uint64_t place = access.address[call->lane] = address - base;
    if (space != PTX_LOCAL) {
        const struct memory_range *range =
            warp_locate(call->worker, call->warp, call->pc, space, &access, call->lane, 0, size_bytes);
        if (!range)
            return false;
        uint8_t *there = range->bytes + (place - range->address);
        memcpy(write ? there : bytes, write ? bytes : there, size_bytes);
        if (write && range->initialised)
            memory_mark(range, place - range->address, size_bytes);
        return true;
    }
    if (place >= local_bytes || local_bytes - place < size_bytes) {
        struct memory_range own = {.size_bytes = local_bytes};
        warp_fault_outside(call->worker, call->warp, call->pc, space, &access, call->lane, &own);
        return false;
    }
    for (uint32_t i = 0; i < size_bytes; i++) {
        uint64_t at = warp_local_place(place + i, call->lane);
        uint8_t *there = call->warp->local + at;
        if (write)
            *there = bytes[i];
        else
            bytes[i] = *there;
        if (write && call->warp->local_written)
            memory_mark(&(struct memory_range){.initialised = call->warp->local_written}, at, 1);
    }
    return true;
}

static bool lane_bytes_read(void *owner, uint64_t address, void *bytes, uint32_t size_bytes)
{
    return lane_bytes_move(owner, address, bytes, size_bytes, false);
}

/* Returns an error from the call and stores it as the lane's last error. */
static void error_give(const struct call *call, uint32_t error)
{
    if (error != ERROR_NONE)
        call->warp->last_error[call->lane] = error;
    result_write(call, error);
}

/* Stores a handle or an address where parameter 0 points to. */
static bool value_give(const struct call *call, uint64_t value, uint32_t size_bytes, uint32_t error)
{
    if (!lane_bytes_move(call, parameter_number(call, 0), (uint8_t *)&value, size_bytes, true))
        return false;
    error_give(call, error);
    return true;
}

/* The handle of a condition is the address of its value (standin/graph/runtime_graph.c). */
static bool condition_set(const struct call *call)
{
    uint64_t value = parameter_number(call, 1);
    return lane_bytes_move(call, parameter_number(call, 0), (uint8_t *)&value, sizeof(uint32_t), true);
}

/* ---- printf and assert ---- */
static enum warp_stop stop_of(enum print_end end)
{
    return end == PRINT_DONE ? WARP_GOES_ON : end == PRINT_UNREADABLE ? WARP_FAILS : WARP_NO_MEMORY;
}

static enum warp_stop lane_print(struct call *call)
{
    struct print_memory memory = {lane_bytes_read, call};
    struct print_text text = {0};
    int32_t result;
    enum print_end end =
        print_format(&memory, parameter_number(call, 0), parameter_number(call, 1), &text, &result);
    if (end == PRINT_DONE && text.size_bytes &&
        !print_log_add(&call->worker->run->printed, call->worker->block.number, &text))
        end = PRINT_NO_MEMORY;
    free(text.bytes);
    if (end == PRINT_DONE)
        result_write(call, (uint32_t)result);
    return stop_of(end);
}

/* Prints CUDA's line for each lane; the fault describes the first one. */
static enum warp_stop lane_assert(struct call *call, bool first)
{
    static const uint32_t strings[] = {1, 3, 0}; /* file, function, condition */
    struct print_memory memory = {lane_bytes_read, call};
    struct print_text text[3] = {{0}}, line = {0};
    struct check_report report = worker_report(call->worker, call->warp, CHECK_ASSERT, call->pc, call->lane);
    enum print_end end = PRINT_DONE;
    for (int i = 0; i < 3 && end == PRINT_DONE; i++)
        end = print_string(&memory, parameter_number(call, strings[i]), &text[i]);
    if (end == PRINT_DONE &&
        (!print_add(&line, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                    text[0].bytes, (unsigned)parameter_number(call, 2), text[1].bytes, report.block[0],
                    report.block[1], report.block[2], report.thread[0], report.thread[1], report.thread[2],
                    text[2].bytes) ||
         !print_log_add(&call->worker->run->asserted, call->worker->block.number, &line)))
        end = PRINT_NO_MEMORY;
    if (end == PRINT_DONE && first) {
        snprintf(report.asserted, sizeof report.asserted, "%s", text[2].bytes);
        call->worker->fault = report;
    }
    for (int i = 0; i < 3; i++)
        free(text[i].bytes);
    free(line.bytes);
    return stop_of(end);
}

/* ---- the heap ---- */
static uint64_t heap_take(const struct call *call, uint64_t size_bytes)
{
    struct heap *heap = call->worker->run->heap;
    const struct races *races = call->worker->run->races;
    uint64_t address = heap ? heap_alloc(heap, size_bytes) : 0;
    if (address && races) /* it may have been another thread's */
        shadow_forget(races->shadow, address, size_bytes);
    if (address && call->worker->run->undefined)
        undefined_forget(call->worker->run->undefined, address, size_bytes);
    return address;
}

static enum warp_stop lane_free(const struct call *call)
{
    uint64_t address = parameter_number(call, 0);
    struct heap *heap = call->worker->run->heap;
    if (address && !(heap && heap_free(heap, address))) {
        call->worker->fault = worker_report(call->worker, call->warp, CHECK_FREE, call->pc, call->lane);
        call->worker->fault.address = address;
        return WARP_FAILS;
    }
    if (call->function->result_bytes)
        error_give(call, ERROR_NONE);
    return WARP_GOES_ON;
}

static enum warp_stop lane_nested_malloc(const struct call *call)
{
    uint64_t address = heap_take(call, parameter_number(call, 1));
    return value_give(call, address, 8, address ? ERROR_NONE : ERROR_MEMORY) ? WARP_GOES_ON : WARP_FAILS;
}

/* ---- launches and copies ---- */
static void lane_nested_buffer(const struct call *call)
{
    uint32_t grid[3], block[3];
    parameter_read(call, 1, grid);
    parameter_read(call, 2, block);
    uint64_t buffer = nested_buffer(call->worker->run->nested, parameter_number(call, 0), grid, block,
                                    (uint32_t)parameter_number(call, 3));
    if (!buffer)
        call->warp->last_error[call->lane] = ERROR_VALUE;
    result_write(call, buffer);
}

static void lane_nested_move(const struct call *call, bool copy)
{
    struct nested_move move = {.copy = copy,
                               .destination = parameter_number(call, 0),
                               .source = parameter_number(call, 1),
                               .size_bytes = parameter_number(call, 2)};
    error_give(call, nested_move(call->worker->run->nested, &move, call->worker->block.number));
}

static enum warp_stop lane_call(struct call *call, bool first)
{
    bool good = true;
    uint32_t *last_error = &call->warp->last_error[call->lane];
    uint64_t texts = call->worker->run->runtime_texts;
    switch ((enum ptx_runtime)call->instruction->sub) {
    case PTX_RUNTIME_NESTED_BUFFER: lane_nested_buffer(call); break;
    case PTX_RUNTIME_NESTED_LAUNCH:
        error_give(call, nested_launch(call->worker->run->nested, parameter_number(call, 0),
                                       call->worker->block.number));
        break;
    case PTX_RUNTIME_NESTED_COPY: lane_nested_move(call, true); break;
    case PTX_RUNTIME_NESTED_SET: lane_nested_move(call, false); break;
    case PTX_RUNTIME_PRINTF: return lane_print(call);
    case PTX_RUNTIME_ASSERT: return lane_assert(call, first);
    case PTX_RUNTIME_MALLOC: result_write(call, heap_take(call, parameter_number(call, 0))); break;
    case PTX_RUNTIME_FREE:
    case PTX_RUNTIME_NESTED_FREE: return lane_free(call);
    case PTX_RUNTIME_NESTED_MALLOC: return lane_nested_malloc(call);
    case PTX_RUNTIME_STREAM_CREATE:
    case PTX_RUNTIME_EVENT_CREATE: good = value_give(call, 1, 8, ERROR_NONE); break;
    case PTX_RUNTIME_STREAM_DESTROY:
    case PTX_RUNTIME_STREAM_WAIT:
    case PTX_RUNTIME_EVENT_RECORD:
    case PTX_RUNTIME_EVENT_DESTROY: error_give(call, ERROR_NONE); break;
    case PTX_RUNTIME_LAST_ERROR:
        result_write(call, *last_error);
        *last_error = ERROR_NONE;
        break;
    case PTX_RUNTIME_PEEK_ERROR: result_write(call, *last_error); break;
    case PTX_RUNTIME_ERROR_STRING:
    case PTX_RUNTIME_ERROR_NAME: {
        uint64_t error = parameter_number(call, 0), last = RUNTIME_ERRORS - 1;
        uint64_t row = 2 * (error < last ? error : last) + (call->instruction->sub == PTX_RUNTIME_ERROR_NAME);
        result_write(call, texts + row * RUNTIME_TEXT_BYTES);
        break;
    }
    case PTX_RUNTIME_DEVICE: good = value_give(call, 0, 4, ERROR_NONE); break;
    case PTX_RUNTIME_DEVICE_COUNT: good = value_give(call, 1, 4, ERROR_NONE); break;
    case PTX_RUNTIME_SET_CONDITION: good = condition_set(call); break;
    case PTX_RUNTIME_COUNT: break;
    }
    return good ? WARP_GOES_ON : WARP_FAILS;
}

enum warp_stop warp_runtime(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct call call = {.worker = worker,
                        .warp = warp,
                        .instruction = instruction,
                        .function = &ptx_runtime_functions[instruction->sub],
                        .pc = pc};
    enum warp_stop stop = WARP_GOES_ON;
    warp->polls = 0;
    worker->block.changes++;
    for (uint32_t left = on; left && stop == WARP_GOES_ON; left &= left - 1) {
        call.lane = (uint32_t)__builtin_ctz(left);
        stop = lane_call(&call, left == on);
    }
    return stop == WARP_GOES_ON && instruction->sub == PTX_RUNTIME_ASSERT ? WARP_FAILS : stop;
}
