#!/usr/bin/env python3
"""Checks that the type checker's work for a chain of operators stays near that for operators with one overload.

    scripts/check-chains.py MODULES MODULEMAP     folders and files that `swift build` made

Two overloads that both match a call with a closure double the type checker's work at each link: 12 links take thousands
of times the scopes of one overload. An overload that fails at its argument for `on:` adds a constant number of scopes
to each link, and hardly any time, because the closure is not checked again. So 12 links of each operator may take at
most twice the scopes of a chain whose operator has one overload. With a context other than `.main` they may take four
times as many, because the type checker tries the overload of the main actor first. EXCEPTIONS and DOUBLING have the
others. The compiler counts the scopes, so the result does not depend on the machine (docs/decisions/0047-overloads.md).

Each method of the API that takes a closure and returns something to chain must have a chain here.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINKS = 12
# Each form, and the limit of its scopes, as a multiple of those of one overload.
FORMS = {"": 2, "on: .main": 2, "on: .utility": 4}

# Links, and the operator of one overload in SOLE that has a closure of that type. `@` stands for the argument `on:`.
FUTURE = {
    "map(@) { $0 + 1 }": "value",
    "flatMap(@) { Future(fulfilled: $0 + 1) }": "future",
    "mapError(@) { $0 }": "error",
    "flatMapError(@) { Future(rejected: $0) }": "errorFuture",
    # Result.map is disfavoured itself, in the standard library: chains of it are slow under every outer operator.
    "mapResult(@) { $0.map { $0 + 1 } }": "result",
    "flatMapResult(@) { Future(with: $0) }": "resultFuture",
    "replaceError(@) { _ in 1 }": "replacing",
    "onSuccess(@) { print($0 + 1) }": "observingValue",
    "onError(@) { print($0) }": "observingError",
    "onComplete(@) { print($0) }": "observingResult",
    "onCancel(@) { print($0 as Any) }": "observingCancellation",
    "onCancel(@) { print(1) }": "observingNothing",
    "tap(@) { print($0) }": "observingResult",
    "tryOnSuccess(@) { print($0 + 1) }": "observingValue",
    "tryMap(@) { $0 + 1 }": "value",
    "tryFlatMap(@) { Future<Int, any Error>(fulfilled: $0 + 1) }": "future",
    "tryMapError(@) { $0 }": "error",
    "tryFlatMapError(@) { Future<Int, any Error>(rejected: $0) }": "errorFuture",
    "tryMapResult(@) { $0.map { $0 + 1 } }": "result",
    "tryFlatMapResult(@) { Future<Int, any Error>(with: $0) }": "resultFuture",
    "tryReplaceError(@) { _ in 1 }": "replacing",
    "fork { print($0) }": "observingFuture",
}
# A future without a token has these as well.
UNBOUND = {
    "recover(@) { _ in 1 }": "recovering",
    "recover(@, with: 1)": "recoveringValue",
    "mapOrCancel(@) { $0 + 1 }": "value",
    "flatMapOrCancel(@) { Future<Int, any Error>(fulfilled: $0 + 1) }": "future",
    "onError(of: CancellationError.self, @) { print($0) }": "observingErrorType",
    "onEither(@) { print($0) }": "observingEither",
    "mapEither(@) { $0 }": "either",
    "flatMapEither(@) { Future(with: $0) }": "eitherFuture",
    "catch(@) { print($0) }": "observingAnyError",
    "additionally(@) { _ in 1 }": "pairing",
    "additionally(@, async: { Future<Int, any Error>(fulfilled: $0) }).map { $0.0 }": "pairingFuture",
    "always(@) { print(1) }": "ending",
    "propagatingCancellation(@, cancelRequested: { print($0) })": "observingRequest",
}
# The specification gives `then` and `rescue` of a promise overloads that one closure fits, so a chain is linear only if
# each link says which it means: by the type of the closure's result, or by a label. UNTYPED has the others.
PROMISE = {
    "then(@) { value -> Int in value + 1 }": "producing",
    "then(@, async: { Promise<Int>.resolve($0 + 1) })": "following",
    "then(@, result: { Result<Int, any Error>.success($0 + 1) })": "producingResult",
    "rescue(@) { (_: any Error) -> Int in 1 }": "rescuing",
    "rescue(@, async: { (_: any Error) in Promise<Int>.resolve(1) })": "rescuingFollowing",
    "anyway(@) { value -> Int in 1 }": "ensuring",
    "anyway(@, async: { _ in Promise<Int>.resolve(1) })": "ensuringFollowing",
}
# A fold from a literal with an operator, `scan(0) { $0 + $1 }`, leaves the type of the total open, as the standard
# library's `reduce` does; so each link states it.
STREAM = {
    "subscribe(@) { print($0) }": "observingState",
    "onNewData(@) { print($0 + 1) }": "observingValue",
    "onError(@) { print($0) }": "observingError",
    "onCancelled(@) { print(1) }": "observingNothing",
    "enableLogging { print($0) }": "logging",
    "mapStates { $0 }": "states",
    "mapValues { $0 + 1 }": "value",
    "mapErrors { $0 }": "error",
    "splitMapValues { .data($0 + 1) }": "splitValue",
    "splitMapErrors { .error($0) }": "splitError",
    "compactMapStates { $0 }": "compactStates",
    "compactMapValues { $0 + 1 }": "compactValue",
    "compactMapErrors { $0 }": "compactError",
    "filterStates { _ in true }": "keepingStates",
    "filterValues { $0 > 1 }": "keepingValues",
    "filterErrors { _ in true }": "keepingErrors",
    "flatMapValues { .just($0 + 1) }": "stream",
    "scan(0) { (sum: Int, value) in sum + value }": "fold",
    "reduce(0) { (sum: Int, value) in sum + value }": "fold",
}
CHAINS = [
    ("Future", "future", FUTURE | UNBOUND),
    ("TokenFuture", "future.withToken(token)", FUTURE),
    ("SuccessOnlyFuture", "future.successOnly()", {"map(@) { $0 + 1 }": "value"}),
    ("Promise", "Promise<Int>()", PROMISE),
    ("Subscriber", "stream", STREAM),
]

# Chains over the limit of their form, and the limit of each. Their work is linear. All are chains of small work, so the
# constant number of scopes for a second overload weighs more.
EXCEPTIONS = {
    ("Future", "recover { _ in 1 }"): 2.2,  # 110 scopes, 52 of one overload; the second one is recover(with:)
    ("Future", "recover(on: .main) { _ in 1 }"): 2.2,  # 182, 88; likewise
    ("Future", "onCancel { print($0 as Any) }"): 2.2,  # 182, 88; the other closure of onCancel has no argument
    ("Future", "additionally(on: .main) { _ in 1 }"): 2.2,  # 205, 99; the second one is additionally(on:async:)
    ("Promise", "rescue { (_: any Error) -> Int in 1 }"): 2.2,  # 205, 99; rescue has three overloads
    ("Promise", "rescue(on: .main) { (_: any Error) -> Int in 1 }"): 2.6,  # 331, 135
}

# Chains whose work doubles with each link: (links, limit of their scopes). A closure for a label must not be taken for
# a trailing closure, so both overloads with `on:` are disfavoured, and `.main` fits both. `MainContext.main` fits one.
# The overload of the main actor is declared first: the type checker tries it first, which saves a third.
DOUBLING = {
    ("Future", "additionally(on: .main, async: { Future<Int, any Error>(fulfilled: $0) }).map { $0.0 }"): (4, 400),
    ("Promise", "then(on: .main, result: { Result<Int, any Error>.success($0 + 1) })"): (4, 370),
    ("Promise", "rescue(on: .main, async: { (_: any Error) in Promise<Int>.resolve(1) })"): (4, 760),
}

# Chains of `then` with closures that fit both meanings, which the compiler tries at each link: (links, limit of their
# scopes). Three links are promised (Transforming.md); four take seconds.
UNTYPED = {
    "then { $0 + 1 }": [(1, 150), (2, 1600), (3, 40_000)],
    "then(on: .main) { $0 + 1 }": [(1, 160), (2, 1700), (3, 42_000)],
    "then(on: .utility) { $0 + 1 }": [(1, 300), (2, 2500), (3, 95_000)],
    "then { (value: Int) in value + 1 }": [(1, 150), (2, 850), (3, 5400), (4, 38_000)],
}

SOLE = """
extension Future where Failure == any Error {
  func value<N>(ON _ body: @escaping (Value) -> N) -> Future<N, any Error> { fatalError() }
  func future<N>(ON _ body: @escaping (Value) -> Future<N, any Error>) -> Future<N, any Error> { fatalError() }
  func error<E>(ON _ body: @escaping (any Error) -> E) -> Future<Value, any Error> { fatalError() }
  func errorFuture<E>(ON _ body: @escaping (any Error) -> Future<Value, E>) -> Future<Value, any Error> { fatalError() }
  func result<N, E>(ON _ body: @escaping (FutureResult<Value, any Error>) -> FutureResult<N, E>)
    -> Future<N, any Error> { fatalError() }
  func resultFuture<N, E>(ON _ body: @escaping (FutureResult<Value, any Error>) -> Future<N, E>)
    -> Future<N, any Error> { fatalError() }
  func replacing(ON _ body: @escaping (any Error) -> Value) -> Future<Value, any Error> { fatalError() }
  func recovering(ON _ body: @escaping (any Error) -> Value?) -> Future<Value, any Error> { fatalError() }
  func recoveringValue(ON with value: @autoclosure @escaping () -> Value) -> Future { fatalError() }
  func observingValue(ON _ body: @escaping (Value) -> Void) -> Future { fatalError() }
  func observingError(ON _ body: @escaping (any Error) -> Void) -> Future { fatalError() }
  func observingErrorType<E>(of: E.Type, ON _ body: @escaping (E) -> Void) -> Future { fatalError() }
  func observingAnyError(ON _ body: @escaping (any Error) -> Void) -> Future { fatalError() }
  func observingResult(ON _ body: @escaping (FutureResult<Value, any Error>) -> Void) -> Future { fatalError() }
  func observingCancellation(ON _ body: @escaping ((any Error)?) -> Void) -> Future { fatalError() }
  func observingNothing(ON _ body: @escaping () -> Void) -> Future { fatalError() }
  func observingFuture(ON _ body: @escaping (Future) -> Void) -> Future { fatalError() }
  func observingRequest(ON cancelRequested body: @escaping (Future) -> Void) -> Future { fatalError() }
  func observingEither(ON _ body: @escaping (Result<Value, any Error>) -> Void) -> Future { fatalError() }
  func either<N, E>(ON _ body: @escaping (Result<Value, any Error>) -> Result<N, E>)
    -> Future<N, any Error> { fatalError() }
  func eitherFuture<N, E>(ON _ body: @escaping (Result<Value, any Error>) -> Future<N, E>)
    -> Future<N, any Error> { fatalError() }
  func pairing<O>(ON _ body: @escaping (Value) -> O) -> Future<(Value, O), any Error> { fatalError() }
  func pairingFuture<O, E: Error>(ON async body: @escaping (Value) -> Future<O, E>)
    -> Future<(Value, O), any Error> { fatalError() }
  func ending(ON _ body: @escaping () -> Void) -> Future<Value, any Error> { fatalError() }
}
extension Promise {
  func producing<O>(ON _ body: @escaping (Value) throws -> O) -> Promise<O> { fatalError() }
  func following<O>(ON async body: @escaping (Value) throws -> Promise<O>) -> Promise<O> { fatalError() }
  func producingResult<O, E>(ON result body: @escaping (Value) -> Result<O, E>) -> Promise<O> { fatalError() }
  func rescuing<E, O>(ON _ body: @escaping (E) throws -> O) -> Promise<O> { fatalError() }
  func rescuingFollowing<E, O>(ON async body: @escaping (E) throws -> Promise<O>) -> Promise<O> { fatalError() }
  func ensuring<O>(ON _ body: @escaping (Value?) throws -> O) -> Promise<O> { fatalError() }
  func ensuringFollowing<O>(ON async body: @escaping (Value?) throws -> Promise<O>) -> Promise<O> { fatalError() }
}
extension Subscriber {
  func observingState(ON _ body: @escaping (State) -> Void) -> Subscriber { fatalError() }
  func observingValue(ON _ body: @escaping (Value) -> Void) -> Subscriber { fatalError() }
  func observingError(ON _ body: @escaping (Failure) -> Void) -> Subscriber { fatalError() }
  func observingNothing(ON _ body: @escaping () -> Void) -> Subscriber { fatalError() }
  func logging(_ write: @escaping @Sendable (String) -> Void) -> Subscriber { fatalError() }
  func states<N, E>(_ body: @escaping (State) -> StreamState<N, E>) -> Subscriber<N, E> { fatalError() }
  func value<N>(_ body: @escaping (Value) -> N) -> Subscriber<N, Failure> { fatalError() }
  func error<E>(_ body: @escaping (Failure) -> E) -> Subscriber<Value, E> { fatalError() }
  func splitValue<N>(_ body: @escaping (Value) -> StreamState<N, Failure>) -> Subscriber<N, Failure> { fatalError() }
  func splitError<E>(_ body: @escaping (Failure) -> StreamState<Value, E>) -> Subscriber<Value, E> { fatalError() }
  func compactStates<N, E>(_ body: @escaping (State) -> StreamState<N, E>?) -> Subscriber<N, E> { fatalError() }
  func compactValue<N>(_ body: @escaping (Value) -> N?) -> Subscriber<N, Failure> { fatalError() }
  func compactError<E>(_ body: @escaping (Failure) -> E?) -> Subscriber<Value, E> { fatalError() }
  func keepingStates(_ body: @escaping (State) -> Bool) -> Subscriber { fatalError() }
  func keepingValues(_ body: @escaping (Value) -> Bool) -> Subscriber { fatalError() }
  func keepingErrors(_ body: @escaping (Failure) -> Bool) -> Subscriber { fatalError() }
  func stream<N>(_ body: @escaping (Value) -> Subscriber<N, Failure>) -> Subscriber<N, Failure> { fatalError() }
  func fold<R>(_ first: R, _ body: @escaping (R, Value) -> R) -> Subscriber<R, Failure> { fatalError() }
}
"""


def rendered(link, form):
    """Returns the link with a form's argument `on:`, or without one."""
    if form:
        return link.replace("@", form)
    return link.replace("(@)", "").replace("@, ", "").replace(", @", "")


