import DocumentStore

/// A card with the devices that show it, as it is stored.
///
/// `liveActivityCards/{digest}`: `id`, `source`, `owner`?, `title`, `attributes` (a map of texts), `state`, `step`?,
/// `percentage`?, `text`?, `approvals` (an array of maps of `approval`, `expiresAt` and `text`?), `sequence`?,
/// `startedAt`, `updatedAt` (both in seconds since 1970), `apps` (those whose phones follow a channel: an array of maps
/// of `bundleId`?, `environment`? and `infrequent`?), `phones` (those with a token of their own: an array of maps of
/// `token`, `bundleId`?, `environment`? and `infrequent`?), `browsers` (the paths of their registrations, and of those
/// of phones at relays), `devices` (their number), and `forgetAt`.
struct CardDocument: Sendable {
    /// An app whose phones follow the card's channel.
    struct App: Hashable, Sendable {
        let identity: AppIdentity
        /// `true` if frequent updates are switched off on one of the phones.
        var isSlow: Bool
    }

    /// A phone with a token of its own.
    struct Phone: Hashable, Sendable {
        let token: RegistrationToken
        let app: App
    }

    private enum Field {
        static let id = "id"
        static let source = "source"
        static let owner = "owner"
        static let title = "title"
        static let attributes = "attributes"
        static let state = "state"
        static let step = "step"
        static let percentage = "percentage"
        static let text = "text"
        static let approvals = "approvals"
        static let approval = "approval"
        static let expiresAt = "expiresAt"
        static let sequence = "sequence"
        static let startedAt = "startedAt"
        static let updatedAt = "updatedAt"
        static let apps = "apps"
        static let phones = "phones"
        static let token = "token"
        static let infrequent = "infrequent"
        static let browsers = "browsers"
        static let devices = "devices"
    }

    static let collection = "liveActivityCards"
    static let forgetAt = "forgetAt"

    /// The id, which no other card has.
    let id: String
    let source: String
    let owner: String?
    let title: String
    let attributes: [String: String]
    var state: CardState
    var apps: [App]
    var phones: [Phone]
    var browsers: [DocumentPath]
    /// The number of devices that showed the card at its start.
    var devices: Int

    /// Creates a card.
    ///
    /// - Parameter time: the time of the start, which makes its id differ from those of earlier cards of the run.
    init(of run: CardRun, _ state: CardState, on devices: CardDevices, at time: Timestamp) {
        id = "\(Self.digest(of: run))-\(time.microseconds)"
        source = run.source
        owner = run.owner
        title = run.title
        attributes = run.attributes.filter { $0.value.utf8.count <= Self.longestAttribute }
        self.state = state
        apps = devices.apps
        phones = devices.emulated
        browsers = devices.browsers
        self.devices = devices.count
    }

    /// The longest attribute in bytes. A start has at most 4,096 bytes.
    private static let longestAttribute = 1_024
    /// The time for which an ended card is kept, in seconds: its phones may still send tokens.
    private static let memory: Int64 = 24 * 3_600

    /// Returns `true` if no phone shows the card any more, whatever its state.
    func isOutlived(at seconds: Int64) -> Bool { seconds - state.startedAt >= LiveActivity.longestLife }

    // MARK: Paths

    private static func digest(of run: CardRun) -> HalfDigest {
        HalfDigest(of: "\(run.source)/\(run.owner ?? "")/\(run.name)".utf8)
    }

    /// Returns the path for the cards of a run, one after the other.
    static func path(of run: CardRun) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(digest(of: run).description)
    }

    /// Returns the path of the card with an id; `nil` if the text is none.
    static func path(ofCard id: String) throws(StoreError) -> DocumentPath? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let digest = HalfDigest(String(parts[0])), Int64(parts[1]) != nil else { return nil }
        return try CollectionPath(collection).document(digest.description)
    }
}

/// The stored form.
extension CardDocument {
    var fields: Fields {
        var fields: Fields = [
            Field.id: .string(id), Field.source: .string(source), Field.title: .string(title),
            Field.attributes: .map(Fields(attributes.map { ($0.key, Value.string($0.value)) })),
            Field.state: .string(state.phase.rawValue), Field.approvals: .array(state.approvals.map(Self.value)),
            Field.startedAt: .integer(state.startedAt), Field.updatedAt: .integer(state.updatedAt),
            Field.apps: .array(apps.map { .map($0.fields) }),
            Field.phones: .array(phones.map { .map(Self.fields(of: $0)) }),
            Field.browsers: .array(browsers.map { .string($0.description) }), Field.devices: .integer(Int64(devices)),
        ]
        fields[Field.owner] = owner.map(Value.string)
        fields[Field.step] = state.step.map(Value.string)
        fields[Field.percentage] = state.percentage.map(Value.integer)
        fields[Field.text] = state.text.map(Value.string)
        fields[Field.sequence] = state.sequence.map(Value.integer)
        let end = state.phase.isEnd ? state.updatedAt : state.startedAt + LiveActivity.longestLife
        fields[Self.forgetAt] = .timestamp(Timestamp(microseconds: (end + Self.memory) * 1_000_000))
        return fields
    }

