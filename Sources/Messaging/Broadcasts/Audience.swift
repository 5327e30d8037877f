package import DocumentStore

/// The collection of registrations that a broadcast reads, without the excluded ones.
package struct Audience: Sendable {
    /// The number of registrations that are read, and sent to at most, at once.
    package static let pageSize = Chunking.maximumTargets

    let registrations: CollectionPath
    /// The id of a registration that is left out. Ids of documents are compared byte by byte.
    let excludedID: String?
    /// The tokens whose registrations are left out.
    let excludedTokens: Set<TokenDigest>

    /// Creates an audience.
    ///
    /// - Parameters:
    ///   - id: the registration that is left out.
    ///   - tokens: the tokens that are left out, in any registration.
    package init(
        of registrations: CollectionPath, excluding id: String? = nil, _ tokens: [RegistrationToken] = []
    ) {
        self.init(registrations, excluding: id, Set(tokens.map(TokenDigest.init)))
    }

    init(_ registrations: CollectionPath, excluding id: String?, _ tokens: Set<TokenDigest>) {
        self.registrations = registrations
        excludedID = id
        excludedTokens = tokens
    }

    /// Returns a query for the first registrations of a collection. It reads one more than a page, which shows if
    /// there are more.
    package static func firstPage(of registrations: CollectionPath) -> Query {
        .collection(registrations).ordered(by: .documentName).limited(to: pageSize + 1)
    }
}

/// A selection of the targets among an audience's registrations, which arrive in the order of their ids. Of
/// registrations with equal tokens the first is selected. It does no I/O.
struct TargetSelection: Sendable {
    private let audience: Audience
    private let fields: RegistrationFields
    /// The tokens that are sent to or left out.
    private var seen: Set<TokenDigest>
    /// The number of registrations that were left out: excluded ones, ones without a token, and ones with the token
    /// of another.
    private(set) var excluded = 0
    /// `true` if no other registration can have the same token.
    private let hasOne: Bool

    /// Begins a selection.
    ///
    /// - Parameter count: the number of all registrations of the audience, or a greater number.
    init(_ audience: Audience, _ fields: RegistrationFields, of count: Int = .max) {
        self.audience = audience
        self.fields = fields
        seen = audience.excludedTokens
        hasOne = count <= 1 && seen.isEmpty
    }

    mutating func targets(of registrations: some Collection<Document>) -> [Target] {
        var targets: [Target] = []
        targets.reserveCapacity(registrations.count)
        for registration in registrations {
            if let target = target(of: registration) { targets.append(target) }
        }
        excluded += registrations.count - targets.count
        return targets
    }

    /// Forgets the targets of the last registrations, because they are not sent to yet.
    mutating func takeBack(_ targets: [Target], of count: Int) {
        for target in targets { seen.remove(TokenDigest(target.address.token)) }
        excluded -= count - targets.count
    }

    private mutating func target(of registration: Document) -> Target? {
        guard let address = fields.address(in: registration), !isExcluded(registration),
            hasOne || seen.insert(TokenDigest(address.token)).inserted
        else { return nil }
        return Target(address: address, registration: registration.path)
    }

    private func isExcluded(_ registration: Document) -> Bool {
        audience.excludedID.map { $0.hasSameBytes(as: registration.path.id) } ?? false
    }
}
