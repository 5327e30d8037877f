internal import Logging
import Synchronization

/// Hands out a service account's access token of the moment. One that is about to end is renewed by the first who
/// comes; who comes meanwhile uses the old one while it lasts, else waits for the new one.
final class AccessTokenSource: Sendable {
    typealias Fetch = @Sendable () async throws(AccessTokenError) -> AccessToken

    private struct Waiting {
        var state = AccessTokenState()
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let fetch: Fetch
    private let waiting = Mutex(Waiting())

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - fetch: ends by itself within some bound, for those who wait for it do not give up before.
    init(now: @escaping @Sendable () -> Int64, logger: Logger, fetch: @escaping Fetch) {
        self.now = now
        self.logger = logger
        self.fetch = fetch
    }

    /// How many wait for a token that somebody else fetches.
    var waiterCount: Int { waiting.withLock(\.waiters.count) }

    /// - Parameter refused: the token that Google has just not taken. It is not handed out again, and the many who come
    ///   with the same one cause one fetch.
    func token(insteadOf refused: AccessToken? = nil) async throws(AccessTokenError) -> AccessToken {
        // Only in the first round: should the endpoint give the same token again, there is no use in asking on.
        var refused = refused
        while true {
            let step = waiting.withLock { $0.state.next(at: now(), insteadOf: refused) }
            switch step {
            case .use(let token): return token
            case .giveUp(let error): throw error
            case .wait: await fetchEnds()
            case .fetch:
                if refused != nil { logger.warning("FCM does not take the access token any more; fetching another") }
                try await renew()
            }
            refused = nil
        }
    }

    /// - Throws: only for a cancellation. What else went wrong, everybody who asks is told.
    private func renew() async throws(AccessTokenError) {
        let result: Result<AccessToken, AccessTokenError>
        do throws(AccessTokenError) {
            result = .success(try await fetch())
        } catch {
            result = .failure(error)
        }
        let time = now()
        let waiters = waiting.withLock { waiting in
            waiting.state.fetched(result, at: time)
            defer { waiting.waiters = [] }
            return waiting.waiters
        }
        for waiter in waiters { waiter.resume() }
        if case .failure(let error) = result, error.kind == .cancelled { throw error }
    }

    private func fetchEnds() async {
        await withCheckedContinuation { continuation in
            let isOver = waiting.withLock { waiting in
                if waiting.state.isFetching { waiting.waiters.append(continuation) }
                return !waiting.state.isFetching
            }
            if isOver { continuation.resume() }
        }
    }
}
