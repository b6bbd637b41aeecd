import Testing

extension EndToEnd {
  /// Caller-allocated memory, and data behind addresses: `memory_new`, `memory_read` and their like.
  @Suite struct AdoptMemoryFunctionsTests {
    private static let header = """
      #include <stddef.h>
      int all_sizes(size_t *sizes);
      void number_text(int number, char *to);
      int atomic_bump(int *number);
      int text_split(char *text, char **parts);
      const int *squares(void);
      char **all_names(void);
      const char *text_behind(const char *const *addresses, int at);
      void *drop(void *memory);
      void memory_free(void *memory);
      void *data_realloc(void *data, unsigned long size);
      int sum(int count, ...);
      int (*operation(void))(int);
      int apply(int (*f)(int), int number);
      typedef struct { int kind; union { int n; double x; } value; int tail[1]; } open;
      int open_kind(open *o);
      int simple(int x);
      typedef struct info { void *at; struct info *next; } info;
      info *info_next(info *from);
      typedef struct chain chain;
      chain *chain_append(chain *list, const char *text);
      int chain_length(chain *list);
      typedef struct lamp lamp;
      lamp *lamp_new(int level);
      void lamp_free(lamp *one);
      int lamp_level(lamp *one);
      void lamp_all(lamp **all, const char *names);
      """
    private static let source = """
      #include <stdarg.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      void number_text(int number, char *to) { sprintf(to, "number %d", number); }
      int all_sizes(unsigned long *sizes) { sizes[3] = 1; return 4; }
      int atomic_bump(int *number) { return ++*number; }
      int text_split(char *text, char **parts) {
        int count = 0;
        for (char *part = strtok(text, " "); part; part = strtok(NULL, " ")) parts[count++] = part;
        return count;
      }
      const int *squares(void) { static const int all[] = {1, 4, 9}; return all; }
      char **all_names(void) { static char *all[] = {"one", "two", NULL}; return all; }
      const char *text_behind(const char *const *addresses, int at) { return addresses[at]; }
      void *drop(void *memory) { return memory; }
      void memory_free(void *memory) { free(memory); }
      void *data_realloc(void *data, unsigned long size) { return realloc(data, size); }
      int sum(int count, ...) {
        va_list list;
        int sum = 0;
        va_start(list, count);
        while (count--) sum += va_arg(list, int);
        va_end(list);
        return sum;
      }
      static int twice(int n) { return 2 * n; }
      int (*operation(void))(int) { return twice; }
      int apply(int (*f)(int), int number) { return f(number); }
      int open_kind(int *o) { return *o; }
      int simple(int x) { return x; }
      void *info_next(void *from) { return from; }
      struct chain { struct chain *next; };
      struct chain *chain_append(struct chain *list, const char *text) {
        struct chain *one = malloc(sizeof *one);
        one->next = list;
        return one;
      }
      struct lamp { int level; };
      struct lamp *lamp_new(int level) {
        struct lamp *one = malloc(sizeof *one);
        one->level = level;
        return one;
      }
      void lamp_free(struct lamp *one) { free(one); }
      int lamp_level(struct lamp *one) { return one->level; }
      void lamp_all(struct lamp **all, const char *names) { all[0] = lamp_new(7); }
      int chain_length(struct chain *list) { int n = 0; for (; list; list = list->next) n++; return n; }
      """

    @Test("a check gives memory to functions that take memory of the caller")
    func checked() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory", "--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      for name in ["number_text", "all_sizes", "atomic_bump", "text_split"] {
        #expect(adopted.signature(name).contains("ptr<"), "\(adopted.draft.errors)")
        #expect(!adopted.draft.errors.contains("  \(name): not checked"), "\(adopted.draft.errors)")
      }
    }

    @Test(arguments: [
      ("number_text", "(number: i32, to: ptr<char>)"), ("atomic_bump", "(number: ptr<i32>) -> i32"),
      ("text_split", "(text: ptr<char>, parts: ptr<any>) -> i32"), ("squares", "() -> ptr<i32>?"),
      ("text_behind", "(addresses: &[cstr; *], at: i32) -> cstr?"), ("memory_free", "(memory: own ptr<void>)"),
      ("data_realloc", "(data: own ptr<void>, size: u64) -> ptr<void>?"),
      ("sum", "(count: i32, ...: i64 | u64 | f64 | cstr | ptr<void>) -> i32"), ("operation", "() -> ptr<function>?"),
      ("chain_append", "(list: ptr<chain>?, text: cstr) -> ptr<chain>?"),
      ("memory_new", "(count: const usize = 1, size: usize) -> own(free) ptr<void> ! null"),
    ])
    func noFunctionIsLeftOutForItsMemory(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }

    @Test(arguments: [
      ("number_text", "'to' is written to, and nothing says how much room it needs"),
      ("atomic_bump", "'number' is changed in place, and other calls have to see it"),
      ("text_split", "'text' is written to"), ("memory_new", " is not there"),
    ])
    func withoutTheOptionTheyAreLeftOut(name: String, reason: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
      #expect(adopted.signature("memory_free") == "memory_free(memory: own ptr<void>)")
    }

