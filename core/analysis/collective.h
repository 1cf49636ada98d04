/* Collectives: work that exchanges data with other devices, told by names alone. Pure; any thread. */
#ifndef CORE_ANALYSIS_COLLECTIVE_H
#define CORE_ANALYSIS_COLLECTIVE_H

#include <stdbool.h>

/* Is it a kernel that exchanges data with other devices, by its name: of NCCL, RCCL, NVSHMEM, or a
 * framework's own all-reduce? */
bool kernel_is_collective(const char *name);
/* The same of the name of a range, as NCCL's own ranges have them: "ncclAllReduce". */
bool range_is_collective(const char *name);

#endif
