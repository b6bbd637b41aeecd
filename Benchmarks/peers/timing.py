"""Times calls: the median of many rounds, less that of an empty call of the same form."""

import timeit
from statistics import median
from time import thread_time

ROUNDS, BATCH = 60, 4000


def nanoseconds(call):
    timer = timeit.Timer(call, timer=thread_time)
    return median(time / BATCH * 1e9 for time in timer.repeat(ROUNDS, BATCH))


EMPTY = nanoseconds(lambda: None)


def report(row, call):
    print(row, round(nanoseconds(call) - EMPTY, 2), flush=True)
