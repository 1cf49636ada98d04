# SPDX-License-Identifier: Apache-2.0
# standin_names(OUT PREFIX FILE): a generated C file with the table of the functions that FILE names, PREFIX_names
# (standin/absent.h), and a weak definition of each, which refuses. A line is a name and, if it has one, the function's version.
# It includes nothing that declares them.
function(standin_names out prefix names)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/absent_${prefix}_names.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
  file(STRINGS ${names} lines REGEX "^[_a-z]")
  set(functions "")
  set(rows "")
  foreach(line ${lines})
    string(REGEX MATCH "^([^ ]+) ?([0-9]*)$" line "${line}")
    set(name ${CMAKE_MATCH_1})
    set(version ${CMAKE_MATCH_2})
    if(NOT version)
      set(version 0)
    endif()
    string(APPEND functions "ABSENT(${name})\n")
    string(APPEND rows "    ROW(${name}, ${version}),\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include <stddef.h>\n
#define ABSENT(name)                                                            \\
    __attribute__((weak, visibility(\"default\"))) int name(void);               \\
    int name(void)                                                              \\
    {                                                                           \\
        return absent_refuse(#name);                                            \\
    }
#define ROW(name, version) {#name, (void (*)(void))name, version}\n
struct standin_name {\n    const char *name;\n    void (*function)(void);\n    int version;\n};
extern const struct standin_name ${prefix}_names[];
extern const size_t ${prefix}_name_count;
int absent_refuse(const char *name);\n
${functions}\nconst struct standin_name ${prefix}_names[] = {\n${rows}};
const size_t ${prefix}_name_count = sizeof ${prefix}_names / sizeof *${prefix}_names;\n")
  # Their types here are not those of the definitions, which a link-time optimiser would compare.
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -fno-lto)
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# standin_versions(OUT DIFFERENT NAMES...): a generated C file that also defines the functions which the files NAMES list as
# those of version libcudart.so.12: each is a jump to the function, or to cuda_12_... where the C file DIFFERENT has one with other
# arguments, by its row FUNCTION("name", function).
function(standin_versions out different)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/version_12.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${different} ${ARGN})
  file(STRINGS ${different} rows REGEX "^    FUNCTION")
  set(others "")
  foreach(row ${rows})
    string(REGEX MATCH "\"([^\"]+)\"" row "${row}")
    list(APPEND others ${CMAKE_MATCH_1})
  endforeach()
  set(jumps "")
  foreach(names ${ARGN})
    file(STRINGS ${names} lines REGEX "^[_a-z]")
    foreach(name ${lines})
      list(FIND others ${name} place)
      if(place EQUAL -1)
        string(APPEND jumps "AT_12(${name}, JUMP(\"${name}\"))\n")
      else()
        string(APPEND jumps "AT_12(${name}, JUMP_BY(\"cuda_12_functions+8+24*${place}\"))\n")
      endif()
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#if defined(__x86_64__)
#define JUMP(to) \"jmp \" to \"@PLT\"
#define JUMP_BY(place) \"jmp *\" place \"(%rip)\"
#elif defined(__aarch64__)
#define JUMP(to) \"b \" to
#define JUMP_BY(place) \"adrp x16, \" place \"\\n ldr x16, [x16, :lo12:\" place \"]\\n br x16\"
#endif
#define AT_12(name, jump)                                    \\
    __asm__(\".text\\n.globl at_12_\" #name \"\\n.type at_12_\" #name \",@function\\nat_12_\" #name \":\\n\" jump  \\
            \"\\n.symver at_12_\" #name \",\" #name \"@libcudart.so.12\");
${jumps}")
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-fno-lto;-Wno-pedantic")
  set(${out} ${file} PARENT_SCOPE)
endfunction()
