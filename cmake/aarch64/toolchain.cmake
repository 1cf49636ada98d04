# SPDX-License-Identifier: Apache-2.0
# Toolchain of the preset aarch64: Debian's gcc-aarch64-linux-gnu, the libraries in LANESCOPE_SYSROOT (build/sysroot, which
# cmake/aarch64/sysroot.sh fills), and qemu-user to run what was built. The kernel knows no binary of AArch64 here, and lanescope and
# Criterion execute themselves: cmake/aarch64/qemu_exec.c, preloaded, has qemu execute them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(LANESCOPE_SYSROOT ${root}/build/sysroot CACHE PATH "Root of an arm64 system with the libraries")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LANESCOPE_SYSROOT)
set(CMAKE_SYSROOT ${LANESCOPE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${LANESCOPE_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${LANESCOPE_SYSROOT} -E LD_PRELOAD=${LANESCOPE_SYSROOT}/qemu_exec.so
  -E QEMU_LD_PREFIX=${LANESCOPE_SYSROOT})
