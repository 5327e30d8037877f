package import DocumentStore
import Texts

/// The servers that use a system, and the operator's decisions about them. The console has a page for them, and
/// `/v1/servers` lists them; both show the first system that has such a list.
package protocol ServerList: Sendable {
    /// The servers that are admitted without a decision.
    var admittedServers: AdmittedServers { get }
    /// The key of the setting with ``admittedServers``.
    var admissionKey: String { get }
    /// The actions that an admitted server may take, such as `report replies`.
    var rights: String { get }

    /// Returns a page of the servers, by their keys.
    ///
    /// - Parameter key: The last key of the page before; `nil` for the first page.
    func servers(after key: String?, limit: Int) async throws(StoreError) -> [KnownServer]

    /// Returns the agents and devices of a server, counted up to a limit.
    func contents(of key: String, countedUpTo limit: Int) async throws(StoreError) -> ServerContents

    /// Records the operator's decision. The subscriptions of a denied server are removed.
    ///
    /// - Parameter name: The operator's name for the server; `nil` to keep an earlier one.
    /// - Returns: The number of removed subscriptions.
    func setAccess(_ access: ServerAccess, of key: String, name: String?) async throws(StoreError) -> Int
}

/// The agents and devices of a server.
package struct ServerContents: Sendable {
    /// The number of agents.
    package let agents: Int
    /// The number of devices of all agents.
    package let devices: Int
    /// The names of some agents, by which people know a server that has no name of its own.
    package let names: [String]

    package init(agents: Int, devices: Int, names: [String]) {
        self.agents = agents
        self.devices = devices
        self.names = names
    }
}

/// The servers that may use a system without a decision of the operator.
package enum AdmittedServers: String, CaseIterable, Sendable {
    /// All servers but those that the operator has denied.
    case open
    /// Only servers that the operator has allowed.
    case listed
}

/// The operator's decision about a server.
package enum ServerAccess: String, CaseIterable, Sendable {
    /// It may use the system, whatever the setting.
    case allowed
    /// It may not.
    case denied
}

/// A server, as the operator sees it.
package struct KnownServer: Sendable {
    /// The SHA-256 of its secret, in 64 hexadecimal digits.
    package let key: String
    /// The operator's decision; `nil` if there is none.
    package let access: ServerAccess?
    /// The operator's name for it.
    package let name: String?
    /// The time of its first registration; `nil` before that.
    package let createdAt: Timestamp?
    /// The time of its last registration or message.
    package let lastSeenAt: Timestamp?

    package init(key: String, access: ServerAccess?, name: String?, createdAt: Timestamp?, lastSeenAt: Timestamp?) {
        self.key = key
        self.access = access
        self.name = name
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
    }

    /// Returns `true` for a text in the form of a key.
    package static func isKey(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy(\.isASCIILowercaseHexDigit)
    }
}
