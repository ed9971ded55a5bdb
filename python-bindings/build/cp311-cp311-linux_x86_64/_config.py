# Written by the build.
TSSA_COMPILE = "/work/main/build/release/bin/tssa-compile"
