import Foundation
import Testing

extension EndToEnd {
  /// Objects that `adopt --check` makes for the functions that it calls, and limits under which it calls none.
  @Suite struct AdoptCheckObjectsTests {
    private static let header = """
      #include <stddef.h>
      #include <stdio.h>
      typedef struct base base;
      typedef struct query query;
      typedef struct crate crate;
      struct mark { int kind; struct mark *next; };
      base *base_break(const char *name);
      base *base_open(const char *name);
      query *query_new(base *b, int number);
      int query_step(query *q);
      int base_size(base *b);
      crate *crate_find(const char *name, int *broken);
      crate *crate_of(crate *like, int size);
      crate *crate_drop(int size);
      int crate_size(crate *c);
      int mark_kind(struct mark *m);
      int mark_count(struct mark *m, int depth);
      int file_letter(FILE *file);
      void *pool_alloc(size_t size);
      void pool_free(void *memory);
      void *pool_start(void);
      int always_crashes(int x);
      typedef struct bin bin;
      const char *gnutls_strerror(int code);
      int gnutls_bin_init(bin **made, int kind);
      int gnutls_bin_size(bin *b);
      typedef struct ring ring;
      ring *png_create_ring_struct(const char *user_png_ver);
      int ring_size(ring *r);
      typedef struct { unsigned char *data; unsigned int size; } gnutls_datum_t;
      int datum_letter(const gnutls_datum_t *data);
      int label(char *buffer, size_t size);
      int wait_for_events(int x);
      """
    private static let source = """
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/epoll.h>
      #include <sys/timerfd.h>
      #include <unistd.h>
      struct base { int is_open; }; struct query { int number; }; struct crate { int size; };
      struct mark { int kind; struct mark *next; };
      static int crash(void) { return *(volatile int *)8; }
      /* As those of SQLite, a base of an unknown name is one that answers no query. */
      struct base *base_open(const char *name) {
        struct base *b = malloc(sizeof *b);
        b->is_open = !strcmp(name, ":memory:");
        return b;
      }
      struct query *query_new(struct base *b, int number) {
        return b->is_open && number > 1 ? calloc(1, sizeof(struct query)) : 0;
      }
      struct base *base_break(const char *name) { return base_open(name + crash()); }
      int query_step(struct query *q) { return q->number; }
      int base_size(struct base *b) { return b->is_open * 0; }
      struct crate *crate_drop(int size) { return (struct crate *)(long)crash(); }
      struct crate *crate_find(const char *name, int *broken) { return calloc(1, sizeof(struct crate)); }
      struct crate *crate_of(struct crate *like, int size) { return (struct crate *)(long)(crash() + like->size); }
      int crate_size(struct crate *c) { return c->size; }
      int mark_kind(struct mark *m) { return m->next ? crash() : m->kind; }
      int mark_count(struct mark *m, int depth) { return m->next != 0; }
      int file_letter(FILE *file) { return fgetc(file); }
      void *pool_alloc(size_t size) { return malloc(size & 0xFFF); }
      void pool_free(void *memory) { free(memory); }
      void *pool_start(void) { static int start; return &start; }
      int always_crashes(int x) { return crash(); }
      const char *gnutls_strerror(int code) { return "another kind"; }
      int gnutls_bin_init(int **made, int kind) {
        *made = kind == 2 ? calloc(1, sizeof(int)) : (int *)16;
        return kind == 2 ? 0 : -1;
      }
      int gnutls_bin_size(int *b) { return *b; }
      int *png_create_ring_struct(const char *user_png_ver) {
        return strncmp(user_png_ver, "1.6.", 4) ? 0 : calloc(1, sizeof(int));
      }
      int ring_size(int *r) { return *r; }
      int datum_letter(const struct { unsigned char *data; unsigned int size; } *d) { return d->size ? d->data[0] : 0; }
      int label(char *buffer, size_t size) { buffer[0] = 0; return size > 1; }
      int wait_for_events(int x) {
        int events = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0), failed = events < 0 || timer < 0;
        close(events);
        close(timer);
        return failed ? crash() : 0;
      }
      """

    @Test(
      "an object is made by another function, from objects that suit, by a struct's fields, or is a file",
      arguments: [
        "query_new", "query_step", "base_size", "crate_size", "mark_kind", "mark_count", "file_letter", "pool_free",
        "gnutls_bin_size", "ring_size", "datum_letter", "label", "wait_for_events",
      ])
    func objects(name: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(adopted.signature(name).hasPrefix("\(name)("), "\(adopted.draft.errors)")
      // A function that crashes while it makes the object is not called again. A query is not made for each call.
      let line = "  \(name): \(name == "query_step" ? "not checked" : "")"
      #expect(!adopted.draft.errors.contains(line), "\(adopted.draft.errors)")
      #expect(!adopted.checks(name).contains { $0.contains("no call") }, "\(adopted.checks(name))")
    }

    @Test("a function that crashes with data and NULL gets the objects of functions with names like its own")
    func untyped() throws {
      let header = """
        typedef struct date_time date_time;
        date_time *date_time_now(void);
        unsigned date_time_hash(const void *date);
        void date_time_touch(void *date);
        typedef struct bag bag;
        bag *bag_new(void);
        """
      let source = """
        struct date_time { int mark; };
        static struct date_time now = {0x7133};
        struct date_time *date_time_now(void) { return &now; }
        struct date_time *bag_new(void) { return (struct date_time *)16; }
        unsigned date_time_hash(const struct date_time *d) { return d->mark == 0x7133 ? 1 : *(volatile int *)8; }
        void date_time_touch(struct date_time *d) { date_time_hash(d); }
        """
      let adopted = try AdoptedHeader.of(header, source: source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      for name in ["date_time_hash", "date_time_touch"] {
        #expect(adopted.draft.errors.contains("  \(name): checked by "), "\(adopted.draft.errors)")
      }
    }

    @Test("the draft names the functions that no call has checked, with the reason")
    func unchecked() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      let check =
        "  # check: no call has checked this signature: it crashes with random arguments, at the address 0x8"
      #expect(adopted.checks("always_crashes").contains(Substring(check)), "\(adopted.draft.text)")
    }

    @Test("functions are called where few descriptors may be open, too")
    func descriptors() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let folder = URL(filePath: adopted.file).deletingLastPathComponent()
      let ending = try HostProcess.run(
        under: "-n 64",
        [
          "adopt", "--check", folder.appending(path: "a.h").path, "--library",
          folder.appending(path: "liba.so").path,
        ])
      guard !ending.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(ending.status == 0 && !ending.errors.contains("base_size: not checked"), "\(ending.errors)")
      #expect(!ending.errors.contains("descriptor"), "\(ending.errors)")
    }
  }
}
