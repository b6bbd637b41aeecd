/* help.c - a library that a plugin needs. */
int help(void) {
  return 1;
}
