import Cryptography
import DocumentStore

/// An app on a phone that has an address at the relay.
///
/// `relayInstallations/{address id}`: `secrets` (by their ids, see ``SendSecret``), `createdAt`, `seenAt` (the last
/// registration), `endedAt`? (the time at which the app closed the address, or a sender found that the push service
/// knows it no longer), `admission`? (the facts that the admission keeps), `text`? (the neutral text that the app has
/// chosen: `title`, `body`?), `idleSince`? (`seenAt`, of an installation to which nobody may send).
///
/// The public key is not stored: the address id, which is derived from it, is enough to recognize it. The token is in a
/// document of its own, which the answers of the push service remove.
struct Installation: Sendable {
    enum Field {
        static let secrets = "secrets"
        static let createdAt = "createdAt"
        static let seenAt = "seenAt"
        static let endedAt = "endedAt"
        static let admission = "admission"
        static let neutralText = "text"
        static let idleSince = "idleSince"
    }

    /// The number of senders of one address.
    static let maximumSecrets = 32
    /// The number of revoked secrets that are remembered, so that their senders are told at once.
    private static let maximumRevoked = 32

    private var all: [SendSecret] = []
    private let createdAt: Timestamp
    private var seenAt: Timestamp
    private(set) var endedAt: Timestamp?
    /// The facts that the admission keeps.
    private(set) var admission: Fields?
    /// The neutral text that the app has chosen; `nil` for the relay's own.
    private(set) var neutralText: NeutralText?
    /// The update time of the document; `nil` if there is none.
    private let updateTime: Timestamp?

    /// Makes an installation that registers for the first time.
    init(at time: Timestamp) {
        createdAt = time
        seenAt = time
        updateTime = nil
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document) {
        guard let createdAt = document[Field.createdAt]?.timestamp, let seenAt = document[Field.seenAt]?.timestamp
        else { return nil }
        all = (document[Field.secrets]?.map ?? [:]).compactMap { SendSecret($0.value) }
        self.createdAt = createdAt
        self.seenAt = seenAt
        endedAt = document[Field.endedAt]?.timestamp
        admission = document[Field.admission]?.map
        neutralText = NeutralText(stored: document[Field.neutralText])
        updateTime = document.updateTime
    }

    /// The secrets that are good, oldest first.
    var secrets: [SendSecret] {
        all.filter { $0.revokedAt == nil }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Returns the secret that a sender has used, also if it is revoked; `nil` if there was none like it.
    func secret(_ credential: BearerCredential) -> SendSecret? {
        let digest = Hexadecimal.lowercase(credential.digest)
        return all.first { $0.hasDigest(digest) }
    }

    /// Notes a registration.
    ///
    /// - Parameters:
    ///   - admission: The facts that the admission keeps.
    ///   - neutralText: The neutral text that the app has chosen.
    mutating func register(at time: Timestamp, admission: Fields?, neutralText: NeutralText?) {
        self.neutralText = neutralText
        seenAt = time
        endedAt = nil
        self.admission = admission
    }

    mutating func add(_ secret: SendSecret) { all.append(secret) }

    /// Revokes a secret.
    ///
    /// - Returns: `true` if it was good.
    mutating func revoke(_ id: String, at time: Timestamp) -> Bool {
        guard let index = all.firstIndex(where: { $0.id == id && $0.revokedAt == nil }) else { return false }
        all[index].revokedAt = time
        forgetOldest()
        return true
    }

    /// Closes the address, with all secrets.
    mutating func close(at time: Timestamp) {
        for index in all.indices where all[index].revokedAt == nil { all[index].revokedAt = time }
        forgetOldest()
        endedAt = time
    }

    private mutating func forgetOldest() {
        let revoked = all.compactMap { secret in secret.revokedAt.map { (id: secret.id, at: $0) } }
            .sorted { $0.at > $1.at }
        let forgotten = Set(revoked.dropFirst(Self.maximumRevoked).map(\.id))
        all.removeAll { forgotten.contains($0.id) }
    }

    /// Returns a write that fails if another call has changed the document meanwhile.
    func write(to path: DocumentPath) -> Write {
        .set(path, fields, precondition: updateTime.map(Precondition.updateTime) ?? .exists(false))
    }

    /// Returns a write that notes that the address is gone; `nil` if that is noted. It fails like ``write(to:)``.
    func ending(at time: Timestamp, in path: DocumentPath) -> Write? {
        guard endedAt == nil, let updateTime else { return nil }
        return .merge(path, [Field.endedAt: .timestamp(time)], precondition: .updateTime(updateTime))
    }

    private var fields: Fields {
        var fields: Fields = [
            Field.secrets: .map(Fields(all.map { ($0.id, $0.value) })), Field.createdAt: .timestamp(createdAt),
            Field.seenAt: .timestamp(seenAt),
        ]
        fields[Field.endedAt] = endedAt.map(Value.timestamp)
        fields[Field.admission] = admission.map(Value.map)
        fields[Field.neutralText] = neutralText?.stored
        if endedAt == nil, secrets.isEmpty { fields[Field.idleSince] = .timestamp(seenAt) }
        return fields
    }
}
