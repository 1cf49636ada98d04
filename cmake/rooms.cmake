# SPDX-License-Identifier: Apache-2.0
# lanescope_room(NAME SOURCES... LINKS...): the static library of a room. A room without sources yet is a library of
# nothing, so that the rest builds.
function(lanescope_room name)
  cmake_parse_arguments(room "" "" "SOURCES;LINKS" ${ARGN})
  if(room_SOURCES)
    add_library(${name} STATIC ${room_SOURCES})
    target_link_libraries(${name} PUBLIC ${room_LINKS})
    if(LANESCOPE_FUZZ) # what libFuzzer sees: edges, not comparisons, which would cost all tests of this build a quarter of their time
      target_compile_options(${name} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${room_LINKS})
  endif()
endfunction()

# lanescope_link_included(TARGET FILES...): links TARGET with the libraries of those rooms whose headers FILES include,
# so that a test of one room needs no other room to compile.
function(lanescope_link_included target)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(rooms "")
  foreach(file ${ARGN})
    file(STRINGS ${file} lines REGEX "^#[ ]*include \"(core|cupti|simt|standin|workloads|tui|cli)/")
    foreach(line ${lines})
      string(REGEX MATCH "\"([a-z]+)/" match "${line}")
      list(APPEND rooms ${CMAKE_MATCH_1})
    endforeach()
  endforeach()
  foreach(room cli tui workloads standin simt cupti core)
    if(room IN_LIST rooms AND TARGET lanescope_${room})
      target_link_libraries(${target} PRIVATE lanescope_${room})
      if(room STREQUAL "cupti" AND TARGET lanescope_agent_parts)
        target_link_libraries(${target} PRIVATE lanescope_agent_parts lanescope_cupti)
      endif()
    endif()
  endforeach()
endfunction()
