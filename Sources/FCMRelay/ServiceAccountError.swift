/// Why a file is no service account's, in words for an operator; of what the file holds only the type is repeated.
public struct ServiceAccountError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the file: `it has no project_id`.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { "could not use the service account: \(reason)" }

    static func missing(_ names: [String]) -> ServiceAccountError {
        ServiceAccountError("it has no \(names.joined(separator: ", no ")); \(advice)")
    }

    /// Such as the file that `gcloud auth application-default login` writes.
    static func otherType(_ type: String) -> ServiceAccountError {
        ServiceAccountError("its type is \(type.prefix(40)), not service_account; \(advice)")
    }

    private static let advice =
        "have a new key generated in the Firebase console, under Project settings, Service accounts"
}
