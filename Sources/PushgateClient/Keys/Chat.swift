/// An agent's chat: the server's id in the app, and the agent's folder on the server.
///
/// Paths are compared byte by byte, as file systems and the gateway's hash do: `é` as one scalar and as two scalars are
/// different folders.
public struct Chat: Codable, Sendable {
    /// The app's own id of the server. It does not leave the device.
    public let serverID: String
    /// The agent's folder on the server, for example `/srv/projects/my-agent`, trimmed as the gateway trims it.
    public let cwd: String

    /// Creates a chat. White space around `cwd` is removed.
    public init(serverID: String, cwd: String) {
        self.serverID = serverID
        self.cwd = cwd.trimmingBlanks()
    }

    /// Decodes a chat and trims its folder.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            serverID: try fields.decode(String.self, forKey: .serverID),
            cwd: try fields.decode(String.self, forKey: .cwd))
    }

    /// The `agent_key` of this chat's notifications, which is also their thread id and collapse id.
    public var agentKey: String { PushKeys.agentKey(cwd: cwd) }
}

extension Chat: Hashable {
    /// Returns `true` if the server ids are equal and the folders are equal byte by byte.
    public static func == (one: Chat, other: Chat) -> Bool {
        one.serverID == other.serverID && one.cwd.utf8.elementsEqual(other.cwd.utf8)
    }

    /// Hashes the server id and the folder's bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(serverID)
        for byte in cwd.utf8 { hasher.combine(byte) }
    }
}
