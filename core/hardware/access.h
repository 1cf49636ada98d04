/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One memory instruction of one warp: the active lanes and the address of each. Its cost is computed by
 * core/hardware/coalesce (global and local memory) and core/hardware/bank (shared memory). Pure, any thread.
 */
#ifndef CORE_HARDWARE_ACCESS_H
#define CORE_HARDWARE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WARP_LANES 32

enum access_space { ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL, ACCESS_SPACE_COUNT };
enum access_op { ACCESS_LOAD, ACCESS_STORE };

/* Does a load go through L1? It changes the number of sectors of a load on 2.x, and on GPUs of 3.x on which
 * L1 can be enabled for loads. */
enum access_l1 {
    ACCESS_L1_DEFAULT, /* the compiler's default: on for 2.x, off for global loads on 3.x */
    ACCESS_L1_ON,      /* -Xptxas -dlcm=ca */
    ACCESS_L1_OFF      /* ld.global.cg and the like, or -Xptxas -dlcm=cg */
};

/* active: bit l is set if lane l is active; address[l] in bytes; width_bytes per lane: 1, 2, 4, 8, 12 or 16.
 * No lane's bytes may extend past the end of the address space. */
struct warp_access {
    uint32_t active;
    uint32_t width_bytes;
    bool store; /* else a load: shared memory handles wide loads and stores differently */
    bool local; /* local memory: L1 caches it even on GPUs where it does not cache global memory */
    enum access_l1 l1;
    uint64_t address[WARP_LANES];
};

/* The addresses as text: for each lane hexadecimal digits, "-" for an inactive lane, separated by blanks. */
#define ACCESS_TEXT_BYTES (17 * WARP_LANES)
void access_print(const struct warp_access *access, char text[ACCESS_TEXT_BYTES]);
/* Reads such a text: sets `active` and the addresses of the active lanes, the others are 0. False: it is no
 * such text, no lane is active, or bytes of a lane would extend past the end of the address space. The width
 * must be set. */
bool access_parse(const char *text, struct warp_access *access);
/* Can an access have this width? */
bool access_width_valid(uint32_t width_bytes);

/* What a caller may know of an access all of whose lanes are active: all have one address; each lane's bytes
 * follow those of the lane before; or each lane's bytes, which are aligned, lie in one 32-byte sector, and
 * that of the lane before is a lower one. */
enum access_shape { ACCESS_ANY, ACCESS_SAME, ACCESS_ROW, ACCESS_APART };

/* The largest number of active lanes with the same address, which is the number of atomics executed there. 0:
 * no lane is active. */
uint32_t access_contention(const struct warp_access *access);
/* The distinct 32-byte sectors of the lanes' addresses, in the order of the lanes, and for each the largest
 * number of active lanes with one address in it; *count sectors. Returns the largest of these numbers, which
 * is access_contention. */
uint32_t access_meetings(const struct warp_access *access, uint64_t sectors[WARP_LANES],
                         uint32_t lanes[WARP_LANES], uint32_t *count);
/* The passes of an atomic or a reduction in global memory: in one pass an atomic unit of the L2 takes one
 * lane for each word of a sector, so a sector takes as many passes as lanes have one address in it; this is
 * the sum of access_meetings' `lanes`. The fewest that there could be are the ideal sectors (coalesce.h).
 * Equal to what an H200 counted (tests/data/atomic_passes_h200.csv); assumed for other GPUs. */
uint32_t access_passes(const struct warp_access *access);

#endif
