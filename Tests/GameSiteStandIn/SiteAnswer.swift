package import JSON

/// The answer of the site about a player.
package struct SiteAnswer: Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The value of Retry-After in seconds.
    package var retryAfter: Int?
    /// The body; `nil` for the player's games, or for no body if the status is not 200.
    package var body: JSONValue?
    /// The time that passes before the answer.
    package var delay: Duration

    package init(status: Int = 200, retryAfter: Int? = nil, body: JSONValue? = nil, delay: Duration = .zero) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
        self.delay = delay
    }

    /// An answer that comes later than any time limit.
    package static let hanging = SiteAnswer(delay: .seconds(3_600))
}

extension SiteAnswer {
    /// Reads an answer; `nil` if the JSON is empty.
    init?(_ json: JSONValue) {
        guard let object = json.object, !object.isEmpty else { return nil }
        self.init(
            status: object["status"]?.integer.map { Int($0) } ?? 200,
            retryAfter: object["retry_after"]?.integer.map { Int($0) }, body: object["body"],
            delay: .milliseconds(object["delay_ms"]?.integer ?? 0))
    }
}
