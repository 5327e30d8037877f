import Messaging

/// A check of one part of a gateway, or of its machine.
protocol DoctorCheck: Sendable {
    /// The name of the part.
    var part: String { get }
    /// `true` if the check makes connections to other machines.
    var isRemote: Bool { get }

    /// Examines the part. A part that the gateway does not have gives no finding.
    func findings(in context: DoctorContext) async -> [Finding]
}

extension DoctorCheck {
    var isRemote: Bool { false }

    /// Returns a finding that something is good.
    func ok(_ fact: String) -> Finding { .ok(part, fact) }

    /// Returns a finding that something may fail later, or for others.
    func warning(_ fact: String, because reason: String, advice: String) -> Finding {
        .warning(part, fact, because: reason, advice: advice)
    }

    /// Returns a finding that something does not work.
    func failed(_ fact: String, because reason: String, advice: String) -> Finding {
        .failed(part, fact, because: reason, advice: advice)
    }
}
