# SPDX-License-Identifier: Apache-2.0
# cmake -DNAME= -DROOT= -DNVCC= -DNVCC_VERSION= -DCACHE= -DOUT= -P: writes OUT, the C file with one kernel file's image
# and PTX. The image is looked up in CACHE by a hash of what makes it, and made there if it is not found.
# Chips from 9.0 on take the kept PTX, which is also put in for later ones; older ones take PTX of 7.5 or 8.0, made of the
# source here: nvcc's front end takes ten times as long as ptxas.
include(${CMAKE_CURRENT_LIST_DIR}/ptx_read.cmake)
set(chips_75 75)
set(chips_80 80) # its code runs on 8.6 and 8.9, as that of 10.0 on 10.3 and of 12.0 on 12.1
set(chips_90 90 100 120)
set(ptx ${ROOT}/workloads/ptx/${NAME}.ptx)
string(MAKE_C_IDENTIFIER ${NAME} identifier)
file(MAKE_DIRECTORY ${CACHE})

if(NOT EXISTS ${ptx})
  message(FATAL_ERROR "kernels/${NAME}.cu has no kept PTX: build the target ptx-refresh, which makes ${ptx}, "
    "and keep that file in git.")
endif()

# Other build folders may do the same at the same time: a file appears in CACHE whole, by a rename.
string(RANDOM LENGTH 12 unique)
set(scratch ${CACHE}/scratch-${unique})

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(REMOVE_RECURSE ${scratch})
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "The image of kernels/${NAME}.cu was not made: '${line}' ended with ${status}.")
  endif()
endfunction()

set(inputs ${CMAKE_CURRENT_LIST_FILE} ${CMAKE_CURRENT_LIST_DIR}/ptx_read.cmake ${ptx} ${ROOT}/workloads/kernels/${NAME}.cu)
file(GLOB headers ${ROOT}/workloads/kernels/*.cuh ${ROOT}/workloads/kernels/*.h)
set(hashes "${NVCC_VERSION}")
foreach(file ${inputs} ${headers})
  file(SHA256 ${file} hash)
  string(APPEND hashes " ${hash}")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)

# A kernel that launches kernels is linked to the device's runtime, for each chip. The driver does not do that with PTX.
file(STRINGS ${ROOT}/workloads/kernels/${NAME}.cu launches REGEX "<<<")
set(linkable TRUE)
if(NVCC AND launches)
  get_filename_component(bin ${NVCC} DIRECTORY)
  find_library(runtime libcudadevrt.a PATHS ${bin}/../lib64 ${bin}/../lib ${bin}/../targets/x86_64-linux/lib NO_DEFAULT_PATH NO_CACHE)
  if(NOT runtime)
    set(linkable FALSE)
  endif()
endif()

# make_cubins(PTX CHIPS...): sm_CHIP.cubin of each, linked if it has to be.
function(make_cubins from)
  foreach(chip ${ARGN})
    set(cubin ${scratch}/sm_${chip}.cubin)
    set(line ${bin}/ptxas -arch=sm_${chip} -O3 --fmad=false --generate-line-info ${from})
    if(launches)
      run(${line} -c -o ${cubin}.o)
      run(${bin}/nvlink -arch=sm_${chip} ${cubin}.o ${runtime} -o ${cubin})
    else()
      run(${line} -o ${cubin})
    endif()
  endforeach()
endfunction()

if(NVCC AND linkable)
  set(format fatbin)
  set(image ${CACHE}/${NAME}-${hash}.fatbin)
  if(NOT EXISTS ${image})
    get_filename_component(bin ${NVCC} DIRECTORY)
    file(MAKE_DIRECTORY ${scratch})
    set(object "")
    set(parts "")
    if(launches)
      set(object -rdc=true)
    else()
      list(APPEND parts --image3=kind=ptx,sm=90,file=${ptx})
    endif()
    foreach(older 75 80)
      set(made ${scratch}/compute_${older}.ptx)
      run(${NVCC} -ptx ${object} -arch=compute_${older} -O3 -std=c++17 -fmad=false -lineinfo -I . -Werror all-warnings
        -o ${made} workloads/kernels/${NAME}.cu)
      read_ptx(${made} ${ROOT} text)
      file(WRITE ${made} "${text}")
      make_cubins(${made} ${chips_${older}})
    endforeach()
    make_cubins(${ptx} ${chips_90})
    foreach(chip ${chips_75} ${chips_80} ${chips_90})
      list(APPEND parts --image3=kind=elf,sm=${chip},file=${scratch}/sm_${chip}.cubin)
    endforeach()
    set(compress --compress-all)
    if(NVCC_VERSION VERSION_GREATER_EQUAL 12.9)
      list(APPEND compress --compress-mode=size)
    endif()
    run(${bin}/fatbinary -64 ${compress} --create=${scratch}/image ${parts})
    file(RENAME ${scratch}/image ${image})
    file(REMOVE_RECURSE ${scratch})
  endif()
else()
  set(format ptx)
  set(image ${ptx})
endif()
file(SIZE ${image} image_bytes)
file(SIZE ${ptx} ptx_bytes)

file(WRITE ${OUT} "#include \"workloads/frame/image.h\"

__asm__(\".pushsection .rodata\\n\"
        \".balign 64\\n\"
        \"kernel_image_data_${identifier}: .incbin \\\"${image}\\\"\\n\"
        \".byte 0\\n\"
        \".balign 64\\n\"
        \"kernel_ptx_data_${identifier}: .incbin \\\"${ptx}\\\"\\n\"
        \".byte 0\\n\"
        \".popsection\\n\");
/* Input: ${hash} */
extern const unsigned char kernel_image_data_${identifier}[], kernel_ptx_data_${identifier}[];
extern const struct kernel_image kernel_image_${identifier}, kernel_ptx_${identifier};
const struct kernel_image kernel_image_${identifier} = {
    .name = \"${NAME}\", .data = kernel_image_data_${identifier}, .size_bytes = ${image_bytes}, .format = \"${format}\"};
const struct kernel_image kernel_ptx_${identifier} = {
    .name = \"${NAME}\", .data = kernel_ptx_data_${identifier}, .size_bytes = ${ptx_bytes}, .format = \"ptx\"};
")
