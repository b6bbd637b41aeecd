/* values.h - random values, and calls on them. */
#ifndef MONKEY_VALUES_H
#define MONKEY_VALUES_H

#include "world.h"

static const promise_type_t *bond_type; /* its objects' payloads are bonds */

static promise_value_t any_value(void);

static promise_value_t any_collection(void) {
  promise_value_t value = *VOID(), parts[3] = {any_value(), any_value(), any_value()};
  const char *keys[] = {"a", "b", toss(8) ? NULL : "a"};
  size_t count = draw(4);
  for (size_t i = count; i < 3; i++)
    promise_value_release(&parts[i]);
  if (toss(2))
    promise_value_array(&value, parts, count);
  else
    promise_value_map(&value, keys, NULL, parts, count);
  return value;
}

static promise_value_t any_object(void) {
  promise_value_t value = *VOID();
  bond_t *bond = bond_in(bonds, &bonds_used, false);
  if (bond == NULL)
    return value;
  switch (draw(3)) {
  case 0:
    CHECK(promise_value_object(&value, bond_type, bond) != PROMISE_EINVAL); /* the caller would keep the payload */
    break;
  case 1:
    promise_value_object_with(&value, toss(16) ? NULL : bond_type, bond, bond, bond_free);
    break;
  default:
    promise_value_bytes_foreign(&value, toss(16) ? NULL : "foreign", 7, bond, bond_free);
  }
  return value;
}

/* Returns a value that holds a settled promise: pending promises could hold each other in a cycle. */
static promise_value_t any_held(void) {
  promise_t *promise = promise_new_resolved(I64(1));
  return promise != NULL ? holding(promise) : *VOID();
}

static promise_value_t any_reason(void) {
  promise_value_t value = *VOID(), cause = toss(2) ? any_value() : *VOID();
  switch (draw(3)) {
  case 0:
    promise_value_error_from(&value, "monkey", 1, "a reason", PROMISE_HERE, &cause);
    return value;
  case 1:
    promise_value_discarded(&value, &cause);
    return value;
  default:
    promise_value_release(&cause);
    promise_value_error_sized(&value, "monkey", 6, 2, "a reason", draw(9));
    return value;
  }
}

/* Returns a value, with a reference for the caller. */
static promise_value_t any_value(void) {
  promise_value_t value = *I64((int64_t)draw(4));
  switch (draw(12)) {
  case 0:
    promise_value_string(&value, "a text that is too long to lie in a cell", 40);
    return value;
  case 1:
    return any_object();
  case 2:
    return any_held();
  case 3:
    return toss(3) ? any_collection() : value;
  case 4:
    return toss(2) ? any_reason() : value;
  case 5:
    promise_value_f64(&value, 0.1);
    return value;
  case 6:
    promise_value_from_json(&value, "{\"a\": [1, 2.5, \"three\"]}", 24, NULL, NULL);
    return value;
  case 7:
    return toss(8) ? (promise_value_t){.kind = (promise_kind_t)draw(64), .as.u64 = draw(UINT64_MAX)} : value;
  default:
    return value;
  }
}

/* Uses a builder within one move, because builders belong to one thread. May call a used-up builder once more. */
static void builder_move(void) {
  static const promise_kind_t kinds[] = {PROMISE_KIND_STRING, PROMISE_KIND_BYTES, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP};
  promise_value_t value = any_value(), out = *VOID();
  promise_builder_t *builder =
      toss(4) ? promise_builder_from(&value) : promise_builder_new(kinds[draw(4)], (size_t)draw(100));
  promise_value_release(&value);
  for (int i = 0; i < 4; i++) {
    value = any_value();
    if (toss(2))
      promise_builder_add(builder, &value);
    else
      promise_builder_set(builder, "key", draw(4), &value);
    promise_builder_append(builder, "bytes", 5);
    if (promise_builder_room(builder, 10) != NULL)
      promise_builder_advance(builder, 0);
  }
  promise_builder_count(builder);
  if (toss(3))
    promise_builder_drop(builder);
  else
    CHECK(promise_builder_finish(builder, &out) != PROMISE_ENOMEM); /* finishing allocates no memory */
  promise_value_release(&out);
  CHECK(promise_builder_finish(builder, &out) != PROMISE_OK);
}

static void value_move(void) {
  promise_value_t one = any_value(), other = any_value(), text = *VOID(), error = *VOID();
  char buffer[64];
  size_t length;
  bool equal;
  switch (draw(6)) {
  case 0:
    promise_value_equal(&one, &other, &equal);
    break;
  case 1:
    promise_value_describe(&one, buffer, draw(sizeof buffer));
    break;
  case 2:
    promise_value_to_json(&text, &one, NULL, &error);
    break;
  case 3:
    promise_value_promise(&text, any(PROMISES));
    break;
  case 4:
    builder_move();
    break;
  default:
    promise_value_data(&one, &length);
    promise_value_find(&one, "a", 1);
    promise_value_key(&one, draw(3), &length);
    promise_value_at(&one, draw(promise_value_count(&one) + 1));
    promise_value_domain(&one), promise_value_origin(&one), promise_value_code(&one), promise_value_cause(&one);
    promise_value_is(&one, promise_value_type(&other));
  }
  promise_value_release(&one);
  promise_value_release(&other);
  promise_value_release(&text);
  promise_value_release(&error);
}

#endif /* MONKEY_VALUES_H */
