/// The limits of calls and messages.
struct RelayLimits: Sendable {
    private let calls: FixedWindowLimiter
    private let newInstallations: FixedWindowLimiter
    private let perAddress: FixedWindowLimiter
    private let perInstallation: FixedWindowLimiter
    private let perSecret: FixedWindowLimiter
    private let cards: FixedWindowLimiter

    init(_ settings: AuthorRelaySettings) {
        calls = FixedWindowLimiter(limit: settings.callsPerMinutePerAddress, everySeconds: 60)
        newInstallations = FixedWindowLimiter(limit: settings.newInstallationsPerHourPerAddress, everySeconds: 3_600)
        perAddress = FixedWindowLimiter(limit: settings.messagesPerMinutePerAddress, everySeconds: 60)
        perInstallation = FixedWindowLimiter(limit: settings.messagesPerMinutePerInstallation, everySeconds: 60)
        perSecret = FixedWindowLimiter(limit: settings.messagesPerMinutePerSecret, everySeconds: 60)
        cards = FixedWindowLimiter(limit: settings.cardsPerHourPerInstallation, everySeconds: 3_600)
    }

    /// Counts a signed call of a client.
    func admitCall(from client: String, at time: Int64) throws(RelayError) {
        if let wait = calls.admit(client, at: time) { throw .later(wait) }
    }

    /// Counts an installation that has had no address before.
    func admitNewInstallation(from client: String, at time: Int64) throws(RelayError) {
        if let wait = newInstallations.admit(client, at: time) { throw .later(wait) }
    }

    /// Counts a message by its client alone, before anything is read.
    func admitMessage(from client: String, at time: Int64) throws(RelayError) {
        if let wait = perAddress.admit(client, at: time) { throw .later(wait) }
    }

    /// Counts a card that starts. Without a limit a few installations could take all channels of the app.
    func admitCard(on installation: AddressID, at time: Int64) throws(RelayError) {
        if let wait = cards.admit(installation.text, at: time) { throw .later(wait) }
    }

    /// Counts a message by its secret and its installation. One that the second limit refuses does not count for the
    /// first.
    func admitMessage(with secret: SendSecret, to installation: AddressID, at time: Int64) throws(RelayError) {
        if let wait = perSecret.admit(secret.digest, at: time) { throw .later(wait) }
        if let wait = perInstallation.admit(installation.text, at: time) {
            perSecret.takeBack(secret.digest, at: time)
            throw .later(wait)
        }
    }
}
