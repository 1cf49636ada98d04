/*
 * Demangles C++ names. libstdc++ is opened at run time; if it is missing, names stay mangled. Any thread.
 */
#ifndef CORE_BASE_DEMANGLE_H
#define CORE_BASE_DEMANGLE_H

/* The demangled form, for the caller to free; NULL when the name is not a mangled one, is too long or too
 * complex (it is then shown mangled), or libstdc++ is missing. */
char *demangle(const char *mangled);

#endif
