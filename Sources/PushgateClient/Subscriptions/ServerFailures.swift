internal import Foundation

/// The last failure of each server, so that callers who waited behind it need not find out by themselves, and a gateway
/// that asked for a pause gets it.
struct ServerFailures: Sendable {
    /// A moment in the order of failures.
    struct Mark: Sendable { fileprivate let count: Int }

    private struct Failure {
        let error: PushClientError
        let number: Int
        let until: Date?
    }

    private var last: [ServerAccount: Failure] = [:]
    private var count = 0

    var mark: Mark { Mark(count: count) }

    /// Notes what ended a turn. That a caller gave up says nothing of the server.
    mutating func note(_ error: PushClientError, of server: ServerAccount, now: Date) {
        guard error != .cancelled else { return }
        count += 1
        let pause = error.retryAfter.map { TimeInterval($0.components.seconds) }
        last[server] = Failure(error: error, number: count, until: pause.map(now.addingTimeInterval))
    }

    /// The error to fail with at once: of a turn that failed since the mark, or of one after which the gateway is to be left
    /// alone for longer than now.
    func error(of server: ServerAccount, since mark: Mark, now: Date) -> PushClientError? {
        guard let failure = last[server] else { return nil }
        if let until = failure.until, until > now {
            return failure.error.waiting(.seconds(until.timeIntervalSince(now).rounded(.up)))
        }
        return failure.number > mark.count ? failure.error : nil
    }
}
