-- SPDX-License-Identifier: Apache-2.0
-- Module file for Lmod: `cmake --install BUILD --prefix /opt/lanescope`, this file as modulefiles/lanescope/0.1.0.lua, `module load lanescope`.
whatis("lanescope: terminal profiler and teaching lab for CUDA")
local prefix = "/opt/lanescope"
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
