internal import HTTPTransport
internal import Logging

/// Who sends: an account, and its access token of the moment.
struct FCMSender: Sendable {
    let account: ServiceAccount
    let tokens: AccessTokenSource

    /// - Parameters:
    ///   - deadline: how long fetching an access token may take.
    ///   - now: seconds since 1970.
    init(
        _ account: ServiceAccount, client: HTTPClient, deadline: Duration, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.account = account
        let endpoint = TokenEndpoint(account: account, client: client, deadline: deadline, now: now, logger: logger)
        tokens = AccessTokenSource(now: now, logger: logger, fetch: endpoint.fetch)
    }
}
