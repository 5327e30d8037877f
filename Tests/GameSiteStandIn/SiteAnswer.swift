public import JSON

/// How the site answers about a player.
public struct SiteAnswer: Hashable, Sendable {
    public var status: Int
    /// In seconds.
    public var retryAfter: Int?
    /// nil for the player's games, or for nothing when the status is not 200.
    public var body: JSONValue?
    public var delay: Duration

    public init(status: Int = 200, retryAfter: Int? = nil, body: JSONValue? = nil, delay: Duration = .zero) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
        self.delay = delay
    }

    /// Says nothing for longer than anybody waits.
    public static let hanging = SiteAnswer(delay: .seconds(3_600))
}

extension SiteAnswer {
    /// nil for what says nothing.
    init?(_ json: JSONValue) {
        guard let object = json.object, !object.isEmpty else { return nil }
        self.init(
            status: object["status"]?.integer.map { Int($0) } ?? 200,
            retryAfter: object["retry_after"]?.integer.map { Int($0) }, body: object["body"],
            delay: .milliseconds(object["delay_ms"]?.integer ?? 0))
    }
}
