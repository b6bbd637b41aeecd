import Testing

extension EndToEnd {
  /// `T **` parameters, for which the name of the function does not suffice, and objects that a call
  /// releases.
  @Suite struct AdoptAddressesTests {
    private static let header = """
      typedef struct widget widget;
      typedef struct gadget gadget;
      void widget_watch(char **text);
      int widget_budget(char **text);
      int widget_get_title(double at, char **title);
      int widget_get_slot(double at, char **slot);
      int widget_open(double at, widget **made);
      int widget_find(double at, widget **found);
      int widget_get_children(double at, widget **dest);
      int widget_label(double at, char **label_out);
      int widget_number(widget *w);
      gadget *gadget_create(int number);
      int gadget_number(gadget *g);
      void gadget_add(gadget *g, gadget *child);
      void gadget_free(gadget *g);
      typedef struct shared shared;
      shared *shared_new(int number);
      shared *shared_reference(shared *s);
      void shared_add(shared *s, shared *child);
      void shared_free(shared *s);
      """
    private static let source = """
      #include <stdlib.h>
      struct widget { int number; };
      static char **kept;
      void widget_watch(char **text) { kept = text; } int widget_budget(char **text) { kept = text; return 0; }
      int widget_get_title(double at, char **title) { *title = "a title"; return at > 0; }
      int widget_get_slot(double at, char **slot) { if (kept) *kept = "late"; *slot = 0; kept = slot; return 0; }
      int widget_open(double at, struct widget **made) {
        *made = malloc(sizeof **made); (*made)->number = at; return 0; }
      int widget_find(double at, struct widget **found) { return 0; }
      int widget_get_children(double at, struct widget **dest) { dest[0] = dest[1] = dest[2] = 0; return 3; }
      int widget_label(double at, char **label_out) { *label_out = "a label"; return 0; }
      int widget_number(struct widget *w) { return w->number; }
      struct gadget { int number; };
      struct gadget *gadget_create(int number) {
        struct gadget *g = malloc(sizeof *g); g->number = number; return g; }
      int gadget_number(struct gadget *g) { return g->number; }
      void gadget_add(struct gadget *g, struct gadget *child) {}
      void gadget_free(struct gadget *g) { g->number = -1; free(g); }
      void *shared_new(int number) { return malloc(8); } void *shared_reference(void *s) { return s; }
      void shared_add(void *s, void *child) {} void shared_free(void *s) {}
      """

    @Test(arguments: [
      ("widget_watch", "text", "; if it is written, it is out cstr?"),
      ("widget_budget", "text", "; if it is written, it is out cstr?"),
      ("widget_get_title", "title", "; if it is written, it is out cstr?, which --check finds out"),
      ("widget_open", "made", "; if it is written, it is out ptr<widget>?, which --check finds out"),
      ("widget_get_children", "dest", "; if it is written, it is out ptr<widget>?, which --check finds out"),
    ])
    func theNameOfAFunctionDoesNotSuffice(name: String, parameter: String, advice: String) throws {
      let reason = "'\(parameter)' may be an array of addresses, or be kept"
      let found = try AdoptedHeader.of(Self.header, source: Self.source).signature(name)
      #expect(found == "#   \(name): \(reason)\(advice)")
      let withMemory = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      #expect(withMemory.signature(name).contains("\(parameter): ptr<any>)"), "\(withMemory.signature(name))")
    }

    @Test(arguments: [
      ("widget_get_title", "(at: f64, title: out cstr?) -> i32"),
      ("widget_open", "(at: f64, made: out ptr<widget>?) -> i32"),
    ])
    func callsShowThatAnAddressIsWritten(name: String, types: String) throws {
      for options in [["--check"], ["--check", "--caller-memory"]] {
        let adopted = try AdoptedHeader.of(Self.header, source: Self.source, options)
        #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
        let marks = adopted.checks(name)
        #expect(marks.contains { $0.hasSuffix(" was written by 24 calls, and used by none later") }, "\(marks)")
      }
    }

