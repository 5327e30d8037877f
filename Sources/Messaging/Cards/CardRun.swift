package import DocumentStore

/// A run as its system names it, for the card that shows it.
package struct CardRun: Sendable {
    /// The system, such as `codeagents`.
    package let source: String
    /// The owner within the system; `nil` if it has one for all.
    package let owner: String?
    /// The name, which no other run of the owner has at the same time.
    package let name: String
    /// The title for people.
    package let title: String
    /// The facts by which the app finds the run, such as `run_id`. They stay the same for the life of the card.
    package let attributes: [String: String]
    /// The devices that may show the card.
    package let devices: CollectionPath
    /// The form of these devices' documents.
    package let registrationFields: RegistrationFields
    /// `true` if another card may follow after the end of one, as for a conversation.
    package let mayGoOn: Bool

    package init(
        source: String, owner: String? = nil, name: String, title: String, attributes: [String: String],
        devices: CollectionPath, registrationFields: RegistrationFields, mayGoOn: Bool
    ) {
        self.source = source
        self.owner = owner
        self.name = name
        self.title = title
        self.attributes = attributes
        self.devices = devices
        self.registrationFields = registrationFields
        self.mayGoOn = mayGoOn
    }
}

/// The reach of a run's card.
package struct CardReach: Hashable, Sendable {
    /// The id of the card; `nil` if there is none.
    package let card: String?
    /// The number of phones and browsers that show it.
    package let devices: Int
    /// `true` if there is none because no device of the run shows cards.
    package let isUnshown: Bool

    init(card: String?, devices: Int, isUnshown: Bool = false) {
        self.card = card
        self.devices = devices
        self.isUnshown = isUnshown
    }

    /// There is no card for the event, for instance because it comes after the end of one.
    package static let nobody = CardReach(card: nil, devices: 0)
    /// No device of the run shows cards.
    package static let unshown = CardReach(card: nil, devices: 0, isUnshown: true)
}
