/// What Google takes for an hour in the place of a service account's key. A secret.
struct AccessToken: Hashable, Sendable {
    /// The token itself, for the `Authorization` field only.
    let value: String
    /// By this machine's clock, in seconds since 1970.
    private let issuedAt: Int64
    /// In seconds.
    private let lifetime: Int64

    init(value: String, issuedAt: Int64, lifetime: Int64) {
        self.value = value
        self.issuedAt = issuedAt
        self.lifetime = lifetime
    }

    /// How long before its end a token is renewed, in seconds; a short-lived one in the last quarter of its life.
    private static let renewalMargin: Int64 = 300

    /// Whether it may still be sent. A token from the future is not: the clock was set back, and its end is not known.
    func isUsable(at time: Int64) -> Bool { (issuedAt..<issuedAt + lifetime).contains(time) }

    /// Whether another should be fetched.
    func isDue(at time: Int64) -> Bool { time >= issuedAt + lifetime - min(Self.renewalMargin, lifetime / 4) }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
