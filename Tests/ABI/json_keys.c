/* json.h: keys are shared among objects of one text, and compared byte by byte. */
#include "support.h"

/* Reads two keys that differ in one byte, for each length and place, in one object and in two. */
TEST(keys_differ_by_any_byte) {
  for (int length = 1; length <= 24; length++) {
    for (int place = 0; place < length; place++) {
      char one[32] = {0}, other[32] = {0}, written[128], forms[2][128];
      memset(one, 'k', (size_t)length), memset(other, 'k', (size_t)length);
      other[place] = 'x';
      snprintf(forms[0], sizeof forms[0], "{\"%s\":1,\"%s\":2}", one, other);
      snprintf(forms[1], sizeof forms[1], "[{\"%s\":1},{\"%s\":2}]", one, other);
      for (int i = 0; i < 2; i++) {
        promise_value_t value = json(forms[i]), result;
        CHECK_STATUS(promise_value_to_json(&result, &value, NULL, NULL), PROMISE_OK);
        snprintf(written, sizeof written, "%s", promise_value_data(&result, NULL));
        CHECK_TEXT(written, forms[i]);
        promise_value_release(&result), promise_value_release(&value);
      }
    }
  }
}

TEST(equal_keys_are_one_value) {
  uint64_t before = statistics().values;
  promise_value_t value = json("[{\"key\":1},{\"key\":2},{\"key\":3}]");
  /* The array, three maps, and the key. */
  CHECK_INT(statistics().values - before, 5);
  promise_value_release(&value);
}
