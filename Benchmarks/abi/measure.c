#include "measure.h"

#include <stdlib.h>

double measure_once(contestant_t contestant, size_t times, double (*clock)(void)) {
  double start = clock();
  for (size_t i = 0; i < times; i++)
    contestant.workload(contestant.library, contestant.count);
  return (clock() - start) / (double)(times * contestant.items);
}

comparison_t measure_race(contestant_t reference, contestant_t ours, look_t look) {
  const contestant_t contestants[2] = {reference, ours};
  double *times[2];
  size_t repeat[2];
  for (int i = 0; i < 2; i++) {
    times[i] = malloc((size_t)look.rounds * sizeof(double));
    if (!times[i])
      abort();
    /* The first run warms up, the second measures the duration of one. */
    measure_once(contestants[i], 1, look.clock);
    double once = measure_once(contestants[i], 1, look.clock) * (double)contestants[i].items;
    repeat[i] = once < look.slice ? (size_t)(look.slice / once) + 1 : 1;
  }
  for (int round = 0; round < look.rounds; round++) {
    for (int turn = 0; turn < 2; turn++) {
      int which = (round + turn) % 2;
      times[which][round] = measure_once(contestants[which], repeat[which], look.clock);
    }
  }
  comparison_t result = statistics_compare(times[0], times[1], look.rounds);
  free(times[0]);
  free(times[1]);
  return result;
}
