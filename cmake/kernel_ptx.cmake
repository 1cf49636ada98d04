# SPDX-License-Identifier: Apache-2.0
# cmake -DNAME= -DROOT= -DNVCC= -DNVCC_VERSION= -DWANTED_VERSION= -DOUT= [-DFOLDER=] -P: makes the kept PTX of one kernel file,
# ROOT/FOLDER/NAME.cu; FOLDER is workloads/kernels if it is not given.
# Written to OUT are nvcc's lines, but the .file lines name files relative to the root of the tree ("cuda/..." for the
# toolkit's own) and no times or sizes, so that the same source gives the same file on every machine.
if(NOT NVCC_VERSION STREQUAL WANTED_VERSION)
  message(FATAL_ERROR "The kept PTX is made by nvcc ${WANTED_VERSION}, here is '${NVCC_VERSION}': "
    "`./bootstrap cuda` puts the right one under build/cuda.")
endif()
if(NOT FOLDER)
  set(FOLDER workloads/kernels)
endif()
# A library's kernels serve every modelled GPU that CUDA 13 does, and their lines are nobody's who runs it.
set(target compute_90 -lineinfo)
if(FOLDER MATCHES "^standin/")
  set(target compute_75)
endif()
list(GET target 0 architecture)
# A kernel that launches kernels calls the device's runtime, which is linked to it later.
file(STRINGS ${ROOT}/${FOLDER}/${NAME}.cu launches REGEX "<<<")
set(linked "")
if(launches)
  set(linked -rdc=true)
endif()
set(temporary ${OUT}.nvcc)
execute_process(COMMAND ${NVCC} -ptx ${linked} -arch=${target} -O3 -std=c++17 -fmad=false -I . -Werror all-warnings
    -o ${temporary} ${FOLDER}/${NAME}.cu
  WORKING_DIRECTORY ${ROOT} COMMAND_ERROR_IS_FATAL ANY)
include(${CMAKE_CURRENT_LIST_DIR}/ptx_read.cmake)
read_ptx(${temporary} ${ROOT} text)
file(REMOVE ${temporary})
file(WRITE ${OUT} "// ${FOLDER}/${NAME}.cu by nvcc ${NVCC_VERSION} -arch=${architecture} -fmad=false; \
made by the target ptx-refresh\n${text}")
