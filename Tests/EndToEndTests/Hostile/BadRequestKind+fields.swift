import Fuzzing
import TestDoubles
import TestSupport

/// Mistakes in single fields.
extension BadRequestKind {
    /// The required fields of each function.
    private static let required = [
        "registerSubscription": ["cwd", "installation_id", "fcm_token"],
        "unregisterSubscription": ["installation_id"],
        "triggerReplyFinished": ["cwd"],
        "updateReply": ["cwd"],
    ]

    /// The maximum length of each field in UTF-16 units, by function.
    private static let limits = [
        "registerSubscription": [
            "cwd": 2_048, "installation_id": 128, "fcm_token": 4_096, "agent_display_name": 120, "platform": 32,
        ],
        "unregisterSubscription": ["cwd": 2_048, "installation_id": 128],
        "triggerReplyFinished": [
            "cwd": 2_048, "conversation_id": 256, "completion_id": 128, "exclude_installation_id": 128,
            "exclude_fcm_token": 4_096,
        ],
        "updateReply": ["cwd": 2_048, "conversation_id": 256, "step": 60, "text": 120],
    ]

    private static func body(_ members: [(String, String)]) -> String {
        "{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
    }

    /// Returns a body with all required fields but one, which has the given value or is missing.
    private static func body(
        _ generator: inout SeededGenerator, _ function: String, breaking value: String?
    ) -> String {
        let names = required[function] ?? []
        let broken = generator.pick(names)
        return body(names.compactMap { name in name == broken ? value.map { (name, $0) } : (name, "\"x\"") })
    }

    static let fields: [BadRequestKind] = [
        BadRequestKind("a required field is missing", ["400 bad_request"]) { generator in
            let function = generator.pick(RequestText.functions)
            return RequestText(
                &generator, function: function, body: body(&generator, function, breaking: nil)
            ).exchange
        },
        BadRequestKind("a required field is blank, or no string", ["400 bad_request"]) { generator in
            let function = generator.pick(RequestText.functions)
            let value = generator.pick([
                #""""#, #""   ""#, #""\t\n\r""#, #""\u00a0\u2003""#, "null", "1", "1e300", "true", "[]", #"["/srv"]"#,
                "{}",
                #"{"cwd":"/srv"}"#,
            ])
            return RequestText(
                &generator, function: function, body: body(&generator, function, breaking: value)
            ).exchange
        },
        BadRequestKind("a field is too long") { generator in
            let function = generator.pick(RequestText.functions)
            let limits = (Self.limits[function] ?? [:]).sorted { $0.key < $1.key }
            let (field, limit) = generator.pick(limits)
            let (letter, units) = generator.pick([("a", 1), ("é", 1), ("\\ud83d\\ude00", 2), ("😀", 2)])
            let text = String(repeating: letter, count: limit / units + generator.number(1...3))
            let others = (required[function] ?? []).filter { $0 != field }.map { ($0, "\"x\"") }
            let request = RequestText(&generator, function: function, body: body(others + [(field, "\"\(text)\"")]))
            guard request.body.count <= 16_384 else { return (request.exchange, "413 payload_too_large") }
            return (request.exchange, "400 \(field)_too_long")
        },
        BadRequestKind("an installation id that can be no document's", ["400 bad_request"]) { generator in
            let id = generator.pick([".", "..", "a/b", "/", "__id__", "a/../b"])
            return RequestText(
                &generator, function: "registerSubscription",
                body: body([("cwd", #""/srv""#), ("installation_id", "\"\(id)\""), ("fcm_token", #""emulated:x""#)])
            ).exchange
        },
        BadRequestKind("an environment Apple does not have", ["400 bad_request"]) { generator in
            RequestText(
                &generator, function: "registerSubscription",
                body: body([
                    ("cwd", #""/srv""#), ("installation_id", #""x""#), ("fcm_token", #""emulated:x""#),
                    ("apns_environment", generator.pick([#""staging""#, #""prod""#, #""sandbox2""#])),
                ])
            ).exchange
        },
        BadRequestKind("numbers out of range, for an unknown server", ["200", "400 bad_request"]) { generator in
            let number = generator.pick([
                "1e308", "-1e308", "1e400", "9223372036854775808", String(repeating: "9", count: 400),
                "0." + String(repeating: "1", count: 3_000), "1E+999999999999",
                "\"\(String(repeating: "7", count: 200))\"",
            ])
            let field = generator.pick([
                "renderable_assistant_count", "assistant_message_cursor", "cursor_version", "include_preview",
            ])
            return RequestText(
                &generator, function: "triggerReplyFinished", body: body([("cwd", #""/srv""#), (field, number)])
            ).exchange
        },
    ]
}
