import DocumentStore
import Foundation

/// The registered devices. A device is found by its id, by its token, or by the vendor's id that its app sends.
struct TaskDevices: Sendable {
    private let store: any DocumentStore
    private let tokens: MCPTokens
    private let newDevices: FixedWindowLimiter
    private let now: @Sendable () -> Timestamp

    /// - Parameter newDevices: The limit of new devices by the client's address.
    init(
        store: any DocumentStore, tokens: MCPTokens, newDevices: FixedWindowLimiter,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.tokens = tokens
        self.newDevices = newDevices
        self.now = now
    }

    // MARK: Finding

    /// Returns the device with that id, or `nil` if there is none.
    func device(_ id: String) async throws(StoreError) -> TaskDevice? {
        guard let id = UUID(uuidString: id)?.uuidString.lowercased() else { return nil }
        return try await store.document(at: try HumanTasksDocuments.device(id)).flatMap(TaskDevice.init)
    }

    /// Returns the device with that token, or `nil` if there is none.
    func device(withToken token: String) async throws(StoreError) -> TaskDevice? {
        try await owner(of: try HumanTasksDocuments.key(MCPTokens.digest(of: token)))
    }

    /// Returns the device that the document at a path names.
    private func owner(of path: DocumentPath) async throws(StoreError) -> TaskDevice? {
        guard let id = try await store.document(at: path)?[HumanTasksDocuments.deviceID]?.string else { return nil }
        return try await device(id)
    }

    // MARK: Registering

    /// A device with the token that its agents send.
    struct Registered: Sendable {
        let device: TaskDevice
        let token: String
        /// `true` if the device was not known.
        let isNew: Bool
    }

    /// Registers a device. A device with a vendor id is registered once and gets its earlier id and token again.
    ///
    /// - Parameter address: The client's address, which may register a limited number of new devices.
    func register(_ registration: DeviceRegistration, from address: String) async throws -> Registered {
        while true {
            let known = try await known(registration)
            if known == nil { try admit(address) }
            do throws(StoreError) {
                guard let known else { return try await create(registration) }
                return try await update(known, registration)
            } catch {
                // The same device has registered at the same moment.
                guard registration.vendor != nil, error.code == .alreadyExists || error.code == .failedPrecondition
                else { throw error }
            }
            try Task.checkCancellation()
        }
    }

    private func known(_ registration: DeviceRegistration) async throws(StoreError) -> TaskDevice? {
        guard let vendor = registration.vendor else { return nil }
        return try await owner(of: try HumanTasksDocuments.vendor(vendor))
    }

    private func admit(_ address: String) throws(HumanTasksError) {
        if let seconds = newDevices.admit(address, at: now().seconds) { throw .tooManyDevices(retryAfter: seconds) }
    }

    private func create(_ registration: DeviceRegistration) async throws(StoreError) -> Registered {
        let salt = MCPTokens.makeSalt()
        let token = tokens.token(salt: salt)
        let device = TaskDevice(
            id: UUID().uuidString.lowercased(), name: registration.name, salt: salt,
            keyDigest: MCPTokens.digest(of: token), at: now())
        var writes: [Write] = [
            .create(try HumanTasksDocuments.device(device.id), device.fields),
            .create(try HumanTasksDocuments.key(device.keyDigest), Self.naming(device)),
        ]
        if let vendor = registration.vendor {
            writes.append(.create(try HumanTasksDocuments.vendor(vendor), Self.naming(device)))
        }
        _ = try await store.commit(writes)
        return Registered(device: device, token: token, isNew: true)
    }

    private func update(
        _ known: TaskDevice, _ registration: DeviceRegistration
    ) async throws(StoreError) -> Registered {
        let salt = registration.isRegenerating ? MCPTokens.makeSalt() : known.salt
        let token = tokens.token(salt: salt)
        var device = known
        // The token also differs if the key for tokens was lost.
        device.registerAgain(
            name: registration.name, salt: salt, keyDigest: MCPTokens.digest(of: token), at: now())
        var writes: [Write] = [
            .set(try HumanTasksDocuments.device(device.id), device.fields, precondition: device.precondition)
        ]
        if device.keyDigest != known.keyDigest {
            writes.append(.delete(try HumanTasksDocuments.key(known.keyDigest)))
            writes.append(.set(try HumanTasksDocuments.key(device.keyDigest), Self.naming(device)))
        }
        _ = try await store.commit(writes)
        return Registered(device: device, token: token, isNew: false)
    }

    /// Returns the fields of a document that names a device.
    private static func naming(_ device: TaskDevice) -> Fields { [HumanTasksDocuments.deviceID: .string(device.id)] }
}
