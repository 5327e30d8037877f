package import JSON

/// A result of an examination of a gateway's settings, machine and push services.
package struct Finding: Hashable, Sendable {
    /// The importance of a finding.
    package enum Severity: String, Sendable {
        case ok
        /// The gateway works, but something may fail later, or for others.
        case warning
        /// Something does not work.
        case failed
    }

    /// The part that was examined, such as `disk`.
    package let part: String
    /// The importance.
    package let severity: Severity
    /// The fact that was found.
    package let fact: String
    /// The reason why the fact matters; `nil` if it is good.
    package let reason: String?
    /// The next step; `nil` if there is nothing to do.
    package let advice: String?

    private init(_ part: String, _ severity: Severity, _ fact: String, _ reason: String?, _ advice: String?) {
        self.part = part
        self.severity = severity
        self.fact = fact
        self.reason = reason
        self.advice = advice
    }

    /// Returns a finding that something is good.
    package static func ok(_ part: String, _ fact: String) -> Finding { Finding(part, .ok, fact, nil, nil) }

    /// Returns a finding that something may fail later, or for others.
    package static func warning(_ part: String, _ fact: String, because reason: String, advice: String) -> Finding {
        Finding(part, .warning, fact, reason, advice)
    }

    /// Returns a finding that something does not work.
    package static func failed(_ part: String, _ fact: String, because reason: String, advice: String) -> Finding {
        Finding(part, .failed, fact, reason, advice)
    }

    /// The finding as JSON: `part`, `severity`, `fact`, and `reason` and `advice` if there are any.
    package var json: JSONValue {
        var object: JSONObject = [
            "part": .string(part), "severity": .string(severity.rawValue), "fact": .string(fact),
        ]
        object["reason"] = reason.map(JSONValue.string)
        object["advice"] = advice.map(JSONValue.string)
        return .object(object)
    }
}
