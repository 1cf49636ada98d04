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
file(READ ${temporary} text)
file(REMOVE ${temporary})
# A list would lose the semicolons, so the text is edited as one string.
string(REGEX REPLACE "(\t\\.file\t[0-9]+ \"[^\"]*\"), [0-9]+, [0-9]+" "\\1" text "${text}")
string(REGEX REPLACE "(\t\\.file\t[0-9]+ )\"[^\"]*/include/([^\"]*)\"" "\\1\"cuda/include/\\2\"" text "${text}")
string(REPLACE "${ROOT}/" "" text "${text}")
# nvcc names what a file keeps to itself (inlined helpers of its headers, say) _INTERNAL_HASH_... or _GLOBAL__N__HASH_..., where the hash is that
# of the folder: as text, and as bytes in the debug strings, whose lines are joined to see them whole.
string(REGEX REPLACE "_INTERNAL_[0-9a-f]+_" "_INTERNAL_00000000_" text "${text}")
string(REGEX REPLACE "_GLOBAL__N__[0-9a-f]+_" "_GLOBAL__N__00000000_" text "${text}")
string(REGEX REPLACE "([0-9])\n\\.b8 " "\\1," text "${text}")
set(bytes "73,78,84,69,82,78,65,76,95") # INTERNAL_
set(digit "[0-9]+")
string(REGEX REPLACE
  "${bytes},${digit},${digit},${digit},${digit},${digit},${digit},${digit},${digit},95"
  "${bytes},48,48,48,48,48,48,48,48,95" text "${text}")
file(WRITE ${OUT} "// ${FOLDER}/${NAME}.cu by nvcc ${NVCC_VERSION} -arch=${architecture} -fmad=false; \
made by the target ptx-refresh\n${text}")
