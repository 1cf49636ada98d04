/*
 * C++ names for people. libstdc++ is opened at run time; where it is missing, names stay as they are. Any
 * thread.
 */
#ifndef CORE_BASE_DEMANGLE_H
#define CORE_BASE_DEMANGLE_H

/* The demangled form, for the caller to free; NULL when the name is not a mangled one, is too long or too
 * involved to try (the name is then shown as it is), or libstdc++ is not there. */
char *demangle(const char *mangled);

#endif
