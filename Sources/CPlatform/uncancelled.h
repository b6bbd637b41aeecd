/* uncancelled.h - no function of the library is a cancellation point of pthread_cancel(): a thread that ended in one
 * would leave a lock behind. A cancellation that is pending takes effect at the next point of the thread's own code. */
#ifndef UNCANCELLED_H
#define UNCANCELLED_H

#include <pthread.h>

/* Returns the state for uncancelled_end(). */
static inline int uncancelled_begin(void) {
  int state = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  return state;
}

static inline void uncancelled_end(int state) {
  pthread_setcancelstate(state, &state);
}

#endif
