# standin_names(OUT FILE): a generated C file with the table of the functions that FILE names (standin/absent.h) and a weak
# definition of each, which refuses. It includes nothing that declares them.
function(standin_names out names)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/absent_names.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
  file(STRINGS ${names} lines REGEX "^[_a-z]")
  set(functions "")
  set(rows "")
  foreach(name ${lines})
    string(APPEND functions "ABSENT(${name})\n")
    string(APPEND rows "    ROW(${name}),\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include <stddef.h>\n
#define ABSENT(name)                                                            \\
    __attribute__((weak, visibility(\"default\"))) int name(void);               \\
    int name(void)                                                              \\
    {                                                                           \\
        return absent_refuse(#name);                                            \\
    }
#define ROW(name) {#name, (void (*)(void))name}\n
struct standin_name {\n    const char *name;\n    void (*function)(void);\n};
extern const struct standin_name standin_names[];
extern const size_t standin_name_count;
int absent_refuse(const char *name);\n
${functions}\nconst struct standin_name standin_names[] = {\n${rows}};
const size_t standin_name_count = sizeof standin_names / sizeof *standin_names;\n")
  # Their types here are not those of the definitions, which a link-time optimiser would compare.
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -fno-lto)
  set(${out} ${file} PARENT_SCOPE)
endfunction()
