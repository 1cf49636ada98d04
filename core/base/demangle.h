/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangles C++ names. libstdc++ is opened at run time; if it is missing, names stay mangled. Any thread.
 */
#ifndef CORE_BASE_DEMANGLE_H
#define CORE_BASE_DEMANGLE_H

/* The demangled form, to be freed by the caller; NULL if the name is not mangled, is too long or too complex
 * (it is then shown mangled), or if libstdc++ is missing. */
char *demangle(const char *mangled);

#endif
