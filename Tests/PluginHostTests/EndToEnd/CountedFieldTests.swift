import Testing

extension EndToEnd {
  /// Fields that count the elements behind others, by type maps and in calls, and addresses of void.
  @Suite struct CountedFieldTests {
    private static let header = """
      #include <stddef.h>
      typedef struct { unsigned char *data; unsigned size; } datum;
      typedef struct val { size_t size; void *data; } val, *val_t;
      struct part { void *base; size_t len; };
      struct pair { const int *left; short n; const long *right; };
      struct event { int kind; union { long number; const char *text; } data; };
      typedef struct tree tree;
      int weight(const datum *d);
      long total(const struct part *parts, int nparts);
      int find(val_t key, val *found);
      datum cut(datum whole, int n);
      int dot(const struct pair *p);
      int kind(const struct event *e);
      tree *tree_find(int n);
      void *tree_base(const tree *t);
      int tree_size(const tree *t);
      void tree_release(tree *t);
      """
    private static let source = """
      #include <stddef.h>
      #include <stdlib.h>
      typedef struct { unsigned char *data; unsigned size; } datum;
      typedef struct { size_t size; void *data; } val;
      struct part { void *base; size_t len; };
      struct pair { const int *left; short n; const long *right; };
      int weight(const datum *d) {
        int sum = d->data ? 0 : -1;
        for (unsigned i = 0; i < d->size; i++) sum += d->data[i];
        return sum;
      }
      long total(const struct part *p, int n) { long sum = 0; while (n--) sum += p++->len; return sum; }
      int find(val *key, val *found) { *found = (val){key->size, "value"}; return 0; }
      datum cut(datum whole, int n) { static unsigned char text[] = "abcdef"; return (datum){text, whole.size - n}; }
      int dot(const struct pair *p) { int sum = 0; for (int i = 0; i < p->n; i++) sum += p->left[i] * p->right[i]; return sum; }
      int kind(const int *e) { return *e; }
      static int one = 7;
      void *tree_find(int n) { return &one; } void *tree_base(const void *t) { return (void *)t; }
      int tree_size(const int *t) { return *t; } void tree_release(void *t) {}
      """
    private static let types = """
      types:
        datum: '{data: bytes[size]?, size: u32}'
        val: '{size: usize, data: bytes[size]?}'
        part: '{base: bytes[len], len: usize}'
        pair: '{left: &[i32; n], n: i16, right: &[i64; n]}'
        event: '{kind: i32, data: union(kind) {number: i64 = 1, text: cstr = 2}}'
      parameters:
        tree_release.t: own ptr<tree>
      """

    private func draft() throws -> AdoptedHeader {
      let types = try PipelineFile(Self.types)
      return try AdoptedHeader.of(Self.header, source: Self.source, ["--types", types.path])
    }

    @Test func typeMapsHaveCountsAndUnions() throws {
      let adopted = try draft()
      let datum = "{data: bytes[size]?, size: u32}"
      let val = "inout {size: usize, data: bytes[size]?} = {\"data\": null}"
      for signature in [
        "weight(d: &\(datum)) -> i32",
        "total(parts: &[{base: bytes[len], len: usize}; nparts], nparts: i32) -> i64",
        "find(key: \(val), found: \(val)) -> i32", "cut(whole: \(datum), n: i32) -> \(datum)",
        "kind(e: &{kind: i32, data: union(kind) {number: i64 = 1, text: cstr = 2}}) -> i32",
      ] {
        let name = String(signature.prefix { $0 != "(" })
        #expect(adopted.signature(name) == signature)
      }
    }

    @Test func elementsHaveTheirCount() throws {
      let adopted = try draft()
      let nul = #"{"data":"a\u0000b"}"#
      for (words, result) in [
        (["weight", #"{"data":"ab"}"#], "195\n"), (["weight", #"{"data":"ab","size":2}"#], "195\n"),
        (["weight", "{}"], "-1\n"), (["weight", nul], "195\n"), (["weight", #"{"data":""}"#], "0\n"),
        (["total", #"[{"base":"ab"},{"base":"cde"}]"#], "5\n"),
        (
          ["find", #"{"data":"abc"}"#],
          #"{"result":0,"key":{"size":3,"data":"YWJj"},"found":{"size":3,"data":"dmFs"}}"# + "\n"
        ),
        (["cut", #"{"data":"abcd"}"#, "2"], #"{"data":"YWI=","size":2}"# + "\n"),
        (["dot", #"{"left":[1,2],"right":[10,20]}"#], "50\n"), (["kind", #"{"data":{"text":"x"}}"#], "2\n"),
      ] {
        for options in [[], ["--isolation", "process"]] {
          let ending = try HostProcess.run(["call", "--raw"] + options + [adopted.file] + words)
          #expect(ending.text == result, "\(words) \(ending.errors)")
        }
      }
    }

    @Test(arguments: [
      (["weight", #"{"data":"ab","size":3}"#], "argument 'd.size' is 3, expected 2, the number of the elements"),
      (["weight", #"{"data":"ab","more":3}"#], "argument 'd.more' is not a field, expected data, size"),
      (["weight", #"{"size":3}"#], "argument 'd.size' is 3, expected 0, the number of the elements"),
      (["dot", #"{"left":[1],"right":[1,2]}"#], "argument 'p.n' is 2, expected 1, the number of the elements"),
      (["total", #"[{"len":1}]"#], "argument 'parts[0].base' is missing, expected bytes"),
    ])
    func otherCountsAreErrors(words: [String], message: String) throws {
      let adopted = try draft()
      let ending = try HostProcess.run(["call", adopted.file] + words)
      #expect(ending.errors.contains(message), "\(ending.errors)")
    }

    @Test(arguments: [
      ("f(a: {data: bytes[n]})", 13, "the name of an integer among the struct's fields"),
      ("f(a: {data: bytes[n], n: cstr}, n: i32)", 13, "the name of an integer among the struct's fields"),
      ("f(a: {b: [bytes[n]; 2], n: i32})", 11, "data: a scalar, text"),
    ])
    func countsLieInTheStruct(signature: String, column: Int, message: String) throws {
      let ending = try HostProcess.run(["call", "--signature", signature, "libc.so.6"])
      #expect(ending.errors.contains("column \(column):"), "\(ending.errors)")
      #expect(ending.errors.contains(message), "\(ending.errors)")
    }

    @Test func aPipelineLeavesOutTheCount() throws {
      let adopted = try draft()
      let steps = "  a: {call: a.weight, with: {d: {data: ab}}}\n"
      let pipeline = try PipelineFile("plugins: [\(adopted.file)]\nsteps:\n\(steps)")
      let ending = try HostProcess.run("run", "--progress", "off", pipeline.path)
      #expect(ending.text.contains("195"), "\(ending.errors)")
    }

    /// An address of void may be passed for any object, as in C, but not to a function that releases one.
    @Test func anAddressOfVoidIsOneOfAnything() throws {
      let adopted = try draft()
      let size = try adopted.shell("use LIB as a", "t = a.tree_find 1", "b = a.tree_base $t", "a.tree_size $b")
      #expect(size.contains("7"), "\(size)")
      let released = try adopted.shell("use LIB as a", "t = a.tree_find 1", "b = a.tree_base $t", "a.tree_release $b")
      #expect(released.contains("is an address of a void, expected"), "\(released)")
    }
  }
}
