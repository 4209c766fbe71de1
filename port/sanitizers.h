// Which sanitizer this program is compiled with.
//
// GCC says it by macros of its own, Clang by a question to the preprocessor.
// The macros here are for code that must not be compiled under a sanitizer. All
// else asks the constants.
#ifndef ASHLAR_PORT_SANITIZERS_H_
#define ASHLAR_PORT_SANITIZERS_H_

#if defined(__SANITIZE_ADDRESS__)
#define ASHLAR_UNDER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define ASHLAR_UNDER_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define ASHLAR_UNDER_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__)
#define ASHLAR_UNDER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define ASHLAR_UNDER_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define ASHLAR_UNDER_THREAD_SANITIZER 0
#endif

namespace ashlar::internal {

inline constexpr bool kUnderAddressSanitizer =
    ASHLAR_UNDER_ADDRESS_SANITIZER != 0;
inline constexpr bool kUnderThreadSanitizer =
    ASHLAR_UNDER_THREAD_SANITIZER != 0;
inline constexpr bool kUnderSanitizer =
    kUnderAddressSanitizer || kUnderThreadSanitizer;

}  // namespace ashlar::internal

#endif  // ASHLAR_PORT_SANITIZERS_H_
