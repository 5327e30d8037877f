internal import DocumentStore
internal import Messaging

/// Which of an agent's devices are notified: pure, over the documents read.
struct DeviceSelection: Sendable {
    /// Whom a trigger leaves out: the phone that is already looking, say.
    struct Exclusion: Sendable {
        let installationID: String?
        let token: RegistrationToken?

        init(installationID: String?, token: String?) {
            self.installationID = installationID
            self.token = token.map { RegistrationToken($0) }
        }

        /// Byte for byte, as document ids are: Swift's `==` also equates ids that only look alike.
        func names(_ device: Document) -> Bool {
            installationID.map { $0.hasSameBytes(as: device.path.id) } ?? false
        }
    }

    let targets: [Target]
    /// How many devices were left out, as excluded or as a second one with the same token.
    let excluded: Int

    /// Drops the excluded installation, every device that carries its token or the excluded one, and of devices with
    /// equal tokens all but the first.
    init(of devices: [Document], excluding exclusion: Exclusion) {
        var seen = Set([exclusion.token].compactMap { $0 })
        if let excluded = devices.first(where: exclusion.names)?.token {
            seen.insert(excluded)
        }
        var targets: [Target] = []
        targets.reserveCapacity(devices.count)
        seen.reserveCapacity(seen.count + devices.count)
        for device in devices where !exclusion.names(device) {
            guard let token = device.token, seen.insert(token).inserted else { continue }
            targets.append(Target(address: device.address(of: token.value), registration: device.path))
        }
        self.targets = targets
        excluded = devices.count - targets.count
    }
}

extension Document {
    fileprivate var token: RegistrationToken? {
        self[CodeAgentsDocuments.Field.token]?.string.map { RegistrationToken($0) }
    }

    fileprivate func address(of token: String) -> Address {
        Address(
            token: token, topic: self[CodeAgentsDocuments.Field.bundleID]?.string,
            environment: self[CodeAgentsDocuments.Field.environment]?.string
                .flatMap(APNsEnvironment.init(rawValue:)))
    }
}
