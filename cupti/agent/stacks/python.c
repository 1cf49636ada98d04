/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public C API. `api` is filled once and only read afterwards. Types of Python are void here: only
 * pointers pass.
 *
 * A frame is walked by strong references that are given back at once: the interpreter holds its frames while
 * they run, and the code objects with them, so that the pointers stay valid until the call returns.
 *
 * The Python frames without the GIL: PyTorch, CuPy and Triton release it before they
 * launch, and the public C API may not be used then. CPython's frames are read where 3.9 to 3.13 have them.
 *
 * Only the calling thread's own frames, which do not change while it is in a launch: nothing is written, no
 * reference is counted, no Python code is run. Any thread.
 *
 * `python` is filled once and only read afterwards. The offsets are those of CPython's headers on 64-bit
 * Linux (cpython/pystate.h, cpython/code.h, internal/pycore_frame.h; before 3.11 cpython/frameobject.h),
 * which a minor version keeps. Before a pointer is followed the thread state must say that it is this
 * thread's, and each frame's code must be of the type `code`: a build with other layouts has no frames.
 */
#include "cupti/agent/stacks/python.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames by their layout ---- */

#define NOT_THERE UINT16_MAX
#define OWNED_BY_C 3 /* 3.12 and later: the interpreter's own frame between two frames of the program */
#define OBJECT_TYPE 8
#define TEXT_LENGTH 16
#define TEXT_HASH 24 /* always there for a name; for a file name it may be -1 */

struct layout {
    uint16_t state_thread, state_frame; /* of a thread state */
    uint16_t top_frame; /* the thread state points to a struct with the innermost frame; NOT_THERE: to the
                           frame itself */
    uint16_t back, code, place, owner; /* of a frame */
    uint16_t file, name, line, start;  /* offsets in a code object; start: of its instructions */
    uint8_t place_bytes; /* 0: place is a pointer to an instruction; else an int in units of so many bytes */
};

/* By minor version. PyThreadState: thread_id, then cframe (3.11, 3.12: _PyCFrame.current_frame),
 * current_frame (3.13) or frame. _PyInterpreterFrame: previous, f_code (3.13: f_executable), prev_instr
 * (3.13: instr_ptr), owner; of PyFrameObject f_back, f_code, f_lasti, which counts bytes in 3.9 and pairs of
 * them in 3.10. PyCodeObject: co_filename, co_qualname (before 3.11 co_name), co_firstlineno,
 * co_code_adaptive. */
static const struct layout layouts[] = {
    [9] = {176, 24, NOT_THERE, 24, 32, 104, NOT_THERE, 104, 112, 40, 0, 1},
    [10] = {176, 24, NOT_THERE, 24, 32, 96, NOT_THERE, 104, 112, 40, 0, 2},
    [11] = {152, 56, 8, 48, 32, 56, NOT_THERE, 112, 128, 72, 184, 0},
    [12] = {136, 56, 0, 8, 0, 56, 70, 112, 128, 68, 192, 0},
    [13] = {152, 72, NOT_THERE, 8, 0, 56, 70, 112, 128, 68, 200, 0},
};
_Static_assert(sizeof(void *) == 8, "the offsets are of 64 bits");

static struct {
    const struct layout *layout;
    const void *code_type;
    int (*is_initialized)(void);
    int (*is_finalizing)(void);
    void *(*thread_state)(void);
    int (*line_of)(void *code, int address);
    long (*text_length)(void *text);
    uint32_t (*text_character)(void *text, long index);
} python;

/* The function of that name, or of its name in an earlier version. */
static bool find_function(const char *name, const char *earlier, void *function)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    if (!address && earlier)
        address = dlsym(RTLD_DEFAULT, earlier);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* False: this process has no Python (yet), or its layout is not known: another version, or a build without
 * the GIL. One thread at a time. */
