/* confinement.h - the state that confinement.c and filter.c share. */
#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include <stdbool.h>

/* Whether a filter of this process reports its refusals. Set while the process has one thread. */
extern bool plugin_confinement_has_reports;

#endif /* CONFINEMENT_H */
