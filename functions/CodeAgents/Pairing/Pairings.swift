import DocumentStore
import Messaging

/// The pairing of devices with agents, over the document store.
///
/// A code is exchanged once, for the credential of one device. Of both only digests are stored.
struct Pairings: Sendable {
    /// A code that was just made. It cannot be shown again.
    struct NewCode: Sendable {
        let code: PairingCode
        let expiresAt: Timestamp
    }

    /// A device that was just paired, with its credential, which cannot be shown again.
    struct NewDevice: Sendable {
        let device: PairedDevice
        let credential: DeviceCredential
    }

    /// A page of the devices.
    struct DevicePage: Sendable {
        let devices: [PairedDevice]
        /// The place after which the next page begins; `nil` if there is none.
        var next: String?
    }

    /// The time in which a code can be exchanged.
    static let codeLifetime = Duration.seconds(10 * 60)
    /// The maximum number of attempts to end a device that others change.
    private static let maximumAttempts = 5
    /// The number of devices that one commit removes. Each may have a registration token with its topics.
    private static let batch = 50

    let store: any DocumentStore
    let now: @Sendable () -> Timestamp

    // MARK: Codes

    /// Makes a code for one device of an agent.
    func makeCode(for agent: PairedAgent) async throws(StoreError) -> NewCode {
        let new = NewCode(code: PairingCode(), expiresAt: now().adding(Self.codeLifetime))
        var fields = agent.fields
        fields[PairingDocuments.Field.expiresAt] = .timestamp(new.expiresAt)
        _ = try await store.commit([.create(try PairingDocuments.codes().document(new.code.digest), fields)])
        return new
    }

