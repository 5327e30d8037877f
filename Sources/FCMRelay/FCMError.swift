internal import JSON
internal import Messaging

/// What FCM says is wrong, in the form of Google's APIs ([`google.rpc.Status`](https://cloud.google.com/apis/design/errors)).
///
/// Its `message` may repeat what was sent, so it is neither kept nor shown.
struct FCMError: Hashable, Sendable {
    /// `FcmError.errorCode`; nil when FCM itself did not judge the request.
    let code: String?
    /// `error.status`: the gRPC code, `INVALID_ARGUMENT`.
    let status: String?
    /// `ApnsError`: what APNs said to FCM.
    let apns: APNsVerdict?
    /// The first of `BadRequest.fieldViolations`: `message.token`.
    private let field: String?

    init(_ body: [UInt8]) {
        let error = (try? JSONValue(parsing: body))?["error"]
        let details = error?["details"]?.array ?? []
        func detail(_ type: String) -> JSONValue? {
            details.first { $0["@type"]?.string == "type.googleapis.com/" + type }
        }
        apns = detail("google.firebase.fcm.v1.ApnsError").flatMap(Self.verdict)
        code = Self.word(detail("google.firebase.fcm.v1.FcmError")?["errorCode"])
        status = Self.word(error?["status"])
        field = Self.word(detail("google.rpc.BadRequest")?["fieldViolations"]?[0]?["field"])
    }

    /// The most telling word, and where there is one, APNs' reason or the field that is wrong; nil when it is not Google
    /// who answered.
    var reason: String? {
        guard let word = code ?? status else { return nil }
        return (apns?.reason ?? field).map { "\(word) (\($0))" } ?? word
    }

    private static func verdict(_ detail: JSONValue) -> APNsVerdict? {
        guard let status = detail["statusCode"]?.integer, let reason = word(detail["reason"]) else { return nil }
        return APNsVerdict(status: Int(status), reason: reason)
    }

    /// Words are short; what is not is cut.
    private static func word(_ value: JSONValue?) -> String? { (value?.string).map { String($0.prefix(100)) } }
}
