/* story.h - common code of the examples of this folder: a story that runs on the thread of somebody else's loop. Each
 * example has a loop of its own kind, the host, and runs a promise_loop_t within it. */
#ifndef STORY_H
#define STORY_H

#include <promise.h>

typedef struct story {
  promise_loop_t *loop;
  void *host;
  void (*fulfil_later)(void *host, promise_t *promise); /* by a timer of the host; takes over a reference */
  void (*quit)(void *host);
} story_t;

/* Begins the story, which continues whenever the host runs `story->loop`, and ends with `quit`. */
void story_begin(story_t *story);

/* Fulfils a promise, and releases it. */
void story_fulfil(promise_t *promise);

#endif /* STORY_H */
