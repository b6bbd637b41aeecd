/* process.h - measures in a separate process, without memory left behind by earlier measurements. */
#ifndef BENCHMARKS_PROCESS_H
#define BENCHMARKS_PROCESS_H

#include "library.h"

typedef double (*figure_t)(const library_t *library, size_t count);

/* Returns the result of `figure` in a child process. Ends the program with a message if the child fails. */
double process_figure(figure_t figure, const library_t *library, size_t count);

#endif
