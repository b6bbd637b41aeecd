/* process.h - measuring in a process of its own, which nothing measured before has left memory behind in. */
#ifndef BENCHMARKS_PROCESS_H
#define BENCHMARKS_PROCESS_H

#include "library.h"

typedef double (*figure_t)(const library_t *library, size_t count);

/* What `figure` gives in a child of this process. Ends the program with a message if the child fails. */
double process_figure(figure_t figure, const library_t *library, size_t count);

#endif
