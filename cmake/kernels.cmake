# SPDX-License-Identifier: Apache-2.0
# From workloads/kernels/NAME.cu to constants in the program.
#
#   ptx-refresh     NAME.cu --nvcc, compute_90--> workloads/ptx/NAME.ptx, kept in git;
#                   all of these --ptxas -v, sm_90--> workloads/ptx/registers.txt, kept in git
#   a build         NAME.cu, NAME.ptx --> build/kernels/NAME-HASH.fatbin --> NAME.c, which .incbin's it and the PTX
#
# Code for sm_90 and later is assembled from the kept PTX, that for older chips from PTX made of the source. Images are named by a hash
# of all that went into them and lie in build/kernels, where every preset and build folder finds them.
set(LANESCOPE_KERNEL_CACHE ${PROJECT_SOURCE_DIR}/build/kernels)
set(LANESCOPE_PTX_NVCC 13.0.88) # the nvcc that makes the kept PTX
if(NOT LANESCOPE_NVCC)
  message(STATUS "No nvcc: the kernels' kept PTX is embedded (the driver compiles it at load); left out is their code "
    "for sm_75 to sm_89, which PTX of compute_90 does not serve.")
endif()

# lanescope_kernel_sources(OUT KERNELS...): the generated C files of these kernels.
function(lanescope_kernel_sources out)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/images)
  set(generated ${folder}/table.c)
  set(declarations "")
  set(images "")
  set(ptxs "")
  set(refresh "")
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workloads/kernels/*.cuh
    ${PROJECT_SOURCE_DIR}/workloads/kernels/*.h)
  file(GLOB all_ptx CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workloads/ptx/*.ptx)
  foreach(kernel ${ARGN})
    get_filename_component(name ${kernel} NAME_WE)
    string(MAKE_C_IDENTIFIER ${name} identifier)
    set(ptx ${PROJECT_SOURCE_DIR}/workloads/ptx/${name}.ptx)
    set(arguments -DNAME=${name} -DROOT=${PROJECT_SOURCE_DIR} -DNVCC=${LANESCOPE_NVCC}
      -DNVCC_VERSION=${LANESCOPE_NVCC_VERSION} -DCACHE=${LANESCOPE_KERNEL_CACHE})
    # One that is not there yet must not stop ptx-refresh from making it: the image's script then says so.
    set(kept ${ptx})
    if(NOT ptx IN_LIST all_ptx)
      set(kept "")
      message(WARNING "kernels/${name}.cu has no kept PTX yet: build the target ptx-refresh.")
    endif()
    add_custom_command(OUTPUT ${folder}/${name}.c
      COMMAND ${CMAKE_COMMAND} ${arguments} -DOUT=${folder}/${name}.c -P ${PROJECT_SOURCE_DIR}/cmake/kernel_image.cmake
      DEPENDS ${kernel} ${headers} ${kept} ${PROJECT_SOURCE_DIR}/cmake/kernel_image.cmake
      COMMENT "Kernel image ${name}" VERBATIM)
    list(APPEND refresh COMMAND ${CMAKE_COMMAND} ${arguments} -DWANTED_VERSION=${LANESCOPE_PTX_NVCC} -DOUT=${ptx}
      -P ${PROJECT_SOURCE_DIR}/cmake/kernel_ptx.cmake)
    list(APPEND generated ${folder}/${name}.c)
    string(APPEND declarations "extern const struct kernel_image kernel_image_${identifier}, kernel_ptx_${identifier};\n")
    string(APPEND images "    &kernel_image_${identifier},\n")
    string(APPEND ptxs "    &kernel_ptx_${identifier},\n")
  endforeach()
  set(resources "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workloads/ptx/registers.txt)
  file(STRINGS ${PROJECT_SOURCE_DIR}/workloads/ptx/registers.txt lines REGEX "^[^#]")
  foreach(line ${lines})
    string(REGEX REPLACE "^([^ ]+) ([^ ]+) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+)$" "    {\"\\1\", \"\\2\", \\3, \\4, {\\6, \\5}},\n" row "${line}")
    string(APPEND resources "${row}")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/table.c CONTENT "#include \"workloads/frame/image.h\"\n\n${declarations}\
extern const struct kernel_image *const kernel_images[], *const kernel_ptxs[];
extern const struct kernel_resources kernel_resources[];\n
const struct kernel_resources kernel_resources[] = {\n${resources}    {0},\n};\n
const struct kernel_image *const kernel_images[] = {\n${images}    NULL,\n};\n
const struct kernel_image *const kernel_ptxs[] = {\n${ptxs}    NULL,\n};\n")
  set(registers ${PROJECT_SOURCE_DIR}/workloads/ptx/registers.txt)
  add_custom_target(ptx-refresh ${refresh}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DNVCC=${LANESCOPE_NVCC}
      -DNVCC_VERSION=${LANESCOPE_NVCC_VERSION} -DWANTED_VERSION=${LANESCOPE_PTX_NVCC} -DOUT=${registers}
      -P ${PROJECT_SOURCE_DIR}/cmake/kernel_registers.cmake
    COMMENT "Kept PTX of the kernels, and their registers" VERBATIM)
  if(TARGET ptx-refresh-libraries)
    add_dependencies(ptx-refresh ptx-refresh-libraries)
  endif()
  # Labels of the assembler's are known in their own object alone, which a link-time optimiser would take apart.
  set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -fno-lto)
  set(${out} ${generated} PARENT_SCOPE)
endfunction()
