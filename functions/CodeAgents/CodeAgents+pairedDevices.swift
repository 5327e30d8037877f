package import DocumentStore
import Logging

/// Invitations of the operator.
extension CodeAgents: DevicePairing {
    package var devicePairing: (any DevicePairing)? { settings.pairing ? self : nil }
    package var pairingPage: String { TryPage.path }

    package func invite(
        to folder: String, of server: String, name: String?
    ) async throws(StoreError) -> PairingInvitation {
        let document = try await store.document(at: CodeAgentsDocuments.server(server))
        do throws(CodeAgentsError) {
            try checkAccess(of: document)
        } catch {
            throw StoreError(
                .failedPrecondition, "the server \(server.prefix(8)) is not allowed; allow it on the page Servers")
        }
        let new = try await makeCode(for: PairedAgent(serverKey: server, cwd: folder, displayName: name))
        return PairingInvitation(
            code: new.code.grouped, path: new.code.path, link: link(with: new.code), expiresAt: new.expiresAt)
    }
}

/// The paired devices, for the operator: their credentials are keys that the gateway gave out.
extension CodeAgents {
    /// The word for a device that has its credential, and has registered no address, or lost it.
    private static let withoutRegistration = "without a registration"

    package var keyList: KeyList? {
        guard settings.pairing else { return nil }
        return KeyList(
            system: Self.name, id: Self.source,
            origin: """
                Of browsers and apps that were paired by a code, the newest first; <code>pushgate pair</code> makes a \
                code. One whose key is revoked is unsubscribed. No notification reaches one without a registration.
                """,
            read: listedDevices, revoke: revokeDevice)
    }

    @Sendable private func listedDevices(after place: String?, limit: Int) async throws(StoreError) -> KeyList.Part {
        let page = try await pairings.devices(after: place, limit: limit)
        let unreachable = try await pairings.withoutRegistration(among: page.devices)
        let keys = page.devices.map { device in
            ListedKey(
                id: device.id, name: device.agent.displayName ?? device.agent.cwd, prefix: device.installationID,
                scopes: unreachable.contains(device.id) ? ["subscribe", Self.withoutRegistration] : ["subscribe"],
                createdAt: device.pairedAt, lastUsedAt: device.usedAt)
        }
        return (keys, page.next)
    }

    @Sendable private func revokeDevice(_ id: String) async throws(StoreError) -> Bool {
        guard try await pairings.forget(id) != nil else { return false }
        logger.notice("revoked the credential of a paired device", metadata: ["device": "\(id.prefix(8))"])
        return true
    }
}
