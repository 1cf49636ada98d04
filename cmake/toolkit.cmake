# SPDX-License-Identifier: Apache-2.0
# Finds a CUDA 13 toolkit: LANESCOPE_CUDA_ROOT, build/cuda (what `./bootstrap cuda` leaves), CUDA_HOME, CUDA_PATH,
# /usr/local/cuda, /opt/cuda. Sets
#   LANESCOPE_HAVE_CUDA    headers of CUDA 13 and its CUPTI are there: cupti/ is built
#   LANESCOPE_CUDA_VERSION of these headers, as 13.0
#   LANESCOPE_NVCC         nvcc of that toolkit, or empty: kernels are built for all chips, else their kept PTX is embedded
#   LANESCOPE_NVCC_VERSION as 13.0.88
# and the target cuda_headers. Nothing of NVIDIA's is linked.
set(LANESCOPE_CUDA_ROOT "" CACHE PATH "A CUDA 13 toolkit to use instead of the first one found")
set(LANESCOPE_HAVE_CUDA 0)
set(LANESCOPE_NVCC "")
set(LANESCOPE_NVCC_VERSION "")

# Sets OUT_DIRS to the include folders of the toolkit at ROOT and OUT_VERSION to its CUDA_VERSION, or both to "".
function(toolkit_inspect root out_dirs out_version)
  set(${out_dirs} "" PARENT_SCOPE)
  set(${out_version} "" PARENT_SCOPE)
  foreach(cuda_dir ${root}/include ${root}/targets/x86_64-linux/include)
    foreach(cupti_dir ${cuda_dir} ${root}/extras/CUPTI/include)
      if(EXISTS ${cuda_dir}/cuda.h AND EXISTS ${cupti_dir}/cupti.h)
        file(STRINGS ${cuda_dir}/cuda.h line REGEX "^#define CUDA_VERSION [0-9]+" LIMIT_COUNT 1)
        string(REGEX MATCH "[0-9]+" version "${line}")
        set(dirs ${cuda_dir} ${cupti_dir})
        list(REMOVE_DUPLICATES dirs)
        set(${out_dirs} "${dirs}" PARENT_SCOPE)
        set(${out_version} "${version}" PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

if(LANESCOPE_CUDA)
  foreach(root ${LANESCOPE_CUDA_ROOT} ${PROJECT_SOURCE_DIR}/build/cuda $ENV{CUDA_HOME} $ENV{CUDA_PATH}
          /usr/local/cuda /opt/cuda)
    toolkit_inspect(${root} dirs version)
    if(NOT version)
      continue()
    endif()
    if(version LESS 13000 OR version GREATER_EQUAL 14000)
      message(STATUS "CUDA toolkit at ${root} is version ${version}, lanescope needs 13.x: passed over.")
      continue()
    endif()
    set(LANESCOPE_HAVE_CUDA 1)
    math(EXPR minor "${version} % 1000 / 10")
    set(LANESCOPE_CUDA_VERSION 13.${minor})
    set(LANESCOPE_CUDA_INCLUDE_DIRS ${dirs})
    file(REAL_PATH ${root} LANESCOPE_TOOLKIT)
    if(EXISTS ${root}/bin/nvcc)
      set(LANESCOPE_NVCC ${root}/bin/nvcc)
      execute_process(COMMAND ${LANESCOPE_NVCC} --version OUTPUT_VARIABLE text ERROR_QUIET)
      string(REGEX MATCH "V([0-9.]+)" match "${text}")
      set(LANESCOPE_NVCC_VERSION ${CMAKE_MATCH_1})
    endif()
    message(STATUS "CUDA toolkit: ${root} (CUDA_VERSION ${version}, nvcc ${LANESCOPE_NVCC_VERSION})")
    break()
  endforeach()
endif()

add_library(cuda_headers INTERFACE)
if(LANESCOPE_HAVE_CUDA)
  # compat/ holds the empty <string> that cupti_profiler_host.h of 13.0 includes.
  target_include_directories(cuda_headers SYSTEM INTERFACE ${LANESCOPE_CUDA_INCLUDE_DIRS}
    ${PROJECT_SOURCE_DIR}/cupti/compat)
else()
  message(STATUS "No CUDA headers are used: left out are the agent (tracing CUDA programs) and the counter planner. "
    "`./bootstrap cuda` puts a toolkit under build/cuda.")
endif()
add_compile_definitions(LANESCOPE_CUDA=${LANESCOPE_HAVE_CUDA})
