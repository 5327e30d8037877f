import Messaging

/// An examination of a gateway, or of its machine.
protocol DoctorExamination: Sendable {
    /// `true` if it makes connections to other machines.
    var isRemote: Bool { get }

    /// Returns the findings. A part that the gateway does not have gives none.
    func findings(in context: DoctorContext) async -> [Finding]
}

extension DoctorExamination {
    var isRemote: Bool { false }
}

/// An examination of one part, whose name all findings have.
protocol DoctorCheck: DoctorExamination {
    /// The name of the part.
    var part: String { get }
}

extension DoctorCheck {
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
