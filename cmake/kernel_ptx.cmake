# cmake -DNAME= -DROOT= -DNVCC= -DNVCC_VERSION= -DWANTED_VERSION= -DOUT= -P: makes the kept PTX of one kernel file.
# Written to OUT are nvcc's lines, but the .file lines name files relative to the root of the tree ("cuda/..." for the
# toolkit's own) and no times or sizes, so that the same source gives the same file on every machine.
if(NOT NVCC_VERSION STREQUAL WANTED_VERSION)
  message(FATAL_ERROR "The kept PTX is made by nvcc ${WANTED_VERSION}, here is '${NVCC_VERSION}': "
    "`./bootstrap cuda` puts the right one under build/cuda.")
endif()
set(temporary ${OUT}.nvcc)
execute_process(COMMAND ${NVCC} -ptx -arch=compute_90 -O3 -std=c++17 -fmad=false -lineinfo -I . -Werror all-warnings
    -o ${temporary} workloads/kernels/${NAME}.cu
  WORKING_DIRECTORY ${ROOT} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${temporary} text)
file(REMOVE ${temporary})
# A list would lose the semicolons, so the text is edited as one string.
string(REGEX REPLACE "(\t\\.file\t[0-9]+ \"[^\"]*\"), [0-9]+, [0-9]+" "\\1" text "${text}")
string(REGEX REPLACE "(\t\\.file\t[0-9]+ )\"[^\"]*/include/([^\"]*)\"" "\\1\"cuda/include/\\2\"" text "${text}")
string(REPLACE "${ROOT}/" "" text "${text}")
file(WRITE ${OUT} "// workloads/kernels/${NAME}.cu by nvcc ${NVCC_VERSION} -arch=compute_90 -fmad=false; \
made by the target ptx-refresh\n${text}")
