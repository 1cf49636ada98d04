/* The function of CUDA's API that the program has called in this thread, and is in. */
#ifndef STANDIN_CALLED_H
#define STANDIN_CALLED_H

#include <stdint.h>

/* "cudaMalloc", valid until the thread calls another one; NULL: none, or its name is not known. */
const char *called_name(void);
uint32_t called_number(void); /* of the call, in its thread */

#endif
