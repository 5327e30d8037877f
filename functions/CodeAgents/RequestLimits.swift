/// The three rate limits of the contract.
struct RequestLimits: Sendable {
    private let perSecret: FixedWindowLimiter
    private let perAddress: FixedWindowLimiter
    private let newServers: FixedWindowLimiter

    init(_ settings: CodeAgentsSettings) {
        perSecret = FixedWindowLimiter(limit: settings.requestsPerMinutePerSecret, everySeconds: 60)
        perAddress = FixedWindowLimiter(limit: settings.requestsPerMinutePerAddress, everySeconds: 60)
        newServers = FixedWindowLimiter(limit: settings.newServersPerHourPerAddress, everySeconds: 3_600)
    }

    /// Checks the address first, so an address over its limit cannot fill the table of secrets with new ones. A request
    /// over the secret's limit does not count for the address, because the phones behind it have other secrets.
    func admit(serverKey: String, address: String, at time: Int64) throws(CodeAgentsError) {
        try admit(address: address, at: time)
        if let wait = perSecret.admit(serverKey, at: time) {
            perAddress.takeBack(address, at: time)
            throw .rateLimited(retryAfter: wait)
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
