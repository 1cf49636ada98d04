/* Names of kernels as people see them. */
#include "core/analysis/kernel_metrics.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(kernel_name, names_for_people)
{
    static const struct {
        const char *demangled, *plain, *folded;
    } cases[] = {
        {"copy_offset", "copy_offset", "copy_offset"},
        {"copy(float*, int)", "copy", "copy"},
        {"void foo<int, 4>(float*, int)", "foo<int, 4>", "foo<...>"},
        {"void ns::foo<std::array<char*, 1ul> >(int, ns::F<float>)", "ns::foo<std::array<char*, 1ul> >",
         "ns::foo<...>"},
        {"(anonymous namespace)::k(int)", "(anonymous namespace)::k", "(anonymous namespace)::k"},
        {"void (anonymous namespace)::k<1>(int)", "(anonymous namespace)::k<1>",
         "(anonymous namespace)::k<...>"},
        {"void outer<int>::inner<float>(int)", "outer<int>::inner<float>", "outer<...>::inner<...>"},
        {"void k<(E)2>(int)", "k<(E)2>", "k<...>"},
        {"void k<(1>2)>(int)", "k<(1>2)>", "k<...>"},
        {"void k<(a<b)>(int)", "k<(a<b)>", "k<...>"},
        {"void k<&(S::f(int)), 1u>(T)", "k<&(S::f(int)), 1u>", "k<...>"},
        {"void k<void (*)(int)>(T)", "k<void (*)(int)>", "k<...>"},
        {"void k<decltype(a->b)>(T)", "k<decltype(a->b)>", "k<...>"},
        {"S::operator()(int) const", "S::operator()", "S::operator()"},
        {"S::operator<<(int)", "S::operator<<", "S::operator<<"},
        {"f(int)::{lambda(int)#1}::operator()(int) const", "f", "f"},
        {"{lambda(int)#1}::operator()(int) const", "{lambda(int)#1}::operator()",
         "{lambda(int)#1}::operator()"},
        {"void k<{lambda(int)#1}>(int)", "k<{lambda(int)#1}>", "k<...>"},
        {"void unbalanced<int(float", "unbalanced<int", "unbalanced<int"},
        {"a < b", "a < b", "a < b"},
        {"k> (int)", "k> ", "k> "},
        {"void cub::CUB_300001_SM_900::detail::reduce::DeviceReduceKernel<a::b<1>, int>(int)",
         "cub::CUB_300001_SM_900::detail::reduce::DeviceReduceKernel<a::b<1>, int>",
         "cub::..::DeviceReduceKernel<...>"},
        {"at::native::copy(int)", "at::native::copy", "at::native::copy"},
        {"at::native::(anonymous namespace)::copy<int>(int)", "at::native::(anonymous namespace)::copy<int>",
         "at::..::copy<...>"},
        {"a<x::y>::b::{lambda(c::d)#1}::operator()(e::f) const", "a<x::y>::b::{lambda(c::d)#1}::operator()",
         "a<...>::..::operator()"},
        {"a::b::c::", "a::b::c::", "a::..::"},
        {"::::::", "::::::", "::..::"},
        {"(odd)", "(odd)", "(odd)"},
        {"", "", ""},
        {"<<<<", "<<<<", "<<<<"},
        {"_Z3fooPf", "_Z3fooPf", "_Z3fooPf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        kernel_display_name(cases[i].demangled, false, text, sizeof text);
        cr_assert_str_eq(text, cases[i].plain, "'%s' gave '%s'", cases[i].demangled, text);
        kernel_display_name(cases[i].demangled, true, text, sizeof text);
        cr_assert_str_eq(text, cases[i].folded, "'%s' gave '%s'", cases[i].demangled, text);
        char small[5];
        kernel_display_name(cases[i].demangled, true, small, sizeof small);
        cr_assert_lt(strlen(small), sizeof small);
        cr_assert_eq(strncmp(small, cases[i].folded, strlen(small)), 0);
    }
    char untouched = 'x';
    kernel_display_name("foo", true, &untouched, 0);
    cr_assert_eq(untouched, 'x');
}

Test(kernel_name, names_alone)
{
    static const struct {
        const char *demangled, *own;
    } cases[] = {
        {"copy_offset", "copy_offset"},
        {"void cub::CUB_300001_SM_900::detail::reduce::DeviceReduceKernel<a::b<1>, int>(int)",
         "DeviceReduceKernel"},
        {"(anonymous namespace)::k(int)", "k"},
        {"k<x::y>(z::w)", "k"},
        {"S::operator<<(int)", "operator<<"},
        {"a::{lambda(c::d)#1}::operator()(e::f) const", "operator()"},
        {"a::", ""},
        {"<<<<", "<<<<"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200], small[5], untouched = 'x';
        kernel_own_name(cases[i].demangled, text, sizeof text);
        cr_assert_str_eq(text, cases[i].own, "'%s' gave '%s'", cases[i].demangled, text);
        kernel_own_name(cases[i].demangled, small, sizeof small);
        cr_assert(strlen(small) < sizeof small && strncmp(small, text, strlen(small)) == 0);
        kernel_own_name(cases[i].demangled, &untouched, 0);
        cr_assert_eq(untouched, 'x');
    }
}

/* Any bytes: ends, stays in bounds (the sanitizers watch). */
Test(kernel_name, names_of_any_bytes)
{
    static const char letters[] = "<>(){}[]-ab: ,operator(anonymous namespace)void \xff\x1b";
    srand(5);
    for (int round = 0; round < 20000; round++) {
        char name[200], text[64];
        size_t length = (size_t)rand() % sizeof name;
        for (size_t i = 0; i < length; i++)
            name[i] = letters[(size_t)rand() % (sizeof letters - 1)];
        name[length ? length - 1 : 0] = '\0';
        kernel_display_name(name, rand() % 2, text, 1 + (size_t)rand() % sizeof text);
        cr_assert_lt(strlen(text), sizeof text);
        kernel_own_name(name, text, 1 + (size_t)rand() % sizeof text);
        cr_assert_lt(strlen(text), sizeof text);
    }
}
