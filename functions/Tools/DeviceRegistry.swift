import DocumentStore
import JSON
import Logging
import Messaging

/// The devices that a system notifies, one document each in a collection of its own.
///
/// `<collection>/{id}`: `deviceToken`, `transport`, `platform`, `bundleId`?, `apnsEnvironment`? (as sent, configured
/// or detected), `addressAttributes`? and `addressDigest`? (of a browser), `receipts`?, `liveActivity`? (see
/// `CardRegistration`), `createdAt`, `updatedAt` (the last registration, or the acceptance that found the environment).
/// A document is removed when the push service reports its token as invalid, unless `updatedAt` is later than the time
/// that the report names.
struct DeviceRegistry: Sendable {
    enum Field {
        static let token = "deviceToken"
        static let platform = "platform"
        static let createdAt = "createdAt"
        static let updatedAt = "updatedAt"
    }

    static let fields = RegistrationFields(token: Field.token, registeredAt: Field.updatedAt)

    let collection: CollectionPath
    /// The app that the devices run; its environment is for devices that send none.
    let app: AppIdentity
    let store: any DocumentStore
    let reach: DeviceReach
    let unreadable: UnreadableDocuments
    let now: @Sendable () -> Timestamp

    init(
        collection: CollectionPath, app: AppIdentity, store: any DocumentStore, reach: DeviceReach,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.collection = collection
        self.app = app
        self.store = store
        self.reach = reach
        self.now = now
        unreadable = UnreadableDocuments(logger: logger)
    }

    /// Returns the id of a device that has no id but its token, from a text that a client sends as a token. Attributes
    /// in the text do not count: two addresses with one token are one device.
    func id(ofToken text: String) -> String { reach.forms.address(of: text).token.digest }

    /// Stores a device. A device with the same id gets the new token and keeps its creation time.
    ///
    /// - Parameters:
    ///   - id: The device's id; `nil` for the id of its token.
    ///   - asksForReceipts: `true` if the app reports what arrives.
    ///   - liveActivity: The part for Live Activities; `nil` for a device that shows none.
    func register(
        id: String? = nil, _ clientAddress: DeviceAddress, platform: String, asksForReceipts: Bool,
        liveActivity: LiveActivityPart? = nil
    ) async throws(StoreError) -> RegisteredDevice {
        let address = address(of: clientAddress).asking(forReceipts: asksForReceipts)
        let path = try collection.document(id ?? address.token.digest)
        let time = now()
        let createdAt = try await store.document(at: path).flatMap(Device.init)?.createdAt ?? time
        let device = Device(path: path, address: address, platform: platform, createdAt: createdAt)
        var fields = Self.fields.fields(of: device.address)
        fields[Field.platform] = .string(platform)
        fields[Field.createdAt] = .timestamp(createdAt)
        fields[Field.updatedAt] = .timestamp(time)
        fields[CardRegistration.field] = liveActivity?.registration.value
        let removedAt = try await commit([.set(path, fields)], of: clientAddress, at: path)
        reach.check(device.address)
        return RegisteredDevice(device: device, formerRemovedAt: removedAt)
    }

    private func commit(
        _ writes: [Write], of clientAddress: DeviceAddress, at path: DocumentPath
    ) async throws(StoreError) -> Timestamp? {
        guard case .subscription(let subscription) = clientAddress else {
            _ = try await store.commit(writes)
            return nil
        }
        return try await reach.subscriptions.commit(writes, of: subscription, at: path)
    }

    private func address(of clientAddress: DeviceAddress) -> PushAddress {
        switch clientAddress {
        case .token(let token, let environment):
            let app = AppIdentity(bundleID: app.bundleID, environment: environment ?? app.environment)
            return reach.forms.address(of: token, app: app)
        case .subscription(let subscription): return subscription.address
        }
    }

    /// Reads the subscription that a body has in place of a token; `nil` if it has none.
    func subscription(in object: JSONObject) throws(SubscriptionFieldError) -> RegisteredSubscription? {
        try reach.subscriptions.subscription(in: LooseFields(object))
    }

