import Promises
import PromisesTestSupport
import Testing

extension FormResultTests {
  @MainActor @Test("T35, T38, T40, T41, T54, T55, RP13, D39, D41, D42, D45, D46: transformations of values")
  func values() async {
    let operators = [
      OperatorForms(
        "map", { $0.map(token: $1, $2.value) }, { $0.map(on: $2.here, token: $1, $2.value) },
        { $0.map(on: .main, token: $1, $2.value) }),
      OperatorForms(
        "flatMap", { $0.flatMap(token: $1, $2.after) }, { $0.flatMap(on: $2.here, token: $1, $2.after) },
        { $0.flatMap(on: .main, token: $1, $2.after) }),
      OperatorForms(
        "tryMap", { $0.tryMap(token: $1, $2.value) }, { $0.tryMap(on: $2.here, token: $1, $2.value) },
        { $0.tryMap(on: .main, token: $1, $2.value) }),
      OperatorForms(
        "tryFlatMap", { $0.tryFlatMap(token: $1, $2.after) }, { $0.tryFlatMap(on: $2.here, token: $1, $2.after) },
        { $0.tryFlatMap(on: .main, token: $1, $2.after) }),
      OperatorForms(
        "mapOrCancel", { $0.mapOrCancel(token: $1, $2.value) }, { $0.mapOrCancel(on: $2.here, token: $1, $2.value) },
        { $0.mapOrCancel(on: .main, token: $1, $2.value) }),
      OperatorForms(
        "flatMapOrCancel", { $0.flatMapOrCancel(token: $1, $2.after) },
        { $0.flatMapOrCancel(on: $2.here, token: $1, $2.after) }, { $0.flatMapOrCancel(on: .main, token: $1, $2.after) }
      ),
      OperatorForms(
        "additionally", { $0.additionally(token: $1, $2.value) },
        { $0.additionally(on: $2.here, token: $1, $2.value) }, { $0.additionally(on: .main, token: $1, $2.value) }),
      OperatorForms(
        "additionally(async:)", { $0.additionally(token: $1, async: $2.after) },
        { $0.additionally(on: $2.here, token: $1, async: $2.after) },
        { $0.additionally(on: .main, token: $1, async: $2.after) }),
    ]
    for forms in operators { await forms.check(ifSilenced: true) }
  }

  @MainActor @Test("T35, T38, T43, T44, T45, T46, T47, T56, D50, D51: transformations of errors, for all outcomes")
  func errors() async {
    let operators = [
      OperatorForms(
        "replaceError", { $0.replaceError(token: $1, $2.value) },
        { $0.replaceError(on: $2.here, token: $1, $2.value) }, { $0.replaceError(on: .main, token: $1, $2.value) }),
      OperatorForms(
        "mapError", { $0.mapError(token: $1, $2.error) }, { $0.mapError(on: $2.here, token: $1, $2.error) },
        { $0.mapError(on: .main, token: $1, $2.error) }),
      OperatorForms(
        "flatMapError", { $0.flatMapError(token: $1, $2.after) },
        { $0.flatMapError(on: $2.here, token: $1, $2.after) }, { $0.flatMapError(on: .main, token: $1, $2.after) }),
      OperatorForms(
        "tryReplaceError", { $0.tryReplaceError(token: $1, $2.value) },
        { $0.tryReplaceError(on: $2.here, token: $1, $2.value) }, { $0.tryReplaceError(on: .main, token: $1, $2.value) }
      ),
      OperatorForms(
        "tryMapError", { $0.tryMapError(token: $1, $2.error) }, { $0.tryMapError(on: $2.here, token: $1, $2.error) },
        { $0.tryMapError(on: .main, token: $1, $2.error) }),
      OperatorForms(
        "tryFlatMapError", { $0.tryFlatMapError(token: $1, $2.after) },
        { $0.tryFlatMapError(on: $2.here, token: $1, $2.after) }, { $0.tryFlatMapError(on: .main, token: $1, $2.after) }
      ),
      OperatorForms(
        "recover", { $0.recover(token: $1, $2.value) }, { $0.recover(on: $2.here, token: $1, $2.value) },
        { $0.recover(on: .main, token: $1, $2.value) }),
      OperatorForms(
        "recover without indirect errors", { $0.recover(token: $1, includingIndirectErrors: false, $2.value) },
        { $0.recover(on: $2.here, token: $1, includingIndirectErrors: false, $2.value) },
        { $0.recover(on: .main, token: $1, includingIndirectErrors: false, $2.value) }),
      OperatorForms(
        "recover(with:)", { $0.recover(token: $1, with: $2.value(())) },
        { $0.recover(on: $2.here, token: $1, with: $2.value(())) },
        { $0.recover(on: .main, token: $1, with: $2.value(())) }),
      OperatorForms(
        "recover(with:) without indirect errors",
        { $0.recover(token: $1, includingIndirectErrors: false, with: $2.value(())) },
        { $0.recover(on: $2.here, token: $1, includingIndirectErrors: false, with: $2.value(())) },
        { $0.recover(on: .main, token: $1, includingIndirectErrors: false, with: $2.value(())) }),
    ]
    for forms in operators { await forms.check(ifSilenced: true) }
  }

  @MainActor @Test("T35, T38, T49, T50, T51, T52, D52, PG12, PG19: transformations of results, for all outcomes")
  func results() async {
    let operators = [
      OperatorForms(
        "mapResult", { $0.mapResult(token: $1, $2.outcome) }, { $0.mapResult(on: $2.here, token: $1, $2.outcome) },
        { $0.mapResult(on: .main, token: $1, $2.outcome) }),
      OperatorForms(
        "flatMapResult", { $0.flatMapResult(token: $1, $2.after) },
        { $0.flatMapResult(on: $2.here, token: $1, $2.after) }, { $0.flatMapResult(on: .main, token: $1, $2.after) }),
      OperatorForms(
        "tryMapResult", { $0.tryMapResult(token: $1, $2.outcome) },
        { $0.tryMapResult(on: $2.here, token: $1, $2.outcome) }, { $0.tryMapResult(on: .main, token: $1, $2.outcome) }),
      OperatorForms(
        "tryFlatMapResult", { $0.tryFlatMapResult(token: $1, $2.after) },
        { $0.tryFlatMapResult(on: $2.here, token: $1, $2.after) },
        { $0.tryFlatMapResult(on: .main, token: $1, $2.after) }),
      OperatorForms(
        "mapEither", { $0.mapEither(token: $1, $2.either) }, { $0.mapEither(on: $2.here, token: $1, $2.either) },
        { $0.mapEither(on: .main, token: $1, $2.either) }),
      OperatorForms(
        "flatMapEither", { $0.flatMapEither(token: $1, $2.after) },
        { $0.flatMapEither(on: $2.here, token: $1, $2.after) }, { $0.flatMapEither(on: .main, token: $1, $2.after) }),
      OperatorForms(
        "always", { $0.always(token: $1, $2.run) }, { $0.always(on: $2.here, token: $1, $2.run) },
        { $0.always(on: .main, token: $1, $2.run) }),
    ]
    for forms in operators { await forms.check(ifSilenced: true) }
  }
}
