/* help.c - a dependency of a plugin. */
int help(void) {
  return 1;
}
