/*
 * The native frames of the calling thread, and their names. Return addresses come from glibc's backtrace();
 * names from the dynamic symbols of the object and, where it has none for the address, from its symbol table
 * on disk. Any thread; no lock of ours is held meanwhile, since the loader has its own.
 */
#ifndef CUPTI_AGENT_STACKS_NATIVE_H
#define CUPTI_AGENT_STACKS_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_FILE_BYTES 1024u
#define NATIVE_NAME_BYTES 2048u /* mangled; longer ones are cut */

struct native_text {
    char file[NATIVE_FILE_BYTES], name[NATIVE_NAME_BYTES]; /* path of the object; terminated */
};

void native_prepare(void); /* backtrace() loads a library at its first call: not during a launch */

/* Return addresses, innermost first; returns their number, at most `most`. */
size_t native_walk(void **addresses, size_t most);

/* The object and function of a return address. False: a frame of CUDA, CUPTI or the agent, which is left out.
 */
bool native_describe(const void *address, struct native_text *text);

#endif
