import JSON

/// What happens to answers, as the control address writes it.
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