    /// Reads the address at a relay that a body has as its token, with the secrets beside it; `nil` if it has none.
    ///
    /// - Parameters:
    ///   - token: The token; `nil` or empty for none.
    ///   - field: The field with the token.
    func relayAddress(
        in object: JSONObject, token: String?, field: String
    ) throws(SubscriptionFieldError) -> RegisteredSubscription? {
        try reach.subscriptions.relayAddress(in: LooseFields(object), token: token, field: field)
    }

    /// - Returns: `true` if the device existed.
    func remove(id: String) async throws(StoreError) -> Bool {
        let path = try collection.document(id)
        guard try await store.document(at: path) != nil else { return false }
        _ = try await store.commit([.delete(path)])
        return true
    }

    /// Returns the device with that id, or `nil` if there is none.
    func device(_ id: String) async throws(StoreError) -> Device? {
        try await store.document(at: try collection.document(id)).flatMap(Device.init)
    }

    func all() async throws(StoreError) -> [Device] {
        devices(of: try await store.documents(matching: .collection(collection)))
    }

    /// Returns the devices in the collection's documents. Unreadable documents are left out.
    func devices(of documents: [Document]) -> [Device] { unreadable.models(of: documents) { Device($0) } }
}

extension DeviceRegistry {
    /// Returns the list of the devices of a system, for the operator.
    ///
    /// - Parameter system: The system's name for people.
    func list(of system: String) -> DeviceList {
        DeviceList(
            collection: collection.description, title: system.prefix(1).uppercased() + system.dropFirst(),
            system: system, store: store)
    }
}

extension Outbox {
    /// Stores a notification for devices, with other writes in the same commit. Without devices, it commits only
    /// those writes.
    ///
    /// - Parameters:
    ///   - source: The system, for metrics and the delivery's record.
    ///   - owner: The owner within the system, if it has several; settled messages are counted per owner.
    ///   - lifetime: The time after which delivery is no longer attempted.
    ///   - ids: The collapse ids of earlier alerts that are not sent any more.
    ///   - badge: The counter that the badge shows at each attempt, if there is one.
    @discardableResult
    func send(
        _ message: Message, of source: String, owner: String? = nil, for lifetime: Duration, to devices: [Device],
        withdrawing ids: [String] = [], badge: BadgeCounter? = nil, alongside writes: [Write]
    ) async throws(StoreError) -> Delivery {
        var draft = Draft(
            message: message, lifetime: lifetime, source: source, owner: owner,
            registrationFields: DeviceRegistry.fields)
        draft.withdrawnIDs = ids
        draft.badge = badge
        return try await accept(draft, to: devices.map(\.target), alongside: writes)
    }

    /// Returns `true` if an earlier notification of a system waits for a device, which a new one would replace.
    ///
    /// - Parameter message: The new notification; it counts by its collapse id.
    func isWaiting(_ message: Message, of source: String, for device: Device) async throws(StoreError) -> Bool {
        let draft = Draft(message: message, source: source, registrationFields: DeviceRegistry.fields)
        return try await isWaiting(like: draft, for: [device.target])
    }
}

/// The address that a client registers for a device.
enum DeviceAddress: Sendable {
    /// - Parameter environment: The token's environment, if the device sends it; otherwise the app's is used.
    case token(String, environment: String? = nil)
    /// A browser's subscription.
    case subscription(RegisteredSubscription)
}

/// A device that has just registered.
struct RegisteredDevice: Sendable {
    let device: Device
    /// The time at which a push service ended the browser's former subscription; `nil` if none did.
    let formerRemovedAt: Timestamp?
}

/// A registered device.
struct Device: Sendable {
    let path: DocumentPath
    let address: PushAddress
    let platform: String
    let createdAt: Timestamp

    /// The target of notifications; the device's document is its registration.
    var target: Target { Target(address: address, registration: path) }
}

extension Device {
    init?(_ document: Document) {
        guard let address = DeviceRegistry.fields.address(in: document) else { return nil }
        self.init(
            path: document.path, address: address, platform: document[DeviceRegistry.Field.platform]?.string ?? "",
            createdAt: document[DeviceRegistry.Field.createdAt]?.timestamp ?? document.createTime)
    }
}
