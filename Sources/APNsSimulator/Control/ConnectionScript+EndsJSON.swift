import JSON

/// How connections end, as the control address writes it.
extension ConnectionBreakage {
    init(_ object: JSONObject) throws(ControlError) {
        let object = try object.checked("break", required: ["after"], optional: ["with", "in_answer"])
        self.init(afterRequests: try object.value("after").number("after", in: 0...Int(Int32.max)))
        if let value = object["with"] { kind = try Self.kind(value) }
        if let value = object["in_answer"] { isInAnswer = try value.flag("in_answer") }
    }

    private static func kind(_ value: JSONValue) throws(ControlError) -> Kind {
        guard let kind = value.string.flatMap(Kind.init) else { throw .badRequest("with is neither reset nor close") }
        return kind
    }

    var json: JSONValue {
        ["after": JSONValue(afterRequests), "with": .string(kind.rawValue), "in_answer": .bool(isInAnswer)]
    }
}

extension ScriptedGoAway {
    init(_ object: JSONObject) throws(ControlError) {
        let object = try object.checked("goaway", required: ["after"], optional: ["reason", "leave_out_last"])
        self.init(afterRequests: try object.value("after").number("after", in: ConnectionScript.countRange))
        if let value = object["reason"] { reason = try value.textOrNull("reason") }
        if let value = object["leave_out_last"] { leavesOutLast = try value.flag("leave_out_last") }
    }

    var json: JSONValue {
        [
            "after": JSONValue(afterRequests), "reason": reason.map(JSONValue.string) ?? .null,
            "leave_out_last": .bool(leavesOutLast),
        ]
    }
}
