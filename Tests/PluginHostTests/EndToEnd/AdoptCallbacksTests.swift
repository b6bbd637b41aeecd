import Foundation
import Testing

extension EndToEnd {
  /// Function pointers in headers.
  @Suite struct AdoptCallbacksTests {
    private static let header = """
      #include <stddef.h>
      typedef struct list list;
      typedef struct { double x, y; } point;
      typedef int (*visit_t)(void *user_data, int value /* of each */, const char *name);
      typedef void (*text_t)(void *ctx, const char *text, int length);
      typedef void (*raw_t)(void *, const char *, int);
      list *list_new(void);
      int list_each(list *l, visit_t visit, void *user_data);
      void list_set_text(list *l, text_t text, void *ctx);
      void list_set_raw(list *l, raw_t raw, void *ctx);
      void list_sort(list *l, int (*compare)(const void *left, const void *right));
      int list_walk(list *l, void (*visit)(point at, const point *next, void *context), void *context);
      void list_on_end(list *l, void (*done)(void *key, void *value, void *arg), void *arg);
      int list_plain(void *data, size_t size, int (*read)(int n));
      int list_variadic(int (*print)(const char *format, ...));
      int list_where(visit_t *slot);
      int list_bind(list *l, const char *text, void (*release)(void *));
      int list_weigh(list *l, const double *weights, void (*release)(void *));
      typedef void (*GDestroyNotify)(void *data);
      int list_drop_with(list *l, GDestroyNotify drop);
      int list_free_full(list *l, GDestroyNotify free_func);
      typedef int handler(int); typedef handler *handler_address;
      void list_each_handler(list *l, void (*take)(handler *h, handler_address a, void *user), void *user);
      handler *list_handler(list *l);
      """
    private static let source = """
      #include <stdlib.h>
      #include <stddef.h>
      typedef struct { double x, y; } point;
      typedef struct list { void (*text)(void *, const char *, int); void *ctx; } list;
      list *list_new(void) { return calloc(1, sizeof(list)); }
      int list_each(list *l, int (*visit)(void *, int, const char *), void *user) {
        int sum = 0; for (int i = 0; i < 3; i++) sum += visit(user, i + 1, "name"); return sum; }
      void list_set_text(list *l, void (*text)(void *, const char *, int), void *ctx) { l->text = text; l->ctx = ctx; }
      void list_set_raw(list *l, void (*raw)(void *, const char *, int), void *ctx) {}
      void list_sort(list *l, int (*compare)(const void *, const void *)) {}
      int list_walk(list *l, void (*visit)(point, const point *, void *), void *c) { return 0; }
      void list_on_end(list *l, void (*done)(void *, void *, void *), void *arg) {}
      int list_plain(void *data, size_t size, int (*read)(int)) { return 0; }
      int list_variadic(void *p) { return 0; }
      int list_where(void *p) { return 0; } int list_bind(void *p) { return 0; } int list_weigh() { return 0; }
      int list_drop_with(list *l, void (*drop)(void *)) { return drop == 0; } int list_free_full(void *l) { return 0; }
      void list_each_handler() {} void *list_handler(list *l) { return 0; }
      """

    @Test("a GDestroyNotify may be left out, but not where it is the purpose of the function")
    func destroyNotify() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let drop = "(l: ptr<list>, drop: fn(data: ptr<void>?) @forever?) -> i32"
      #expect(adopted.signature("list_drop_with") == "list_drop_with" + drop)
      let free = "(l: ptr<list>, free_func: fn(data: ptr<void>?) @forever) -> i32"
      #expect(adopted.signature("list_free_full") == "list_free_full" + free)
      let text = try adopted.shell("use LIB as l", "a = l.list_new", "l.list_drop_with $a")
      #expect(text == "1\n")
    }

    @Test(arguments: [
      (
        "list_each",
        "(l: ptr<list>, visit: fn(user_data: context, value: i32, name: cstr?) -> i32 @call, user_data: context) -> i32"
      ),
      // An address of a function suits every callback; the name of its typedef does not matter.
      (
        "list_each_handler",
        "(l: ptr<list>, take: fn(h: ptr<function>?, a: ptr<function>?, user: context) @call, user: context)"
      ),
      ("list_handler", "(l: ptr<list>) -> ptr<function>?"),
      // Memory with a count is read up to the count. Without names nothing shows that the int is one.
      (
        "list_set_text",
        "(l: ptr<list>, text: fn(ctx: context, text: str[length]?, length: i32) @forever?, ctx: context)"
      ),
      ("list_set_raw", "(l: ptr<list>, raw: fn(context, ptr<char>?, i32) @forever?, ctx: context)"),
      ("list_sort", "(l: ptr<list>, compare: fn(left: ptr<void>?, right: ptr<void>?) -> i32 @call)"),
      (
        "list_walk",
        "(l: ptr<list>, visit: fn(at: {x: f64, y: f64}, next: {x: f64, y: f64}?, context: context) @call, "
          + "context: context) -> i32"
      ),
      (
        "list_on_end",
        "(l: ptr<list>, done: fn(key: ptr<void>?, value: ptr<void>?, arg: context) @forever, arg: context)"
      ),
      // Memory that is written is not a context.
      (
        "list_plain",
        "(data: out bytes[size], size: usize, read: fn(n: i32) -> i32 @forever) -> i32"
      ),
    ])
    func functionPointersAreCallbacks(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    @Test(arguments: [
      ("list_bind", "'release' may free 'text', which the function then keeps"),
      ("list_weigh", "'release' may free 'weights', which the function then keeps"),
      ("list_where", "'slot' is the address of a function pointer"),
    ])
    func aTypeThatNoCallbackCanHaveIsLeftOut(name: String, reason: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }

    @Test func anExpressionIsCalled() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let text = try adopted.shell("use LIB as lib", "l = lib.list_new", "lib.list_each $l visit='value * 10'")
      #expect(text == "60\n")
    }

    @Test func theCheckGivesThemSomethingToCall() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(!adopted.draft.errors.contains("list_each"), "\(adopted.draft.errors)")
      #expect(adopted.signature("list_each").hasPrefix("list_each("))
    }
  }
}
