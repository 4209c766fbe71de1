/*
 * The pool of workers of util/sync/ticket_queue.h, serving two builders.
 *
 * A builder sends NT tickets, one after the other. Then it takes back the
 * tickets that are still queued, and sleeps on a gate until no worker attends
 * it and no worker is on its way to it. Then its memory is freed. A worker may
 * yield: it leaves and queues its ticket again. A mutex guards the queue, so
 * each operation on it is one step. The token of a ticket is posted in a step
 * of its own.
 *
 *   NP 0, 1, 2  threads of the pool
 * Seeded faults:
 *   GATE 1      the gate belongs to the builder, so waking the builder touches
 *               its memory
 *   WITHDRAW 0  the builder does not take back queued tickets
 *   COUNT 0     the builder does not wait for tickets that workers have taken
 *   STOP 0      the end of the pool posts no tokens
 */
#ifndef NP
#define NP 2
#endif
#ifndef NT
#define NT 2
#endif
#ifndef GATE
#define GATE 0
#endif
#ifndef WITHDRAW
#define WITHDRAW 1
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifndef STOP
#define STOP 1
#endif
byte queued[2];     /* in the queue; their order does not matter here */
byte tokens;
byte tickets[2];    /* the ring's word: not yet attending, queued or not */
byte attending[2];
bool sleeps[2];
byte gate[2];
bool freed[2], ended[2];
bool stopping;
byte exited;

proctype Worker() {
  byte j; bool wake; byte yields = 1;
  do
  :: atomic { tokens > 0 -> tokens = tokens - 1 };
     atomic {
       if
       :: queued[0] > 0 -> queued[0] = queued[0] - 1; j = 0
       :: queued[1] > 0 -> queued[1] = queued[1] - 1; j = 1
       :: else -> if :: stopping -> j = 9 :: else -> j = 8 fi
       fi
     };
     if
     :: j == 9 -> break
     :: j == 8 -> skip
     :: else ->
        atomic { assert(!freed[j]); tickets[j] = tickets[j] - 1; attending[j] = attending[j] + 1 };
        if
        :: yields > 0 ->                    /* work is left, other builders wait */
           yields = yields - 1;
           atomic {
             assert(!freed[j]);
             attending[j] = attending[j] - 1;
             if
             :: !ended[j] -> tickets[j] = tickets[j] + 1
             :: else -> j = j + 4
             fi;
             wake = attending[j % 4] == 0 && sleeps[j % 4];
             if :: wake -> sleeps[j % 4] = 0 :: else fi
           };
           if :: wake -> if :: GATE == 1 -> assert(!freed[j % 4]) :: else fi;
                         gate[j % 4] = gate[j % 4] + 1; assert(gate[j % 4] <= 1)
              :: else fi;
           if :: j < 4 -> queued[j] = queued[j] + 1; tokens = tokens + 1
              :: else fi
        :: true ->
           atomic {
             assert(!freed[j]);
             attending[j] = attending[j] - 1;
             wake = attending[j] == 0 && sleeps[j];
             if :: wake -> sleeps[j] = 0 :: else fi
           };
           if :: wake -> if :: GATE == 1 -> skip :: else fi;
                         gate[j] = gate[j] + 1;           /* visible ... */
                         if :: GATE == 1 -> assert(!freed[j]) :: else fi
              :: else fi
        fi
     fi
  od;
  exited = exited + 1
}

proctype Builder(byte j) {
  byte n, taken; bool done;
  do
  :: n < NT ->
     n = n + 1;
     tickets[j] = tickets[j] + 1;
     queued[j] = queued[j] + 1;
     tokens = tokens + 1
  :: else -> break
  od;
  ended[j] = 1;
  if
  :: WITHDRAW == 1 ->
     atomic { taken = queued[j]; queued[j] = 0 };
     tickets[j] = tickets[j] - taken
  :: else
  fi;
  do
  :: atomic {
       if
       :: attending[j] == 0 && (COUNT == 0 || tickets[j] == 0) -> done = 1
       :: else -> sleeps[j] = 1; done = 0
       fi
     };
     if
     :: done -> break
     :: else -> atomic { gate[j] > 0 -> gate[j] = gate[j] - 1 }
     fi
  od;
  freed[j] = 1
}

init {
  byte i = 0;
  atomic {
    do :: i < NP -> run Worker(); i++ :: else -> break od;
    run Builder(0); run Builder(1)
  };
  freed[0] && freed[1];
  atomic { stopping = 1; if :: STOP == 1 -> tokens = tokens + NP :: else fi };
  exited == NP;
  assert(attending[0] + attending[1] == 0)
}
