/* PROMISE_LAYOUT of promise_plugin.h: a row for the whole struct, and one for each of its fields, up to 16. */
#include "support.h"

#include "promise_plugin.h"

/* Fields of several sizes, so that no two have the same place, and neighbours have different sizes. */
struct fields {
  uint8_t a;
  uint32_t b;
  uint16_t c;
  uint64_t d;
  uint8_t e[3];
  uint32_t f;
  uint16_t g;
  uint64_t h;
  uint8_t i;
  uint32_t j;
  uint16_t k;
  uint64_t l;
  uint8_t m[5];
  uint32_t n;
  uint16_t o;
  uint64_t p;
};

#define ROW(field)                                                                                                     \
  { "f.s." #field, offsetof(struct fields, field), sizeof(((struct fields *)0)->field) }
static const promise_layout_t expected[] = {
    {"f.s", PROMISE_LAYOUT_WHOLE, sizeof(struct fields)},
    ROW(a),
    ROW(b),
    ROW(c),
    ROW(d),
    ROW(e),
    ROW(f),
    ROW(g),
    ROW(h),
    ROW(i),
    ROW(j),
    ROW(k),
    ROW(l),
    ROW(m),
    ROW(n),
    ROW(o),
    ROW(p),
};

static void has_rows(const promise_layout_t *rows, size_t count, size_t fields) {
  CHECK_INT(count, fields + 1);
  for (size_t i = 0; i < count && i <= fields; i++) {
    CHECK_TEXT(rows[i].path, expected[i].path);
    CHECK_INT(rows[i].offset, expected[i].offset);
    CHECK_INT(rows[i].size, expected[i].size);
  }
}

#define LAYS_OUT(count, ...)                                                                                           \
  do {                                                                                                                 \
    static const promise_layout_t rows[] = {PROMISE_LAYOUT("f.s", struct fields, __VA_ARGS__)};                        \
    has_rows(rows, sizeof rows / sizeof *rows, count);                                                                 \
  } while (0)

TEST(each_number_of_fields_has_its_rows) {
  LAYS_OUT(1, a);
  LAYS_OUT(2, a, b);
  LAYS_OUT(3, a, b, c);
  LAYS_OUT(4, a, b, c, d);
  LAYS_OUT(5, a, b, c, d, e);
  LAYS_OUT(6, a, b, c, d, e, f);
  LAYS_OUT(7, a, b, c, d, e, f, g);
  LAYS_OUT(8, a, b, c, d, e, f, g, h);
  LAYS_OUT(9, a, b, c, d, e, f, g, h, i);
  LAYS_OUT(10, a, b, c, d, e, f, g, h, i, j);
  LAYS_OUT(11, a, b, c, d, e, f, g, h, i, j, k);
  LAYS_OUT(12, a, b, c, d, e, f, g, h, i, j, k, l);
  LAYS_OUT(13, a, b, c, d, e, f, g, h, i, j, k, l, m);
  LAYS_OUT(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  LAYS_OUT(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  LAYS_OUT(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}
