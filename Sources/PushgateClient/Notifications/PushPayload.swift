public import Foundation

/// What a notification is about, by its `type`.
public enum PushPayload: Hashable, Sendable {
    case replyFinished(ReplyFinished)
    /// A type this version of the client does not know: show it, and do not follow it.
    case unknown(type: String)

    /// Reads a notification's `userInfo`, where the gateway's values, all strings, stand beside `aps`.
    ///
    /// - Returns: nil when it is none of the gateway's: it has no `type`, or lacks what its type needs.
    public init?(userInfo: [AnyHashable: Any]) {
        var strings: [String: String] = [:]
        for (name, value) in userInfo {
            if let name = name.base as? String, let value = value as? String { strings[name] = value }
        }
        self.init(strings)
    }

    /// Reads the same as a JSON object.
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
