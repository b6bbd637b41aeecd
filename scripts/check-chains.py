#!/usr/bin/env python3
"""Checks that the type checker's work for a chain of operators grows as its length.

    scripts/check-chains.py MODULES MODULEMAP     folders and files that `swift build` made

Two overloads that both match a call with a closure double the type checker's work at each link: 12 links take thousands
of times the scopes of one overload. An overload that fails at its argument for `on:` adds a constant number of scopes
to each link, and hardly any time, because the closure is not checked again. So 12 links of each operator, in each form,
may take at most four times the scopes of a chain whose operator has one overload. The compiler counts the scopes, so
the result does not depend on the machine.
"""

import json
import os
import subprocess
import sys
import tempfile

LINKS = 12
LIMIT = 4
FORMS = ["", "on: .main", "on: .utility"]

# Each operator with a closure, and the operator of one overload that has a closure of that type. A key is the
# operator's name, and after a blank the kind of the closure, if the operator takes several.
FUTURE = {
    "map": ("{ $0 + 1 }", "value"),
    "flatMap": ("{ Future(fulfilled: $0 + 1) }", "future"),
    "mapError": ("{ $0 }", "error"),
    "flatMapError": ("{ Future(rejected: $0) }", "errorFuture"),
    "mapResult": ("{ $0.map { $0 + 1 } }", "result"),
    "flatMapResult": ("{ Future(with: $0) }", "resultFuture"),
    "replaceError": ("{ _ in 1 }", "replacing"),
    "recover": ("{ _ in 1 }", "recovering"),
    "mapOrCancel": ("{ $0 + 1 }", "value"),
    "flatMapOrCancel": ("{ Future<Int, any Error>(fulfilled: $0 + 1) }", "future"),
    "onSuccess": ("{ print($0 + 1) }", "observingValue"),
    "onError": ("{ print($0) }", "observingError"),
    "onComplete": ("{ print($0) }", "observingResult"),
    "onCancel": ("{ print($0 as Any) }", "observingCancellation"),
    "onCancel ignoring the error": ("{ print(1) }", "observingNothing"),
    "onEither": ("{ print($0) }", "observingEither"),
    # Result.map is disfavoured itself, in the standard library: chains of it are slow under every outer operator.
    "mapEither": ("{ $0 }", "either"),
    "flatMapEither": ("{ Future(with: $0) }", "eitherFuture"),
    "tap": ("{ print($0) }", "observingResult"),
    "catch": ("{ print($0) }", "observingAnyError"),
    "tryOnSuccess": ("{ print($0 + 1) }", "observingValue"),
    "tryMap": ("{ $0 + 1 }", "value"),
    "tryFlatMap": ("{ Future<Int, any Error>(fulfilled: $0 + 1) }", "future"),
    "tryMapError": ("{ $0 }", "error"),
    "tryFlatMapError": ("{ Future<Int, any Error>(rejected: $0) }", "errorFuture"),
    "tryMapResult": ("{ $0.map { $0 + 1 } }", "result"),
    "tryFlatMapResult": ("{ Future<Int, any Error>(with: $0) }", "resultFuture"),
    "tryReplaceError": ("{ _ in 1 }", "replacing"),
    "additionally": ("{ _ in 1 }", "pairing"),
    "always": ("{ print(1) }", "ending"),
}
# The operators of a future that is bound to a token.
TOKEN = ["map", "flatMap", "mapError", "mapResult", "onSuccess", "onComplete", "onCancel", "onCancel ignoring the error",
         "tryMap", "tryFlatMap"]
# The callbacks of a stream.
STREAM = {
    "subscribe": ("{ print($0) }", "observingResult"),
    "onNewData": ("{ print($0 + 1) }", "observingValue"),
    "onError": ("{ print($0) }", "observingError"),
    "onCancelled": ("{ print(1) }", "observingNothing"),
}

