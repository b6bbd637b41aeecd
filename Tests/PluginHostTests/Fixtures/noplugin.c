/* noplugin.c - a library, but no plugin. */
int noplugin(void);
int noplugin(void) {
  return 0;
}