static bool python_layout_find(void)
{
    const char *(*version)(void);
    if (!find_function("Py_GetVersion", NULL, &version) ||
        !find_function("Py_IsInitialized", NULL, &python.is_initialized) ||
        !find_function("Py_IsFinalizing", "_Py_IsFinalizing", &python.is_finalizing) ||
        !find_function("PyGILState_GetThisThreadState", NULL, &python.thread_state) ||
        !find_function("PyCode_Addr2Line", NULL, &python.line_of) ||
        !find_function("PyUnicode_GetLength", NULL, &python.text_length) ||
        !find_function("PyUnicode_ReadChar", NULL, &python.text_character) ||
        !find_function("PyCode_Type", NULL, &python.code_type))
        return false;
    const char *text = version(); /* "3.11.7 (main, ...": valid also before Python is initialized */
    unsigned long minor = strncmp(text, "3.", 2) == 0 ? strtoul(text + 2, NULL, 10) : 0;
    if (minor >= sizeof layouts / sizeof layouts[0] || layouts[minor].back == 0 ||
        strstr(text, "free-threading"))
        return false;
    python.layout = &layouts[minor];
    return true;
}

static const char *pointer_at(const void *object, uint16_t offset)
{
    const char *pointer;
    memcpy(&pointer, (const char *)object + offset, sizeof pointer);
    return pointer;
}

static int32_t number_at(const void *object, uint16_t offset)
{
    int32_t number;
    memcpy(&number, (const char *)object + offset, sizeof number);
    return number;
}

static uint64_t text_print(const char *text)
{
    return (uint64_t)(uintptr_t)pointer_at(text, TEXT_LENGTH) * 0x100000001b3u ^
           (uint64_t)(uintptr_t)pointer_at(text, TEXT_HASH);
}

static void frame_read(const char *frame, const char *code, struct python_frame *read)
{
    const struct layout *layout = python.layout;
    read->frame = NULL;
    memcpy(&read->code, &code, sizeof code);
    if (layout->place_bytes > 0)
        read->place = number_at(frame, layout->place) * layout->place_bytes;
    else
        read->place = (int32_t)(pointer_at(frame, layout->place) - (code + layout->start));
    read->print = text_print(pointer_at(code, layout->name)) * 31 +
                  text_print(pointer_at(code, layout->file)) +
                  (uint64_t)(uint32_t)number_at(code, layout->line);
}

/* As python_walk and python_describe. Only after python_layout_find was true. */
static size_t python_layout_walk(struct python_frame *frames, size_t most, bool *further)
{
    const struct layout *layout = python.layout;
    size_t count = 0;
    *further = false;
    if (!python.is_initialized() || python.is_finalizing())
        return 0;
    const void *state = python.thread_state();
    if (!state || (uintptr_t)pointer_at(state, layout->state_thread) != (uintptr_t)pthread_self())
        return 0;
    const char *frame = pointer_at(state, layout->state_frame);
    if (frame && layout->top_frame != NOT_THERE)
        frame = pointer_at(frame, layout->top_frame);
    for (; frame && count < most; frame = pointer_at(frame, layout->back)) {
        if (layout->owner != NOT_THERE && frame[layout->owner] == OWNED_BY_C)
            continue;
        const char *code = pointer_at(frame, layout->code);
        if (!code || pointer_at(code, OBJECT_TYPE) != python.code_type)
            return count;
        frame_read(frame, code, &frames[count++]);
    }
    *further = frame != NULL;
    return count;
}

/* ---- texts ---- */

static size_t character_put(uint32_t character, char bytes[8])
{
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        bytes[0] = (char)(0xc0 | character >> 6);
        bytes[1] = (char)(0x80 | (character & 63));
        return 2;
    }
    if (character >= 0xd800 && character < 0xe000) { /* a byte of a file name that is not UTF-8: "\udc80" */
        static const char hex[] = "0123456789abcdef";
        bytes[0] = '\\';
        bytes[1] = 'u';
        for (int i = 0; i < 4; i++)
            bytes[2 + i] = hex[character >> (12 - 4 * i) & 15];
        return 6;
    }
    size_t length = character < 0x10000 ? 3 : 4;
    bytes[0] = (char)((length == 3 ? 0xe0 : 0xf0) | (character >> 6 * (length - 1)));
    for (size_t i = 1; i < length; i++)
        bytes[i] = (char)(0x80 | (character >> 6 * (length - 1 - i) & 63));
    return length;
}

