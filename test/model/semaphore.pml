/*
 * The counting semaphore of util/sync/semaphore.h, and two that fail.
 *
 *   ALG 1  Try-acquire is one load and one CAS. The value to sleep on is read
 *          before the try. Release wakes only if the count was zero before.
 *          (This is the algorithm of the library header shipped with GCC 12.)
 *   ALG 2  Ours. An acquirer sleeps only on the value 0 and retries a failed
 *          CAS. Release always wakes one acquirer if any is registered as
 *          waiting.
 *   ALG 3  Ours with a seeded fault: release reads the waiter count before it
 *          adds the token.
 *
 * NA acquirers take one token each. Each of NR releasers posts NT tokens, one
 * at a time. There are INIT tokens at the start. If NA <= INIT + NR * NT, no
 * acquirer may block for ever. With FREE 1, the last acquirer destroys the
 * semaphore as soon as it has its token; a release that touches the semaphore
 * later is an error.
 */
#ifndef ALG
#define ALG 2
#endif
#ifndef NA
#define NA 3
#endif
#ifndef NR
#define NR 2
#endif
#ifndef NT
#define NT 1
#endif
#ifndef INIT
#define INIT 1
#endif
#ifndef FREE
#define FREE 0
#endif
byte cnt = INIT;      /* the futex word */
byte waiters;         /* registered waiters */
bool asleep[NA];
byte nsleep;
byte got;
bool gone;

inline wake1() {
  if
  :: nsleep == 0 -> skip
  :: asleep[0] -> atomic { asleep[0] = 0; nsleep = nsleep - 1 }
#if NA > 1
  :: asleep[1] -> atomic { asleep[1] = 0; nsleep = nsleep - 1 }
#endif
#if NA > 2
  :: asleep[2] -> atomic { asleep[2] = 0; nsleep = nsleep - 1 }
#endif
  fi
}
inline wakeall() {
  asleep[0] = 0;
#if NA > 1
  asleep[1] = 0;
#endif
#if NA > 2
  asleep[2] = 0;
#endif
  nsleep = 0
}
/* futex wait: compare and sleep is atomic in the kernel */
inline fwait(i, v) {
  atomic { if :: cnt == v -> asleep[i] = 1; nsleep = nsleep + 1 :: else fi };
  !asleep[i]
}

proctype Acq(byte i) {
  byte v, o; bool ok;
  do
  :: v = cnt;                        /* value to sleep on */
#if ALG == 1
     ok = 0;
     o = cnt;                        /* the try: load, then one CAS */
     if
     :: o == 0 -> skip
     :: else -> atomic { if :: cnt == o -> cnt = o - 1; ok = 1 :: else fi }
     fi;
     if
     :: ok -> break
     :: else -> fwait(i, v)
     fi;
     v = 0
#else
     if
     :: v > 0 -> atomic { if :: cnt == v -> cnt = v - 1; ok = 1 :: else fi };
        if :: ok -> break :: else fi
     :: else -> waiters = waiters + 1; fwait(i, 0); waiters = waiters - 1
     fi
#endif
  od;
  atomic { got = got + 1; if :: FREE == 1 && got == NA -> gone = 1 :: else fi }
}

proctype Rel() {
  byte n, o, w;
  do
  :: n < NT -> n = n + 1;
#if ALG == 1
     atomic { assert(!gone); o = cnt; cnt = cnt + 1 };
     if :: o == 0 -> atomic { wakeall() } :: else fi   /* FUTEX_WAKE by address only */
#elif ALG == 2
     atomic { assert(!gone); cnt = cnt + 1 };
     atomic { assert(!gone); w = waiters };
     if :: w > 0 -> atomic { wake1() } :: else fi
#else
     atomic { assert(!gone); w = waiters };
     atomic { assert(!gone); cnt = cnt + 1 };
     if :: w > 0 -> atomic { wake1() } :: else fi
#endif
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do :: i < NA -> run Acq(i); i++ :: else -> break od;
    i = 0;
    do :: i < NR -> run Rel(); i++ :: else -> break od
  }
}
