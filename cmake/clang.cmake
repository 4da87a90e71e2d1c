# The clang that the sanitizers and the fuzzers are built with: the one of Debian 12, of Debian 13, or whatever is called clang++.
find_program(FOVEA_CLANG NAMES clang++-14 clang++-19 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER "${FOVEA_CLANG}")
# Its own linker: a program with everything in it is linked in a fifth of the time. At a fixed address it starts in three quarters
# of the time: the sanitizers' tables have millions of addresses.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=lld -no-pie")
