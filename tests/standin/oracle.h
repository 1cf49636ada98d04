/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of the oracle share. PROGRAM --list prints the names of its cases, each with the variable
 * of the environment that belongs to it; PROGRAM NAME runs one case and prints each call, its code, the code
 * that the runtime keeps as the last error, and what else can be seen. Nothing that differs from run to run
 * is printed (no address, time or amount of free memory). A case is a list of expressions, which share the
 * variables below. A process runs one case; tests/tools/oracle_run.py runs all. */
#ifndef TESTS_STANDIN_ORACLE_H
#define TESTS_STANDIN_ORACLE_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct oracle_case {
    const char *name, *environment;
    bool bare; /* without the memory, the stream and the event of the other cases */
    void (*run)();
};

#define ENTRY(name, environment, bare, ...)          \
    {                                                \
        name, environment, bare, [] { __VA_ARGS__; } \
    }
#define CASE(name, ...) ENTRY(#name, "", false, __VA_ARGS__)
#define BARE(name, ...) ENTRY(#name, "", true, __VA_ARGS__)
#define UNDER(name, environment, ...) ENTRY(#name, environment, true, __VA_ARGS__)

/* SAY: a call and its code, then the error is taken. KEEP: the error stays. SHOW: a number. TEXT: a text. */
#define SAY(...) say_code(#__VA_ARGS__, (int)(__VA_ARGS__), true)
#define KEEP(...) say_code(#__VA_ARGS__, (int)(__VA_ARGS__), false)
#define SHOW(...) std::printf("%s = %lld\n", #__VA_ARGS__, (long long)(__VA_ARGS__))
#define TEXT(...) say_text(#__VA_ARGS__, __VA_ARGS__)

/* A handle or an address that CUDA has not given: of zeros that the process may read. */
alignas(64) static unsigned char strange[1 << 16];
#define STRANGE(type) ((type)(void *)strange)

static void say_code(const char *what, int code, bool taken);

static inline void say_text(const char *what, const char *text)
{
    std::printf("%s = %s\n", what, text ? text : "(null)");
}

template <size_t N>
static int answer_case(const struct oracle_case (&cases)[N], int argc, char **argv, void (*prepare)(),
                       void (*finish)())
{
    const char *name = argc > 1 ? argv[1] : "";
    const char *answers =
        std::getenv("ORACLE_ANSWERS"); /* a file for what a case prints, instead of standard output */
    if (answers && !std::freopen(answers, "w", stdout))
        return 3;
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    for (const auto &one : cases) {
        if (std::strcmp(name, "--list") == 0)
            std::printf("%s%s%s\n", one.name, *one.environment ? " " : "", one.environment);
        if (std::strcmp(name, one.name) != 0)
            continue;
        if (!one.bare)
            prepare();
        one.run();
        finish();
        return 0;
    }
    if (std::strcmp(name, "--list") == 0)
        return 0;
    std::fprintf(stderr, "%s has no case \"%s\": --list prints their names.\n", argv[0], name);
    return 2;
}

#endif
