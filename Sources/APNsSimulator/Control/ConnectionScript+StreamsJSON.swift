import JSON

/// What happens to streams, as the control address writes it.
extension StreamLimitStep {
    static func steps(_ elements: [JSONValue]) throws(ControlError) -> [StreamLimitStep] {
        var steps: [StreamLimitStep] = []
        for element in elements { steps.append(try StreamLimitStep(element.members("a step in stream_limits"))) }
        guard zip(steps, steps.dropFirst()).allSatisfy({ $0.afterRequests < $1.afterRequests }) else {
            throw .badRequest("the steps in stream_limits are not in ascending order of after")
        }
        return steps
    }

    private init(_ object: JSONObject) throws(ControlError) {
        let object = try object.checked("a step in stream_limits", required: ["after", "limit"])
        self.init(
            afterRequests: try object.value("after").number("after", in: ConnectionScript.countRange),
            limit: try object.value("limit").number("limit", in: 0...Int(Int32.max)))
    }

    var json: JSONValue { ["after": JSONValue(afterRequests), "limit": JSONValue(limit)] }
}

extension ScriptedStreamReset {
    init(_ object: JSONObject) throws(ControlError) {
        let object = try object.checked("reset", required: ["every"], optional: ["code", "accept"])
        self.init(every: try object.value("every").number("every", in: ConnectionScript.countRange))
        if let value = object["code"] { errorCode = UInt32(try value.number("code", in: 0...Int(UInt32.max))) }
        if let value = object["accept"] { isAccepted = try value.flag("accept") }
    }

    var json: JSONValue {
        ["every": JSONValue(every), "code": .integer(Int64(errorCode)), "accept": .bool(isAccepted)]
    }
}
