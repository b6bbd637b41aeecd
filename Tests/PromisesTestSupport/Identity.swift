/// An object as a value or a reason, whose identity can be compared.
package final class Identity: Sendable {
  package init() {}
}
