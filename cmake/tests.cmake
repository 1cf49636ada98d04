# SPDX-License-Identifier: Apache-2.0
# How tests are made. Every program of tests/ may ask: TEST_SOURCE_DIR (the root of the tree), TEST_BUILD_DIR (the build
# folder), TEST_LANESCOPE (the program), TEST_AGENT (the agent; not defined in a build without it).

# A report of a sanitizer fails a test, whatever its exit status: Criterion prints a leak and passes. So does a test that
# Criterion skips, which ctest would count as passed.
set(LANESCOPE_TEST_FAILURES "\\[SKIP\\];Tested: 0 ;ERROR: (Leak|Address|Thread|Memory)Sanitizer;WARNING: ThreadSanitizer;runtime error:")
set(LANESCOPE_TEST_ENVIRONMENT
  "ASAN_OPTIONS=detect_leaks=1:protect_shadow_gap=0:abort_on_error=0"
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks.supp:print_suppressions=0"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1"
  "LC_ALL=C.UTF-8" "TZ=UTC" "XDG_CONFIG_HOME=${PROJECT_BINARY_DIR}/no_config")

# The toolkit's libcupti, for the tests of the planner; it needs no GPU.
if(LANESCOPE_HAVE_CUDA)
  list(APPEND LANESCOPE_TEST_ENVIRONMENT "LD_LIBRARY_PATH=${LANESCOPE_TOOLKIT}/lib:${LANESCOPE_TOOLKIT}/lib64:\
${LANESCOPE_TOOLKIT}/extras/CUPTI/lib64:$ENV{LD_LIBRARY_PATH}")
endif()

# lanescope_test_program(NAME FILES...): an executable of tests/, linked with the rooms it includes.
function(lanescope_test_program name)
  add_executable(${name} ${ARGN})
  lanescope_link_included(${name} ${ARGN})
  target_compile_definitions(${name} PRIVATE TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TEST_BUILD_DIR="${PROJECT_BINARY_DIR}")
  if(TARGET lanescope)
    target_compile_definitions(${name} PRIVATE TEST_LANESCOPE="$<TARGET_FILE:lanescope>")
  endif()
  if(TARGET lanescope-agent)
    target_compile_definitions(${name} PRIVATE TEST_AGENT="$<TARGET_FILE:lanescope-agent>")
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

# lanescope_test_register(NAME COMMAND...): a ctest test; exit status 77 means skipped, its reason printed as "skipped: ...".
function(lanescope_test_register name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES
    FAIL_REGULAR_EXPRESSION "${LANESCOPE_TEST_FAILURES}" ENVIRONMENT "${LANESCOPE_TEST_ENVIRONMENT}"
    SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()

# lanescope_test_label(LABEL NAMES...): tests of half a minute or more, which begin first. slow: not without CUDA. once: in one build of
# several (LANESCOPE_ONCE), since neither the compiler nor CUDA matters to them; elsewhere they are built on request.
function(lanescope_test_label label)
  set_tests_properties(${ARGN} PROPERTIES LABELS ${label} COST 100)
  foreach(name ${ARGN})
    if(label STREQUAL "once" AND NOT LANESCOPE_ONCE AND TARGET ${name})
      set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
  endforeach()
endfunction()

# lanescope_test_sampled(EVERY NAME COMMAND...): a test that takes minutes: NAME looks at one in EVERY of what it is run over (TEST_EVERY, in
# its environment), once; NAME_all, at night, at all.
function(lanescope_test_sampled every name)
  lanescope_test_register(${name}_all ${ARGN})
  lanescope_test_label(nightly ${name}_all)
  if(NOT TEST ${name})
    lanescope_test_register(${name} ${ARGN})
  endif()
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT TEST_EVERY=${every})
  lanescope_test_label(once ${name})
endfunction()

# lanescope_test_library(NAME FILES...): C files that several test programs share.
function(lanescope_test_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC criterion)
  target_compile_definitions(${name} PRIVATE TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TEST_BUILD_DIR="${PROJECT_BINARY_DIR}")
  if(TARGET lanescope)
    target_compile_definitions(${name} PRIVATE TEST_LANESCOPE="$<TARGET_FILE:lanescope>")
  endif()
  if(TARGET lanescope-agent)
    target_compile_definitions(${name} PRIVATE TEST_AGENT="$<TARGET_FILE:lanescope-agent>")
  endif()
  lanescope_link_included(${name} ${ARGN})
endfunction()

# lanescope_criterion_folder(LABEL): a Criterion program, and a ctest test of the same name, for every test_*.c of this
# folder and those below it. The folder's other C files are linked to the programs that include one of its headers;
# tests/shared to those that include one of that folder's. The programs are not optimised: most of their time is the
# compiler's, on Criterion's macros. LABEL-FOLDER is a target and a label of the tests in FOLDER.
function(lanescope_criterion_folder label)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS test_*.c)
  file(GLOB shared CONFIGURE_DEPENDS *.c)
  list(REMOVE_ITEM shared ${tests})
  if(shared)
    lanescope_test_library(${label}_shared ${shared})
    target_link_libraries(${label}_shared PRIVATE tests_shared)
  endif()
  foreach(file ${tests})
    if(file MATCHES "/standin/" AND LANESCOPE_HAVE_CUDA AND NOT LANESCOPE_STANDIN)
      continue()
    endif()
    get_filename_component(name ${file} NAME_WE)
    lanescope_test_program(${name} ${file})
    file(STRINGS ${file} lines REGEX "^#[ ]*include \"(tests/${label}/)?[a-z_]+\\.h\"")
    if(shared AND lines)
      target_link_libraries(${name} PRIVATE ${label}_shared)
    endif()
    file(STRINGS ${file} lines REGEX "^#[ ]*include \"tests/shared/")
    if(lines)
      target_link_libraries(${name} PRIVATE tests_shared)
    endif()
    target_link_libraries(${name} PRIVATE criterion)
    target_compile_options(${name} PRIVATE -O0 -U_FORTIFY_SOURCE) # glibc's checked functions need the optimiser
    lanescope_test_register(${name} ${name} --jobs 1 --verbose)
    file(RELATIVE_PATH room ${CMAKE_CURRENT_SOURCE_DIR} ${file})
    string(REGEX REPLACE "/.*" "" room ${room})
    if(room MATCHES "\\.c$")
      set_tests_properties(${name} PROPERTIES LABELS ${label})
      continue()
    endif()
    if(NOT TARGET ${label}-${room})
      add_custom_target(${label}-${room})
    endif()
    add_dependencies(${label}-${room} ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${label};${label}-${room}")
  endforeach()
endfunction()
