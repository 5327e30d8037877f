/// Which access token to use, and whether to fetch another: pure.
struct AccessTokenState: Sendable {
    enum Step: Hashable {
        case use(AccessToken)
        /// To be followed by ``fetched(_:at:)``, whatever comes of it.
        case fetch
        /// Somebody fetches one. Ask again when that has ended.
        case wait
        case giveUp(AccessTokenError)
    }

    private struct BackOff {
        let error: AccessTokenError
        let since: Int64
        let until: Int64

        /// A time before it began is no part of it: the clock was set back, by nobody knows how much.
        func holds(at time: Int64) -> Bool { (since..<until).contains(time) }
    }

    private(set) var isFetching = false
    private var token: AccessToken?
    private var backOff: BackOff?
    private var failures = 0

    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - refused: a token that was handed out here before, and that Google did not take.
    mutating func next(at time: Int64, insteadOf refused: AccessToken? = nil) -> Step {
        if token == refused { token = nil }
        let usable = token.flatMap { $0.isUsable(at: time) ? $0 : nil }
        if let usable, !usable.isDue(at: time) { return .use(usable) }
        // The old one is good while another is fetched, or cannot be.
        if isFetching { return usable.map(Step.use) ?? .wait }
        if let backOff, backOff.holds(at: time) { return usable.map(Step.use) ?? giveUp(backOff, at: time) }
        isFetching = true
        return .fetch
    }

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

    /// In seconds, doubled with every failure that follows another; as a lane's pause, which it goes together with: from
    /// 5 s to 5 min for an account that is refused, from 1 s to 1 min where there is no answer.
    private static func delay(after error: AccessTokenError, failures: Int) -> Int64 {
        let (first, longest): (Int64, Int64) = error.kind == .refused ? (5, 300) : (1, 60)
        return min(first << Int64(min(failures, 10)), longest)
    }
}
