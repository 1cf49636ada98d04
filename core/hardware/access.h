/*
 * One memory instruction of one warp: which lanes take part, and where each reads or writes. What it costs is
 * core/hardware/coalesce's (global and local memory) and core/hardware/bank's (shared memory) to say. Pure,
 * any thread.
 */
#ifndef CORE_HARDWARE_ACCESS_H
#define CORE_HARDWARE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#define WARP_LANES 32

enum access_space { ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL, ACCESS_SPACE_COUNT };
enum access_op { ACCESS_LOAD, ACCESS_STORE };

/* Does a load go through L1? It changes what a load moves on 2.x, and on those of 3.x that can be asked to.
 */
enum access_l1 {
    ACCESS_L1_DEFAULT, /* as the compiler's default has it: on for 2.x, off for global loads on 3.x */
    ACCESS_L1_ON,      /* -Xptxas -dlcm=ca */
    ACCESS_L1_OFF      /* ld.global.cg and the like, or -Xptxas -dlcm=cg */
};

/* Bit l of active set: lane l takes part; address[l] in bytes; width 1, 2, 4, 8, 12 or 16 bytes per lane. No
 * lane's bytes may run past the end of the address space. */
struct warp_access {
    uint32_t active;
    uint32_t width_bytes;
    bool store; /* else a load: shared memory serves wide ones differently */
    bool local; /* local memory, which L1 caches where it does not cache global memory */
    enum access_l1 l1;
    uint64_t address[WARP_LANES];
};

/* The most active lanes that have one address: how often an atomic must be done there. 0: no lane is on. */
uint32_t access_contention(const struct warp_access *access);
/*
 * Where they meet: the distinct 32-byte sectors that the lanes' addresses lie in, in the order of the lanes,
 * and of each the most active lanes that have one address in it; *count of them. Returns the most of all,
 * which is access_contention.
 */
uint32_t access_meetings(const struct warp_access *access, uint64_t sectors[WARP_LANES],
                         uint32_t lanes[WARP_LANES], uint32_t *count);

#endif
