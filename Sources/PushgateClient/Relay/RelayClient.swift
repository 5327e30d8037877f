public import Foundation

/// The installation of an app at its author's relay: its keys, its address, and the send secrets of the gateways that
/// may send to it.
///
/// Give it to ``PushSubscriptions``, which then registers the address with each gateway in place of the device's token.
/// Create one for the app's lifetime. `docs/client.md` has an app's code.
public actor RelayClient: CustomReflectable {
    /// The knowledge of an installation about its address.
    public enum Standing: String, Hashable, Sendable {
        /// The relay has confirmed the address since the app was started.
        case registered
        /// The relay has given no address, or has ended it, or has refused to register the installation.
        case notRegistered
        /// The relay has not answered yet.
        case unknown
    }

    let relay: GatewayURL
    private let storage: any RelayStorage
    let cryptography: any RelayCryptography
    let admission: (any RelayAdmission)?
    let neutralText: RelayNeutralText?
    let http: any HTTPSending
    let now: @Sendable () -> Date
    let logger: PushLogger
    let queue = CallerQueue<GatewayURL>()
    private var state: RelayState?
    /// `true` if the storage has the keys.
    private var isStored = false
    /// The number of seconds by which the relay's clock is ahead of this device's.
    var clockCorrection: Int64 = 0
    var pausedUntil: Date?
    /// `true` if the last proof was an assertion, which is good only where the key's attestation is known.
    var hasAsserted = false

    /// The last answer of the relay about the address.
    public private(set) var standing = Standing.unknown

    /// Creates a client with the stored keys, which are read at the first call, and made if there are none.
    ///
    /// - Parameters:
    ///   - relay: The base URL of the author's relay.
    ///   - storage: The storage of the keys and secrets.
    ///   - cryptography: The system's cryptography.
    ///   - admission: The proof that the app is the author's, if the relay asks for one.
    ///   - neutralText: The text of notifications that the app cannot open; `nil` for the relay's own.
    ///   - http: The sender of requests.
    ///   - now: The clock.
    ///   - logger: A logger for changes and failures.
    public init(
        relay: GatewayURL, storage: any RelayStorage, cryptography: any RelayCryptography,
        admission: (any RelayAdmission)? = nil, neutralText: RelayNeutralText? = nil,
        http: any HTTPSending = URLSessionSender(), now: @escaping @Sendable () -> Date = { Date() },
        logger: PushLogger = .none
    ) {
        self.relay = relay
        self.storage = storage
        self.cryptography = cryptography
        self.admission = admission
        self.neutralText = neutralText
        self.http = http
        self.now = now
        self.logger = logger
    }

    /// An empty mirror, because the actor contains keys and secrets.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }

    /// The installation's address, `relay:HOST/ID`; `nil` if it has none.
    ///
    /// - Throws: ``RelayError/storageFailed(reason:)`` if the storage cannot be read.
    public func address() throws(RelayError) -> String? { try loaded().address }

    /// Notes the relay's last answer about the address.
    func note(_ standing: Standing) { self.standing = standing }

    // MARK: The kept state

    func loaded() throws(RelayError) -> RelayState {
        if let state { return state }
        let bytes: Data?
        do {
            bytes = try storage.load()
        } catch {
            throw RelayError(storing: error)
        }
        var loaded: RelayState
        if let stored = bytes.flatMap({ try? JSONDecoder().decode(RelayState.self, from: $0) }) {
            loaded = stored
            isStored = true
        } else {
            if bytes != nil { logger.log(.error, "discarded the stored keys, which are damaged") }
            loaded = RelayState(keys: try newKeys(), relay: relay.text)
        }
        loaded.take(relay: relay.text)
        state = loaded
        return loaded
    }

    private func newKeys() throws(RelayError) -> RelayKeys {
        do {
            return try RelayKeys(random: cryptography)
        } catch {
            throw deviceFailure(error)
        }
    }

    /// Changes the state, in the storage before in memory. The first change also stores new keys.
    func change(_ edit: (inout RelayState) -> Void) throws(RelayError) {
        let old = try loaded()
        var new = old
        edit(&new)
        guard new != old || !isStored else { return }
        do {
            try storage.save(try JSONEncoder().encode(new))
        } catch {
            throw RelayError(storing: error)
        }
        state = new
        isStored = true
    }
}

#if canImport(CryptoKit)
    extension RelayClient {
        /// Creates a client with the cryptography of CryptoKit.
        ///
        /// - Parameters:
        ///   - relay: The base URL of the author's relay.
        ///   - storage: The storage of the keys and secrets.
        ///   - admission: The proof that the app is the author's, if the relay asks for one.
        ///   - neutralText: The text of notifications that the app cannot open; `nil` for the relay's own.
        ///   - http: The sender of requests.
        ///   - logger: A logger for changes and failures.
        public init(
            relay: GatewayURL, storage: any RelayStorage, admission: (any RelayAdmission)? = nil,
            neutralText: RelayNeutralText? = nil, http: any HTTPSending = URLSessionSender(),
            logger: PushLogger = .none
        ) {
            self.init(
                relay: relay, storage: storage, cryptography: CryptoKitCryptography(), admission: admission,
                neutralText: neutralText, http: http, logger: logger)
        }
    }
#endif
