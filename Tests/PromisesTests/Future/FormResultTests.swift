import Promises
import PromisesTestSupport
import Testing

@Suite("Future: the three forms of an operator do the same")
struct FormResultTests {
  @MainActor @Test("T34, T35, T36, T38, T39, T48, T53, PG5, PG7, RP6, RP9: observers of values, for all outcomes")
  func observers() async {
    let operators = [
      OperatorForms(
        "onSuccess", { $0.onSuccess(token: $1, $2.note) }, { $0.onSuccess(on: $2.here, token: $1, $2.note) },
        { $0.onSuccess(on: .main, token: $1, $2.note) }),
      OperatorForms(
        "onComplete", { $0.onComplete(token: $1, $2.note) }, { $0.onComplete(on: $2.here, token: $1, $2.note) },
        { $0.onComplete(on: .main, token: $1, $2.note) }),
      OperatorForms(
        "onEither", { $0.onEither(token: $1, $2.note) }, { $0.onEither(on: $2.here, token: $1, $2.note) },
        { $0.onEither(on: .main, token: $1, $2.note) }),
      OperatorForms(
        "tryOnSuccess", { $0.tryOnSuccess(token: $1, $2.note) }, { $0.tryOnSuccess(on: $2.here, token: $1, $2.note) },
        { $0.tryOnSuccess(on: .main, token: $1, $2.note) }),
    ]
    for forms in operators { await forms.check(ifSilenced: false) }
  }

  @MainActor @Test("T34, T35, T38, T42, T61, PG6, RP7, RP8: observers of errors or cancellations, for all outcomes")
  func failureObservers() async {
    let operators = [
      OperatorForms(
        "onError", { $0.onError(token: $1, $2.note) }, { $0.onError(on: $2.here, token: $1, $2.note) },
        { $0.onError(on: .main, token: $1, $2.note) }),
      OperatorForms(
        "onError(of:)", { $0.onError(of: TestError.self, token: $1, $2.note) },
        { $0.onError(of: TestError.self, on: $2.here, token: $1, $2.note) },
        { $0.onError(of: TestError.self, on: .main, token: $1, $2.note) }),
      OperatorForms(
        "onCancel", interested: 0, { $0.onCancel(token: $1, $2.note) },
        { $0.onCancel(on: $2.here, token: $1, $2.note) }, { $0.onCancel(on: .main, token: $1, $2.note) }),
      OperatorForms(
        "onCancel without argument", interested: 0, { $0.onCancel(token: $1, $2.run) },
        { $0.onCancel(on: $2.here, token: $1, $2.run) }, { $0.onCancel(on: .main, token: $1, $2.run) }),
    ]
    for forms in operators { await forms.check(ifSilenced: false) }
  }

  @MainActor @Test("T35, T59, D3, D4, D5, D6, D7, D49: callbacks that no future waits for, for all outcomes")
  func aside() async {
    let operators = [
      OperatorForms(
        "tap", interested: 0, { $0.tap(token: $1, $2.note) }, { $0.tap(on: $2.here, token: $1, $2.note) },
        { $0.tap(on: .main, token: $1, $2.note) }),
      OperatorForms(
        "catch", interested: 0, { $0.catch(token: $1, $2.note) }, { $0.catch(on: $2.here, token: $1, $2.note) },
        { $0.catch(on: .main, token: $1, $2.note) }),
      OperatorForms(
        "catch without indirect errors", interested: 0,
        { $0.catch(token: $1, includingIndirectErrors: false, $2.note) },
        { $0.catch(on: $2.here, token: $1, includingIndirectErrors: false, $2.note) },
        { $0.catch(on: .main, token: $1, includingIndirectErrors: false, $2.note) }),
      OperatorForms(
        terminal: "whenResolved", { $0.whenResolved(token: $1, $2.note) },
        { $0.whenResolved(on: $2.here, token: $1, $2.note) }, { $0.whenResolved(on: .main, token: $1, $2.note) }),
      OperatorForms(
        terminal: "whenFulfilled", { $0.whenFulfilled(token: $1, $2.note) },
        { $0.whenFulfilled(on: $2.here, token: $1, $2.note) }, { $0.whenFulfilled(on: .main, token: $1, $2.note) }),
      OperatorForms(
        terminal: "whenRejected", { $0.whenRejected(token: $1, $2.note) },
        { $0.whenRejected(on: $2.here, token: $1, $2.note) }, { $0.whenRejected(on: .main, token: $1, $2.note) }),
      OperatorForms(
        terminal: "whenCancelled", interested: 0, { $0.whenCancelled(token: $1, $2.note) },
        { $0.whenCancelled(on: $2.here, token: $1, $2.note) }, { $0.whenCancelled(on: .main, token: $1, $2.note) }),
      OperatorForms(
        terminal: "whenAnyError", { $0.whenAnyError(token: $1, $2.note) },
        { $0.whenAnyError(on: $2.here, token: $1, $2.note) }, { $0.whenAnyError(on: .main, token: $1, $2.note) }),
    ]
    for forms in operators { await forms.check(ifSilenced: false) }
  }
}
