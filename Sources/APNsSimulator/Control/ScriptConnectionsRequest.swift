import JSON
import SimulatorTools

/// The body of `PUT /connections` and `POST /connections`: one step, or a list of steps.
struct ScriptConnectionsRequest: Hashable, Sendable {
    let connections: [ConnectionScript]

    init(_ object: JSONObject) throws(ControlError) {
        guard let steps = object["connections"] else {
            connections = [try ConnectionScript(object)]
            return
        }
        guard object.count == 1, let steps = steps.array else {
            throw .badRequest("connections must be an array of steps, with no other member beside it")
        }
        var connections: [ConnectionScript] = []
        for step in steps { connections.append(try ConnectionScript(step.members("a step in connections"))) }
        self.connections = connections
    }
}

/// JSON of connection scripts, at the control address.
extension ConnectionScript {
    /// The permitted values of a count.
    static let countRange = 1...Int(Int32.max)

    init(_ object: JSONObject) throws(ControlError) {
        self.init()
        for (name, value) in object.members { try read(name, value) }
        guard !stallsHandshake || object.members.allSatisfy({ ["times", "stall_handshake"].contains($0.name) }) else {
            throw .badRequest("stall_handshake excludes all other members; give it alone or with times")
        }
    }

    private mutating func read(_ name: String, _ value: JSONValue) throws(ControlError) {
        switch name {
        case "times": count = try value.numberOrNull(name, in: 0...Int(Int32.max))
        case "stall_handshake": stallsHandshake = try value.flag(name)
        case "stall_after": stallsAfter = try value.number(name, in: 0...Int(Int32.max))
        case "break": breakage = try ConnectionBreakage(value.members(name))
        case "goaway": goAway = try ScriptedGoAway(value.members(name))
        case "stream_limits": streamLimits = try StreamLimitStep.steps(value.elements(name))
        case "refuse_every": refusesEvery = try value.number(name, in: Self.countRange)
        case "reset": streamReset = try ScriptedStreamReset(value.members(name))
        case "latency": latency = try AnswerLatency(value.members(name))
        case "expired_provider_token": providerTokenExpiry = try ProviderTokenExpiry(value.members(name))
        case "max_provider_tokens": maximumProviderTokens = try value.number(name, in: Self.countRange)
        case "limit_resets": limitsStreamResets = try value.flag(name)
        default: throw .badRequest("a step for connections has the unknown member \(name); GET / shows the known ones")
        }
    }

    /// The script as JSON, with only the members that differ from a normal connection.
    var json: JSONValue {
        var object: JSONObject = ["times": count.map(JSONValue.init) ?? .null]
        if stallsHandshake { object["stall_handshake"] = true }
        object["stall_after"] = stallsAfter.map(JSONValue.init)
        object["break"] = breakage?.json
        object["goaway"] = goAway?.json
        if !streamLimits.isEmpty { object["stream_limits"] = .array(streamLimits.map(\.json)) }
        object["refuse_every"] = refusesEvery.map(JSONValue.init)
        object["reset"] = streamReset?.json
        object["latency"] = latency?.json
        object["expired_provider_token"] = providerTokenExpiry?.json
        object["max_provider_tokens"] = maximumProviderTokens.map(JSONValue.init)
        object["limit_resets"] = limitsStreamResets.map(JSONValue.bool)
        return .object(object)
    }
}

/// JSON of the ends of connections.
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

/// JSON of stream limits and resets.
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

/// JSON of latencies and of the expiry of provider tokens.
extension AnswerLatency {
    init(_ object: JSONObject) throws(ControlError) {
        self.init(object["ms"] == nil ? try Self.percentiles(object) : try Self.list(object))
        if let value = object["seed"] { seed = UInt64(try value.number("seed", in: 0...Int.max)) }
    }

    private static func list(_ object: JSONObject) throws(ControlError) -> Distribution {
        let elements = try object.checked("latency", required: ["ms"], optional: ["seed"]).value("ms").elements("ms")
        guard !elements.isEmpty else { throw .badRequest("ms is empty; give at least one number of milliseconds") }
        var durations: [Duration] = []
        for element in elements { durations.append(try element.milliseconds("a number in ms")) }
        return .oneOf(durations)
    }

    private static func percentiles(_ object: JSONObject) throws(ControlError) -> Distribution {
        let object = try object.checked("latency", required: ["p50_ms", "p99_ms", "max_ms"], optional: ["seed"])
        let p50 = try object.value("p50_ms").milliseconds("p50_ms")
        let p99 = try object.value("p99_ms").milliseconds("p99_ms")
        let max = try object.value("max_ms").milliseconds("max_ms")
        guard p50 <= p99, p99 <= max else { throw .badRequest("p50_ms, p99_ms and max_ms are not in ascending order") }
        return .percentiles(p50: p50, p99: p99, max: max)
    }

    var json: JSONValue {
        switch distribution {
        case .oneOf(let durations):
            ["ms": .array(durations.map(Self.milliseconds)), "seed": .integer(Int64(clamping: seed))]
        case .percentiles(let p50, let p99, let max):
            [
                "p50_ms": Self.milliseconds(p50), "p99_ms": Self.milliseconds(p99), "max_ms": Self.milliseconds(max),
                "seed": .integer(Int64(clamping: seed)),
            ]
        }
    }

    private static func milliseconds(_ duration: Duration) -> JSONValue {
        JSONValue(Int(duration / .milliseconds(1)))
    }
}

extension ProviderTokenExpiry {
    init(_ object: JSONObject) throws(ControlError) {
        let value = try object.checked("expired_provider_token", required: ["after"]).value("after")
        self.init(afterRequests: try value.numberOrNull("after", in: 0...Int(Int32.max)))
    }

    var json: JSONValue { ["after": afterRequests.map { JSONValue($0) } ?? .null] }
}
