import JSON
import SimulatorTools

/// The body of `PUT /answers` and `POST /answers`: a token with one step, or a token with a list of steps.
struct ScriptAnswersRequest: Hashable, Sendable {
    /// The device token, or `nil` if the steps are for every device token.
    let token: String?
    let answers: [ScriptedAnswer]

    init(_ object: JSONObject) throws(ControlError) {
        token = try Self.token(object)
        var step = object
        step["token"] = nil
        guard let steps = step["answers"] else {
            answers = [try ScriptedAnswer(step)]
            return
        }
        guard step.count == 1, let steps = steps.array else {
            throw .badRequest("answers must be an array of steps, with no other member than token beside it")
        }
        answers = try Self.answers(steps)
    }

    /// Reads `token`. A missing member is an error, so that a request for every token has to say `null`.
    private static func token(_ object: JSONObject) throws(ControlError) -> String? {
        switch object["token"] {
        case .string(let token)?: return token
        case .null?: return nil
        default: throw .badRequest("token is missing or not a string; give a device token, or null for all tokens")
        }
    }

    private static func answers(_ steps: [JSONValue]) throws(ControlError) -> [ScriptedAnswer] {
        var answers: [ScriptedAnswer] = []
        for step in steps {
            guard let object = step.object else { throw .badRequest("a step in answers is not a JSON object") }
            answers.append(try ScriptedAnswer(object))
        }
        return answers
    }
}

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
