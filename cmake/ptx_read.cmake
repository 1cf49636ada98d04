# SPDX-License-Identifier: Apache-2.0
# read_ptx(FILE ROOT RESULT): the text that nvcc wrote, without what depends on the folder it ran in or on a file's time.
function(read_ptx file root result)
  file(READ ${file} text)
  # A list would lose the semicolons, so the text is edited as one string.
  string(REGEX REPLACE "(\t\\.file\t[0-9]+ \"[^\"]*\"), [0-9]+, [0-9]+" "\\1" text "${text}")
  string(REGEX REPLACE "(\t\\.file\t[0-9]+ )\"[^\"]*/include/([^\"]*)\"" "\\1\"cuda/include/\\2\"" text "${text}")
  string(REPLACE "${root}/" "" text "${text}")
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
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
