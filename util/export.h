// ASHLAR_EXPORT marks what the shared library exports: public classes and
// functions. Everything else is hidden. Used by public headers only. Not a
// place for other compiler attributes.

#ifndef ASHLAR_UTIL_EXPORT_H_
#define ASHLAR_UTIL_EXPORT_H_

#define ASHLAR_EXPORT __attribute__((visibility("default")))

#endif  // ASHLAR_UTIL_EXPORT_H_
