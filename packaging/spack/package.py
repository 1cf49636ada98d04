# SPDX-License-Identifier: Apache-2.0
# Recipe for Spack: put this folder as packages/lanescope into a repository of recipes (`spack repo create`).
from spack.package import *


class Lanescope(CMakePackage):
    """Terminal profiler and teaching lab for CUDA, with and without a GPU."""

    homepage = "https://lanescope.example"
    url = "https://lanescope.example/lanescope-0.1.0.tar.gz"

    license("Apache-2.0")

    # The SHA-256 of a release is in its SHA256SUMS (packaging/make).
    version("0.1.0")

    variant("cuda", default=True, description="Trace programs on a GPU, and run CUDA programs on the device model")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("gzip", type="build")
    depends_on("ncurses +termlib")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("cuda@13:", when="+cuda")
    depends_on("cxx", type="build", when="+cuda")

    generator("ninja")

    def cmake_args(self):
        args = [self.define_from_variant("LANESCOPE_CUDA", "cuda"), self.define("LANESCOPE_TESTS", False)]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("LANESCOPE_CUDA_ROOT", self.spec["cuda"].prefix))
        return args
