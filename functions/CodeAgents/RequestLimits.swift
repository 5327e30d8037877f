/// The rate limits of the contract.
struct RequestLimits: Sendable {
    private let perSecret: FixedWindowLimiter
    private let perAddress: FixedWindowLimiter
    private let newServers: FixedWindowLimiter
    private let updatesPerSecret: FixedWindowLimiter
    private let updatesPerAddress: FixedWindowLimiter

    /// The limits that a function's requests count for.
    enum Budget: Sendable {
        case calls
        /// Those of progress, which comes often.
        case updates
    }

    init(_ settings: CodeAgentsSettings) {
        perSecret = FixedWindowLimiter(limit: settings.requestsPerMinutePerSecret, everySeconds: 60)
        perAddress = FixedWindowLimiter(limit: settings.requestsPerMinutePerAddress, everySeconds: 60)
        newServers = FixedWindowLimiter(limit: settings.newServersPerHourPerAddress, everySeconds: 3_600)
        updatesPerSecret = FixedWindowLimiter(limit: settings.updatesPerMinutePerSecret, everySeconds: 60)
        updatesPerAddress = FixedWindowLimiter(limit: settings.updatesPerMinutePerAddress, everySeconds: 60)
    }

    /// Checks the address first, so an address over its limit cannot fill the table of secrets with new ones. A request
    /// over the secret's limit does not count for the address, because the phones behind it have other secrets.
    func admit(
        serverKey: String, address: String, at time: Int64, _ budget: Budget = .calls
    ) throws(CodeAgentsError) {
        let (secrets, addresses) = limiters(of: budget)
        if let wait = addresses.admit(address, at: time) { throw .rateLimited(retryAfter: wait) }
        if let wait = secrets.admit(serverKey, at: time) {
            addresses.takeBack(address, at: time)
            throw .rateLimited(retryAfter: wait)
        }
    }

    private func limiters(of budget: Budget) -> (perSecret: FixedWindowLimiter, perAddress: FixedWindowLimiter) {
        switch budget {
        case .calls: (perSecret, perAddress)
        case .updates: (updatesPerSecret, updatesPerAddress)
        }
    }

    /// Checks the address of a request without a secret.
    func admit(address: String, at time: Int64) throws(CodeAgentsError) {
        if let wait = perAddress.admit(address, at: time) { throw .rateLimited(retryAfter: wait) }
    }

    func admitNewServer(address: String, at time: Int64) throws(CodeAgentsError) {
        if let wait = newServers.admit(address, at: time) { throw .rateLimited(retryAfter: wait) }
    }

    /// Takes back the use of a new server that was admitted at the given time but could not be stored.
    func takeBackNewServer(address: String, at time: Int64) { newServers.takeBack(address, at: time) }
}
