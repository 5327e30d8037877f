import JSON
import Messaging

/// The message about a finished reply, made from the server's report without I/O.
struct ReplyNotification: Sendable {
    /// The time after which a reply is too old to be notified.
    static let lifetime = Duration.seconds(24 * 60 * 60)
    /// The body without a preview.
    private static let bodyWithoutPreview = "Reply ready"
    /// The title of an agent without a display name, in a folder without a name: the root.
    private static let titleWithoutName = "Reply ready"

    let reply: FinishedReply
    let agentDisplayName: String?

    var message: Message {
        Message(
            notification: Message.Notification(
                title: Self.title(of: reply.agent, displayName: agentDisplayName),
                body: reply.preview ?? Self.bodyWithoutPreview),
            data: data,
            apns: Message.APNsConfiguration(
                headers: [
                    "apns-collapse-id": reply.agent.key, "apns-push-type": "alert", "apns-priority": "10",
                ],
                payload: [
                    "aps": ["sound": "default", "thread-id": .string(reply.agent.key), "content-available": 1]
                ]))
    }

    /// Returns the agent's display name from the app, else the folder's name.
    static func title(of agent: Agent, displayName: String?) -> String {
        displayName ?? folderName(of: agent) ?? titleWithoutName
    }

    private static func folderName(of agent: Agent) -> String? {
        agent.cwd.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    }

    private var data: [String: String] {
        var data = [
            "type": "reply_finished", "server_key": reply.agent.serverKey, "agent_key": reply.agent.key,
            "cwd": reply.agent.cwd,
        ]
        data["conversation_id"] = reply.conversationID
        data["completion_id"] = reply.completionID
        data["renderable_assistant_count"] = reply.renderableAssistantCount.map(\.description)
        data["assistant_message_cursor"] = reply.assistantMessageCursor.map(\.description)
        data["cursor_version"] = reply.assistantMessageCursor == nil ? nil : reply.cursorVersion.map(\.description)
        return data
    }
}
