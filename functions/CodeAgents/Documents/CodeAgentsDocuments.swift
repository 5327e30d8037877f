import Cryptography
import DocumentStore
import Messaging

/// The paths and field names of this module's documents.
///
/// - `servers/{serverKey}`: `createdAt`?, `lastSeenAt`? (absent until a device registers), `access`? and `name`? (by
///   the operator), `showsProgress`? (`true` once the server has reported progress)
/// - `servers/{serverKey}/agents/{agentKey}`: `cwd`, `agentDisplayName`?, `updatedAt`
/// - `servers/{serverKey}/agents/{agentKey}/devices/{installationID}`: `fcmToken`, `transport`, `platform`,
///   `updatedAt`, `appVersion`?, `bundleId`?, `apnsEnvironment`? (as sent by the app, otherwise as detected),
///   `addressAttributes`? and `addressDigest`? (of a browser), `liveActivity`? (see `CardRegistration`)
/// - those of ``PairingDocuments``
enum CodeAgentsDocuments {
    static let servers = "servers"
    static let agents = "agents"
    static let devices = "devices"

    enum Field {
        static let createdAt = "createdAt"
        static let lastSeenAt = "lastSeenAt"
        static let access = "access"
        static let name = "name"
        static let showsProgress = "showsProgress"
        static let updatedAt = "updatedAt"
        static let cwd = "cwd"
        static let agentDisplayName = "agentDisplayName"
        static let token = "fcmToken"
        static let platform = "platform"
        static let appVersion = "appVersion"
    }

    static let registrationFields = RegistrationFields(token: Field.token, registeredAt: Field.updatedAt)

    /// Returns a server's name as an owner of messages: 64 bits of its key, because the owner is stored with each
    /// message.
    static func owner(_ serverKey: String) -> String { String(serverKey.prefix(16)) }

    static func server(_ key: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(servers).document(key)
    }
}

/// An agent, which is a directory on a server.
struct Agent: Sendable {
    let serverKey: String
    let cwd: String
    let key: String

    init(serverKey: String, cwd: String) {
        self.serverKey = serverKey
        self.cwd = cwd
        key = SHA256.hexadecimal(of: cwd)
    }

    var path: DocumentPath {
        get throws(StoreError) { try path(below: CodeAgentsDocuments.server(serverKey)) }
    }

    /// - Parameter server: The path of the agent's server.
    func path(below server: DocumentPath) throws(StoreError) -> DocumentPath {
        try server.document(key, in: CodeAgentsDocuments.agents)
    }

    var devices: CollectionPath {
        get throws(StoreError) { try path.collection(CodeAgentsDocuments.devices) }
    }
}
