import JSON

/// Scripted answers as the control address writes them.
extension ScriptedAnswer {
    /// Reads one step; a member it does not know is an error, since a typing mistake would otherwise go unnoticed.
    init(_ object: JSONObject) throws(ControlError) {
        guard object["status"] != nil else {
            throw .badRequest("status is missing; give an HTTP status from 200 to 599")
        }
        self.init(status: 200)
        for (name, value) in object.members { try read(name, value) }
    }

    private mutating func read(_ name: String, _ value: JSONValue) throws(ControlError) {
        switch name {
        case "status": status = Int(try Self.integer(name, value, in: 200...599))
        case "reason": reason = try Self.optional(value) { value throws(ControlError) in try Self.text(name, value) }
        case "timestamp": timestamp = try Self.optionalInteger(name, value)
        case "times": count = try Self.optionalInteger(name, value).map(Int.init)
        case "delay_ms": delay = .milliseconds(try Self.integer(name, value, in: 0...3_600_000))
        case "retry_after": retryAfter = try Self.optionalInteger(name, value).map(Int.init)
        default:
            throw .badRequest("a step has no member \(name); GET / shows those it has")
        }
    }

    private static func optional<Value>(
        _ value: JSONValue, _ read: (JSONValue) throws(ControlError) -> Value
    ) throws(ControlError) -> Value? {
        if value == .null { return nil }
        return try read(value)
    }

    private static func optionalInteger(_ name: String, _ value: JSONValue) throws(ControlError) -> Int64? {
        try optional(value) { value throws(ControlError) in try integer(name, value, in: 0...Int64(Int32.max) * 10_000)
        }
    }

    private static func integer(
        _ name: String, _ value: JSONValue, in range: ClosedRange<Int64>
    ) throws(ControlError) -> Int64 {
        guard let integer = value.integer, range.contains(integer) else {
            throw .badRequest("\(name) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    private static func text(_ name: String, _ value: JSONValue) throws(ControlError) -> String {
        guard let text = value.string else { throw .badRequest("\(name) is not a string") }
        return text
    }

    var json: JSONValue {
        var object: JSONObject = ["status": .integer(Int64(status))]
        object["reason"] = reason.map(JSONValue.string)
        object["timestamp"] = timestamp.map(JSONValue.integer)
        object["times"] = count.map { .integer(Int64($0)) } ?? .null
        object["delay_ms"] = .integer(Int64(delay / .milliseconds(1)))
        object["retry_after"] = retryAfter.map { .integer(Int64($0)) }
        return .object(object)
    }
}
