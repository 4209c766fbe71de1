# shellcheck shell=bash disable=SC2034
# What the wheels are made for and of. The scripts here source this file.

# One wheel for each row. From 3.12 on, a wheel is for the stable ABI of 3.12,
# and so also for later versions. Its headers may be of a later version, since
# the limited API says what of them is used.
python_minors=(11 13)
python_tags=(cp311-cp311 cp312-abi3)
# The releases of Debian that have these versions.
python_suites=(bookworm trixie)

# The libraries, by the names of Debian's source packages.
source_suite=trixie
libraries=(bzip2 gflags libzstd lz4 nlohmann-json3 snappy xxhash zlib)

# The oldest glibc that the wheels run with, which PEP 600 names in the tag.
glibc=2.28
