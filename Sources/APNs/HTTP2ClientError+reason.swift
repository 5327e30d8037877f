internal import HTTP2Client

extension HTTP2ClientError {
    /// The reason of the failure that it is to a notification: Apple's if it gave one, the proxy's name and what it did, else
    /// the kind.
    var reason: String {
        if let goAwayReason { return goAwayReason }
        return kind == .proxy ? String(message.prefix(Self.maximumReasonLength)) : kind.rawValue
    }

    /// Names of hosts have up to 253 characters.
    private static let maximumReasonLength = 300
}
