/* environment.h - the variables of the environment that a worker process gets. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

/* Makes the environment of a child: the host's variables that hold no secrets, and those in `names`, which ends with
 * NULL; all variables if `names` is NULL. Backtraces of the Swift runtime are turned off unless the user asked for
 * them: they take half a second, and push the plugin's own last lines out.
 *
 * The caller frees the array, but not the texts. NULL if memory has run out. */
char **plugin_environment(char *const *names);

#endif /* ENVIRONMENT_H */