    @Test(arguments: [
      // Written by the next call, by none, and as an array.
      ("widget_get_slot", "used it after the one that it was given to"),
      ("widget_find", "no call has shown that it is written"),
      ("widget_get_children", "it writes beyond 'dest', as a call with random arguments shows"),
    ])
    func anAddressThatCallsDoNotShowStaysOpen(name: String, reason: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      let found = adopted.signature(name)
      #expect(found.hasPrefix("#   \(name): ") && found.hasSuffix(reason), "\(found)")
    }

    @Test func anAddressThatCallsDoNotShowIsMemoryOfTheCaller() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check", "--caller-memory"])
      #expect(adopted.signature("widget_find") == "widget_find(at: f64, found: ptr<any>) -> i32")
      #expect(adopted.checks("widget_find").contains { $0.hasSuffix("give memory that suffices, of memory_new") })
    }

    @Test func theNameOfAParameterIsEvidence() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature("widget_label") == "widget_label(at: f64, label_out: out cstr?) -> i32")
    }

    /// An object that another one may own is not destroyed by the host, but released once.
    @Test(arguments: [
      ("gadget_create", "(number: i32) -> own ptr<gadget>?"), ("gadget_free", "(g: own ptr<gadget>)"),
      // Counted objects may be freed several times.
      ("shared_new", "(number: i32) -> ptr<shared>?"), ("shared_free", "(s: ptr<shared>)"),
    ])
    func aCallReleasesAnObjectOfUnknownOwner(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    @Test func aReleasedObjectIsRefused() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let mark = "live until gadget_free is called; if it is the caller's, it is own(gadget_free)"
      #expect(adopted.checks("gadget_create").contains { $0.hasSuffix(mark) }, "\(adopted.checks("gadget_create"))")
      for use in ["free", "number"] {
        let found = try adopted.shell(
          "use LIB as b", "g = b.gadget_create 7", "b.gadget_number $g", "b.gadget_free $g", "b.gadget_\(use) $g")
        #expect(found.contains("is a gadget that 'gadget_free' has released, expected one that is live"), "\(found)")
      }
    }

    /// The host does not know the type of an address that it reads from memory.
    @Test func anObjectOfTheCallersMemoryIsUsedButNotReleased() throws {
      let adopted = try AdoptedHeader.of(
        Self.header + "\nint gadget_open(double at, gadget **made);",
        source: Self.source
          + "\nint gadget_open(double n, struct gadget **made) { *made = gadget_create(n); return 0; }",
        ["--caller-memory"])
      let found = try adopted.shell(
        "use LIB as b", "m = b.memory_new 8", "b.gadget_open 7 $m", "g = b.memory_load $m", "b.gadget_number $g",
        "b.gadget_free $g")
      #expect(found.contains("argument 'g' is an address of a void, expected an address of a gadget"), "\(found)")
    }

    @Test func pointersThatMayBeNULLAreMarked() throws {
      let adopted = try AdoptedHeader.of(
        """
        typedef struct tree tree;
        tree *tree_new(tree *parent);
        /// \\param other  The other tree, or NULL.
        int tree_compare(tree *one, tree *other);
        int tree_walk(tree *one, void *user_data);
        """, source: "void *tree_new() { return 0; } int tree_compare() { return 0; } int tree_walk() { return 0; }")
      for (name, parameter, type) in [
        ("tree_new", "parent", "ptr<tree>"), ("tree_compare", "other", "ptr<tree>"),
        ("tree_walk", "user_data", "ptr<void>"),
      ] {
        #expect(adopted.signature(name).contains("\(parameter): \(type)?"), "\(adopted.signature(name))")
        let mark = "\(parameter) is taken to be NULL where it is left out; if it must not be, it is \(type)"
        #expect(adopted.checks(name).contains { $0.hasSuffix(mark) }, "\(adopted.checks(name))")
      }
    }
  }
}
