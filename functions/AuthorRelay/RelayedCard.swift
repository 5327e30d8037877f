import Cryptography
import DocumentStore
import JSON
import Messaging

/// The change of a card on the lock screen that a sender hands over: the facts that Apple needs in the clear. What the
/// card shows is in the sealed content.
///
/// `card`: `id` (a digest under a key that the relay does not know), `event` (`start`, `update` or `end`), `timestamp`,
/// `stale_at`? and `dismiss_at`? (in seconds since 1970).
struct RelayedCard: Hashable, Sendable {
    enum Event: String, Sendable {
        case start, update, end
    }

    /// The name of the type of attributes in the author's app.
    static let attributesType = "SealedRunActivityAttributes"
    /// The member of the card's content with the sealed text.
    static let sealedMember = "sealed"
    private static let idLengths = 16...32

    /// The sender's name of the card.
    let id: String
    let event: Event
    /// The time of the content by the sender's clock, in seconds since 1970. Phones ignore content with a lower one.
    private let timestamp: Int64
    private let staleAt: Int64?
    private let dismissAt: Int64?

    init(_ value: JSONValue?) throws(RelayError) {
        guard let object = value?.object else { throw .invalid("card must be an object, with the kind liveactivity") }
        guard let id = object["id"]?.string, Self.idLengths.contains(id.utf8.count), Base64URL.decode(id) != nil else {
            throw .invalid(
                "card.id must be \(Self.idLengths.lowerBound) to \(Self.idLengths.upperBound) characters of base64url")
        }
        guard let event = object["event"]?.string.flatMap(Event.init(rawValue:)) else {
            throw .invalid("card.event must be start, update or end")
        }
        self.id = id
        self.event = event
        guard let timestamp = try Self.time("timestamp", in: object) else {
            throw .invalid("card.timestamp is missing")
        }
        self.timestamp = timestamp
        staleAt = try Self.time("stale_at", in: object)
        dismissAt = try Self.time("dismiss_at", in: object)
    }

    private static func time(_ name: String, in object: JSONObject) throws(RelayError) -> Int64? {
        guard let value = object[name], value != .null else { return nil }
        guard let seconds = value.integer, seconds > 0 else {
            throw .invalid("card.\(name) must be a whole number of seconds since 1970")
        }
        return seconds
    }

    /// Returns the id of the card at the relay, which is that of its channel. No other address has one like it.
    func name(at address: AddressID) -> String {
        Hexadecimal.lowercase(SHA256.digest(of: Array("card \(address.text) \(id)".utf8)).prefix(16))
    }

    /// Returns the message for Apple.
    ///
    /// - Parameters:
    ///   - name: The id of the card at the relay.
    ///   - neutral: The text that lights up the screen when the card appears.
    ///   - now: The time in seconds since 1970.
    func message(
        _ sealed: SealedContent, named name: String, isUrgent: Bool, _ neutral: NeutralText,
        at now: Int64
    ) throws(RelayError) -> Message {
        guard sealed.byteCount <= SealedContent.maximumCardBytes else {
            throw .tooLarge("sealed, of a card,", SealedContent.maximumCardBytes)
        }
        let activity = LiveActivity(
            change(named: name, at: now), timestamp: timestamp, contentState: [Self.sealedMember: .string(sealed.text)],
            staleDate: staleAt, relevanceScore: isUrgent ? 100 : 50,
            alert: event == .start ? LiveActivity.Alert(title: neutral.title, body: neutral.body ?? "…") : nil,
            isUrgent: isUrgent)
        do throws(InvalidLiveActivity) {
            // The clocks of a sender and of the relay need not agree.
            return try activity.message(at: max(now, timestamp), collapseID: name)
        } catch {
            throw .invalid("card is refused: \(error)")
        }
    }

    private func change(named name: String, at now: Int64) -> LiveActivity.Event {
        switch event {
        case .start:
            .start(
                LiveActivity.Start(
                    attributesType: Self.attributesType, attributes: [LiveActivity.cardAttribute: .string(name)],
                    input: .standard))
        case .update: .update
        case .end: .end(dismissal: dismissAt.map { min($0, now + LiveActivity.longestDismissal) })
        }
    }
}

/// The update tokens of cards without a channel, as they are stored with an address.
extension CardToken {
    private static let cardField = "card"
    private static let tokenField = "token"

    /// Returns the stored form; `nil` if there are none.
    static func value(of tokens: [CardToken]) -> Value? {
        guard !tokens.isEmpty else { return nil }
        return .array(
            tokens.map { Value.map([cardField: .string($0.card), tokenField: .string($0.token.canonical.value)]) })
    }

    /// Returns the update token of a card; `nil` if the phone has registered none, because it follows a channel.
    static func token(of name: String, in address: Document) -> RegistrationToken? {
        let all = address[RelayDocuments.cardTokens]?.array ?? []
        let own = all.compactMap { $0.map }.first { $0[cardField]?.string == name }
        return own?[tokenField]?.string.map { RegistrationToken($0) }
    }
}
