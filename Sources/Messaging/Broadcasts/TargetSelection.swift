internal import DocumentStore

/// Picks the targets among an audience's registrations, which it is given in the order of their ids: of those with equal tokens
/// the first. Pure.
struct TargetSelection: Sendable {
    private let audience: Audience
    private let fields: RegistrationFields
    /// The tokens that are sent to or left out.
    private var seen: Set<TokenDigest>
    /// The number of registrations that were left out: as excluded, without a token, or with one that another has.
    private(set) var excluded = 0

    init(_ audience: Audience, _ fields: RegistrationFields) {
        self.audience = audience
        self.fields = fields
        seen = audience.excludedTokens
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

    /// Forgets the targets of registrations that were the last to be looked at, for they are not to be sent to yet.
    mutating func takeBack(_ targets: [Target], of count: Int) {
        for target in targets { seen.remove(TokenDigest(target.address.token)) }
        excluded -= count - targets.count
    }

    private mutating func target(of registration: Document) -> Target? {
        guard let token = registration[fields.token]?.string, !isExcluded(registration),
            seen.insert(TokenDigest(RegistrationToken(token))).inserted
        else { return nil }
        let address = Address(
            token: token, topic: audience.topicField.flatMap { registration[$0]?.string },
            environment: fields.environment.flatMap { registration[$0]?.string }
                .flatMap(APNsEnvironment.init(rawValue:)))
        return Target(address: address, registration: registration.path)
    }

    private func isExcluded(_ registration: Document) -> Bool {
        audience.excludedID.map { $0.hasSameBytes(as: registration.path.id) } ?? false
    }
}
