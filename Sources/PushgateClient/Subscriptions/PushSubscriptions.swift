public import Foundation

/// The subscriptions of this device to chats, kept in step with the gateways.
///
/// Create one for the app's lifetime. It stores the list, sends changes, and repeats failed requests at the next
/// occasion: a chat is opened, a token arrives, or ``registerPending()`` is called. Calls may be concurrent: each
/// server receives one request at a time, and none twice. `docs/client.md` has an app's code.
public actor PushSubscriptions: CustomReflectable {
    let directory: any PushServerDirectory
    let relay: RelayClient?
    let http: any HTTPSending
    let build: AppBuild
    let policy: RegistrationPolicy
    let now: @Sendable () -> Date
    let logger: PushLogger
    let turns = CallerQueue<ServerAccount>()
    var failures = ServerFailures()
    var token: String?
    /// The part of registrations for cards; `nil` if this device shows none.
    var liveActivity: LiveActivityRegistration?
    /// The ways from gateways to this device by the relay, as each gateway's last turn has read them.
    var routes: [GatewayURL: RelayRoute] = [:]
    /// The time at which the relay confirmed the address for the token; `nil` if it has not.
    var addressConfirmedAt: Date?
    /// `true` if a gateway or the relay has said since then that the address has ended.
    var isAddressDoubted = false
    /// The last error of the relay; `nil` if it has confirmed the address since.
    var relayError: RelayError?
    private let storage: any SubscriptionStorage
    private let givenInstallationID: String?
    private var state: SubscriptionState?

    /// Creates subscriptions with the stored list, which is read at the first call.
    ///
    /// - Parameters:
    ///   - servers: The app's servers and their secrets.
    ///   - relay: The author's relay, whose address gateways get in place of the token; `nil` if gateways have the
    ///     app's key themselves.
    ///   - storage: The storage of the list.
    ///   - http: The sender of requests.
    ///   - installationID: The app's own id of this installation, if it has one in its Keychain. With `nil` an id is
    ///     generated and stored in the storage.
    ///   - build: The app's build, for builds other than the gateway's default app.
    ///   - policy: The rules for repeating registrations.
    ///   - now: The clock.
    ///   - logger: A logger for changes and failures.
    public init(
        servers: any PushServerDirectory, relay: RelayClient? = nil, storage: any SubscriptionStorage,
        http: any HTTPSending = URLSessionSender(),
        installationID: UUID? = nil, build: AppBuild = AppBuild(), policy: RegistrationPolicy = RegistrationPolicy(),
        now: @escaping @Sendable () -> Date = { Date() }, logger: PushLogger = .none
    ) {
        directory = servers
        self.relay = relay
        self.storage = storage
        self.http = http
        givenInstallationID = installationID?.uuidString.lowercased()
        self.build = build
        self.policy = policy
        self.now = now
        self.logger = logger
    }

    /// An empty mirror, because the actor contains the device's token.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the subscribed chats, in the order in which they were first opened. A chat that no gateway has
    /// accepted yet, for example because its server has no secret, has no ``ChatSubscription/registeredAt``.
    ///
    /// - Throws: ``PushClientError/storageFailed(reason:)`` if the list cannot be read.
    public func subscriptions() throws(PushClientError) -> [ChatSubscription] { try loaded().subscriptions }

    /// Returns this installation's id, a lower-case UUID. The first call generates it.
    ///
    /// - Throws: ``PushClientError/storageFailed(reason:)`` if the list cannot be read or saved.
    public func installationID() throws(PushClientError) -> String {
        if let givenInstallationID { return givenInstallationID }
        if let id = try loaded().installationID { return id }
        let id = Self.newInstallationID()
        try change { $0.installationID = id }
        return id
    }

    private static func newInstallationID() -> String { UUID().uuidString.lowercased() }

    // MARK: The kept list

    func loaded() throws(PushClientError) -> SubscriptionState {
        if let state { return state }
        do {
            let loaded = try storage.load() ?? SubscriptionState()
            state = loaded
            return loaded
        } catch {
            throw failure("failed to read the list of chats", error)
        }
    }

    private func failure(_ message: String, _ error: any Error) -> PushClientError {
        let error = PushClientError(storing: error)
        logger.log(.error, message, ["error": error.description])
        return error
    }

    /// Changes the list, on disk before in memory. The first change also stores the installation id, so that later
    /// requests do not fail for it.
    func change(_ edit: (inout SubscriptionState) -> Void) throws(PushClientError) {
        let old = try loaded()
        var new = old
        edit(&new)
        guard new != old else { return }
        if givenInstallationID == nil, new.installationID == nil { new.installationID = Self.newInstallationID() }
        do {
            try storage.save(new)
        } catch {
            throw failure("failed to save the list of chats", error)
        }
        state = new
    }
}

extension PushClientError {
    fileprivate init(storing error: any Error) {
        let error = error as NSError
        self = .storageFailed(reason: "\(error.domain) \(error.code)")
    }
}