def operators():
    """Returns the operators of the API: methods that take a closure and return something to chain, as (type, name)."""
    found = set()
    chained = {receiver for receiver, _, _ in CHAINS}
    for path in pathlib.Path("Sources/Promises").rglob("*.swift"):
        receiver = None
        if "Engine" in path.parts or path.stem.endswith("+Renamed"):
            continue
        text = re.sub(r"^ *//.*\n", "", path.read_text(encoding="utf-8"), flags=re.M)
        for match in re.finditer(r"^(?:public |final )*(?:extension|struct|class) (\w+)|^  (?:@\w+(?:\(.*\))?\s+)*"
                                 r"public (?:final )?func (`?\w+`?)(?:<[^>(]*>)?\(", text, re.M):
            if match[1]:
                receiver = match[1]
                continue
            depth, end = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            parameters, result = text[match.end():end], re.match(r"[\w\s]*-> (\w+)", text[end:])
            if receiver not in chained or "->" not in parameters or not result or result[1] not in chained:
                continue
            if "unavailable" in match[0] or "@autoclosure" in parameters:
                continue
            labels = re.findall(r"(?:^|,)\s*(\w+)(?: \w+)?: ", parameters)
            own = [label for label in labels if label not in ("on", "token", "includingIndirectErrors", "_")]
            found.add((receiver, "".join([match[2].strip("`"), *(f" {label}" for label in own[:1])])))
    return found


