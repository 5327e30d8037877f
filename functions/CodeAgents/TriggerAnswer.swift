import HTTPTypes
import JSON
import Messaging
import Texts

/// The response to a trigger: 200, with counts.
enum TriggerAnswer {
    static let unknownServer = FunctionResponse(
        body: ["ok": true, "attempted": 0, "sent": 0, "excluded": 0, "reason": "unknown_server"])

    static func noDevices(excluded: Int) -> FunctionResponse {
        FunctionResponse(body: ["ok": true, "attempted": 0, "sent": 0, "excluded": .integer(Int64(excluded))])
    }

    static func answer(
        _ progress: DeliveryProgress, isPreviewIncluded: Bool, prefersAsync: Bool
    ) -> FunctionResponse {
        var body = JSONObject()
        body.reserveCapacity(6)
        body["ok"] = true
        body["attempted"] = .integer(Int64(progress.attempted))
        body["sent"] = .integer(Int64(progress.sent))
        body["pruned"] = .integer(Int64(progress.pruned))
        if progress.superseded > 0 { body["superseded"] = .integer(Int64(progress.superseded)) }
        body["excluded"] = .integer(Int64(progress.excluded))
        body["preview_included"] = .bool(isPreviewIncluded)
        if progress.pending > 0 { body["pending"] = .integer(Int64(progress.pending)) }
        if !progress.errors.isEmpty { body["errors"] = errors(progress.errors) }
        return FunctionResponse(headerFields: preferenceApplied(prefersAsync), body: .object(body))
    }

    private static func errors(_ counts: [MessagingErrorCode: Int]) -> JSONValue {
        let members = counts.map { ("messaging/\($0.key.rawValue)", JSONValue.integer(Int64($0.value))) }
        return .object(JSONObject(members.sorted { $0.0 < $1.0 }))
    }

    /// The `Preference-Applied` field (RFC 7240 §3).
    private static func preferenceApplied(_ prefersAsync: Bool) -> HTTPFields {
        guard prefersAsync, let name = HTTPField.Name("Preference-Applied") else { return [:] }
        return [name: "respond-async"]
    }
}

/// The client's preferences about the time of a trigger's response, as far as this module supports [RFC
/// 7240](https://www.rfc-editor.org/rfc/rfc7240).
struct Preference: Hashable, Sendable {
    /// `true` if the response is sent before delivery (§4.1).
    private(set) var isAsync = false
    /// The time that the client is willing to wait (§4.3).
    private(set) var wait: Duration?

    /// - Parameter headerFields: The request's header fields; of a repeated preference, the first counts.
    init(_ headerFields: HTTPFields) {
        for field in headerFields where field.name.canonicalName == "prefer" {
            for preference in field.value.split(separator: ",") { take(preference) }
        }
    }

    /// - Parameter preference: A name, optionally with a value after `=` and parameters after `;`.
    private mutating func take(_ preference: Substring) {
        let parts = (preference.split(separator: ";").first ?? "").split(separator: "=", maxSplits: 1)
        let words = parts.map { $0.trimmingWhitespace().lowercased() }
        switch words.first {
        case "respond-async": isAsync = true
        case "wait" where wait == nil && words.count == 2: wait = Self.seconds(words[1])
        default: break
        }
    }

    /// - Parameter text: A number of seconds, optionally in quotation marks.
    private static func seconds(_ text: String) -> Duration? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\"") }
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return .seconds(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
