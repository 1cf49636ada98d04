# SPDX-License-Identifier: Apache-2.0
# Packages of a release build: `cmake --build build/release --target package` makes a .deb and an .rpm where dpkg-deb and rpmbuild
# are, `--target wheel` of a build with LANESCOPE_STATIC a wheel for pip (cmake/wheel.py). All are of the tree that `cmake --install` leaves.
set(summary "terminal profiler and teaching lab for CUDA")
set(CPACK_PACKAGE_CONTACT "lanescope maintainers <maintainers@lanescope.example>")
set(documents share/doc/lanescope)
set(made ${PROJECT_BINARY_DIR}/packages)

# What is linked statically, with its licence where the distribution keeps it.
set(linked "")
if(LANESCOPE_STATIC)
  set(linked libsqlite3-dev libncurses-dev zlib1g-dev)
  if(JANSSON_LIBRARY)
    list(APPEND linked libjansson-dev)
  endif()
endif()
if(TARGET lanescope-ladder)
  list(APPEND linked libstdc++-12-dev)
endif()
foreach(package ${linked})
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${documents}/licences RENAME ${package})
  endif()
endforeach()
file(CONFIGURE OUTPUT ${made}/copyright @ONLY CONTENT "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lanescope

Files: *
Copyright: 2026 the maintainers of lanescope
License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0.
")
install(FILES ${made}/copyright DESTINATION ${documents})

# Debian's page of changes is one line that names ours. Neither has a time of day, so that two builds are equal.
string(TIMESTAMP day "%a, %d %b %Y 00:00:00 +0000" UTC)
file(CONFIGURE OUTPUT ${made}/changelog.Debian @ONLY CONTENT "lanescope (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Changes are in changelog.gz.

 -- @CPACK_PACKAGE_CONTACT@  ${day}
")
file(CONFIGURE OUTPUT ${made}/overrides @ONLY CONTENT "# sensible-editor is one of the editors that are tried; the program works without it.
lanescope: missing-depends-on-sensible-utils
# What lanescope loads into programs is found by their linker in a folder of its own, by the names of CUDA's libraries.
lanescope: embedded-library
# CPack renews the linker's cache for every library, also in folders of their own: useless and harmless.
lanescope: maintscript-calls-ldconfig
# No package of Debian's.
lanescope: initial-upload-closes-no-bugs
")
install(FILES ${made}/overrides DESTINATION share/lintian/overrides RENAME lanescope)
find_program(GZIP gzip)
if(GZIP)
  foreach(pair ${PROJECT_SOURCE_DIR}/CHANGELOG.md=changelog.gz ${made}/changelog.Debian=changelog.Debian.gz)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 text)
    list(GET pair 1 name)
    add_custom_command(OUTPUT ${made}/${name} COMMAND ${GZIP} -9nc ${text} > ${made}/${name} DEPENDS ${text})
    list(APPEND changes ${made}/${name})
  endforeach()
  add_custom_target(changelog ALL DEPENDS ${changes})
  install(FILES ${changes} DESTINATION ${documents})
endif()

set(CPACK_GENERATOR "")
find_program(DPKG_DEB dpkg-deb)
find_program(RPMBUILD rpmbuild)
if(DPKG_DEB)
  list(APPEND CPACK_GENERATOR DEB)
endif()
if(RPMBUILD)
  list(APPEND CPACK_GENERATOR RPM)
endif()
set(CPACK_PACKAGE_NAME lanescope)
set(CPACK_PACKAGE_VENDOR lanescope)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${summary})
set(CPACK_PACKAGE_DESCRIPTION "lanescope runs CUDA programs under CUPTI, or without a GPU on a device
model, and shows on one screen where their time went and what would help:
transactions, bank conflicts, occupancy, overlap of streams.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_DIRECTORY ${made})
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The libraries in lib/lanescope are for the programs that lanescope starts; nobody links with them.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ncurses-term)

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_SUMMARY "Terminal profiler and teaching lab for CUDA")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP Development/Tools)
# Among them are files by the names of CUDA's libraries: no package may take lanescope for CUDA, or CUDA for what it needs.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __provides_exclude_from ^/usr/lib/lanescope/.*$
%global __requires_exclude ^lib(cuda|cudart|cublas|cublasLt|curand|cufft)[.]so
%global _build_id_links none
%global source_date_epoch_from_changelog 0
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global _buildhost lanescope
%global packager ${CPACK_PACKAGE_CONTACT}
%define _source_payload w19.zstdio
%define _binary_payload w19.zstdio")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/share/bash-completion
  /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d
  /usr/share/mime /usr/share/mime/packages)
include(CPack)

find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND AND LANESCOPE_STATIC)
  add_custom_target(wheel COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/wheel.py ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR}
    ${PROJECT_SOURCE_DIR} ${PROJECT_VERSION} ${made} USES_TERMINAL VERBATIM)
endif()