def covered(receiver, link):
    """Returns the operator of a link as operators() names it."""
    label = re.match(r"\w+\((?:@, )?(\w+): ", link)
    return receiver, re.match(r"\w+", link)[0] + (f" {label[1]}" if label else "")


class Compiler:
    """Counts the scopes of the constraint solver in files that import the modules."""

    def __init__(self, folder, modules, module_map):
        self.folder = folder
        self.flags = ["-I", modules, "-Xcc", f"-fmodule-map-file={module_map}"]
        for form in FORMS:
            module = self.sole(form)
            context = {"": "", "on: .main": "on context: MainContext, ", "on: .utility": "on context: PromiseContext, "}
            text = SOLE.replace("ON ", context[form]).replace("  func", "  public func")
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
            source = pathlib.Path(arguments[-1]).read_text(encoding="utf-8")
            sys.exit(f"check-chains.py: does not compile:\n{source}\n{result.stderr[:2000]}")

    def scopes(self, start, link, links, imports):
        lines = [f"import {module}" for module in imports]
        lines += ["func chain(_ future: Future<Int, any Error>, _ token: InvalidationToken,",
                  "  _ stream: Subscriber<Int, any Error>) {", f"  _ = {start}"]
        lines += [f"    .{link}"] * links + ["}", ""]
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


