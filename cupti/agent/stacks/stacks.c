/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three tables, open addressing, which only grow:
 *   paths   hash of a path's frames -> its id. Read without a lock at every launch: a slot's id is stored
 *           before its hash.
 *   frames  (code object, instruction) or return address -> its announced texts. So a frame is described
 *           once, however many paths it is in. A freed code object's address may come again with another
 *           function: its print, of its names and first line, is part of the key. The public API does not
 *           give these without cost: then the code object is kept.
 *   nodes   (caller, texts, line) -> id: frames that read the same are one.
 * The lock is for adding. It is not held while a frame is described, since the loader has locks of its own
 * and a library's constructor may launch. A lost race describes a frame twice, to the same texts.
 *
 * Two paths whose 64-bit hashes collide would be one; at 65,536 paths that is one chance in 10^10.
 *
 * Native frames: return addresses come from glibc's backtrace();
 * names from the dynamic symbols of the object and, where it has none for the address, from its symbol table
 * on disk. Any thread; no lock of ours is held meanwhile, since the loader has its own. No
 * state but what backtrace() keeps. An object's file is mapped while one symbol is looked for.
 */
#include "cupti/agent/stacks/stacks.h"

#include "core/base/elf.h"
#include "cupti/agent/stacks/python.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NATIVE_FILE_BYTES 1024u
#define NATIVE_NAME_BYTES 2048u /* mangled; longer ones are cut */

struct native_text {
    char file[NATIVE_FILE_BYTES], name[NATIVE_NAME_BYTES]; /* path of the object; terminated */
};

/* ---- native frames ---- */

/* backtrace() loads a library at its first call: not during a launch */
static void native_prepare(void)
{
    void *addresses[2];
    backtrace(addresses, 2);
}

/* Return addresses, innermost first; returns their number, at most `most`. */
static size_t native_walk(void **addresses, size_t most)
{
    int count = backtrace(addresses, (int)most);
    return count > 0 ? (size_t)count : 0;
}

/* ---- the symbol table on disk ---- */

struct around {
    uint64_t address, best;
    char *name; /* unchanged if no function is around the address */
    size_t size_bytes;
};

static bool function_look(void *owner, const struct elf_function *function)
{
    struct around *around = owner;

    if (function->address <= around->address && function->address >= around->best &&
        around->address - function->address < function->size_bytes) {
        around->best = function->address;
        snprintf(around->name, around->size_bytes, "%s", function->name);
    }
    return true;
}

static void file_search(const char *path, uint64_t address, char *name, size_t size_bytes)
{
    struct elf elf;
    struct around around = {.address = address, .name = name, .size_bytes = size_bytes};

    if (elf_map(&elf, path, NULL) != STATUS_OK)
        return;
    elf_visit_functions(&elf, function_look, &around);
    elf_unmap(&elf);
}

/* ---- names ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_cuda_object(const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    return starts_with(base, "libcuda.so") || starts_with(base, "libcudart") ||
           starts_with(base, "libcupti") || starts_with(base, "libnvperf");
}

/* Is it a function of a statically linked runtime, or of nvcc's code for <<<>>>? */
static bool is_cuda_function(const char *name)
{
    return starts_with(name, "__cuda") || starts_with(name, "cudaLaunch") || starts_with(name, "cudart") ||
           starts_with(name, "libcudart_static_") || strstr(name, "__device_stub__");
}

/* The object and function of a return address. False: a frame of CUDA, CUPTI or the agent, which is left out.
 */
