/* A library like any other. */
int add(int left, int right);
int add(int left, int right) {
  return left + right;
}
