/* The global executors: a job that is submitted at the moment at which an idle thread's time is up. The program replaces
 * pthread_cond_timedwait: the wait of a thread of the pool ends when the job is there, and says that the time is up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>

#include "scheduling.h"

static int (*timed_wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static atomic_bool is_armed;
static sem_t idle, submitted;

static void await(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0)
    REQUIRE(errno == EINTR);
}

static bool is_of_the_pool(void) {
  char name[16] = "";
  return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "promise-pool") == 0;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  if (is_of_the_pool() && atomic_exchange(&is_armed, false)) {
    pthread_mutex_unlock(mutex);
    sem_post(&idle);
    await(&submitted);
    pthread_mutex_lock(mutex);
    return ETIMEDOUT;
  }
  return timed_wait(condition, mutex, until);
}

static void job_is_run_although_the_time_of_its_thread_is_up(void) {
  promise_executor_t *executor = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  atomic_store(&is_armed, true);
  promise_t *first = react_on(executor, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait(first, FOR_EVER), PROMISE_OK);
  await(&idle);
  promise_t *second = react_on(executor, adds_one, NULL, NULL);
  sem_post(&submitted);
  REQUIRE(promise_wait(second, 60 * 1000000000LL) == PROMISE_OK);
  CHECK(ended(second, PROMISE_FULFILLED, 2));
  promise_release(first);
  promise_release(second);
}

int main(void) {
  *(void **)&timed_wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  REQUIRE(timed_wait != NULL && sem_init(&idle, 0, 0) == 0 && sem_init(&submitted, 0, 0) == 0);
  RUN(job_is_run_although_the_time_of_its_thread_is_up);
  return check_report();
}
