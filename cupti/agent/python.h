/*
 * The Python frames of the calling thread, through CPython's public C API (3.9 and later). Its functions are
 * looked up in the running process: no dependency, and nothing happens in a program without Python.
 *
 * Only a thread that holds the GIL is looked at; the GIL is never taken or released, no Python code is run, a
 * pending exception stays as it is. Frames are borrowed: they are valid until the function returns to Python.
 * Any thread.
 */
#ifndef CUPTI_AGENT_PYTHON_H
#define CUPTI_AGENT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PYTHON_FILE_BYTES 1024u /* longer ones are cut */
#define PYTHON_NAME_BYTES 512u

struct python_frame {
    void *frame, *code; /* PyFrameObject, PyCodeObject */
    int32_t place;      /* of the instruction in the code; before 3.11 the line */
};

struct python_text {
    char file[PYTHON_FILE_BYTES], name[PYTHON_NAME_BYTES]; /* terminated; any bytes */
    uint32_t line;                                         /* 0: not known */
};

/* Looks for Python in this process; false: it is not there (yet). One thread at a time. */
bool python_find(void);

/* The innermost `most` frames, innermost first; their number. 0: this thread runs no Python, or does not hold
 * the GIL, or Python is ending. *further: there are more. After python_find was true. */
size_t python_walk(struct python_frame *frames, size_t most, bool *further);

/* File, line and function of a frame that python_walk gave, in the same call. */
void python_describe(const struct python_frame *frame, struct python_text *text);

/* Keeps a frame's code object for good, so that no other one gets its address. */
void python_keep(const struct python_frame *frame);

#endif
