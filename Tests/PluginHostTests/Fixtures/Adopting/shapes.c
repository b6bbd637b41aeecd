/* shapes.c - the functions of shapes.h that tests call; there.c has the others. */
#include "shapes.h"

int shape_add(int a, int b) {
  return a + b;
}
point_t shape_middle(point_t from, const point_t *to) {
  return (point_t){(from.x + to->x) / 2, (from.y + to->y) / 2};
}
pair_t shape_pair(pair_t pair) {
  return (pair_t){pair.right, pair.left, {pair.tag[3], pair.tag[2], pair.tag[1], pair.tag[0]}};
}
uint32_t shape_sum(uint32_t seed, const unsigned char *data, size_t length) {
  for (size_t i = 0; i < length; i++)
    seed += data[i];
  return seed;
}
double shape_split(double value, int *whole) {
  *whole = (int)value;
  return value - *whole;
}
int shape_renamed(int x) {
  return -x;
}
