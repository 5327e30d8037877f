import JSON

/// What emulated devices received, and what was sent to them, for people.
enum InboxText {
    /// A few lines a notification: when, whose, and what it says.
    ///
    /// - Parameter isFiltered: whether there may be others.
    static func notifications(_ answer: JSONValue, isFiltered: Bool) -> String {
        let items = answer["notifications"]?.array ?? []
        guard !items.isEmpty else { return isFiltered ? "the inbox has nothing of this" : "the inbox is empty" }
        return items.map { item in
            let device = item["registration"]?.string?.split(separator: "/").last.map(String.init)
            let whose = [device ?? item["token"]?.string ?? "?", item["condition"]?.string].compactMap(\.self)
            return text([item["received_at"]?.string ?? "?"] + whose, item["message"])
        }.joined(separator: "\n")
    }

    /// The same of messages, and what they were answered.
    static func messages(_ answer: JSONValue) -> String {
        let items = answer["messages"]?.array ?? []
        guard !items.isEmpty else { return "no such message came to the emulator by FCM's interface since its start" }
        return items.map { item in
            let target = ["token", "fid", "topic", "condition"].lazy.compactMap { name in
                item[name]?.string.map { name == "token" ? $0 : "\(name) \($0)" }
            }.first
            let answer = item["error"]?.string ?? item["id"]?.string.map { "accepted as \($0)" }
            return text([item["sent_at"]?.string ?? "?", target ?? "?", answer ?? "?"], item["message"])
        }.joined(separator: "\n")
    }

    private static func text(_ heading: [String], _ message: JSONValue?) -> String {
        ([heading.joined(separator: "  ")] + lines(of: message).map { "  \($0)" }).joined(separator: "\n")
    }

    private static func lines(of message: JSONValue?) -> [String] {
        let alert = ["title", "body"].compactMap { message?["notification"]?[$0]?.string }
        guard alert.isEmpty else { return alert }
        let keys = message?["data"]?.object?.members.map(\.name) ?? []
        return keys.isEmpty ? [] : ["data: \(keys.joined(separator: ", "))"]
    }
}
