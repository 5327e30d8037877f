/// One agent's chat: a server, as the app knows it, and the agent's folder there.
///
/// Paths are compared byte by byte, as file systems and the gateway's hash do, not by how they look: `é` in one scalar and
/// in two are different folders.
public struct Chat: Codable, Sendable {
    /// The app's own id of the server; it does not leave the phone.
    public let serverID: String
    /// The agent's folder on the server, `/srv/projects/my-agent`; trimmed, as the gateway trims it.
    public let cwd: String

    public init(serverID: String, cwd: String) {
        self.serverID = serverID
        self.cwd = cwd.trimmingBlanks()
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            serverID: try fields.decode(String.self, forKey: .serverID),
            cwd: try fields.decode(String.self, forKey: .cwd))
    }

    /// What notifications of this chat carry as `agent_key`, thread id and collapse id.
    public var agentKey: String { PushKeys.agentKey(cwd: cwd) }
}

extension Chat: Hashable {
    public static func == (one: Chat, other: Chat) -> Bool {
        one.serverID == other.serverID && one.cwd.utf8.elementsEqual(other.cwd.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(serverID)
        for byte in cwd.utf8 { hasher.combine(byte) }
    }
}
