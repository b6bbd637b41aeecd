/* A library without the entry of a plugin. */
int add(int left, int right);
int add(int left, int right) {
  return left + right;
}
