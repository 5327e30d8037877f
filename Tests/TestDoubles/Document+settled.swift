package import DocumentStore

extension Document {
    /// The states of a settled chunk's targets: `accepted` or `rejected`.
    package var settledStates: [String] {
        guard let text = self["settled"]?.string, !text.isEmpty else { return [] }
        return text.split(separator: ";", omittingEmptySubsequences: false).map { target in
            let attempts = target.split(separator: ",")
            return attempts[0].split(separator: " ", omittingEmptySubsequences: false).count == 3
                ? "rejected" : "accepted"
        }
    }
}
