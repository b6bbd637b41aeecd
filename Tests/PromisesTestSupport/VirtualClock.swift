import Promises

/// The clock of the tests of operators on time.
package typealias VirtualClock = VirtualStreamClock
