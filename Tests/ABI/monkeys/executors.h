/* executors.h - random calls on executors, jobs, loops and timers. */
#ifndef MONKEY_EXECUTORS_H
#define MONKEY_EXECUTORS_H

#include "promises.h"

/* ---- Executors ---- */

/* Runs the job, drops it, or defers it. */
static void finish_job(promise_job_t *job) {
  if (job != NULL)
    (toss(4) ? promise_job_drop : promise_job_run)(job);
}

static void submit(void *ctx, promise_job_t *job) {
  bond_called(ctx);
  if (atomic_load(&closing) || toss(2))
    finish_job(job);
  else
    finish_job(atomic_exchange(&jobs[draw(JOBS)], job));
}

static void make_executor(void) {
  bond_t *bond;
  switch (draw(5)) {
  case 0:
    keep(EXECUTORS, promise_executor_serial(toss(4) ? NULL : any(EXECUTORS)));
    break;
  case 1:
    keep(EXECUTORS, promise_loop_executor(any(LOOPS)));
    break;
  case 2:
    keep(EXECUTORS, promise_executor_global((promise_priority_t)draw(7)));
    break;
  case 3:
    keep(EXECUTORS, toss(2) ? promise_executor_immediate() : promise_executor_main());
    break;
  default:
    if ((bond = bond_often()) != NULL)
      keep(EXECUTORS, promise_executor_new(submit, bond, bond_free));
  }
}

static void executor_move(void) {
  bond_t *bond;
  switch (draw(8)) {
  case 0:
  case 1:
    make_executor();
    break;
  case 2:
  case 3:
    if ((bond = bond_once()) != NULL)
      promise_executor_submit(any(EXECUTORS), bond_called, bond, bond_free);
    break;
  case 4:
    finish_job(atomic_exchange(&jobs[draw(JOBS)], NULL));
    break;
  case 5:
    promise_executor_is_current(any(EXECUTORS)), promise_is_main_thread();
    break;
  default:
    share(EXECUTORS, any(EXECUTORS));
  }
}

/* Calls functions of the main loop on the main thread alone. */
static void main_move(void) {
  if (!promise_is_main_thread())
    return;
  if (toss(2))
    promise_loop_run_once(promise_loop_main());
  else
    promise_executor_set_main(toss(2) ? NULL : any(EXECUTORS));
}

/* ---- Loops ---- */

static void loop_move(void) {
  promise_loop_t *loop = any(LOOPS);
  switch (draw(10)) {
  case 0:
  case 1:
    keep(LOOPS, promise_loop_new());
    break;
  case 2:
    keep(EXECUTORS, promise_loop_executor(loop));
    break;
  case 3:
  case 4:
    promise_loop_run_once(loop);
    break;
  case 5:
    promise_loop_run(loop, (int64_t)draw(100000));
    break;
  case 6:
    promise_loop_wait(loop, any(PROMISES), (int64_t)draw(100000));
    break;
  case 7:
    promise_loop_stop(loop);
    break;
  case 8:
    promise_loop_fd(loop), promise_loop_is_current(loop);
    break;
  default:
    share(LOOPS, loop);
  }
}

/* ---- Timers ---- */

/* Makes a timer that is due soon, or in an hour, which a round does not reach. */
static void timer_move(void) {
  promise_executor_t *executor = toss(2) ? NULL : any(EXECUTORS);
  bool lasts = toss(2);
  kind_t kind = lasts ? LASTING : PROMISES;
  int64_t time = lasts ? INT64_C(3600000) * MILLISECONDS : (int64_t)draw(2 * MILLISECONDS);
  switch (draw(9)) {
  case 0:
    keep(kind, promise_sleep(time));
    break;
  case 1:
  case 2:
    keep(kind, promise_sleep_on(executor, time));
    break;
  case 3:
    keep(kind, promise_delay(any(PROMISES), time));
    break;
  case 4:
    keep(kind, promise_delay_on(executor, any(PROMISES), time));
    break;
  case 5:
    keep(kind, promise_timeout(any(PROMISES), time));
    break;
  case 6:
    keep(kind, promise_timeout_on(executor, any(PROMISES), time));
    break;
  case 7:
    let_go(LASTING, exchange(&slots[LASTING][draw(SLOTS)], NULL));
    break;
  default:
    attach(any(LASTING));
  }
}

#endif /* MONKEY_EXECUTORS_H */
