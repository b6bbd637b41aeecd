/* promise_trim, and memory that is returned to the system automatically. */
#include "memory.h"
#include "race.h"

enum { MANY = 1000000, SOME = 40000 };

/* ---- Memory returns ---- */

/* Little of the growth of a peak stays, without an explicit call. */
TEST(memory_of_a_peak_is_returned_without_a_call) {
  peak_t peak = peak_room(check_scale(MANY * 4L));
  long before = resident_kilobytes(), cells_before = cells();
  peak_rise(&peak);
  long high = resident_kilobytes() - before, cells_high = cells() - cells_before;
  peak_fall(&peak, 0);
  long low = resident_kilobytes() - before, cells_low = cells() - cells_before;
  CHECK(cells_high >= peak.count * 64);
  if (resident_is_known()) {
    CHECK(cells_low * 20 < cells_high);
    CHECK(low * 10 < high);
    fprintf(stderr, "peak: %ld KiB, after it: %ld KiB; cells: %ld, %ld\n", high, low, cells_high >> 10,
            cells_low >> 10);
  }
  free(peak.promises);
}

/* The memory of a recurring load is neither returned and faulted in each time, nor does it accumulate. */
TEST(peak_after_peak_stays_flat) {
  peak_t peak = peak_room(check_scale(MANY / 2));
  long high = 0;
  for (int round = 0; round < 8; round++) {
    peak_rise(&peak);
    long now = cells();
    if (round == 0)
      high = now;
    CHECK(now * 8 <= high * 9);
    peak_fall(&peak, 0);
  }
  CHECK(promise_trim() > 0);
  CHECK(cells() * 4 < high);
  free(peak.promises);
}

TEST(trim_returns_memory_below_the_limit_of_the_store) {
  peak_t peak = peak_room(SOME);
  peak_rise(&peak);
  long high = cells(), resident_high = resident_kilobytes();
  peak_fall(&peak, 0);
  int64_t given = promise_trim();
  CHECK(given > SOME * 64 * 9 / 10);
  CHECK(given <= high);
  CHECK_INT(cells(), high - given);
  if (resident_is_known())
    CHECK((resident_high - resident_kilobytes()) * 1024 > given * 3 / 4);
  CHECK_INT(promise_trim(), 0);
  promise_statistics_t now = statistics();
  CHECK(now.bytes_reusable <= now.bytes_resident);
  free(peak.promises);
}

TEST(trim_without_free_cells_returns_nothing) {
  CHECK(promise_trim() >= 0);
  CHECK_INT(promise_trim(), 0);
}

/* ---- Handles ---- */

/* Each page has a live promise, so no page is returned, and no value is lost. */
TEST(survivors_keep_their_pages) {
  peak_t peak = peak_room(SOME);
  peak_rise(&peak);
  for (long i = 0; i < peak.count; i += 32)
    CHECK_STATUS(promise_resolve(peak.promises[i], I64(i)), PROMISE_OK);
  peak_fall(&peak, 32);
  CHECK(promise_trim() < SOME * 64 / 10);
  CHECK(statistics().bytes_reusable > SOME * 64 * 9 / 10);
  long wrong = 0;
  for (long i = 0; i < peak.count; i++)
    wrong += i % 32 == 0 ? !ended(peak.promises[i], PROMISE_FULFILLED, i)
                         : promise_state(peak.promises[i]) != PROMISE_ESTALE;
  CHECK_INT(wrong, 0);
  for (long i = 0; i < peak.count; i += 32)
    promise_release(peak.promises[i]);
  CHECK(promise_trim() > SOME * 64 * 9 / 10);
  free(peak.promises);
}

static int by_number(const void *one, const void *other) {
  uintptr_t a = (uintptr_t) * (promise_t *const *)one, b = (uintptr_t) * (promise_t *const *)other;
  return a < b ? -1 : a > b;
}

/* Handles stay stale when their cells lose their memory, and when the cells are reused. */
TEST(released_handles_stay_stale) {
  enum { ROUNDS = 4 };
  static promise_t *all[ROUNDS * SOME];
  for (int round = 0; round < ROUNDS; round++) {
    peak_t peak = {all + (size_t)round * SOME, SOME};
    peak_rise(&peak);
    long alive = 0;
    for (long i = 0; i < round * SOME; i++)
      alive += promise_state(all[i]) != PROMISE_ESTALE;
    CHECK_INT(alive, 0);
    peak_fall(&peak, 0);
    CHECK(promise_trim() > 0);
    for (long i = 0; i < (round + 1) * SOME; i++)
      alive += promise_release(all[i]) != PROMISE_ESTALE;
    CHECK_INT(alive, 0);
  }
  qsort(all, ROUNDS * SOME, sizeof *all, by_number);
  long same = 0;
  for (long i = 1; i < ROUNDS * SOME; i++)
    same += all[i] == all[i - 1];
  CHECK_INT(same, 0);
}

/* ---- Threads ---- */

static void *comes_and_goes(void *argument) {
  (void)argument;
  peak_t peak = peak_room(SOME);
  peak_rise(&peak);
  peak_fall(&peak, 0);
  free(peak.promises);
  return NULL;
}

TEST(cells_of_ended_threads_are_returned) {
  finish(start(comes_and_goes, NULL));
  CHECK(promise_trim() > SOME * 64 * 9 / 10);
}

static atomic_bool goes_on;

static void *trims(void *argument) {
  (void)argument;
  while (atomic_load(&goes_on)) {
    CHECK(promise_trim() >= 0);
    statistics();
  }
  return NULL;
}

/* Settles promises, whose values must arrive, while another thread returns memory. */
static void *works(void *argument) {
  peak_t peak = peak_room(check_scale(SOME));
  meet();
  for (int round = 0; round < 8; round++) {
    peak_rise(&peak);
    long wrong = 0;
    for (long i = 0; i < peak.count; i++) {
      int64_t number = (int64_t)(intptr_t)argument + i;
      wrong += promise_resolve(peak.promises[i], I64(number)) != PROMISE_OK;
      wrong += !ended(peak.promises[i], PROMISE_FULFILLED, number);
    }
    peak_fall(&peak, 0);
    for (long i = 0; i < peak.count; i++)
      wrong += promise_state(peak.promises[i]) != PROMISE_ESTALE;
    CHECK_INT(wrong, 0);
  }
  free(peak.promises);
  return NULL;
}

TEST(threads_work_while_memory_is_returned) {
  atomic_store(&goes_on, true);
  pthread_t trimmer = start(trims, NULL);
  race(works, 3);
  atomic_store(&goes_on, false);
  finish(trimmer);
  promise_trim();
  CHECK_INT(statistics().promises_settled, 0);
  CHECK(statistics().bytes_resident < SOME * 64 / 2);
}

/* A child of fork() has its own copy of the slab, lists of free pages included. */
TEST(child_trims_too) {
  static peak_t peak;
  peak = peak_room(SOME);
  peak_rise(&peak);
  peak_fall(&peak, 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    _exit(promise_trim() > SOME * 64 * 9 / 10 && comes_and_goes(NULL) == NULL && promise_trim() > 0 ? 0 : 1);
  int status = 1;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(promise_trim() > SOME * 64 * 9 / 10);
  free(peak.promises);
}