# Calls whose work may grow as the length. The specification gives `then` and `rescue` of a promise overloads that one
# closure fits, so a chain is linear only if each link says which it means: by the type of the closure's result, or by
# the label `async`. A fold from a literal with an operator, `scan(0) { $0 + $1 }`, leaves the type of the total open,
# as the standard library's `reduce` does; so each link states it.
GROWING = {
    "Promise<Int>()": [
        "then { value -> Int in value + 1 }",
        "then(on: .utility) { value -> Int in value + 1 }",
        "then(on: .main) { value -> Int in value + 1 }",
        "then(async: { Promise<Int>.resolve($0 + 1) })",
        "then(on: .utility, async: { Promise<Int>.resolve($0 + 1) })",
        "rescue { (_: any Error) -> Int in 1 }",
        "rescue(async: { (_: any Error) in Promise<Int>.resolve(1) })",
        "anyway { value -> Int in 1 }",
        "anyway(async: { _ in Promise<Int>.resolve(1) })",
    ],
    "future": [
        "additionally(async: { Future<Int, any Error>(fulfilled: $0) }).map { $0.0 }",
        "onError(of: CancellationError.self) { print($0) }",
    ],
    "stream": [
        "mapValues { $0 + 1 }",
        "splitMapValues { .data($0 + 1) }",
        "compactMapValues { $0 + 1 }",
        "filterValues { $0 > 1 }",
        "mapStates { $0 }",
        "flatMapValues { .of($0 + 1) }",
        "scan(0) { (sum: Int, value) in sum + value }",
        "reduce(0) { (sum: Int, value) in sum + value }",
    ],
}
# The limit of the work for twice the links, as a multiple of that for the links.
GROWTH = 2.5

SOLE = """
extension Future where Failure == any Error {
  func value<N>(PLACE transform: @escaping (Value) -> N) -> Future<N, any Error> { fatalError() }
  func future<N>(PLACE transform: @escaping (Value) -> Future<N, any Error>) -> Future<N, any Error> { fatalError() }
  func error<E>(PLACE transform: @escaping (any Error) -> E) -> Future<Value, any Error> { fatalError() }
  func errorFuture<E>(PLACE transform: @escaping (any Error) -> Future<Value, E>) -> Future<Value, any Error> { fatalError() }
  func result<N, E>(PLACE transform: @escaping (FutureResult<Value, any Error>) -> FutureResult<N, E>)
    -> Future<N, any Error> { fatalError() }
  func resultFuture<N, E>(PLACE transform: @escaping (FutureResult<Value, any Error>) -> Future<N, E>)
    -> Future<N, any Error> { fatalError() }
  func replacing(PLACE transform: @escaping (any Error) -> Value) -> Future<Value, any Error> { fatalError() }
  func recovering(PLACE transform: @escaping (any Error) -> Value?) -> Future<Value, any Error> { fatalError() }
  func observingValue(PLACE callback: @escaping (Value) -> Void) -> Future { fatalError() }
  func observingError(PLACE callback: @escaping (any Error) -> Void) -> Future { fatalError() }
  func observingAnyError(PLACE callback: @escaping (any Error) -> Void) -> Future { fatalError() }
  func observingResult(PLACE callback: @escaping (FutureResult<Value, any Error>) -> Void) -> Future { fatalError() }
  func observingCancellation(PLACE callback: @escaping ((any Error)?) -> Void) -> Future { fatalError() }
  func observingNothing(PLACE callback: @escaping () -> Void) -> Future { fatalError() }
  func observingEither(PLACE callback: @escaping (Result<Value, any Error>) -> Void) -> Future { fatalError() }
  func either<N, E>(PLACE transform: @escaping (Result<Value, any Error>) -> Result<N, E>)
    -> Future<N, any Error> { fatalError() }
  func eitherFuture<N, E>(PLACE transform: @escaping (Result<Value, any Error>) -> Future<N, E>)
    -> Future<N, any Error> { fatalError() }
  func pairing<O>(PLACE body: @escaping (Value) -> O) -> Future<(Value, O), any Error> { fatalError() }
  func ending(PLACE callback: @escaping () -> Void) -> Future<Value, any Error> { fatalError() }
}
"""


