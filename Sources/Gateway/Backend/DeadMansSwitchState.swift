import DocumentStore

/// The state of the dead man's switch, and its decisions, without I/O.
///
/// `deadMansSwitch/state`: `device` (the registration), `sentAt`?, `message`? (the alert that has no receipt yet),
/// `missed`, `told`.
struct DeadMansSwitchState: Hashable, Sendable {
    /// The time between two alerts.
    static let interval = Duration.seconds(60 * 60)
    /// The number of alerts in a row without a receipt after which the other device is told.
    static let limit = 3
    /// The text in place of a message's id for an alert that could not be sent.
    static let unsent = "-"

    static var path: DocumentPath {
        get throws(StoreError) { try CollectionPath("deadMansSwitch").document("state") }
    }

    private let device: String
    /// The time of the last alert.
    private(set) var sentAt: Timestamp?
    /// The last alert; `nil` once it has its receipt.
    var message: String?
    /// The number of alerts in a row without a receipt, the last one only when the next is sent.
    private(set) var missed = 0
    private(set) var hasTold = false
    /// `true` if the last step has found the first receipt after the other device was told. It is not stored.
    private(set) var hasWorkedAgain = false

    /// The consequence of a step.
    enum Action: Hashable, Sendable {
        /// Nothing.
        case wait
        /// The state is to be stored.
        case keep
        /// The alert of the hour is to be sent, and the state stored with its id.
        case alert
        /// The other device is to be told, and the state stored.
        case tell
    }

    /// Reads a document. The state of another device counts as none.
    init(_ document: Document?, of device: DocumentPath) {
        self.device = device.description
        guard let document, document["device"]?.string == self.device else { return }
        sentAt = document["sentAt"]?.timestamp
        message = document["message"]?.string
        missed = Int(document["missed"]?.integer ?? 0)
        hasTold = document["told"]?.boolean ?? false
    }

    /// Returns the write that stores the state, unless the document has changed since it was read.
    func write(over document: Document?) throws(StoreError) -> Write {
        var fields: Fields = [
            "device": .string(device), "missed": .integer(Int64(missed)), "told": .boolean(hasTold),
        ]
        fields["sentAt"] = sentAt.map(Value.timestamp)
        fields["message"] = message.map(Value.string)
        let precondition = document.map { Precondition.updateTime($0.updateTime) } ?? .exists(false)
        return .set(try Self.path, fields, precondition: precondition)
    }

    /// Makes one step.
    ///
    /// - Parameter hasReceipt: `true` if there is a receipt of ``message``.
    mutating func advance(at time: Timestamp, hasReceipt: Bool) -> Action {
        if message != nil, hasReceipt {
            hasWorkedAgain = hasTold
            (message, missed, hasTold) = (nil, 0, false)
            return .keep
        }
        if missed >= Self.limit, !hasTold {
            hasTold = true
            return .tell
        }
        guard isDue(at: time) else { return .wait }
        if message != nil { missed += 1 }
        sentAt = time
        return .alert
    }

    /// Returns `true` an hour after the last alert. A clock that was set back must not delay the next one for longer.
    private func isDue(at time: Timestamp) -> Bool {
        guard let sentAt else { return true }
        let elapsed = time - sentAt
        return elapsed >= Self.interval || elapsed <= .zero - Self.interval
    }
}
