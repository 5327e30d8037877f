/// The three rate limits of the contract.
struct RequestLimits: Sendable {
    private let perSecret: FixedWindowLimiter
    private let perAddress: FixedWindowLimiter
    private let newServers: FixedWindowLimiter

    init(_ configuration: CodeAgentsConfiguration) {
        perSecret = FixedWindowLimiter(limit: configuration.requestsPerMinutePerSecret, everySeconds: 60)
        perAddress = FixedWindowLimiter(limit: configuration.requestsPerMinutePerAddress, everySeconds: 60)
        newServers = FixedWindowLimiter(limit: configuration.newServersPerHourPerAddress, everySeconds: 3_600)
    }

    /// The address first: one that is over its limit cannot fill the table of secrets with ever new ones.
    func admit(serverKey: String, address: String, at time: Int64) throws(CodeAgentsError) {
        if let wait = perAddress.admit(address, at: time) { throw .rateLimited(retryAfter: wait) }
        if let wait = perSecret.admit(serverKey, at: time) { throw .rateLimited(retryAfter: wait) }
    }

    func admitNewServer(address: String, at time: Int64) throws(CodeAgentsError) {
        if let wait = newServers.admit(address, at: time) { throw .rateLimited(retryAfter: wait) }
    }

    /// To be called when a new server that was admitted at a time could not be stored.
    func takeBackNewServer(address: String, at time: Int64) { newServers.takeBack(address, at: time) }
}