def compare(compiler):
    """Compares each chain with one overload's. Returns the number of chains, the largest ratio, and the mistakes."""
    floors, wrong, ratios = {}, [], []
    for receiver, start, links in CHAINS:
        floor_start = start if receiver in ("Promise", "Subscriber") else "future"
        for link, sole in links.items():
            for form, limit in FORMS.items() if "@" in link else [("", FORMS[""])]:
                chain = (receiver, rendered(link, form))
                if chain in DOUBLING:
                    count, limit = DOUBLING[chain]
                    scopes = compiler.scopes(start, chain[1], count, ["Promises"])
                    exact = chain[1].replace(".main", "MainContext.main")
                    linear = compiler.scopes(start, exact, LINKS, ["Promises"])
                    if scopes > limit or linear > limit:
                        wrong.append(f"{count} links of {receiver}.{chain[1]}: {scopes} scopes; {LINKS} links with "
                                     f"MainContext.main: {linear} scopes; at most {limit} expected")
                    continue
                one = (floor_start, rendered(re.sub(r"^\w+", sole, link), form))
                if one not in floors:
                    floors[one] = compiler.scopes(*one, LINKS, ["Promises", compiler.sole(form)])
                scopes = compiler.scopes(start, chain[1], LINKS, ["Promises"])
                ratio = scopes / floors[one]
                ratios.append(ratio)
                limit = EXCEPTIONS.get(chain, limit)
                if ratio > limit:
                    wrong.append(f"{LINKS} links of {receiver}.{chain[1]}: {scopes} scopes, {ratio:.2f} times the "
                                 f"{floors[one]} of one overload, at most {limit} expected")
    return len(ratios), max(ratios), wrong


def main(modules, module_map):
    covered_here = {covered(receiver, link) for receiver, _, links in CHAINS for link in links}
    missing = sorted(operators() - covered_here)
    wrong = [f"{receiver}.{name} has no chain in this script" for receiver, name in missing]
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(folder, modules, module_map)
        count, largest, slow = compare(compiler)
        wrong += slow
        for link, limits in UNTYPED.items():
            for links, limit in limits:
                scopes = compiler.scopes("Promise<Int>()", link, links, ["Promises"])
                if scopes > limit:
                    wrong.append(f"{links} links of Promise.{link}: {scopes} scopes, at most {limit} expected")
    for text in wrong:
        print(f"check-chains.py: {text}", file=sys.stderr)
    print(f"check-chains.py: {count} chains of {LINKS} links need linear work, at most {largest:.1f} times that of one "
          f"overload; {len(DOUBLING)} forms double it at each link; {len(wrong)} mistakes")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: check-chains.py MODULES MODULEMAP")
    sys.exit(main(*sys.argv[1:]))
