/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python frames of the calling thread, of CPython 3.9 and later. Its functions are looked up in the
 * running process: no dependency, and nothing happens in a program without Python.
 *
 * Of versions whose frames are known (a table in python.c) with or without the GIL; of others through the
 * public C API, while the thread holds the GIL. It is never taken or released, no Python code is run, a
 * pending exception stays as it is. Frames are borrowed: they are valid until the function returns to Python.
 * Any thread.
 */
#ifndef CUPTI_AGENT_STACKS_PYTHON_H
#define CUPTI_AGENT_STACKS_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PYTHON_FILE_BYTES 1024u /* longer ones are cut */
#define PYTHON_NAME_BYTES 512u

struct python_frame {
    void *frame, *code; /* PyFrameObject, NULL if the layout was used; PyCodeObject */
    int32_t place;      /* offset of the instruction in the code; with the public API before 3.11 the line */
    uint64_t print; /* hash of the function at `code`: another function at the same address has another one */
};

struct python_text {
    char file[PYTHON_FILE_BYTES], name[PYTHON_NAME_BYTES]; /* terminated; any bytes */
    uint32_t line;                                         /* 0: not known */
};

/* Is there a Python in this process, whatever its version? */
bool python_is_loaded(void);

/* Looks for the parts of Python that are needed; false: Python is not there (yet). public_api: use only that.
 * One thread at a time. */
bool python_find(bool public_api);

/* The innermost `most` frames, innermost first; returns their number. 0: this thread runs no Python, or does
 * not hold the GIL where that is needed, or Python is ending. *further: there are more. Only after
 * python_find was true. */
size_t python_walk(struct python_frame *frames, size_t most, bool *further);

/* File, line and function of a frame from python_walk, in the same call. */
void python_describe(const struct python_frame *frame, struct python_text *text);

/* Keeps the code object of a frame from the public API forever, so that no other one gets its address. */
void python_keep(const struct python_frame *frame);

#endif
