import Foundation
import Synchronization

/// A SIGHUP that comes while a gateway starts, before ``ReloadOnHangUp`` waits for any: it would end the process.
enum EarlyHangUp {
    private static let flag = Atomic(false)

    /// A Boolean value indicating whether one came until another handler was there.
    static var hasCome: Bool { flag.load(ordering: .acquiring) }

    /// Has it remembered from now on. To be called first of all.
    static func remember() {
        // Makes the flag: a handler may store in it, and no more.
        flag.store(false, ordering: .releasing)
        signal(SIGHUP) { _ in EarlyHangUp.flag.store(true, ordering: .releasing) }
    }
}
