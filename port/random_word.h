// 64 random bits of the operating system: the one source of all that the
// library draws at random, which are the seeds of hash tables and the
// identities of files.
//
// Thread-safe. Not for sequences of numbers: each word is a system call.
#ifndef ASHLAR_PORT_RANDOM_WORD_H_
#define ASHLAR_PORT_RANDOM_WORD_H_

#include <cstdint>

namespace ashlar::port {

// Returns a word that no other process is likely to have. Never fails: where
// the system gives none, it is made of the time and of addresses.
uint64_t RandomWord();

// Null: the system.
using RandomWordSource = uint64_t (*)();

// Has RandomWord() return the words of `source` from now on, and returns the
// source before. For tests, whose failures must be repeatable. Not thread-safe.
RandomWordSource SetRandomWordSource(RandomWordSource source);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_RANDOM_WORD_H_