    /// Exchanges a code for the credential of a device. If several callers try at once, one of them succeeds.
    ///
    /// - Parameter judge: Gets `true` if the code is good. It throws to keep the caller from using the code up.
    /// - Returns: `nil` if there is no such code, or no longer.
    func exchange(_ code: PairingCode, judge: (Bool) throws -> Void = { _ in }) async throws -> NewDevice? {
        let agent = try await agent(of: code)
        try judge(agent != nil)
        guard let agent else { return nil }
        let (credential, time) = (DeviceCredential(), now())
        let device = PairedDevice(id: credential.digest, agent: agent, at: time)
        do throws(StoreError) {
            _ = try await store.commit([
                .delete(try PairingDocuments.codes().document(code.digest), precondition: .exists(true)),
                .create(try PairingDocuments.devices().document(device.id), device.fields),
            ])
            return NewDevice(device: device, credential: credential)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Pairs a device without a code.
    func admit(to agent: PairedAgent) async throws(StoreError) -> NewDevice {
        let credential = DeviceCredential()
        let device = PairedDevice(id: credential.digest, agent: agent, at: now())
        _ = try await store.commit([.create(try PairingDocuments.devices().document(device.id), device.fields)])
        return NewDevice(device: device, credential: credential)
    }

    /// Returns the agent of a code; `nil` if there is no such code, or no longer.
    private func agent(of code: PairingCode) async throws(StoreError) -> PairedAgent? {
        guard let document = try await store.document(at: PairingDocuments.codes().document(code.digest)),
            let expiresAt = document[PairingDocuments.Field.expiresAt]?.timestamp, now() < expiresAt
        else { return nil }
        return PairedAgent(document)
    }

    // MARK: Devices

    /// Returns the device with a credential; `nil` if there is none.
    ///
    /// - Parameter digest: The SHA-256 digest of the credential, in hexadecimal.
    func device(withDigest digest: String) async throws(StoreError) -> PairedDevice? {
        try await store.document(at: PairingDocuments.devices().document(digest)).flatMap(PairedDevice.init)
    }

    /// Returns a page of the devices, those that were paired last first.
    ///
    /// - Parameters:
    ///   - place: ``DevicePage/next`` of the page before; `nil` for the first page.
    ///   - limit: The greatest number of devices.
    func devices(after place: String? = nil, limit: Int) async throws(StoreError) -> DevicePage {
        var query = Query.collection(try PairingDocuments.devices())
            .ordered(by: FieldPath(PairingDocuments.Field.pairedAt), .descending)
            .ordered(by: .documentName, .descending).limited(to: limit)
        query.start = try place.map { text throws(StoreError) in try cursor(after: text) }
        let documents = try await store.documents(matching: query)
        var page = DevicePage(devices: documents.compactMap(PairedDevice.init))
        if documents.count == limit, let last = documents.last,
            let pairedAt = last[PairingDocuments.Field.pairedAt]?.timestamp
        {
            page.next = "\(pairedAt)/\(last.path.id)"
        }
        return page
    }

    /// Returns the ids of those devices that have no registration, so that no notification reaches them.
    func withoutRegistration(among devices: [PairedDevice]) async throws(StoreError) -> Set<String> {
        var paths: [DocumentPath] = []
        for device in devices { paths.append(try device.registration) }
        var ids: Set<String> = []
        for (device, registration) in zip(devices, try await store.documents(at: paths))
        where registration == nil && !device.hasToken {
            ids.insert(device.id)
        }
        return ids
    }

    private func cursor(after place: String) throws(StoreError) -> Cursor {
        let parts = place.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let pairedAt = Timestamp(String(parts[0])) else {
            throw StoreError(.invalidArgument, "\(place) is no place in the list of paired devices")
        }
        let name = try PairingDocuments.devices().document(String(parts[1])).name(in: store.database)
        return Cursor([.timestamp(pairedAt), .reference(name)], isAfter: true)
    }

    /// Ends a device's credential, its subscription and its registration token, in one commit.
    ///
    /// - Returns: The number of subscriptions that it had, 0 or 1; `nil` if there was no such device.
    func forget(_ id: String) async throws(StoreError) -> Int? {
        guard let path = try? PairingDocuments.devices().document(id) else { return nil }
        var attempt = 1
        while true {
            guard let document = try await store.document(at: path), let device = PairedDevice(document) else {
                return nil
            }
            do throws(StoreError) {
                return try await forget(device, document)
            } catch {
                // The device was used at the same moment.
                guard error.code == .failedPrecondition, attempt < Self.maximumAttempts else { throw error }
                attempt += 1
            }
        }
    }

    private func forget(_ device: PairedDevice, _ document: Document) async throws(StoreError) -> Int {
        let registration = try device.registration
        let wasSubscribed = try await store.document(at: registration) != nil
        let token = try await RegistrationOwner.writes(ending: document, in: store)
        let isUnchanged = Precondition.updateTime(document.updateTime)
        _ = try await store.commit(
            [.delete(document.path, precondition: isUnchanged), .delete(registration)] + token)
        return wasSubscribed ? 1 : 0
    }

    /// Returns the write that records a use of a device's credential. The commit with it fails with `NOT_FOUND` if the
    /// credential has ended, so that nothing is stored for a device that the operator has revoked.
    func use(of device: PairedDevice) throws(StoreError) -> Write {
        .update(try PairingDocuments.devices().document(device.id), [PairingDocuments.Field.usedAt: .timestamp(now())])
    }

    /// Returns the owner of a device's registration token. The commits of what it registers record the use of the
    /// credential.
    func owner(of device: PairedDevice) throws(StoreError) -> RegistrationOwner {
        let use = try use(of: device)
        return RegistrationOwner(at: use.path, use: [use])
    }

    // MARK: Clean-up

    /// Removes codes that have expired, and returns their number.
    func removeExpiredCodes() async throws(StoreError) -> Int {
        try await store.deleteDocuments(
            in: .collection(try PairingDocuments.codes()), whose: PairingDocuments.Field.expiresAt, isBefore: now())
    }

    /// Removes the devices whose credential was last used before a time, with their registration tokens, and returns
    /// their number.
    func removeDevices(unusedSince cutoff: Timestamp) async throws(StoreError) -> Int {
        try await store.deleteDocuments(
            in: .collection(try PairingDocuments.devices()), whose: PairingDocuments.Field.usedAt, isBefore: cutoff,
            batch: Self.batch, reading: [RegistrationOwner.field]
        ) { device throws(StoreError) in
            try await RegistrationOwner.writes(ending: device, in: store)
        }
    }
}
