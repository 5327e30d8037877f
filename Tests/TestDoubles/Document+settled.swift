package import DocumentStore

extension Document {
    /// The states of a settled chunk's targets: `accepted`, `rejected` or `superseded`.
    package var settledStates: [String] {
        guard let text = self["settled"]?.string, !text.isEmpty else { return [] }
        return text.split(separator: ";", omittingEmptySubsequences: false).map { target in
            let parts = target.prefix { $0 != "," }.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return "accepted" }
            return parts[2] == "~" ? "superseded" : "rejected"
        }
    }
}
