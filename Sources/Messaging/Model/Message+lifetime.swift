public import DocumentStore
internal import JSON

/// For how long a message is worth delivering: each platform's part of it says so for itself.
extension Message {
    /// Shorter ones would not outlive the first attempt.
    private static let shortestLifetime = Duration.seconds(30)

    /// How long delivery is tried; nil for the gateway's own time. 0 is now or never: tried for half a minute.
    ///
    /// `apns-expiration` says so. For a token of FCM's, of which it is not known here what platform it is of, the shortest
    /// counts that the message has for any.
    ///
    /// - Parameters:
    ///   - time: when the message is accepted.
    ///   - transport: what leads to its target; nil when the targets are found by topics.
    public func lifetime(at time: Timestamp, over transport: TransportName?) -> Duration? {
        let expiration = apns?.header("apns-expiration").flatMap { Int64($0) }
        var lifetimes = [expiration.map { Duration.seconds($0 - time.seconds) }]
        if transport == .fcm {
            lifetimes += [android?.ttl, androidV2?.ttl, webpush?.webTTL.map { Duration.seconds($0) }]
        }
        return lifetimes.compactMap(\.self).min().map { max($0, Self.shortestLifetime) }
    }

    /// The message as it is to be handed on when it is no longer new. `android.ttl` and the web's `TTL` are counted from
    /// then on, so what has passed is taken off them, down to 0; `apns-expiration` is a moment, and stays.
    ///
    /// - Parameter seconds: since it was accepted.
    public func aged(bySeconds seconds: Int64) -> Message {
        guard seconds > 0 else { return self }
        var message = self
        message.android?.takeOffTTL(seconds)
        message.androidV2?.takeOffTTL(seconds)
        message.webpush?.takeOffWebTTL(seconds)
        return message
    }
}

/// A platform's part of a message.
extension JSONObject {
    /// Android's.
    fileprivate var ttl: Duration? { (self["ttl"]?.string).flatMap { try? ProtoDuration($0).duration } }

    /// The web's, in seconds (RFC 8030 §5.2).
    fileprivate var webTTL: Int64? { webTTLHeader.flatMap { Int64($0.value) } }

    private var webTTLHeader: (name: String, value: String)? {
        guard let header = self["headers"]?.object?.members.first(where: { $0.name.lowercased() == "ttl" }) else {
            return nil
        }
        return header.value.string.map { (header.name, $0) }
    }

    fileprivate mutating func takeOffTTL(_ seconds: Int64) {
        guard let ttl else { return }
        self["ttl"] = .string(ProtoDuration(max(ttl - .seconds(seconds), .zero)).text)
    }

    fileprivate mutating func takeOffWebTTL(_ seconds: Int64) {
        guard let webTTL, let name = webTTLHeader?.name, var headers = self["headers"]?.object else { return }
        headers[name] = .string(String(max(webTTL - seconds, 0)))
        self["headers"] = .object(headers)
    }
}
