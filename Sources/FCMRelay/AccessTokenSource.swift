import Logging
import Signals
import Synchronization

/// A source of a service account's current access token.
///
/// The first caller that finds a token about to expire renews it. Other callers use the old token while it lasts, or
/// wait for the new one.
final class AccessTokenSource: Sendable {
    typealias Fetch = @Sendable () async throws(AccessTokenError) -> AccessToken

    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let fetch: Fetch
    private let state = Mutex(AccessTokenState())
    private let fetchEnded = Signal()

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - fetch: requests a token. It must end by itself within a time limit, because callers wait for it without
    ///     one.
    init(now: @escaping @Sendable () -> Int64, logger: Logger, fetch: @escaping Fetch) {
        self.now = now
        self.logger = logger
        self.fetch = fetch
    }

    /// The number of callers that wait for a token that another caller fetches.
    var waiterCount: Int { fetchEnded.waiterCount }

    /// Returns a token that may be sent.
    ///
    /// - Parameter refused: the token that Google has just refused. It is not returned again, and many callers with
    ///   the same refused token cause one fetch.
    func token(insteadOf refused: AccessToken? = nil) async throws(AccessTokenError) -> AccessToken {
        // Only in the first round: if the endpoint returns the same token again, another request is useless.
        var refused = refused
        while true {
            let step = state.withLock { $0.next(at: now(), insteadOf: refused) }
            switch step {
            case .use(let token): return token
            case .giveUp(let error): throw error
            case .wait: await fetchEnded.waitEvenIfCancelled { self.state.withLock { !$0.isFetching } }
            case .fetch:
                if refused != nil { logger.warning("fetching a new access token; FCM rejected the current one") }
                try await renew()
            }
            refused = nil
        }
    }

    /// - Throws: only for a cancellation. Every caller gets any other error from the state.
    private func renew() async throws(AccessTokenError) {
        let result: Result<AccessToken, AccessTokenError>
        do throws(AccessTokenError) {
            result = .success(try await fetch())
        } catch {
            result = .failure(error)
        }
        let time = now()
        state.withLock { $0.fetched(result, at: time) }
        fetchEnded.notify()
        if case .failure(let error) = result, error.kind == .cancelled { throw error }
    }
}

/// A state machine that decides which access token to use and when to fetch another, without I/O.
struct AccessTokenState: Sendable {
    enum Step: Hashable {
        case use(AccessToken)
        /// Fetch a token, then call ``fetched(_:at:)`` with any result.
        case fetch
        /// Another caller fetches one. Ask again after that.
        case wait
        case giveUp(AccessTokenError)
    }

    private struct BackOff {
        let error: AccessTokenError
        let since: Int64
        let until: Int64

        /// Returns `true` if the back-off applies. A time before it began does not count: the clock was set back by
        /// an unknown amount.
        func holds(at time: Int64) -> Bool { (since..<until).contains(time) }
    }

    private(set) var isFetching = false
    private var token: AccessToken?
    private var backOff: BackOff?
    private var failures = 0

    /// Returns the next step for a caller.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - refused: a token that was returned before and that Google refused.
    mutating func next(at time: Int64, insteadOf refused: AccessToken? = nil) -> Step {
        if token == refused { token = nil }
        let usable = token.flatMap { $0.isUsable(at: time) ? $0 : nil }
        if let usable, !usable.isDue(at: time) { return .use(usable) }
        // The old token is used while another is being fetched, or cannot be fetched.
        if isFetching { return usable.map(Step.use) ?? .wait }
        if let backOff, backOff.holds(at: time) { return usable.map(Step.use) ?? giveUp(backOff, at: time) }
        isFetching = true
        return .fetch
    }

    /// Records the result of a fetch.
    mutating func fetched(_ result: Result<AccessToken, AccessTokenError>, at time: Int64) {
        isFetching = false
        switch result {
        case .success(let token):
            self.token = token
            backOff = nil
            failures = 0
        case .failure(let error) where error.kind == .cancelled: break
        case .failure(let error):
            let delay = max(Self.delay(after: error, failures: failures), error.retryAfter?.components.seconds ?? 0)
            backOff = BackOff(error: error, since: time, until: time + delay)
            failures += 1
        }
    }

    private func giveUp(_ backOff: BackOff, at time: Int64) -> Step {
        var error = backOff.error
        error.retryAfter = .seconds(backOff.until - time)
        return .giveUp(error)
    }

    /// Returns the time to wait in seconds, doubled with every further failure, like a lane's pause: from 5 s to 5 min
    /// for an account that is refused, from 1 s to 1 min if there is no answer.
    private static func delay(after error: AccessTokenError, failures: Int) -> Int64 {
        let (first, longest): (Int64, Int64) = error.kind == .refused ? (5, 300) : (1, 60)
        return min(first << Int64(min(failures, 10)), longest)
    }
}
