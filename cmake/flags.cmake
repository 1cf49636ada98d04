# SPDX-License-Identifier: Apache-2.0
# How every C file is compiled: C17, with warnings (errors in our presets only: a packager's compiler and flags may warn
# of what ours do not), position independent (the agent takes objects of core/), hardened where the compiler can.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)

add_compile_definitions(_GNU_SOURCE LANESCOPE_VERSION="${PROJECT_VERSION}")
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wvla)
include_directories(${PROJECT_SOURCE_DIR})

# Two folders give the same bytes. Not in debug builds: debuggers and coverage take the whole path.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()

foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  string(MAKE_C_IDENTIFIER "LANESCOPE_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()
foreach(flag -Wl,-z,relro -Wl,-z,now)
  string(MAKE_C_IDENTIFIER "LANESCOPE_HAS${flag}" known)
  check_linker_flag(C ${flag} ${known})
  if(${known})
    add_link_options(${flag})
  endif()
endforeach()

# glibc's checked functions need the optimiser (the last -O counts) and disturb the sanitizers; a packager's choice stays.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(flags "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
string(REGEX MATCHALL " -O[^ ]*" levels " ${flags}")
list(POP_BACK levels level)
set(LANESCOPE_FORTIFIED OFF)
if(level AND NOT level STREQUAL " -O0" AND NOT LANESCOPE_SANITIZE AND NOT flags MATCHES "_FORTIFY_SOURCE")
  set(LANESCOPE_FORTIFIED ON)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

# A debug build links some three hundred programs of tests: lld takes a third of the time of bfd.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-fno-omit-frame-pointer)
  check_linker_flag(C -fuse-ld=lld LANESCOPE_HAS_LLD)
  if(LANESCOPE_HAS_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

if(LANESCOPE_SANITIZE STREQUAL "address")
  set(LANESCOPE_SANITIZER_OPTIONS -fsanitize=address,undefined -fno-sanitize-recover=all)
  add_compile_definitions(SANITIZES_ADDRESSES)
  # What is preloaded into programs that are not built with it, before the stand-in.
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
    OUTPUT_VARIABLE LANESCOPE_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${LANESCOPE_SANITIZER_RUNTIME}")
    set(LANESCOPE_SANITIZER_RUNTIME "")
  endif()
elseif(LANESCOPE_SANITIZE STREQUAL "thread")
  set(LANESCOPE_SANITIZER_OPTIONS -fsanitize=thread)
  add_compile_definitions(SANITIZES_THREADS)
elseif(NOT LANESCOPE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "LANESCOPE_SANITIZE is '${LANESCOPE_SANITIZE}': it takes address, thread or nothing.")
endif()
if(LANESCOPE_SANITIZE)
  add_compile_options(${LANESCOPE_SANITIZER_OPTIONS} -fno-omit-frame-pointer)
  add_link_options(${LANESCOPE_SANITIZER_OPTIONS})
endif()

if(LANESCOPE_FUZZ AND NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "LANESCOPE_FUZZ takes clang: use the preset asan.")
endif()