static void object_copy(const char *object, char *copy, size_t size_bytes)
{
    void *text;
    memcpy(&text, &object, sizeof text);
    long length = python.text_length(text);
    size_t used = 0;
    for (long i = 0; i < length; i++) {
        char bytes[8];
        size_t more = character_put(python.text_character(text, i), bytes);
        if (used + more >= size_bytes)
            break;
        memcpy(copy + used, bytes, more);
        used += more;
    }
    copy[used] = '\0';
}

static void python_layout_describe(const struct python_frame *frame, struct python_text *text)
{
    int line = python.line_of(frame->code, frame->place);
    text->line = line > 0 ? (uint32_t)line : 0;
    object_copy(pointer_at(frame->code, python.layout->file), text->file, sizeof text->file);
    object_copy(pointer_at(frame->code, python.layout->name), text->name, sizeof text->name);
}

/* ---- frames by the public API ---- */

/* name, result, parameters. The first ones are required; the others exist only in some versions. */
#define PYTHON_LIST(X)                                                         \
    X(Py_IsInitialized, int, (void))                                           \
    X(PyGILState_Check, int, (void))                                           \
    X(PyGILState_GetThisThreadState, void *, (void))                           \
    X(PyEval_GetFrame, void *, (void))                                         \
    X(PyFrame_GetBack, void *, (void *))                                       \
    X(PyFrame_GetCode, void *, (void *))                                       \
    X(PyFrame_GetLineNumber, int, (void *))                                    \
    X(PyObject_GetAttrString, void *, (void *, const char *))                  \
    X(PyUnicode_AsEncodedString, void *, (void *, const char *, const char *)) \
    X(PyBytes_AsString, char *, (void *))                                      \
    X(PyErr_Occurred, void *, (void))                                          \
    X(PyErr_Fetch, void, (void **, void **, void **))                          \
    X(PyErr_Restore, void, (void *, void *, void *))                           \
    X(PyErr_Clear, void, (void))                                               \
    X(Py_DecRef, void, (void *))
#define PYTHON_OPTIONAL(X)                                               \
    X(PyFrame_GetLasti, int, (void *))             /* 3.11 */            \
    X(PyGC_Disable, int, (void))                   /* 3.10 */            \
    X(PyGC_Enable, int, (void))                    /* 3.10 */            \
    X(PyThreadState_GetUnchecked, void *, (void))  /* 3.13, */           \
    X(_PyThreadState_UncheckedGet, void *, (void)) /* its name before */ \
    X(Py_IsFinalizing, int, (void))                /* 3.13, */           \
    X(_Py_IsFinalizing, int, (void))               /* its name before */

#define PYTHON_MEMBER(name, result, parameters) result(*name) parameters;
static struct {
    PYTHON_LIST(PYTHON_MEMBER)
    PYTHON_OPTIONAL(PYTHON_MEMBER)
} api;

bool python_is_loaded(void)
{
    return dlsym(RTLD_DEFAULT, "Py_IsInitialized") != NULL;
}

static bool by_layout;

