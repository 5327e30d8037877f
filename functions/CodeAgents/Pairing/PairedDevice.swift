import Cryptography
import DocumentStore
import Messaging

/// The agent that a code or a credential is good for.
struct PairedAgent: Hashable, Sendable {
    /// The SHA-256 of the server's secret.
    let serverKey: String
    let cwd: String
    /// The name for an agent that has none yet; `nil` if none was given.
    var displayName: String?

    init(serverKey: String, cwd: String, displayName: String? = nil) {
        self.serverKey = serverKey
        self.cwd = cwd
        self.displayName = displayName
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document) {
        guard let serverKey = document[PairingDocuments.Field.serverKey]?.string,
            let cwd = document[PairingDocuments.Field.cwd]?.string
        else { return nil }
        self.init(
            serverKey: serverKey, cwd: cwd, displayName: document[PairingDocuments.Field.agentDisplayName]?.string)
    }

    var fields: Fields {
        var fields: Fields = [
            PairingDocuments.Field.serverKey: .string(serverKey), PairingDocuments.Field.cwd: .string(cwd),
        ]
        fields[PairingDocuments.Field.agentDisplayName] = displayName.map(Value.string)
        return fields
    }
}

/// A device that was paired with an agent, without its credential.
struct PairedDevice: Sendable {
    private static let installationIDLength = 16

    /// The SHA-256 digest of its credential, in hexadecimal.
    let id: String
    let agent: PairedAgent
    let pairedAt: Timestamp
    /// The time of the last use of the credential.
    let usedAt: Timestamp
    /// `true` if it has a registration of FCM's interface.
    let hasToken: Bool

    init(id: String, agent: PairedAgent, at time: Timestamp) {
        self.id = id
        self.agent = agent
        pairedAt = time
        usedAt = time
        hasToken = false
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document) {
        guard let agent = PairedAgent(document), let pairedAt = document[PairingDocuments.Field.pairedAt]?.timestamp,
            let usedAt = document[PairingDocuments.Field.usedAt]?.timestamp
        else { return nil }
        id = document.path.id
        self.agent = agent
        self.pairedAt = pairedAt
        self.usedAt = usedAt
        hasToken = document[RegistrationOwner.field] != nil
    }

    /// The id under which it subscribes.
    var installationID: String { "web-" + id.prefix(Self.installationIDLength) }

    /// The path of its subscription's document.
    var registration: DocumentPath {
        get throws(StoreError) {
            try Agent(serverKey: agent.serverKey, cwd: agent.cwd).devices.document(installationID)
        }
    }

    var fields: Fields {
        var fields = agent.fields
        fields[PairingDocuments.Field.pairedAt] = .timestamp(pairedAt)
        fields[PairingDocuments.Field.usedAt] = .timestamp(usedAt)
        return fields
    }
}

/// The credential of one paired device: `pgd_` and 256 random bits in base64url. Only its digest is stored.
struct DeviceCredential: IssuedSecret {
    private static let mark = "pgd_"
    private static let byteCount = 32

    let text: String

    /// Makes a new credential.
    ///
    /// - Parameter bytes: Returns the given number of random bytes.
    init(_ bytes: (Int) -> [UInt8] = RandomBytes.generate) {
        text = Self.mark + Base64URL.encode(bytes(Self.byteCount))
    }

    /// Returns `true` if a text begins as a credential does.
    static func isMeant(by text: String) -> Bool { text.utf8.starts(with: mark.utf8) }
}
