/// A notification of a finished reply: what of it a deep link and the app's state need.
public struct ReplyFinished: Hashable, Sendable {
    /// The server, as the SHA-256 of its secret.
    public let serverKey: String
    /// The agent's folder on that server.
    public let cwd: String
    /// The SHA-256 of the folder.
    public let agentKey: String?
    public let conversationID: String?
    /// How many of the assistant's messages can be shown by now.
    public let renderableAssistantCount: Int?
    public let assistantMessageCursor: Int?
    /// Which meaning the cursor has; only together with a cursor.
    public let cursorVersion: Int?
    public let completionID: String?
    /// The id of the message, the same however often it is delivered: one that was handled before can be dropped.
    public let messageID: String?

    /// - Parameter strings: the notification's strings, by name on the wire.
    /// - Returns: nil without a server key or folder. A number that is none counts as absent.
    init?(_ strings: [String: String]) {
        guard let serverKey = strings["server_key"], !serverKey.isEmpty, let cwd = strings["cwd"], !cwd.isEmpty else {
            return nil
        }
        self.serverKey = serverKey
        self.cwd = cwd
        agentKey = strings["agent_key"]
        conversationID = strings["conversation_id"]
        renderableAssistantCount = strings["renderable_assistant_count"].flatMap { Int($0) }
        assistantMessageCursor = strings["assistant_message_cursor"].flatMap { Int($0) }
        cursorVersion = assistantMessageCursor == nil ? nil : strings["cursor_version"].flatMap { Int($0) }
        completionID = strings["completion_id"]
        messageID = strings["gcm.message_id"]
    }
}
