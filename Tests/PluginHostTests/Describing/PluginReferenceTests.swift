import Testing

@testable import PluginRuntime
@testable import plugin_host

@Suite struct PluginReferenceTests {
  private func plugin(
    path: String = "/lib/a b.so", _ functions: (signature: String, description: String?)...
  ) throws -> PluginDescription {
    PluginDescription(
      path: path, id: "org.example.x_y", version: "1.0", description: "Does *things*.",
      required: ["org.example.z"], abi: 1...2,
      functions: try functions.map {
        FunctionDescription(signature: try Signature(parsing: $0.signature), description: $0.description)
      })
  }

  @Test func describesEveryFunction() throws {
    let page = PluginReference.page(
      try plugin(
        (#"cut(text: str "what | to cut", at: u8 = 3, tail: cstr?) -> own str "the rest" !"#, "Cuts a <text>."),
        ("poll(n: out i32, ...: i32 | f64)", nil)))
    #expect(
      page == #"""
        # org.example.x\_y 1.0

        Does \*things\*.

        - Plugin `a b.so`, ABI 1 to 2.
        - Requires `org.example.z`.

        | function | |
        | --- | --- |
        | [`cut`](#cut) | Cuts a \<text\>. |
        | [`poll`](#poll) |  |

        ## cut

        Cuts a \<text\>.

        ```
        cut(text: str "what | to cut", at: u8 = 3, tail: cstr?) -> own str "the rest" !
        ```

        | argument | type | default | |
        | --- | --- | --- | --- |
        | `text` | `str` |  | what \| to cut |
        | `at` | `u8` | `3` |  |
        | `tail` | `cstr?` | `null` |  |

        Gives `own str`: the rest.

        It fails with an error of its own.

        ```c
        promise_status_t cut(promise_str_t text, uint8_t at, const char *tail, promise_str_t *result, promise_value_t *error);
        ```

        ```sh
        plugin-host call '/lib/a b.so' cut text=text
        ```

        """# + "\n" + page.suffix(from: page.firstRange(of: "## poll")!.lowerBound))
    #expect(page.contains("| `...` | any number of i32 or f64 | none |  |"))
    #expect(page.contains("Gives an object with `n`, `i32`."))
  }

  @Test(arguments: [
    ("f(a: {x: f64, y: [i8; 2]}, b: &[cstr]) -> i32", #"f 'a={"x":1.5,"y":[1,1]}' 'b=["text","text"]'"#),
    ("f(data: bytes[n], n: u32, p: ptr<db>?, v: value)", "f data=text v=null"),
    ("f(a: &{data: bytes[size], size: u32})", #"f 'a={"data":"text"}'"#),
    ("f(to: out str[room], room: inout u64)", "f room=1"),
    ("f(done: promise<void>, x: promise<bool>)", "f done=null x=true"),
    ("f(each: fn(i32) -> bool)", "f each=true"),
  ])
  func aCommandLineIsReady(signature: String, words: String) throws {
    let plugin = try plugin((signature, nil))
    let text = CommandLineExample.text(of: plugin.functions[0], in: plugin)
    #expect(text == "plugin-host call '/lib/a b.so' \(words)")
  }

  @Test("a path with controls is written in ASCII")
  func aPathWithControls() throws {
    let plugin = try plugin(path: "/lib/\u{1B}[31m\u{E9}'\\.so", ("f(a: i32)", nil))
    let text = CommandLineExample.text(of: plugin.functions[0], in: plugin)
    #expect(text == #"plugin-host call $'/lib/\033[31m\303\251\'\\.so' f a=1"#)
    let reversed = try self.plugin(path: "/lib/\u{202E}os.a", ("f(a: i32)", nil))
    let reversedText = CommandLineExample.text(of: reversed.functions[0], in: reversed)
    #expect(reversedText == #"plugin-host call $'/lib/\342\200\256os.a' f a=1"#)
  }

  @Test func aFunctionThatNoCommandLineCanCallHasNone() throws {
    let plugin = try plugin(("f(each: fn(i32) -> bool)", nil), ("g(db: &[ptr<db>])", nil))
    #expect(CommandLineExample.text(of: plugin.functions[1], in: plugin) == nil)
    #expect(PluginText.page(plugin).contains("\nf(each: fn(i32) -> bool @call)\n    void f(bool (*each)(int32_t"))
  }
}
