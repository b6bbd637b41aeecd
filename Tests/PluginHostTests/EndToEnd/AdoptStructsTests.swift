import Foundation
import Testing

extension EndToEnd {
  /// Structs that the caller allocates and a function of the library initializes.
  @Suite struct AdoptStructsTests {
    private static let endings = """
      typedef struct { void *state; int count; } emitter_t;
      int emitter_initialize(emitter_t *emitter);
      int emitter_close(emitter_t *emitter);
      void emitter_delete(emitter_t *emitter);
      typedef struct archive archive_t;
      archive_t *archive_new(void);
      int archive_close(archive_t *a);
      int archive_free(archive_t *a);
      typedef struct door door_t;
      door_t *door_open(const char *name);
      int door_close(door_t *d);
      """
    private static let endingsSource = """
      int emitter_initialize() { return 0; } int emitter_close() { return 0; } void emitter_delete() {}
      void *archive_new() { return 0; } int archive_close() { return 0; } int archive_free() { return 0; }
      void *door_open() { return 0; } int door_close() { return 0; }
      """

    /// A function that ends the work of an object does not destroy it, if another function frees it.
    @Test(arguments: [
      ("emitter_close", "(emitter: ptr<emitter_t>) -> i32"), ("emitter_delete", "(emitter: own ptr<emitter_t>)"),
      ("archive_close", "(a: ptr<archive_t>) -> i32"), ("archive_free", "(a: own ptr<archive_t>) -> i32"),
      ("door_close", "(d: own ptr<door_t>) -> i32"),
    ])
    func aClosingFunctionIsNotTheDestructorBesideOneThatFrees(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.endings, source: Self.endingsSource).signature(name) == name + types)
    }

    @Test("a prefix before a joined verb makes another verb of it")
    func prefixes() throws {
      let header = """
        typedef struct { unsigned check; void *filters; } block_t;
        int block_uncomp_encode(block_t *block, int n);
        int block_decomp(block_t *block, int n);
        typedef struct { void *state; int n; } rule_t;
        int rulecomp(rule_t *rule, int n);
        void rulefree(rule_t *rule);
        """
      let source = """
        int block_uncomp_encode() { return 0; } int block_decomp() { return 0; }
        int rulecomp() { return 0; } void rulefree() {}
        """
      let adopted = try AdoptedHeader.of(header, source: source)
      #expect(adopted.signature("block_uncomp_encode").contains("(block: ptr<block_t>, n: i32)"), "\(adopted.draft)")
      #expect(adopted.signature("block_decomp").contains("(block: ptr<block_t>, n: i32)"), "\(adopted.draft)")
      #expect(adopted.signature("rulecomp").contains("(rule: out(16) own(rulefree) ptr<rule_t>"), "\(adopted.draft)")
    }

    private static let header = """
      typedef struct { void *state; int total; } sum_t;
      int sum_init(sum_t *sum, int start);
      int sum_init_set(sum_t *sum, const sum_t *from);
      int sum_open(sum_t *sum, int n);
      int sum_add(sum_t *sum, int n);
      int sum_total(const sum_t *sum);
      void sum_end(sum_t *sum);
      typedef struct { unsigned count; unsigned char block[64]; } hash_t;
      void hash_init(hash_t *hash);
      int hash_size(const hash_t *hash);
      typedef struct { void *next; } watch_t;
      typedef struct loop loop_t;
      loop_t *loop_new(void);
      int watch_init(loop_t *loop, watch_t *watch);
      int loop_run(loop_t *loop);
      typedef struct { int a; int tail[]; } open_t;
      void open_init(open_t *o);
      typedef struct { void *p; int a; } given_t;
      given_t *given_get(void);
      typedef struct { void *p; int a; } chain_t;
      void chain_init(chain_t *chain);
      chain_t *chain_next(chain_t *chain);
      void given_init(given_t *g);
      void sums_init(sum_t *sums, int count);
      int bad_init(hash_t *hash);
      typedef struct { int a, b; } pair_t;
      void pair_init(pair_t *pair);
      int pair_sum(const pair_t *pair);
      typedef struct { int a, b; } value_t;
      int value_sum(const value_t *value);
      """
    private static let source = """
      #include <stdlib.h>
      #include <string.h>
      typedef struct { void *state; int total; } sum_t;
      int sum_init(sum_t *s, int start) { s->state = malloc(8); s->total = start; return start < 0 ? -1 : 0; }
      int sum_init_set(sum_t *s, const sum_t *from) { return 0; } int sum_open(sum_t *s, int n) { return 0; }
      int sum_add(sum_t *s, int n) { s->total += n; return 0; }
      int sum_total(const sum_t *s) { return s->total; }
      void sum_end(sum_t *s) { free(s->state); s->state = NULL; }
      typedef struct { unsigned count; unsigned char block[64]; } hash_t;
      void hash_init(hash_t *h) { memset(h, 0, sizeof *h); }
      int hash_size(const hash_t *h) { return h->block[0] + sizeof *h; }
      typedef struct watch { struct watch *next; } watch_t;
      typedef struct loop { watch_t *first; } loop_t;
      loop_t *loop_new(void) { return calloc(1, sizeof(loop_t)); }
      int watch_init(loop_t *l, watch_t *w) { w->next = l->first; l->first = w; return 0; }
      int loop_run(loop_t *l) { int n = 0; for (watch_t *w = l->first; w; w = w->next) n++; return n; }
      void open_init(void *o) {} void *given_get(void) { return 0; } void given_init(void *g) {}
      void chain_init(void *c) {} void *chain_next(void *c) { return c; }
      void sums_init(void *s, int n) {} void pair_init(void *p) {} int pair_sum(void *p) { return 0; }
      int value_sum(void *v) { return 0; } int bad_init(hash_t *h) { memset(h, 1, sizeof *h + 1); return 0; }
      """

    @Test(arguments: [
      ("sum_init", "(sum: out(16) own(sum_end) ptr<sum_t>, start: i32) -> i32"), ("sum_end", "(sum: own ptr<sum_t>)"),
      ("sum_init_set", "(sum: out(16) own(sum_end) ptr<sum_t>, from: ptr<sum_t>) -> i32"),
      ("sum_open", "(sum: ptr<sum_t>, n: i32) -> i32"),
      ("sum_total", "(sum: ptr<sum_t>) -> i32"), ("hash_init", "(hash: out(68) own ptr<hash_t>)"),
      ("pair_init", "(pair: out(8) own ptr<pair_t>)"), ("pair_sum", "(pair: ptr<pair_t>) -> i32"),
      ("value_sum", "(value: &{a: i32, b: i32}) -> i32"),
      // The loop may keep the address of the watch.
      ("watch_init", "(loop: ptr<loop_t>, watch: out(8) ptr<watch_t>) -> i32"),
      // More data may follow the struct; the library makes such objects itself; there may be several.
      ("open_init", "(o: ptr<open_t>)"), ("given_init", "(g: ptr<given_t>)"),
      ("chain_init", "(chain: out(16) ptr<chain_t>)"), ("sums_init", "(sums: ptr<sum_t>, count: i32)"),
    ])
    func aStructThatAFunctionMakesIsCallerAllocated(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }

    @Test func itIsAnObject() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let text = try adopted.shell(
        "use LIB as lib", "s = lib.sum_init 40", "lib.sum_add ${s.sum} 2", "lib.sum_total ${s.sum}",
        "lib.sum_end ${s.sum}", "h = lib.hash_init", "lib.hash_size $h", "l = lib.loop_new", "lib.watch_init $l",
        "lib.watch_init $l", "lib.loop_run $l")
      #expect(
        text.split(separator: "\n").map(String.init).filter { !$0.contains("watch") } == ["0", "42", "68", "2"])
      let after = try adopted.shell(
        "use LIB as lib", "s = lib.sum_init 1", "lib.sum_end ${s.sum}", "lib.sum_total ${s.sum}")
      #expect(after.contains("is a sum_t that 'sum_end' has released"), "\(after)")
    }

    @Test func theCheckSeesWritesBehindIt() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(adopted.signature("bad_init").contains("it writes beyond 'hash'"), "\(adopted.draft.text)")
      for name in ["sum_init", "sum_total", "watch_init", "loop_run", "hash_size"] {
        #expect(adopted.signature(name).hasPrefix("\(name)("), "\(adopted.draft.text)")
        #expect(!adopted.draft.errors.contains("  \(name):"), "\(adopted.draft.errors)")
      }
    }

    @Test func aMarkNamesTheStructAndTheFunctionThatEndsIt() throws {
      let text = try AdoptedHeader.of(Self.header, source: Self.source).draft.text
      #expect(text.contains("sum is taken to be one sum_t that the function makes, and that sum_end ends\n"), "\(text)")
      #expect(text.contains("hash is taken to be one hash_t that the function makes\n"), "\(text)")
    }
  }
}
