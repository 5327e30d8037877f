import JSON
import SimulatorTools

/// JSON of scripted answers, at the control address.
extension ScriptedPushAnswer {
    /// Reads one step. An unknown member is an error, because a misspelled name would otherwise be ignored silently.
    init(_ object: JSONObject) throws(ControlError) {
        let endings = [object["hang"], object["close"]].compactMap { $0 }
        guard endings.count + (object["status"] == nil ? 0 : 1) == 1 else {
            throw .badRequest(#"a step has one of "status" (200 to 599), "hang":true and "close":true"#)
        }
        self.init(status: 201)
        if !endings.isEmpty { isAccepted = false }
        for (name, value) in object.members { try read(name, value) }
        if let value = object["accept"] { isAccepted = try value.flag("accept") }
    }

    private mutating func read(_ name: String, _ value: JSONValue) throws(ControlError) {
        switch name {
        case "status":
            status = try value.number(name, in: 200...599)
            isAccepted = status < 300
        case "hang": ending = try Self.ending(.hang, name, value)
        case "close": ending = try Self.ending(.close, name, value)
        case "accept": break
        case "reason": reason = try value.textOrNull(name)
        case "errno": errno = try value.numberOrNull(name, in: Self.range)
        case "times": count = try value.numberOrNull(name, in: Self.range)
        case "delay_ms": delay = try value.milliseconds(name)
        case "retry_after": retryAfter = try value.numberOrNull(name, in: Self.range).map(RetryAfter.seconds)
        case "retry_after_date": retryAfter = try value.numberOrNull(name, in: Self.range).map(RetryAfter.date)
        default:
            throw .badRequest("a step has the unknown member \(name); GET / shows the known ones")
        }
    }

    private static func ending(
        _ ending: Ending, _ name: String, _ value: JSONValue
    ) throws(ControlError) -> Ending {
        guard try value.flag(name) else { throw .badRequest("\(name) is false; leave it out, or give a status") }
        return ending
    }

    private static let range = 0...Int(Int32.max)

    var json: JSONValue {
        var object: JSONObject
        switch ending {
        case .answer: object = ["status": JSONValue(status)]
        case .hang: object = ["hang": true]
        case .close: object = ["close": true]
        }
        object["accept"] = .bool(isAccepted)
        object["reason"] = reason.map(JSONValue.string)
        object["errno"] = errno.map { JSONValue($0) }
        object["times"] = count.map { JSONValue($0) } ?? .null
        object["delay_ms"] = JSONValue(Int(delay / .milliseconds(1)))
        switch retryAfter {
        case .seconds(let seconds)?: object["retry_after"] = JSONValue(seconds)
        case .date(let seconds)?: object["retry_after_date"] = JSONValue(seconds)
        case nil: break
        }
        return .object(object)
    }
}
