/// The files of a new plugin: a source with three functions, a Makefile, a test and a README.
struct PluginTemplate {
  enum Language: String, CaseIterable, Sendable {
    case c, cpp, rust, swift
  }

  /// The name of a file in the plugin's folder, and its content.
  typealias File = (name: String, text: String)

  /// The name of the library and of its source.
  let name: String
  let id: String
  let language: Language

  /// Nil unless the name consists of ASCII letters, digits and '_' and begins with a letter: files and modules are
  /// named after it.
  init?(name: String, id: String? = nil, language: Language) {
    guard let first = name.unicodeScalars.first, Self.isLetter(first),
      name.unicodeScalars.allSatisfy({ Self.isLetter($0) || "0"..."9" ~= $0 || $0 == "_" })
    else { return nil }
    self.name = name
    self.id = id ?? "org.example.\(name)"
    self.language = language
  }

  var files: [File] {
    let source: File =
      switch language {
      case .c: ("\(name).c", Self.c)
      case .cpp: ("\(name).cpp", Self.cpp)
      case .rust: ("\(name).rs", Self.rust)
      case .swift: ("\(name).swift", Self.swift)
      }
    let files: [File] = [
      source, ("Makefile", makefile(source.name)), ("test.sh", Self.test), ("README.md", Self.readMe),
    ]
    return files.map { file in
      let text = file.text.replacing("NAME", with: name).replacing("PLUGIN_ID", with: id)
      return (file.name, text.replacing("SOURCE_FILE", with: source.name))
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    "a"..."z" ~= scalar || "A"..."Z" ~= scalar
  }

  /// Returns the Makefile, whose compiler line depends on the language. Modules and crates are not named NAME, because
  /// a standard one may have that name.
  private func makefile(_ source: String) -> String {
    let (variables, command) =
      switch language {
      case .c: ("CFLAGS ?= -O2 -g", "$(CC) -std=c11 -Wall -Wextra $(CFLAGS) -fvisibility=hidden $(SHARED)")
      case .cpp: ("CXXFLAGS ?= -O2 -g", "$(CXX) -std=c++17 -Wall -Wextra $(CXXFLAGS) -fvisibility=hidden $(SHARED)")
      case .rust:
        (
          "RUSTC ?= rustc\nRUSTFLAGS ?= -O",
          "$(RUSTC) --edition 2021 --crate-type cdylib --crate-name NAME_plugin $(RUSTFLAGS) -o $@ $<"
        )
      case .swift:
        (
          "SWIFTC ?= swiftc\nSWIFTFLAGS ?= -O",
          "$(SWIFTC) -parse-as-library -emit-library -module-name NAME_plugin $(SWIFTFLAGS) $(PROMISE_CFLAGS) -o $@ $<"
        )
      }
    return """
      # Builds NAME.so.
      #
      #   make [test]        needs the headers of libpromise (pkg-config promise), and plugin-host for the test
      #
      # To build with headers that are not installed, set PROMISE_CFLAGS; to test with another program, PLUGIN_HOST.

      PKG_CONFIG ?= pkg-config
      PLUGIN_HOST ?= plugin-host
      PROMISE_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags promise)
      \(variables)
      SHARED = -shared -fPIC $(PROMISE_CFLAGS) -o $@ $<

      .PHONY: all test clean
      all: NAME.so

      NAME.so: \(source)
      \t\(command)

      test: NAME.so
      \tPLUGIN_HOST="$(PLUGIN_HOST)" sh test.sh ./NAME.so

      clean:
      \trm -f NAME.so

      """
  }

  private static let test = """
    #!/bin/sh
    # Calls the functions of the plugin and compares the results.
    # usage: test.sh PLUGIN
    set -eu
    plugin=$1
    host=${PLUGIN_HOST:-plugin-host}

    # expect RESULT FUNCTION [ARGUMENT]...
    expect() {
      expected=$1
      shift
      actual=$("$host" call "$plugin" "$@")
      if [ "$actual" != "$expected" ]; then
        echo "$*: $actual, expected $expected" >&2
        exit 1
      fi
    }

    expect 42 add 40 2
    expect 41 add 40
    expect '"Hello, world!"' greet
    expect '"Hello, you!"' greet name=you
    expect 6 divide 42 7
    if "$host" call "$plugin" divide 42 0 2> /dev/null; then
      echo "divide 42 0: fulfilled, expected a rejection" >&2
      exit 1
    fi
    echo "NAME: passed"

    """

  private static let readMe = """
    # NAME

    A plugin for libpromise. Its functions are in `SOURCE_FILE`, each with a line of text, its signature, that says how
    it is called.

        make                                   # builds NAME.so
        make test                              # calls its functions by plugin-host
        plugin-host inspect ./NAME.so          # shows the functions
        plugin-host call ./NAME.so add 40 2    # 42

    A new function needs three things: the function, a row in the table of functions with its signature, and a line in
    `test.sh`.

    """
}
