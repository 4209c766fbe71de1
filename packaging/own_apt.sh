# Lists and packages of apt in a folder of their own. Sourced by scripts that
# unpack packages of another machine or another release of Debian: the system's
# own sources and packages are not touched, and no root is needed. apt checks the
# signature of Debian's lists, and by them what it fetches.
#
#   own_lists <folder> <machine> <suite> ...   sets `flags`, for apt-get

# The mirror that the system uses. apt knows none before its first update.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
    grep -m1 -E '/debian/?$'
}

own_lists() {
  local apt=$1 machine=$2 mirror
  shift 2
  mirror=$(debian_mirror) ||
    { apt-get update -qq && mirror=$(debian_mirror); } || {
    echo "${0##*/}: apt has no mirror of Debian" >&2
    exit 1
  }
  mkdir -p "$apt"/{lists/partial,archives/partial,parts,state}
  : >"$apt/status"
  printf '%s\n' 'Types: deb deb-src' "URIs: $mirror" "Suites: $*" \
    'Components: main' "Architectures: $machine" \
    'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' \
    >"$apt/parts/debian.sources"
  flags=(-qq -o Dir::Etc::SourceList=/dev/null
    -o Dir::Etc::SourceParts="$apt/parts" -o Dir::State="$apt/state"
    -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status"
    -o Dir::Cache="$apt" -o APT::Sandbox::User= -o Acquire::Languages=none
    -o APT::Architecture="$machine" -o APT::Architectures::="$machine"
    -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
    -o Acquire::Retries=3)
  apt-get "${flags[@]}" update
}
