import JSON

/// Scripts for connections as the control address writes them.
extension ConnectionScript {
    /// The largest count of anything.
    static let countRange = 1...Int(Int32.max)

    init(_ object: JSONObject) throws(ControlError) {
        self.init()
        for (name, value) in object.members { try read(name, value) }
        guard !stallsHandshake || object.members.allSatisfy({ ["times", "stall_handshake"].contains($0.name) }) else {
            throw .badRequest("stall_handshake leaves nothing else to do; give it with nothing but times")
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
        default: throw .badRequest("a step for connections has no member \(name); GET / shows those it has")
        }
    }

    /// Only what differs from a connection that behaves well.
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
