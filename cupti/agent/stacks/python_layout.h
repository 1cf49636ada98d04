/*
 * The Python frames of the calling thread without the GIL: PyTorch, CuPy and Triton release it before they
 * launch, and the public C API may not be used then. CPython's frames are read where 3.9 to 3.13 have them.
 *
 * Only the calling thread's own frames, which do not change while it is in a launch: nothing is written, no
 * reference is counted, no Python code is run. Any thread.
 */
#ifndef CUPTI_AGENT_STACKS_PYTHON_LAYOUT_H
#define CUPTI_AGENT_STACKS_PYTHON_LAYOUT_H

#include "cupti/agent/stacks/python.h"

/* False: this process has no Python (yet), or its layout is not known: another version, or a build without
 * the GIL. One thread at a time. */
bool python_layout_find(void);

/* As python_walk and python_describe. Only after python_layout_find was true. */
size_t python_layout_walk(struct python_frame *frames, size_t most, bool *further);
void python_layout_describe(const struct python_frame *frame, struct python_text *text);

#endif
