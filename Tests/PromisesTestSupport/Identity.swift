/// A reference: a value or reason whose identity can be compared.
package final class Identity: Sendable {
  package init() {}
}
