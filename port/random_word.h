// 64 random bits of the operating system: the only source of everything that
// the library draws at random, which is the seeds of hash tables and the
// identities of files.
//
// Thread-safe. Not for sequences of numbers: each word is a system call.
#ifndef ASHLAR_PORT_RANDOM_WORD_H_
#define ASHLAR_PORT_RANDOM_WORD_H_

#include <cstdint>

namespace ashlar::port {

// Returns a word that no other process is likely to have. Never fails: if the
// system gives none, it is made of the time and of addresses.
uint64_t RandomWord();

// A source of words for RandomWord. Null: the operating system.
using RandomWordSource = uint64_t (*)();

// Makes RandomWord() return the words of `source` from now on, and returns the
// source before. For tests, whose failures must be repeatable. Not thread-safe.
RandomWordSource SetRandomWordSource(RandomWordSource source);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_RANDOM_WORD_H_
