/// A sender of a push service, such as an app with its key, as the console shows it.
package struct PushSender: Sendable {
    /// The name, such as the app's bundle id.
    package let name: String
    /// The sender in a few words.
    package let detail: String
    /// The lane whose pauses concern the sender; `nil` if it shows none.
    package let lane: Lane?
    /// The reasons for which its lane may be held up, in words.
    package let pause: String

    /// Creates a sender with the lane whose pauses concern it.
    package init(name: String, detail: String, lane: Lane, pause: String) {
        self.name = name
        self.detail = detail
        self.lane = lane
        self.pause = pause
    }

    /// Creates a sender that shows no pauses.
    package init(name: String, detail: String) {
        self.name = name
        self.detail = detail
        lane = nil
        pause = ""
    }
}
