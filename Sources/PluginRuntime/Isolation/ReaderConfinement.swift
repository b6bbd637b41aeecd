import Synchronization

/// Confinement of a process that reads the description of a plugin and ends: a worker without capabilities, whose
/// refusals are not reported.
package enum ReaderConfinement {
  /// The files of the system that are read, which the children of a process need not look for again.
  private static let rules = ConfinementPlan.rulesOfSystem

  /// Prepares requests in children of this process.
  package static func prepare() { _ = rules }

  /// Requests the confinement of this process once the files of a plugin are open and verified, before the first of
  /// them is mapped. The process has one thread until then, and can map no other library afterwards.
  package static func request() {
    LibraryLoader.willMap.withLock {
      $0 = { files in Confinement.enter(rules + ConfinementPlan.rules(reading: files)) }
    }
  }
}
