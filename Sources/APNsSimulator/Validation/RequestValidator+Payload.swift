import JSON

extension RequestValidator {
    /// A payload is a JSON object of at most the push type's size.
    ///
    /// Apple publishes no reason for a payload that is not JSON; `PayloadEmpty` says that nothing usable was there.
    static func checkPayload(_ body: [UInt8], for pushType: PushType) throws(Refusal) {
        if body.isEmpty { throw Refusal(.payloadEmpty, "there is no body; it takes a JSON object") }
        if body.count > pushType.maximumPayload {
            throw Refusal(
                .payloadTooLarge,
                "the payload has more than \(pushType.maximumPayload) bytes, the most of push type "
                    + "\(pushType.rawValue)")
        }
        guard let value = try? JSONValue(parsing: body), value.object != nil else {
            throw Refusal(.payloadEmpty, "the payload of \(body.count) bytes is no JSON object")
        }
    }
}
