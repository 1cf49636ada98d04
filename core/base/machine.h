/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between x86-64 and AArch64 and that a compiler does not hide: a busy wait, 16 bytes that are never torn, what a fault's
 * context says, jumps written into code. A further processor is a branch here, and one in cmake/old_glibc.c and cmake/standin_names.cmake,
 * which hold assembler of the linker's. Sizes in bytes. Any thread; machine_fault_* in a signal's handler.
 */
#ifndef CORE_BASE_MACHINE_H
#define CORE_BASE_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

/* 16 bytes at an address that is a multiple of 16. */
typedef uint64_t machine_pair __attribute__((vector_size(16), may_alias));

#if defined(__x86_64__)
#define MACHINE_CUDA_FOLDER "targets/x86_64-linux/lib"
#define MACHINE_OLDEST_GLIBC "GLIBC_2.2.5" /* the version of a symbol that every glibc has */

static inline void machine_pause(void)
{
    __builtin_ia32_pause();
}

/* A single instruction moves it: not torn on any processor that has AVX, which orders loads and stores itself: only the compiler is to keep
 * them. */
static inline machine_pair machine_load_pair(const void *from)
{
    machine_pair value = *(const volatile machine_pair *)from;

    atomic_signal_fence(memory_order_acquire);
    return value;
}

static inline void machine_store_pair(void *to, machine_pair value)
{
    atomic_signal_fence(memory_order_release);
    *(volatile machine_pair *)to = value;
}

/* The instruction that faulted. */
static inline void *machine_fault_place(const ucontext_t *context)
{
    return (void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

/* Whether it wrote; false where that is not known: *writes stays as it is. */
static inline bool machine_fault_writes(const ucontext_t *context, bool *writes)
{
    *writes = (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    return true;
}

#define MACHINE_JUMP_BYTES 5u
#define MACHINE_REACH_BYTES (INT64_C(1) << 31) /* of that jump */
#define MACHINE_TRAMPOLINE_BYTES 40u

/* Writes a jump at the address `at` of memory that can be written, to a place within reach. */
static inline void machine_write_jump(uint8_t *at, const void *to)
{
    int32_t near = (int32_t)((intptr_t)to - ((intptr_t)at + (intptr_t)MACHINE_JUMP_BYTES));

    at[0] = 0xe9;
    memcpy(at + 1, &near, sizeof near);
}

/* Writes a jump to any address; with a name, this and the library become the function's first two arguments:
 * mov rdi, name; mov rsi, library; jmp [rip+0], followed by the address. */
static inline void machine_write_trampoline(uint8_t *at, void (*target)(void), const char *name,
                                            const char *library)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};

    if (name) {
        memcpy(at, (const uint8_t[]){0x48, 0xbf}, 2);
        memcpy(at + 2, &name, sizeof name);
        memcpy(at + 10, (const uint8_t[]){0x48, 0xbe}, 2);
        memcpy(at + 12, &library, sizeof library);
        at += 20;
    }
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &target, sizeof target);
}

/* After code was written. */
static inline void machine_code_written(void *begin, void *end)
{
    (void)begin, (void)end;
}

#elif defined(__aarch64__)
#define MACHINE_CUDA_FOLDER "targets/sbsa-linux/lib"
#define MACHINE_OLDEST_GLIBC "GLIBC_2.17"

static inline void machine_pause(void)
{
    __asm__ volatile("yield");
}

/* LDP and STP of two registers move 16 aligned bytes as one since FEAT_LSE2 (Grace, GB10); before it (Jetson Orin) LDXP does where a
 * STXP of the same bytes succeeds after it, as the architecture's manual says in B2.2.1. Such a load writes, too. */
static inline bool machine_moves_pairs(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_USCAT) != 0;
}

static inline machine_pair machine_load_pair(const void *from)
{
    uint64_t low, high;
    uint32_t failed;

    if (machine_moves_pairs())
        __asm__ volatile("ldp %0, %1, [%2]" : "=r"(low), "=r"(high) : "r"(from) : "memory");
    else
        do
            __asm__ volatile("ldxp %0, %1, [%3]\n\tstxp %w2, %0, %1, [%3]"
                             : "=&r"(low), "=&r"(high), "=&r"(failed)
                             : "r"(from)
                             : "memory");
        while (failed);
    atomic_thread_fence(memory_order_acquire);
    return (machine_pair){low, high};
}

static inline void machine_store_pair(void *to, machine_pair value)
{
    uint64_t low, high;
    uint32_t failed;

    atomic_thread_fence(memory_order_release);
    if (machine_moves_pairs()) {
        __asm__ volatile("stp %0, %1, [%2]" : : "r"(value[0]), "r"(value[1]), "r"(to) : "memory");
        return;
    }
    do
        __asm__ volatile("ldxp %0, %1, [%5]\n\tstxp %w2, %3, %4, [%5]"
                         : "=&r"(low), "=&r"(high), "=&r"(failed)
                         : "r"(value[0]), "r"(value[1]), "r"(to)
                         : "memory");
    while (failed);
}

static inline void *machine_fault_place(const ucontext_t *context)
{
    return (void *)(uintptr_t)context->uc_mcontext.pc;
}

/* The kernel appends records of {magic, size}; that of the syndrome has bit 6 set for a write. */
static inline bool machine_fault_writes(const ucontext_t *context, bool *writes)
{
    const uint8_t *at = (const uint8_t *)context->uc_mcontext.__reserved,
                  *end = at + sizeof context->uc_mcontext.__reserved;

    while (end - at >= (ptrdiff_t)(2 * sizeof(uint64_t))) {
        uint32_t head[2];
        uint64_t syndrome;

        memcpy(head, at, sizeof head);
        if (!head[0] || head[1] < sizeof head)
            return false;
        if (head[0] == 0x45535201) { /* ESR_MAGIC */
            memcpy(&syndrome, at + sizeof head, sizeof syndrome);
            *writes = syndrome & 64;
            return true;
        }
        at += head[1];
    }
    return false;
}

#define MACHINE_JUMP_BYTES 4u
#define MACHINE_REACH_BYTES (INT64_C(1) << 27)
#define MACHINE_TRAMPOLINE_BYTES 40u

/* b to */
static inline void machine_write_jump(uint8_t *at, const void *to)
{
    uint32_t code = 0x14000000u | ((uint32_t)(((intptr_t)to - (intptr_t)at) >> 2) & 0x3ffffffu);

    memcpy(at, &code, sizeof code);
}

/* ldr x0, name; ldr x1, library; ldr x16, target; br x16; without a name two times nop. The three words lie behind it. */
static inline void machine_write_trampoline(uint8_t *at, void (*target)(void), const char *name,
                                            const char *library)
{
    const uint32_t code[] = {name ? 0x58000080u : 0xd503201fu, name ? 0x580000a1u : 0xd503201fu, 0x580000d0u,
                             0xd61f0200u};

    memcpy(at, code, sizeof code);
    memcpy(at + 16, &name, sizeof name);
    memcpy(at + 24, &library, sizeof library);
    memcpy(at + 32, &target, sizeof target);
}

static inline void machine_code_written(void *begin, void *end)
{
    __builtin___clear_cache(begin, end);
}
#else
#error "lanescope knows x86-64 and AArch64: a further processor is a branch of core/base/machine.h"
#endif

#endif
