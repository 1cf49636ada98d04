/*
 * The public C API. `api` is filled once and only read afterwards. Types of Python are void here: only
 * pointers pass.
 *
 * A frame is walked by strong references that are given back at once: the interpreter holds its frames while
 * they run, and the code objects with them, so that the pointers stay valid until the call returns.
 */
#include "cupti/agent/stacks/python.h"

#include "cupti/agent/stacks/python_layout.h"

#include <dlfcn.h>
#include <string.h>

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
    *further = frame != NULL && count == most;
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
