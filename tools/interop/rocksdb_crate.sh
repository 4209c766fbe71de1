# shellcheck shell=bash
# What the scripts here that fetch a part of RocksDB have in common. They source
# this file, with the variable `folder` set to what they fill. Cargo fetches the
# source of RocksDB once, as the crate librocksdb-sys of the same version.

version=11.8.1
crate=librocksdb-sys-0.19.0+$version

# Ends the script, and says why it did not fill the folder. The exit code is 0,
# or 1 if ASHLAR_REQUIRE_INTEROP or CI is set.
skip() {
  echo "${0##*/}: skipped: $1" >&2
  echo "$1" >"$folder/skipped"
  case ${ASHLAR_REQUIRE_INTEROP:-${CI:-}} in
    '' | 0 | false) exit 0 ;;
    *) exit 1 ;;
  esac
}

# Sets `crate_source` to the folder of RocksDB's source in cargo's registry.
# $folder/tmp must exist. The package made there exists only so that cargo
# fetches its dependency.
find_crate_source() {
  local registry=${CARGO_HOME:-$HOME/.cargo}/registry/src
  crate_source=$(compgen -G "$registry/*/$crate/rocksdb" | head -1) || true
  [[ ! -d $crate_source/include ]] || return 0
  command -v cargo >/dev/null || skip 'no cargo (Debian: cargo)'
  mkdir "$folder/tmp/headers"
  cat >"$folder/tmp/headers/Cargo.toml" <<END_OF_PACKAGE
[package]
name = "headers"
version = "0.0.0"
[lib]
path = "lib.rs"
[dependencies.librocksdb-sys]
version = "=${crate#librocksdb-sys-}"
default-features = false
END_OF_PACKAGE
  touch "$folder/tmp/headers/lib.rs"
  (cd "$folder/tmp/headers" && timeout 300 cargo fetch >../cargo.log 2>&1) ||
    skip "cargo gives no $crate: $(grep -m1 error "$folder/tmp/cargo.log")"
  crate_source=$(compgen -G "$registry/*/$crate/rocksdb" | head -1) || true
  [[ -d $crate_source/include ]] || skip "cargo has not unpacked $crate"
}
