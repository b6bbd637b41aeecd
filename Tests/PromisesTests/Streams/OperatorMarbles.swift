import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: operators on states, joins, replay, retry and demand, as diagrams")
struct OperatorMarbles {
  private typealias Texts = Subscriber<String, TestError>

  /// Returns the diagram of an operator on one stream.
  private func run<Value>(_ diagram: String, _ derive: (Texts) -> Subscriber<Value, TestError>) -> String {
    Marbles.run(diagram) { sources, _ in derive(sources[0]) }
  }

  @Test("operators on single states change or drop them in place")
  func single() {
    #expect(run("ab-#c|") { $0.mapValues { $0.uppercased() } } == "AB-#C|")
    #expect(run("ab-#c|") { $0.mapValues { [$0, "z"] } } == "[az][bz]-#[cz]|")
    #expect(run("ab-#c|") { $0.filterValues { $0 != "b" } } == "a--#c|")
    #expect(run("ab-#c|") { $0.compactMapValues { $0 == "a" ? nil : $0.uppercased() } } == "-B-#C|")
    #expect(run("ab-#c|") { $0.filterErrors { _ in false } } == "ab--c|")
    #expect(run("ab-#c|") { $0.filterStates { $0 != .cancelled } } == "ab-#c")
    #expect(run("ab-#c|") { $0.splitMapErrors { _ in .data("e") } } == "ab-ec|")
  }

  @Test("distinct drops equal states that follow each other; an error makes the next value new")
  func distinct() {
    #expect(run("aab#b-b|") { $0.distinctValues() } == "a-b#b--|")
    #expect(run("a##b#|") { $0.distinctValues() } == "a##b#|")
    #expect(run("a##b#|") { $0.distinctStates() } == "a#-b#|")
  }

  @Test("prefix publishes the first values, and the errors between them, then ends")
  func prefix() {
    func run(_ count: Int) -> String { self.run("a-#-bc-|") { $0.prefix(count) } }
    #expect(run(2) == "a-#-(b|)")
    #expect(run(4) == "a-#-bc-|")
    #expect(run(1) == "(a|)")
    #expect(run(0) == "|" && run(-1) == "|")
    Numbers.with { numbers in
      let first = Received(numbers.subscriber().prefix(1))
      numbers.publish(.data(1), .data(2))
      #expect(first.states == [.data(1), .cancelled] && Received(first.subscriber).states == [.cancelled])
    }
  }

  @Test("merge publishes the states of all; combine the latest value of each, once each has one")
  func joins() {
    func join<Value>(_ derive: (Texts, Texts) -> Subscriber<Value, TestError>) -> String {
      Marbles.run("a-b-#|", "-x---y|") { sources, _ in derive(sources[0], sources[1]) }
    }
    #expect(join { $0.mergeWith($1) } == "axb-#y|")
    #expect(join { $0.combineWith($1) } == "-[ax][bx]-#|")
  }

  @Test("a late callback of a replay gets the latest states, of a stateful stream the latest one, and a first value")
  func remembering() {
    /// Subscribes at the second marble of the other diagram.
    func late(_ derive: (Texts) -> Texts) -> String {
      Marbles.run("a-b-c-d|", "-----x--|") { sources, _ in
        sources[1].flatMapValues { [remembering = derive(sources[0])] _ in remembering }
      }
    }
    #expect(late { $0 } == "------d-|")
    #expect(late { $0.stateful() } == "-----cd-|")
    #expect(late { $0.replay(2) } == "-----(bc)d-|")
    #expect(late { $0.replay(9) } == "-----(abc)d-|")
    #expect(run("a-b|") { $0.startWith("z") } == "(za)-b|")
  }

  @Test("retry drops an error and takes the next stream; later errors pass")
  func retry() {
    let diagram = Marbles.run("a-#-x|", "--b-c-#-d|") { sources, _ in
      var made = -1
      return Texts.retry(1) {
        made += 1
        return sources[made]
      }
    }
    #expect(diagram == "a-b-c-#-d|")
  }

  @Test("states wait for demand, in their buffer; the end takes none")
  func demand() {
    /// The states of the first diagram, of which the second one asks for numbers.
    func demand(_ buffer: StreamBuffer) -> String {
      Marbles.run("abc-d|", "-2---1-3") { sources, _ in
        let passed = Publisher<String, TestError>()
        let subscription = sources[0].subscribe(demand: 0, buffer: buffer) { state in
          switch state {
          case .data(let value): passed.publish(value)
          case .error(let error): passed.publish(error: error)
          case .cancelled: passed.cancelAll()
          }
        }
        let asking = sources[1].onNewData { subscription.request(Int($0)!) }
        return passed.subscriber().mapValues { value in withExtendedLifetime((passed, asking)) { value } }
      }
    }
    #expect(demand(.unbounded) == "-(ab)---c-(d|)")
    #expect(demand(.bounded(1)) == "-(ab)---c-(d|)")
    #expect(demand(.newest(1)) == "-bc--(d|)")
    #expect(demand(.oldest(1)) == "-ac--(d|)")
  }
}
