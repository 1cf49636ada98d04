# SPDX-License-Identifier: Apache-2.0
# lanescope_texts(OUT FILES...): a generated C file with the table text_files (workloads/frame/texts.h) of these files, which the
# program then carries: it shows them wherever it runs from.
function(lanescope_texts out)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/text_files.c)
  set(rows "")
  set(data "")
  set(declarations "")
  set(number 0)
  foreach(text ${ARGN})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${text})
    string(APPEND data "__asm__(\".pushsection .rodata\\ntext_data_${number}: .incbin \\\"${text}\\\"\\n.byte 0\\n.popsection\\n\");\n")
    string(APPEND declarations "extern const char text_data_${number}[];\n")
    string(APPEND rows "    {\"${path}\", text_data_${number}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include \"workloads/frame/texts.h\"\n
${data}${declarations}extern const struct text_file text_files[];\n
const struct text_file text_files[] = {\n${rows}    {0},\n};\n")
  # Labels of the assembler's are known in their own object alone, which a link-time optimiser would take apart.
  set_source_files_properties(${file} PROPERTIES OBJECT_DEPENDS "${ARGN}" COMPILE_OPTIONS -fno-lto)
  set(${out} ${file} PARENT_SCOPE)
endfunction()
