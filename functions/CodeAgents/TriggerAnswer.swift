import HTTPTypes
import JSON
import Messaging

/// The response to a trigger: 200, with counts.
enum TriggerAnswer {
    static let unknownServer = FunctionResponse(
        body: ["ok": true, "attempted": 0, "sent": 0, "excluded": 0, "reason": "unknown_server"])

    /// - Parameter warning: The reason, if it is probably a mistake.
    static func noDevices(excluded: Int, warning: String?) -> FunctionResponse {
        var body: JSONObject = ["ok": true, "attempted": 0, "sent": 0, "excluded": .integer(Int64(excluded))]
        if let warning { body["warnings"] = .array([.string(warning)]) }
        return FunctionResponse(body: .object(body))
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
