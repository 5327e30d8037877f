public import DocumentStore

/// The recipients of a message: all registrations of a collection, less some.
public struct Audience: Sendable {
    /// The number of registrations that are read, and at most sent to, in one go.
    static let pageSize = Chunking.maximumTargets

    let registrations: CollectionPath
    /// The name of the field that holds the app's bundle id; `nil` where none is kept.
    let topicField: String?
    /// The id of a registration that is left out, compared byte for byte, as the ids of documents are.
    let excludedID: String?
    /// The tokens whose registrations are left out.
    let excludedTokens: Set<TokenDigest>

    /// - Parameters:
    ///   - id: the registration that is left out.
    ///   - tokens: those that are left out, whichever registrations have them.
    public init(
        of registrations: CollectionPath, topicField: String? = nil, excluding id: String? = nil,
        _ tokens: [RegistrationToken] = []
    ) {
        self.init(registrations, topicField, excluding: id, Set(tokens.map(TokenDigest.init)))
    }

    init(
        _ registrations: CollectionPath, _ topicField: String?, excluding id: String?, _ tokens: Set<TokenDigest>
    ) {
        self.registrations = registrations
        self.topicField = topicField
        excludedID = id
        excludedTokens = tokens
    }

    /// Returns a query for the first registrations of a collection: one more than is sent to in one go, which tells whether
    /// there are more.
    public static func firstPage(of registrations: CollectionPath) -> Query {
        .collection(registrations).ordered(by: .documentName).limited(to: pageSize + 1)
    }
}
