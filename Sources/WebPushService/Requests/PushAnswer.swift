import JSON
import SimulatorTools

/// An answer to an application server, independent of the version of HTTP.
struct PushAnswer: Sendable {
    let status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []
    /// The delay before the answer is sent.
    var delay = Duration.zero
    /// The way to end the request.
    var ending = ScriptedPushAnswer.Ending.answer
}

extension PushAnswer {
    /// Returns the answer to an accepted message, as the service gives it.
    ///
    /// - Parameters:
    ///   - status: 201, or another one by a script.
    ///   - messageID: The id of the message.
    ///   - origin: The origin of the requested URL, where the message's own URL is.
    ///   - timeToLive: The lifetime that the message has (RFC 8030 §5.2).
    static func accepted(
        _ profile: PushServiceProfile, status: Int, messageID: String, origin: String, timeToLive: Int64
    ) -> PushAnswer {
        var answer = PushAnswer(status: status, headers: [("ttl", String(timeToLive))])
        switch profile {
        case .apple: answer.headers = [("apns-id", messageID)]
        case .microsoft:
            answer.headers.append(("x-wns-status", "received"))
            answer.headers.append(("x-wns-msg-id", messageID))
        case .mozilla, .google, .standard: break
        }
        if profile != .apple { answer.headers.append(("location", "\(origin)\(MessagePath.prefix)\(messageID)")) }
        return answer
    }

    /// Returns the answer with a reason, in the form of the service.
    ///
    /// - Parameter cause: The cause for the author of the sender, which Mozilla's form has a place for.
    static func rejected(_ profile: PushServiceProfile, _ rejection: PushRejection, cause: String?) -> PushAnswer {
        var answer = PushAnswer(status: rejection.status, headers: [])
        switch profile {
        case .apple:
            answer.headers.append(("content-type", "application/json"))
            answer.body = JSONValue.object(["reason": .string(rejection.reason)]).serialized
        case .mozilla:
            answer.headers.append(("content-type", "application/json"))
            answer.body = mozillaBody(rejection, cause: cause).serialized
        case .microsoft:
            answer.headers.append(("x-wns-status", "dropped"))
            answer.headers.append(("x-wns-error-description", rejection.reason))
        case .google, .standard:
            answer.headers.append(("content-type", "text/plain; charset=utf-8"))
            answer.body = Array("\(rejection.reason)\n".utf8)
        }
        if rejection.status == 401 { answer.headers.append(("www-authenticate", "vapid")) }
        if rejection.status == 405 { answer.headers.append(("allow", "POST")) }
        return answer
    }

    /// Mozilla's `errno` of an error that has none of its own. Some senders read only a body that has one.
    private static let otherErrno = 999

    private static func mozillaBody(_ rejection: PushRejection, cause: String?) -> JSONValue {
        var object: JSONObject = ["code": .integer(Int64(rejection.status))]
        object["errno"] = .integer(Int64(rejection.errno ?? otherErrno))
        object["error"] = .string(rejection.reason)
        object["message"] = .string(cause ?? rejection.reason)
        return .object(object)
    }

    /// Adds the value of a script.
    ///
    /// - Parameter now: The time in seconds since 1970.
    mutating func add(_ retryAfter: ScriptedPushAnswer.RetryAfter, now: Int64) {
        switch retryAfter {
        case .seconds(let seconds): headers.append(("retry-after", String(seconds)))
        case .date(let seconds): headers.append(("retry-after", HTTPDate.text(now + Int64(seconds))))
        }
    }
}

/// The URLs of messages, by which a sender deletes those that are not delivered yet (RFC 8030 §7.3).
enum MessagePath {
    static let prefix = "/m/"

    /// Returns the id of the message; `nil` if the path is no message's.
    static func messageID(_ path: String) -> String? {
        path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }
}
