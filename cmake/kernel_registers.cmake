# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT= -DNVCC= -DNVCC_VERSION= -DWANTED_VERSION= -DOUT= -P: what each kernel takes on sm_90, as ptxas says of the
# kept PTX: OUT gets a line per kernel, "FILE KERNEL REGISTERS STATIC_SHARED_BYTES SPILL_STORES SPILL_LOADS", in the order of names.
if(NOT NVCC_VERSION STREQUAL WANTED_VERSION)
  message(FATAL_ERROR "The kept registers are those of nvcc ${WANTED_VERSION}, here is '${NVCC_VERSION}': "
    "`./bootstrap cuda` puts the right one under build/cuda.")
endif()
get_filename_component(bin ${NVCC} DIRECTORY)
file(GLOB files ${ROOT}/workloads/ptx/*.ptx)
set(lines "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  # As cmake/kernel_image.cmake assembles it; -c: what is linked to the device's runtime later.
  file(STRINGS ${file} external REGEX "^\\.extern \\.func")
  set(linked "")
  if(external)
    set(linked -c)
  endif()
  execute_process(COMMAND ${bin}/ptxas ${linked} -arch=sm_90 -O3 --fmad=false --generate-line-info -v -o ${OUT}.cubin ${file}
    ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "Compiling entry function '[^']+'|[0-9]+ bytes spill stores, [0-9]+ bytes spill loads|Used [0-9]+ registers[^\n]*" parts "${said}")
  foreach(part ${parts})
    if(part MATCHES "^Compiling entry function '(.*)'$")
      set(kernel ${CMAKE_MATCH_1})
    elseif(part MATCHES "^([0-9]+) bytes spill stores, ([0-9]+) bytes")
      set(spills "${CMAKE_MATCH_1} ${CMAKE_MATCH_2}")
    elseif(part MATCHES "^Used ([0-9]+) registers")
      set(registers ${CMAKE_MATCH_1})
      set(shared 0)
      if(part MATCHES "([0-9]+) bytes smem")
        set(shared ${CMAKE_MATCH_1})
      endif()
      list(APPEND lines "${name} ${kernel} ${registers} ${shared} ${spills}")
    endif()
  endforeach()
endforeach()
file(REMOVE ${OUT}.cubin)
list(SORT lines)
list(JOIN lines "\n" text)
file(WRITE ${OUT} "# By ptxas of nvcc ${NVCC_VERSION} -arch=sm_90 -O3 --fmad=false, of the kept PTX; made by the target ptx-refresh.
# Kernel file, kernel, registers per thread, bytes of static shared memory, bytes of spill stores and of spill loads.
${text}
")
