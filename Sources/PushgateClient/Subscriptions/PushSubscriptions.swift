public import Foundation

/// The chats whose notifications this phone wants, and what their gateways know of it.
///
/// Make one for the app's life. It keeps the list, sends what has changed, and remembers what could not be sent until the
/// next occasion: a chat is opened, the token comes, or ``registerPending()``. Calls may come from anywhere, any number
/// at once: a server hears one request at a time, and nothing twice.
public actor PushSubscriptions: CustomReflectable {
    let directory: any PushServerDirectory
    let http: any HTTPSending
    let build: AppBuild
    let policy: RegistrationPolicy
    let now: @Sendable () -> Date
    let logger: PushLogger
    let turns = ServerTurns()
    var failures = ServerFailures()
    var token: String?
    private let storage: any SubscriptionStorage
    private let givenInstallationID: String?
    private var state: SubscriptionState?

    /// - Parameters:
    ///   - servers: the app's servers and their secrets.
    ///   - storage: where the list is kept.
    ///   - installationID: the app's own id of this installation, if it has one in its Keychain; otherwise one is made and
    ///     kept in the storage.
    ///   - build: for builds the gateway does not serve by itself.
    ///   - logger: takes what the subscriptions do, and what fails.
    public init(
        servers: any PushServerDirectory, storage: any SubscriptionStorage, http: any HTTPSending = URLSessionSender(),
        installationID: UUID? = nil, build: AppBuild = AppBuild(), policy: RegistrationPolicy = RegistrationPolicy(),
        now: @escaping @Sendable () -> Date = { Date() }, logger: PushLogger = .none
    ) {
        directory = servers
        self.storage = storage
        self.http = http
        givenInstallationID = installationID?.uuidString.lowercased()
        self.build = build
        self.policy = policy
        self.now = now
        self.logger = logger
    }

    /// Empty: the phone's token is in here.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }

    /// The chats that were opened and not unsubscribed, in the order in which they were first opened. What no gateway has
    /// taken yet, since the server has no secret for one, has no ``ChatSubscription/registeredAt``.
    public func subscriptions() throws(PushClientError) -> [ChatSubscription] { try loaded().subscriptions }

    /// This installation's id, a lower-case UUID; made when asked for the first time.
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

    /// Changes the list, on the disk first. The installation id comes with the first change, so that no turn fails for it.
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
