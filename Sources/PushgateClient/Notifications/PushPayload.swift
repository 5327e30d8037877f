public import Foundation

/// The content of a notification, by its `type`.
public enum PushPayload: Hashable, Sendable {
    /// An agent has finished a reply.
    case replyFinished(ReplyFinished)
    /// A type that this version of the client does not know. The app can show it but has no destination for it.
    case unknown(type: String)

    /// Reads a notification's `userInfo`, which has the gateway's values as strings beside `aps`.
    ///
    /// - Returns: `nil` if the gateway did not send it: it has no `type`, or lacks values that its type requires.
    public init?(userInfo: [AnyHashable: Any]) {
        var strings: [String: String] = [:]
        for (name, value) in userInfo {
            if let name = name.base as? String, let value = value as? String { strings[name] = value }
        }
        self.init(strings)
    }

    /// Reads a notification's JSON object; `nil` as for ``init(userInfo:)``.
    public init?(json: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { return nil }
        self.init(userInfo: object)
    }

    private init?(_ strings: [String: String]) {
        switch strings["type"] {
        case nil, "": return nil
        case "reply_finished"?:
            guard let reply = ReplyFinished(strings) else { return nil }
            self = .replyFinished(reply)
        case let type?: self = .unknown(type: type)
        }
    }
}

/// The notification of a finished reply, with the values for a deep link and the app's state.
public struct ReplyFinished: Hashable, Sendable {
    /// The key of the server, the SHA-256 of its secret.
    public let serverKey: String
    /// The agent's folder on that server.
    public let cwd: String
    /// The key of the agent, the SHA-256 of the folder.
    public let agentKey: String?
    /// The id of the conversation.
    public let conversationID: String?
    /// The number of the assistant's messages that can be shown.
    public let renderableAssistantCount: Int?
    /// The position of the reply among the assistant's messages, by ``cursorVersion``.
    public let assistantMessageCursor: Int?
    /// The version of the cursor's meaning; `nil` without a cursor.
    public let cursorVersion: Int?
    /// The id of the finished reply.
    public let completionID: String?
    /// The id of the message, which is the same in each delivery, so that the app can drop duplicates.
    public let messageID: String?

    /// Reads the strings of a notification; `nil` without a server key or folder. A malformed number counts as absent.
    ///
    /// - Parameter strings: The notification's strings, by wire name.
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
