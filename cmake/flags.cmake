# How every C file is compiled: C17, with warnings (errors in our presets only: a packager's compiler and flags may warn
# of what ours do not), position independent (the agent takes objects of core/).
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)

add_compile_definitions(_GNU_SOURCE LANESCOPE_VERSION="${PROJECT_VERSION}")
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wvla)
include_directories(${PROJECT_SOURCE_DIR})

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-fno-omit-frame-pointer)
endif()

if(LANESCOPE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(LANESCOPE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(NOT LANESCOPE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "LANESCOPE_SANITIZE is '${LANESCOPE_SANITIZE}': it takes address, thread or nothing.")
endif()

# libFuzzer sees into the rooms only if these are compiled for it.
if(LANESCOPE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "LANESCOPE_FUZZ takes clang: use the preset fuzz.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
