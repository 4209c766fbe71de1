// The version number, which the build passes in, and what was chosen here.

#include "ashlar/util/version.h"

#include <cerrno>
#include <memory>
#include <new>

#include "port/read_calls.h"
#include "util/compress/registry.h"
#include "util/hash/checksum.h"
#include "util/hash/crc32c.h"

namespace ashlar {

std::string_view LibraryVersion() { return ASHLAR_VERSION; }

std::string CompressionLibraryVersion(CompressionType type) {
  const internal::Codec* const codec = internal::FindCodec(type);
  const bool has_any = codec != nullptr && codec->version != nullptr;
  return has_any ? codec->version() : std::string();
}

LibraryFeatures FindLibraryFeatures() {
  std::unique_ptr<port::ReadRing> ring;
  int error = port::SystemReadCalls().open_ring(1, &ring);
  if (error == ENOMEM) {
    // The kernel also reports this for a limit on locked memory, which is an
    // answer. Being out of memory ourselves is none, and throws here.
    constexpr size_t kBytes = size_t{1} << 16;
    ::operator delete(::operator new(kBytes));
    error = port::SystemReadCalls().open_ring(1, &ring);
  }
  return {internal::Crc32cPath(), internal::Xxh3Path(), error == 0};
}

}  // namespace ashlar