static bool native_describe(const void *address, struct native_text *text)
{
    Dl_info info, own;
    struct link_map *map = NULL;
    /* A return address may already be the first byte of the next function. */
    const char *call = (const char *)address - 1;
    if (!dladdr1(call, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname) {
        snprintf(text->file, sizeof text->file, "(code made at run time)");
        text->name[0] = '\0';
        return true;
    }
    if (is_cuda_object(info.dli_fname) ||
        (dladdr((const void *)(uintptr_t)native_walk, &own) && own.dli_fbase == info.dli_fbase))
        return false;
    bool program = map && !map->l_name[0];
    ssize_t length = program ? readlink("/proc/self/exe", text->file, sizeof text->file - 1) : -1;
    if (length > 0)
        text->file[length] = '\0';
    else
        snprintf(text->file, sizeof text->file, "%s", info.dli_fname);
    uint64_t offset = (uint64_t)(call - (const char *)(map ? map->l_addr : 0));
    snprintf(text->name, sizeof text->name, "%s", info.dli_sname ? info.dli_sname : "");
    if (!info.dli_sname)
        file_search(program ? "/proc/self/exe" : info.dli_fname, offset, text->name, sizeof text->name);
    if (!text->name[0])
        snprintf(text->name, sizeof text->name, "+0x%llx", (unsigned long long)offset);
    return !is_cuda_function(text->name);
}

/* ---- paths ---- */

#define PATH_SLOTS (2 * STACKS_PATHS_MOST)
#define FRAME_SLOTS (2 * STACKS_FRAMES_MOST)
#define NODES_MOST (2 * STACKS_PATHS_MOST)
#define NODE_SLOTS (2 * NODES_MOST)
#define CORRELATIONS 65536u
#define NO_PATH UINT32_MAX /* id of a path whose frames are all left out */

struct node {
    uint32_t caller, name, file, line;
};

/* A frame as seen in the program, and as announced. name 0 of a known frame: it is left out. */
struct place {
    const void *code;
    uint64_t print;
    int32_t instruction;
};
struct frame {
    struct place place; /* code NULL: free */
    uint32_t name, file, line;
};

struct path {
    _Atomic uint64_t hash; /* 0: free */
    _Atomic uint32_t id;
};

struct stacks {
    struct stacks_out out;
    char folder[PYTHON_FILE_BYTES]; /* the program's working folder; "": not known */
    pthread_mutex_t lock;
    _Atomic bool full;
    uint32_t path_count, frame_count, node_count; /* the lock's, and the next two */
    struct frame frames[FRAME_SLOTS];
    struct {
        struct node node;
        uint32_t id; /* 0: free */
    } nodes[NODE_SLOTS];
    struct path paths[PATH_SLOTS];
    _Atomic uint64_t by_correlation[CORRELATIONS]; /* correlation and id; 0: free */
};

struct stacks *stacks_create(const struct stacks_out *out)
{
    struct stacks *stacks = calloc(1, sizeof *stacks); /* 12 MB, of which only the used part takes memory */
    if (!stacks)
        return NULL;
    stacks->out = *out;
    if (!getcwd(stacks->folder, sizeof stacks->folder) || strcmp(stacks->folder, "/") == 0)
        stacks->folder[0] = '\0';
    pthread_mutex_init(&stacks->lock, NULL);
    if (out->native)
        native_prepare();
    return stacks;
}

bool stacks_full(const struct stacks *stacks)
{
    return atomic_load_explicit(&stacks->full, memory_order_relaxed);
}

static uint64_t hash_add(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t place_hash(uint64_t hash, const struct place *place)
{
    return hash_add(hash_add(hash, (uint64_t)(uintptr_t)place->code ^ place->print),
                    (uint32_t)place->instruction);
}

/* ---- paths ---- */

static uint32_t path_find(const struct stacks *stacks, uint64_t hash)
{
    for (uint32_t slot = (uint32_t)hash % PATH_SLOTS;; slot = (slot + 1) % PATH_SLOTS) {
        const struct path *path = &stacks->paths[slot];
        uint64_t there = atomic_load_explicit(&path->hash, memory_order_acquire);
        if (there == hash)
            return atomic_load_explicit(&path->id, memory_order_relaxed);
        if (there == 0)
            return 0;
    }
}

static void path_add(struct stacks *stacks, uint64_t hash, uint32_t id)
{
    pthread_mutex_lock(&stacks->lock);
    uint32_t slot = (uint32_t)hash % PATH_SLOTS;
    while (stacks->paths[slot].hash != 0 && stacks->paths[slot].hash != hash)
        slot = (slot + 1) % PATH_SLOTS;
    if (stacks->paths[slot].hash == 0 && stacks->path_count < STACKS_PATHS_MOST) {
        stacks->path_count++;
        atomic_store_explicit(&stacks->paths[slot].id, id, memory_order_relaxed);
        atomic_store_explicit(&stacks->paths[slot].hash, hash, memory_order_release);
    }
    if (stacks->path_count == STACKS_PATHS_MOST)
        atomic_store_explicit(&stacks->full, true, memory_order_relaxed);
    pthread_mutex_unlock(&stacks->lock);
}

/* ---- nodes ---- */

/* Announces the frame with that caller and returns its id; 0: no room, here or in the ring. */
static uint32_t node_add(struct stacks *stacks, const struct node *node)
{
    uint64_t hash = hash_add(hash_add((uint64_t)node->caller << 32 | node->name, node->file), node->line);
    pthread_mutex_lock(&stacks->lock);
    uint32_t slot = (uint32_t)hash % NODE_SLOTS;
    while (stacks->nodes[slot].id != 0 && memcmp(&stacks->nodes[slot].node, node, sizeof *node) != 0)
        slot = (slot + 1) % NODE_SLOTS;
    uint32_t id = stacks->nodes[slot].id;
    if (id == 0 && stacks->node_count < NODES_MOST) {
        struct event event = {.kind = EVENT_STACK};
        event.stack.id = stacks->node_count + 1;
        event.stack.caller = node->caller;
        event.stack.name = node->name;
        event.stack.file = node->file;
        event.stack.line = node->line;
        if (stacks->out.emit(stacks->out.user, &event)) {
            id = ++stacks->node_count;
            stacks->nodes[slot].node = *node;
            stacks->nodes[slot].id = id;
        }
    } else if (id == 0) {
        atomic_store_explicit(&stacks->full, true, memory_order_relaxed);
    }
    pthread_mutex_unlock(&stacks->lock);
    return id;
}

/* ---- frames ---- */

static bool is_same_place(const struct place *a, const struct place *b)
{
    return a->code == b->code && a->print == b->print && a->instruction == b->instruction;
}

/* The slot of a place: its own, or a free one. Under the lock. */
static struct frame *frame_slot(struct stacks *stacks, const struct place *place)
{
    uint32_t slot = (uint32_t)place_hash(1, place) % FRAME_SLOTS;
    while (stacks->frames[slot].place.code && !is_same_place(&stacks->frames[slot].place, place))
        slot = (slot + 1) % FRAME_SLOTS;
    return &stacks->frames[slot];
}

static bool frame_find(struct stacks *stacks, const struct place *place, struct frame *frame)
{
    pthread_mutex_lock(&stacks->lock);
    *frame = *frame_slot(stacks, place);
    pthread_mutex_unlock(&stacks->lock);
    return frame->place.code != NULL;
}

/* False: there was no room. *added: it is new. */
static bool frame_put(struct stacks *stacks, const struct frame *frame, bool *added)
{
    pthread_mutex_lock(&stacks->lock);
    struct frame *slot = frame_slot(stacks, &frame->place);
    bool there = slot->place.code != NULL;
    *added = !there && stacks->frame_count < STACKS_FRAMES_MOST;
    if (*added) {
        *slot = *frame;
        stacks->frame_count++;
    }
    pthread_mutex_unlock(&stacks->lock);
    if (!there && !*added)
        atomic_store_explicit(&stacks->full, true, memory_order_relaxed);
    return there || *added;
}

static uint32_t text_id(struct stacks *stacks, const char *text)
{
    return text[0] ? stacks->out.string(stacks->out.user, text) : 0;
}

/* Python gives a program's file with its whole path: users know it relative to their folder. */
static const char *file_from_folder(const struct stacks *stacks, const char *file)
{
    size_t length = strlen(stacks->folder);
    bool below = length > 0 && strncmp(file, stacks->folder, length) == 0 && file[length] == '/';
    return below ? file + length + 1 : file;
}

static bool python_learn(struct stacks *stacks, const struct python_frame *at, struct frame *frame)
{
    struct python_text text;
    bool added;
    python_describe(at, &text);
    frame->name = text_id(stacks, text.name[0] ? text.name : "?");
    frame->file = text_id(stacks, file_from_folder(stacks, text.file));
    frame->line = text.line;
    if (frame->name == 0 || !frame_put(stacks, frame, &added))
        return false;
    if (added)
        python_keep(at);
    return true;
}

static bool native_learn(struct stacks *stacks, struct frame *frame)
{
    struct native_text text;
    bool added;
    if (native_describe(frame->place.code, &text)) {
        frame->name = text_id(stacks, text.name[0] ? text.name : "?");
        frame->file = text_id(stacks, text.file);
        if (frame->name == 0)
            return false;
    }
    return frame_put(stacks, frame, &added);
}

/* ---- a launch ---- */

struct walk {
    struct python_frame python[STACKS_FRAMES];
    void *native[STACKS_FRAMES];
    size_t count;
    bool is_python, further;
};

static struct place walk_place(const struct walk *walk, size_t i)
{
    if (walk->is_python)
        return (struct place){.code = walk->python[i].code,
                              .print = walk->python[i].print,
                              .instruction = walk->python[i].place};
    return (struct place){.code = walk->native[i]};
}

/* Announces the path and returns its id; 0: not possible now, try again at the next launch. */
static uint32_t walk_announce(struct stacks *stacks, const struct walk *walk)
{
    uint32_t id = 0;
    if (walk->further) {
        const struct node more = {.name = text_id(stacks, STACK_FURTHER)};
        id = node_add(stacks, &more);
        if (more.name == 0 || id == 0)
            return 0;
    }
    for (size_t i = walk->count; i-- > 0;) {
        struct frame frame, known;
        memset(&frame, 0, sizeof frame);
        frame.place = walk_place(walk, i);
        if (frame_find(stacks, &frame.place, &known))
            frame = known;
        else if (walk->is_python ? !python_learn(stacks, &walk->python[i], &frame)
                                 : !native_learn(stacks, &frame))
            return 0;
        if (frame.name == 0)
            continue;
        const struct node node = {.caller = id, .name = frame.name, .file = frame.file, .line = frame.line};
        id = node_add(stacks, &node);
        if (id == 0)
            return 0;
    }
    return id == 0 ? NO_PATH : id;
}

/* A program may load Python after its first launch: look for it at launches 1, 2, 4, 8, ... */
static bool python_there(const struct stacks *stacks)
{
    static _Atomic uint32_t asked;
    static _Atomic bool finding, found;
    if (atomic_load_explicit(&found, memory_order_acquire))
        return true;
    uint32_t before = atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed);
    if ((before & (before + 1)) != 0 || atomic_exchange(&finding, true))
        return false;
    bool is_there = python_find(stacks->out.public_api);
    atomic_store_explicit(&found, is_there, memory_order_release);
    atomic_store(&finding, false);
    return is_there;
}

static uint32_t walk_id(struct stacks *stacks)
{
    struct walk walk;
    walk.further = false;
    walk.count = python_there(stacks) ? python_walk(walk.python, STACKS_FRAMES, &walk.further) : 0;
    walk.is_python = walk.count > 0;
    if (!walk.is_python && !stacks->out.native)
        return 0;
    if (!walk.is_python) {
        walk.count = native_walk(walk.native, STACKS_FRAMES);
        walk.further = walk.count == STACKS_FRAMES;
    }
    uint64_t hash = walk.is_python;
    for (size_t i = 0; i < walk.count; i++) {
        struct place place = walk_place(&walk, i);
        hash = place_hash(hash, &place);
    }
    hash += hash == 0;
    uint32_t id = path_find(stacks, hash);
    if (id == 0 && !stacks_full(stacks)) {
        id = walk_announce(stacks, &walk);
        if (id != 0)
            path_add(stacks, hash, id);
    }
    return id == NO_PATH ? 0 : id;
}

uint32_t stacks_capture(struct stacks *stacks)
{
    static __thread bool inside; /* this thread may hold the lock already if a signal handler launches */
    if (inside)
        return 0;
    inside = true;
    uint32_t id = walk_id(stacks);
    inside = false;
    return id;
}

void stacks_enter(struct stacks *stacks, uint32_t correlation)
{
    uint32_t id = stacks_capture(stacks);
    atomic_store_explicit(&stacks->by_correlation[correlation % CORRELATIONS],
                          (uint64_t)correlation << 32 | id, memory_order_relaxed);
}

uint32_t stacks_find(const struct stacks *stacks, uint32_t correlation)
{
    uint64_t there =
        atomic_load_explicit(&stacks->by_correlation[correlation % CORRELATIONS], memory_order_relaxed);
    return there >> 32 == correlation ? (uint32_t)there : 0;
}
