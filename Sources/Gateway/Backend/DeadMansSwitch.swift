import DocumentStore
import JSON
import Logging
import Messaging
import Metrics
import ServiceLifecycle

/// A service that notices when notifications do not arrive any more, although push services accept them.
///
/// It sends an alert to a device of the operator every hour, for which the device's app sends a receipt. After three
/// without one it tells another device, and its metric lets a rule of the operator's monitoring fire.
///
/// The state is a document. Several gateways over one database check it, and the commit that accepts an alert changes
/// it, so one of them alone sends.
struct DeadMansSwitch: Service {
    /// The devices, by the paths of their registrations.
    struct Devices: Hashable, Sendable {
        /// The device that gets the alerts, and sends receipts.
        let watched: DocumentPath
        /// The device that is told; `nil` for none.
        let contact: DocumentPath?
    }

    /// Returns the target of a registration, and the form of its document.
    typealias Lookup = @Sendable (DocumentPath) async throws -> (Target, RegistrationFields)

    /// The system of the alerts, in metrics and in their records.
    static let source = "dead-mans-switch"
    /// The time between two looks.
    static let checkInterval = Duration.seconds(60)

    private let devices: Devices
    private let store: any DocumentStore
    private let outbox: Outbox
    private let history: DeliveryHistory
    private let find: Lookup
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// Creates a switch.
    ///
    /// - Parameters:
    ///   - clock: measures the time between two looks.
    ///   - now: the wall clock.
    init(
        _ devices: Devices, store: any DocumentStore, outbox: Outbox, find: @escaping Lookup,
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.devices = devices
        self.store = store
        self.outbox = outbox
        history = DeliveryHistory(store: store, logger: logger)
        self.find = find
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    /// Checks every minute until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.check()
                do {
                    try await self.clock.sleep(for: Self.checkInterval)
                } catch {
                    return
                }
            }
        }
    }

    /// Looks for the receipt, and sends what is due.
    func check() async {
        do {
            try await advance()
        } catch let error as StoreError where [.alreadyExists, .failedPrecondition].contains(error.code) {
            // Another gateway has just done it.
        } catch {
            logger.warning("failed to check the dead man's switch; trying again", metadata: ["error": "\(error)"])
        }
    }

    private func advance() async throws {
        let document = try await store.document(at: DeadMansSwitchState.path)
        var state = DeadMansSwitchState(document, of: devices.watched)
        let isReported = try await hasReceipt(of: state.message)
        let action = state.advance(at: now(), hasReceipt: isReported)
        Meter(label: "pushgate_dead_mans_switch_missed").set(state.missed)
        switch action {
        case .wait: break
        case .keep:
            if state.hasWorkedAgain { logger.notice("found a receipt for the dead man's switch again") }
            _ = try await store.commit([try state.write(over: document)])
        case .alert: try await alert(state, over: document)
        case .tell: try await tell(state, over: document)
        }
    }

    private func hasReceipt(of message: String?) async throws -> Bool {
        guard let message else { return false }
        return try await history.delivery(of: message)?.receipts.map { $0.delivered > 0 } ?? false
    }

    // MARK: Messages

    /// Sends the alert of the hour. One that cannot be sent is one without a receipt.
    private func alert(_ state: DeadMansSwitchState, over document: Document?) async throws {
        guard let (target, fields) = await self.target(devices.watched), target.address.asksForReceipts else {
            logger.warning(
                "sent no alert of the dead man's switch: there is no registration that asks for receipts",
                metadata: ["registration": "\(devices.watched.id)"])
            var unsent = state
            unsent.message = DeadMansSwitchState.unsent
            _ = try await store.commit([try unsent.write(over: document)])
            return
        }
        try await send(.alert, to: target, fields) { message throws(StoreError) in
            var sent = state
            sent.message = message
            return try sent.write(over: document)
        }
    }

    private func tell(_ state: DeadMansSwitchState, over document: Document?) async throws {
        logger.error(
            "missed the receipts of the dead man's switch: notifications do not arrive at its device",
            metadata: ["registration": "\(devices.watched.id)", "missed": "\(state.missed)"])
        guard let contact = devices.contact, let (target, fields) = await self.target(contact) else {
            _ = try await store.commit([try state.write(over: document)])
            return
        }
        try await send(.report(on: devices.watched), to: target, fields) { _ throws(StoreError) in
            try state.write(over: document)
        }
    }

    private func target(_ path: DocumentPath) async -> (Target, RegistrationFields)? {
        do {
            return try await find(path)
        } catch {
            logger.warning(
                "failed to find a device of the dead man's switch",
                metadata: ["registration": "\(path.id)", "error": "\(error)"])
            return nil
        }
    }

    /// Sends a message, with a write in the commit that accepts it.
    private func send(
        _ message: Message, to target: Target, _ fields: RegistrationFields,
        alongside write: @escaping @Sendable (_ message: String?) throws(StoreError) -> Write
    ) async throws {
        var draft = Draft(
            message: message, lifetime: DeadMansSwitchState.interval, source: Self.source, registrationFields: fields)
        draft.companion = { acceptance throws(StoreError) in [try write(acceptance.messageID)] }
        _ = try await outbox.accept(draft, to: [target])
    }
}

extension Message {
    /// The alert of each hour. It makes no sound, and replaces the one before.
    fileprivate static let alert = Message(
        notification: Notification(
            title: "Notifications arrive",
            body: "Your gateway sends this every hour, and waits for the receipt of this device."),
        apns: APNsConfiguration(
            headers: ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "pushgate-switch"],
            payload: ["aps": ["interruption-level": "passive"]]))

    /// Returns the message to the other device.
    fileprivate static func report(on device: DocumentPath) -> Message {
        Message(
            notification: Notification(
                title: "Notifications do not arrive",
                body: "The device \(device.id) has sent no receipt for \(DeadMansSwitchState.limit) hourly alerts."),
            apns: APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10"], payload: ["aps": ["sound": "default"]]))
    }
}