    @Test func aStructThatNothingMakesHasItsSizeInAMark() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      #expect(
        adopted.checks("open_kind").contains(
          "  # check: o is a open, which no function here makes: memory of 24 bytes, of memory_new"))
      // A function that takes one gives no first one.
      #expect(adopted.checks("info_next").contains { $0.contains("from is a info, which no function here makes") })
    }

    @Test("a call is given memory of the caller for a struct that nothing makes, with --memory")
    func called() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      let call = try HostProcess.run("check-function", adopted.file, "open_kind", "--memory=open_kind.o")
      guard !call.text.contains("seccomp") else { return print("skipped: this system has no seccomp") }
      #expect(call.text == "checked\t24\t\n", "\(call)")
      let without = try HostProcess.run("check-function", adopted.file, "open_kind")
      #expect(without.text == "unmade\tit needs a open\t\n", "\(without)")
    }

    @Test func memoryIsWrittenAndRead() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      let text = try adopted.shell(
        "use LIB as a", "m = a.memory_new 64", "a.number_text 42 $m", "a.memory_text $m",
        // Two calls change one word.
        "n = a.memory_new 4", "a.atomic_bump $n", "a.atomic_bump $n",
        // Addresses in memory.
        "a.memory_write $m 'two words'", "p = a.memory_new 16", "a.text_split $m $p", "w = a.memory_load $p",
        "a.memory_text $w", "a.memory_store $p $n", "l = a.memory_load $p", "a.atomic_bump $l",
        // Data behind a result.
        "s = a.squares", "a.memory_read $s 12", "t = a.all_names", "a.memory_texts $t",
        "a.text_behind '[\"x\", \"y\"]' 1", "a.sum 3 1 2 -5")
      let lines = text.split(separator: "\n").map(String.init)
      #expect(
        lines.filter { !$0.hasPrefix("{\"address\"") } == [
          "\"number 42\"", "1", "2", "2", "\"two\"", "3", #"{"data":"AQAAAAQAAAAJAAAA"}"#, #"["one","two"]"#,
          "\"y\"", "-2",
        ])
    }

    @Test func memoryThatIsFreedIsNotTheCallersAnyMore() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      let text = try adopted.shell(
        "use LIB as a", "m = a.memory_new 64", "r = a.data_realloc $m 128", "a.memory_write $r 'abc'",
        "a.memory_text $r", "a.memory_free $r", "n = a.memory_new 8", "a.memory_free $n")
      #expect(text == "\"abc\"\n")
    }

    @Test func anAddressInMemoryIsUsedAsAnyObjectAndReleasedAsNone() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      let head = ["use LIB as a", "m = a.memory_new 16", "a.lamp_all $m x", "l = a.memory_load $m"]
      #expect(try adopted.shell(head + ["a.lamp_level $l"]) == "7\n")
      // Nothing shows its type, or that nothing else frees it.
      let refused = try adopted.shell(head + ["a.lamp_free $l"])
      #expect(refused.contains("argument 'one' is an address of a void, expected an address of a lamp"), "\(refused)")
    }

    @Test func aFunctionsAddressIsACallback() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      let text = try adopted.shell("use LIB as a", "f = a.operation", "a.apply $f 21")
      #expect(text == "42\n")
    }

    @Test func theCheckTakesNoPlaceInAnArgumentForMemoryOrAnObject() throws {
      let header = """
        #include <stddef.h>
        double number(const char *text, char **endptr);
        void fill(char *to);
        int last(int first, ...);
        typedef struct node node;
        node *node_in(const char *text);
        void node_touch(node *one);
        """
      let source = """
        #include <stdarg.h>
        #include <stdlib.h>
        #include <string.h>
        struct node { char first; };
        struct node *node_in(const char *text) { return (struct node *)(text + strlen(text)); }
        void node_touch(struct node *one) { one->first = 'x'; }
        double number(const char *text, char **endptr) { return strtod(text, endptr); }
        void fill(char *to) { to[0] = 'x'; }
        int last(int first, ...) {
          va_list list;
          int count = 0;
          va_start(list, first);
          while (va_arg(list, void *)) count++;
          va_end(list);
          return count;
        }
        """
      let adopted = try AdoptedHeader.of(header, source: source, ["--check", "--caller-memory"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(adopted.signature("fill") == "fill(to: ptr<char>)")
      #expect(!adopted.draft.errors.contains("last: "), "\(adopted.draft.errors)")
      #expect(adopted.draft.errors.contains("node_touch: not checked: it needs a node\n"), "\(adopted.draft.errors)")
    }

    @Test func noneAreDraftedWhereNoneAreNeeded() throws {
      let adopted = try AdoptedHeader.of("double sqrt(double x);", ["--caller-memory"])
      #expect(adopted.signature("memory_new").contains(" is not there"), "\(adopted.draft.text)")
    }
  }
}