class Compiler:
    """Counts the scopes of the constraint solver in files that import the modules."""

    def __init__(self, folder, modules, module_map):
        self.folder = folder
        self.flags = ["-I", modules, "-Xcc", f"-fmodule-map-file={module_map}"]
        for form in FORMS:
            module = self.sole(form)
            context = {"": "_", "on: .main": "on context: MainContext, _", "on: .utility": "on context: PromiseContext, _"}
            text = SOLE.replace("PLACE", context[form]).replace("  func", "  public func")
            source = self.write(f"{module}.swift", "import Promises\n" + text)
            self.run(["-emit-module", "-module-name", module, "-parse-as-library", "-swift-version", "5", "-o",
                      f"{folder}/{module}.swiftmodule", source])

    @staticmethod
    def sole(form):
        """Returns the module whose operators have one overload each, for a form."""
        return {"": "SoleInline", "on: .main": "SoleMain", "on: .utility": "SoleContext"}[form]

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        return file.name

    def run(self, arguments):
        result = subprocess.run(["swiftc", *arguments, *self.flags, "-I", self.folder], capture_output=True, text=True,
                                timeout=300, check=False)
        if result.returncode != 0:
            sys.exit(f"check-chains.py: does not compile:\n{open(arguments[-1], encoding='utf-8').read()}\n{result.stderr[:2000]}")

    def scopes(self, start, call, links, imports):
        lines = [f"import {module}" for module in imports]
        lines += ["func chain(_ future: Future<Int, any Error>, _ token: InvalidationToken,",
                  "  _ stream: Subscriber<Int, any Error>) {", f"  _ = {start}"]
        lines += [f"    .{call}"] * links + ["}", ""]
        source = self.write("Chain.swift", "\n".join(lines))
        with tempfile.TemporaryDirectory() as statistics:
            self.run(["-typecheck", "-swift-version", "6", "-stats-output-dir", statistics, source])
            total = 0
            for name in os.listdir(statistics):
                with open(f"{statistics}/{name}", encoding="utf-8") as file:
                    total += json.load(file).get("Sema.NumConstraintScopes", 0)
        if total == 0:
            sys.exit("check-chains.py: the compiler does not count its scopes")
        return total


def main(modules, module_map):
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(folder, modules, module_map)
        floors = {}
        slow = checked = 0
        largest = 0.0

        def floor(operator, closure, form):
            """Returns the number of scopes of a chain with one overload."""
            key = (operator, closure, form)
            if key not in floors:
                call = f"{operator}({form}) {closure}" if form else f"{operator} {closure}"
                floors[key] = compiler.scopes("future", call, LINKS, ["Promises", compiler.sole(form)])
            return floors[key]

        def check(start, key, closure, sole, form):
            nonlocal slow, checked, largest
            operator = key.split()[0]
            call = f"{operator}({form}) {closure}" if form else f"{operator} {closure}"
            scopes = compiler.scopes(start, call, LINKS, ["Promises"])
            least = floor(sole, closure, form)
            checked += 1
            largest = max(largest, scopes / least)
            if scopes > LIMIT * least:
                slow += 1
                print(f"check-chains.py: {LINKS} links of {start}.{call}: {scopes} scopes, {scopes / least:.1f} times "
                      "those of one overload", file=sys.stderr)

        for form in FORMS:
            for operator, (closure, sole) in FUTURE.items():
                check("future", operator, closure, sole, form)
            for operator in TOKEN:
                check("future.withToken(token)", operator, *FUTURE[operator], form)
            for operator, (closure, sole) in STREAM.items():
                check("stream", operator, closure, sole, form)
        for start, calls in GROWING.items():
            for call in calls:
                half, whole = (compiler.scopes(start, call, links, ["Promises"]) for links in (LINKS // 2, LINKS))
                checked += 1
                if whole > GROWTH * half:
                    slow += 1
                    print(f"check-chains.py: {start}.{call}: {half} scopes for {LINKS // 2} links, {whole} for {LINKS}",
                          file=sys.stderr)
    print(f"check-chains.py: {checked - slow} of {checked} chains need linear work, of futures and streams at most {LIMIT} "
          f"times that of one overload; the largest ratio is {largest:.1f}")
    return 1 if slow else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: check-chains.py MODULES MODULEMAP")
    sys.exit(main(*sys.argv[1:]))
