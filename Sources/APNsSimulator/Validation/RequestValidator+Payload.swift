import JSON

extension RequestValidator {
    /// A payload is a JSON object of at most the push type's size.
    ///
    /// Apple publishes no reason for a payload that is not JSON; `PayloadEmpty` says that nothing usable was there.
    static func checkPayload(_ body: [UInt8], for pushType: PushType) throws(Rejection) {
        if body.isEmpty { throw .payloadEmpty }
        if body.count > pushType.maximumPayload { throw .payloadTooLarge }
        guard let value = try? JSONValue(parsing: body), value.object != nil else { throw .payloadEmpty }
    }
}