    /// Reads a document; `nil` if it is not one of a card.
    init?(_ document: Document) {
        guard let id = document[Field.id]?.string, let source = document[Field.source]?.string,
            let title = document[Field.title]?.string,
            let phase = document[Field.state]?.string.flatMap(CardState.Phase.init(rawValue:)),
            let startedAt = document[Field.startedAt]?.integer, let updatedAt = document[Field.updatedAt]?.integer
        else { return nil }
        self.id = id
        self.source = source
        self.title = title
        owner = document[Field.owner]?.string
        var attributes: [String: String] = [:]
        for (name, value) in document[Field.attributes]?.map ?? Fields() { attributes[name] = value.string }
        self.attributes = attributes
        state = CardState(
            phase: phase, step: document[Field.step]?.string, percentage: document[Field.percentage]?.integer,
            text: document[Field.text]?.string,
            approvals: (document[Field.approvals]?.array ?? []).compactMap(Self.approval),
            sequence: document[Field.sequence]?.integer, startedAt: startedAt, updatedAt: updatedAt)
        apps = (document[Field.apps]?.array ?? []).compactMap { $0.map.map(App.init(fields:)) }
        phones = (document[Field.phones]?.array ?? []).compactMap { value -> Phone? in
            guard let map = value.map, let token = map[Field.token]?.string else { return nil }
            return Phone(token: RegistrationToken(token), app: App(fields: map))
        }
        browsers = (document[Field.browsers]?.array ?? []).compactMap { $0.string.flatMap { try? DocumentPath($0) } }
        devices = document[Field.devices]?.integer.map(Int.init) ?? 0
    }

    private static func fields(of phone: Phone) -> Fields {
        var fields = phone.app.fields
        fields[Field.token] = .string(phone.token.value)
        return fields
    }

    private static func value(of approval: CardApproval) -> Value {
        var map: Fields = [Field.approval: .string(approval.id), Field.expiresAt: .integer(approval.expiresAt)]
        map[Field.text] = approval.text.map(Value.string)
        return .map(map)
    }

    private static func approval(in value: Value) -> CardApproval? {
        guard let map = value.map, let id = map[Field.approval]?.string, let time = map[Field.expiresAt]?.integer else {
            return nil
        }
        return CardApproval(id: id, expiresAt: time, text: map[Field.text]?.string)
    }
}

extension CardDocument.App {
    private static let bundleID = RegistrationFields.bundleID
    private static let environment = "environment"
    private static let infrequent = "infrequent"

    fileprivate init(fields: Fields) {
        self.init(
            identity: AppIdentity(
                bundleID: fields[Self.bundleID]?.string, environment: fields[Self.environment]?.string),
            isSlow: fields[Self.infrequent]?.boolean ?? false)
    }

    fileprivate var fields: Fields {
        var fields = Fields()
        fields[Self.bundleID] = identity.bundleID.map(Value.string)
        fields[Self.environment] = identity.environment.map(Value.string)
        if isSlow { fields[Self.infrequent] = .boolean(true) }
        return fields
    }
}

/// The devices that are to show a card.
struct CardDevices: Sendable {
    /// The greatest number of devices that show a card.
    static let most = 500

    /// The phones, each once, with the tokens that start a card.
    private(set) var phones: [CardDocument.Phone] = []
    /// The registrations of devices that show notifications in place of a card, and of phones at relays.
    private(set) var browsers: [DocumentPath] = []
    private var known: Set<RegistrationToken> = []

    var count: Int { phones.count + browsers.count }

    init(_ documents: [Document], _ fields: RegistrationFields) {
        for document in documents where count < Self.most {
            guard let registration = CardRegistration(document), let address = fields.address(in: document) else {
                continue
            }
            guard let token = registration.startToken else {
                browsers.append(document.path)
                continue
            }
            guard known.insert(token).inserted else { continue }
            let app = CardDocument.App(identity: address.app, isSlow: !registration.hasFrequentUpdates)
            phones.append(CardDocument.Phone(token: token, app: app))
        }
    }

    /// The apps of phones that follow a channel, each once.
    var apps: [CardDocument.App] {
        var apps: [CardDocument.App] = []
        for phone in phones where !phone.token.isEmulated {
            if let index = apps.firstIndex(where: { $0.identity == phone.app.identity }) {
                apps[index].isSlow = apps[index].isSlow || phone.app.isSlow
            } else {
                apps.append(phone.app)
            }
        }
        return apps
    }

    /// The phones of the gateway's inbox, whose token does for updates too.
    var emulated: [CardDocument.Phone] { phones.filter { $0.token.isEmulated } }
}

extension CardDocument.Phone {
    /// The address of pushes to the phone.
    var address: PushAddress { CardAddress.token(token, app.identity, isSlow: app.isSlow) }
}
