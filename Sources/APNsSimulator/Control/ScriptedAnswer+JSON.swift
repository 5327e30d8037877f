import JSON
import SimulatorTools

/// JSON of scripted answers, at the control address.
extension ScriptedAnswer {
    /// Reads one step. An unknown member is an error, because a misspelled name would otherwise be ignored silently.
    init(_ object: JSONObject) throws(ControlError) {
        guard object["status"] != nil else {
            throw .badRequest("status is missing; give an HTTP status from 200 to 599")
        }
        self.init(status: 200)
        for (name, value) in object.members { try read(name, value) }
    }

    private mutating func read(_ name: String, _ value: JSONValue) throws(ControlError) {
        switch name {
        case "status": status = try value.number(name, in: 200...599)
        case "reason": reason = try value.textOrNull(name)
        case "timestamp": timestamp = try value.numberOrNull(name, in: Self.range).map(Int64.init)
        case "times": count = try value.numberOrNull(name, in: Self.range)
        case "delay_ms": delay = .milliseconds(try value.number(name, in: 0...3_600_000))
        case "retry_after": retryAfter = try value.numberOrNull(name, in: Self.range)
        default:
            throw .badRequest("a step has the unknown member \(name); GET / shows the known ones")
        }
    }

    private static let range = 0...(Int(Int32.max) * 10_000)

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