bool python_find(bool public_api)
{
    by_layout = !public_api && python_layout_find();
    if (by_layout)
        return true;
    bool all = true;
#define PYTHON_FIND(name, result, parameters)        \
    {                                                \
        void *address = dlsym(RTLD_DEFAULT, #name);  \
        memcpy(&api.name, &address, sizeof address); \
        all = all && address;                        \
    }
    PYTHON_LIST(PYTHON_FIND)
    bool needed = all;
    PYTHON_OPTIONAL(PYTHON_FIND)
    return needed;
}

static void *current_state(void)
{
    return api.PyThreadState_GetUnchecked ? api.PyThreadState_GetUnchecked()
                                          : api._PyThreadState_UncheckedGet();
}

/* PyGILState_Check alone is also true before Python begins, after it has ended, and always once there was a
 * subinterpreter. So this compares the thread state that holds the GIL with this thread's own. */
static bool holds_gil(void)
{
    if (!api.Py_IsInitialized() || (api.Py_IsFinalizing && api.Py_IsFinalizing()) ||
        (api._Py_IsFinalizing && api._Py_IsFinalizing()))
        return false;
    void *own = api.PyGILState_GetThisThreadState();
    if (!own || !api.PyGILState_Check())
        return false;
    return (!api.PyThreadState_GetUnchecked && !api._PyThreadState_UncheckedGet) || current_state() == own;
}

/* State to restore afterwards: a pending exception, and whether garbage collection is on. 3.11 may collect
 * when a frame object is created, which would run the program's finalizers during a launch. */
struct guard {
    void *type, *value, *traceback;
    bool collects;
};

static void guard_begin(struct guard *guard)
{
    memset(guard, 0, sizeof *guard);
    if (api.PyErr_Occurred())
        api.PyErr_Fetch(&guard->type, &guard->value, &guard->traceback);
    guard->collects = api.PyGC_Disable && api.PyGC_Enable && api.PyGC_Disable();
}

static void guard_end(const struct guard *guard)
{
    if (guard->collects)
        api.PyGC_Enable();
    if (guard->type)
        api.PyErr_Restore(guard->type, guard->value, guard->traceback);
    else if (api.PyErr_Occurred())
        api.PyErr_Clear();
}

static bool frame_take(struct python_frame *at, void *frame)
{
    at->frame = frame;
    at->print = 0;
    at->code = api.PyFrame_GetCode(frame);
    if (!at->code)
        return false;
    api.Py_DecRef(at->code);
    at->place = api.PyFrame_GetLasti ? api.PyFrame_GetLasti(frame) : api.PyFrame_GetLineNumber(frame);
    return true;
}

size_t python_walk(struct python_frame *frames, size_t most, bool *further)
{
    struct guard guard;
    size_t count = 0;
    if (by_layout)
        return python_layout_walk(frames, most, further);
    *further = false;
    if (!holds_gil())
        return 0;
    guard_begin(&guard);
    void *frame = api.PyEval_GetFrame(); /* borrowed */
    while (frame && count < most && frame_take(&frames[count], frame)) {
        count++;
        frame = api.PyFrame_GetBack(frame);
        if (frame)
            api.Py_DecRef(frame);
    }
    *further = frame && count == most;
    guard_end(&guard);
    return count;
}

/* ---- texts ---- */

/* Cuts at the start of a character. */
static void text_copy(const char *text, char *copy, size_t size_bytes)
{
    size_t length = strnlen(text, size_bytes);
    if (length == size_bytes) {
        length--;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
}

/* A name may contain bytes that are not UTF-8 (of a file name): they are written as \udc80. */
static bool copy_attribute(void *object, const char *attribute, char *copy, size_t size_bytes)
{
    void *value = api.PyObject_GetAttrString(object, attribute);
    void *bytes = value ? api.PyUnicode_AsEncodedString(value, "utf-8", "backslashreplace") : NULL;
    const char *text = bytes ? api.PyBytes_AsString(bytes) : NULL;
    text_copy(text ? text : "", copy, size_bytes);
    if (bytes)
        api.Py_DecRef(bytes);
    if (value)
        api.Py_DecRef(value);
    if (!text && api.PyErr_Occurred())
        api.PyErr_Clear();
    return text != NULL;
}

void python_describe(const struct python_frame *frame, struct python_text *text)
{
    struct guard guard;
    if (!frame->frame) {
        python_layout_describe(frame, text);
        return;
    }
    guard_begin(&guard);
    int line = api.PyFrame_GetLineNumber(frame->frame);
    text->line = line > 0 ? (uint32_t)line : 0;
    copy_attribute(frame->code, "co_filename", text->file, sizeof text->file);
    /* 3.11 has both PyFrame_GetLasti and co_qualname: the name includes the class. */
    if (!api.PyFrame_GetLasti || !copy_attribute(frame->code, "co_qualname", text->name, sizeof text->name))
        copy_attribute(frame->code, "co_name", text->name, sizeof text->name);
    guard_end(&guard);
}

void python_keep(const struct python_frame *frame)
{
    struct guard guard;
    if (!frame->frame)
        return;
    guard_begin(&guard);
    api.PyFrame_GetCode(frame->frame); /* a strong reference that is never released */
    guard_end(&guard);
}
