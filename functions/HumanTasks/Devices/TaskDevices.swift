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
        let path = try HumanTasksDocuments.key(MCPTokens.digest(of: token))
        guard let document = try await store.document(at: path) else { return nil }
        return try await owner(in: document)
    }

    /// Returns the device that a document names.
    private func owner(in document: Document) async throws(StoreError) -> TaskDevice? {
        guard let id = document[HumanTasksDocuments.deviceID]?.string else { return nil }
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

    /// The stored record of a vendor's id.
    private struct VendorRecord {
        let document: Document
        /// The device that the record names; `nil` if an operator has deleted it.
        let device: TaskDevice?
    }

    /// Registers a device. A device with a vendor id is registered once and gets its earlier id and token again,
    /// unless an operator has deleted it: then it is a new device.
    ///
    /// - Parameter address: The client's address, which may register a limited number of new devices.
    func register(_ registration: DeviceRegistration, from address: String) async throws -> Registered {
        var admittedAt: Int64?
        while true {
            let record = try await record(of: registration.vendor)
            if record?.device == nil, admittedAt == nil { admittedAt = try admit(address) }
            do throws(StoreError) {
                guard let device = record?.device else {
                    return try await create(registration, replacing: record?.document)
                }
                let registered = try await update(device, registration)
                if let admittedAt { newDevices.takeBack(address, at: admittedAt) }
                return registered
            } catch {
                // The same device has registered, or was deleted, at the same moment.
                guard registration.vendor != nil, error.code == .alreadyExists || error.code == .failedPrecondition
                else { throw error }
            }
            try Task.checkCancellation()
        }
    }

    private func record(of vendor: String?) async throws(StoreError) -> VendorRecord? {
        guard let vendor, let document = try await store.document(at: try HumanTasksDocuments.vendor(vendor)) else {
            return nil
        }
        return VendorRecord(document: document, device: try await owner(in: document))
    }

    /// Counts a new device of an address and returns the time at which it counts.
    private func admit(_ address: String) throws(HumanTasksError) -> Int64 {
        let time = now().seconds
        if let seconds = newDevices.admit(address, at: time) { throw .tooManyDevices(retryAfter: seconds) }
        return time
    }

    /// - Parameter record: The record of the vendor's id, if there is one. It names a device that is gone.
    private func create(
        _ registration: DeviceRegistration, replacing record: Document?
    ) async throws(StoreError) -> Registered {
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
            writes.append(
                .set(
                    try HumanTasksDocuments.vendor(vendor), Self.naming(device),
                    precondition: record.map { Precondition.updateTime($0.updateTime) } ?? .exists(false)))
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
