import Texts

/// Comparisons by UTF-8 bytes, as Firestore compares.
extension String {
    package func hasSameBytes(as other: String) -> Bool { ExactText(self) == ExactText(other) }

    func precedesInBytes(_ other: String) -> Bool { ExactText(self) < ExactText(other) }

    /// Hashes the bytes, so that texts with other bytes have another hash.
    func hashBytes(into hasher: inout Hasher) { ExactText(self).hash(into: &hasher) }

    /// Returns `true` if this text begins with the other one.
    func beginsWithBytes(of other: String) -> Bool { ExactText(self).begins(with: ExactText(other)) }
}
