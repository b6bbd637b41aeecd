#ifndef LATE_RUNTIME_H
#define LATE_RUNTIME_H

/* late_runtime.h - the C++ runtime of plugins, which plugin-host loads with the first plugin.
 *
 * plugin-host links the archive of libstdc++, because the shared library would cost a fifth of each start. The state of
 * exceptions must be that of the shared library all the same: plugins throw from it, and std::uncaught_exceptions()
 * counts there. The linker redirects both functions that return this state (--wrap), in debug builds none. */

/* Loads libstdc++ now: in a process that will not be allowed to open its file when the first plugin is loaded. */
void late_runtime_load(void);

#endif /* LATE_RUNTIME_H */
