import Console
import DocumentStore
import Functions
import Instance
import Logging
import Messaging
import ServiceLifecycle

/// The work of a gateway in the background: the services of its systems, and the scheduled jobs.
struct GatewayBackground: Sendable {
    let services: [any Service]

    init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        _ systems: GatewaySystems, _ logger: Logger
    ) {
        let modules = systems.modules
        let jobs: [ScheduledJob?] = [
            Self.retention(configuration.messages, storage.store),
            storage.backups?.job(keeping: configuration.backups.keep), Self.registrationUpgrade(storage),
            Self.removals(storage.store), Self.idempotencyKeys(storage),
            Self.enteredMessages(delivery.scheduled, configuration.messages),
        ]
        let scheduler = JobScheduler(
            jobs: jobs.compactMap(\.self) + modules.flatMap(\.jobs), store: storage.store, logger: logger)
        let duties = ([scheduler] + modules.flatMap(\.duties)).map { Duty($0, storage.membership) }
        var services: [any Service] = modules.flatMap(\.services) + duties
        if let deadMansSwitch = Self.deadMansSwitch(configuration, storage, delivery, logger) {
            services.append(deadMansSwitch)
        }
        self.services = services
    }

    /// Returns the dead man's switch; `nil` if there is no device for it.
    private static func deadMansSwitch(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery, _ logger: Logger
    ) -> (any Service)? {
        let settings = configuration.receipts
        guard let device = settings.device else { return nil }
        let sender = DirectSender(configuration, storage, delivery)
        return DeadMansSwitch(
            DeadMansSwitch.Devices(watched: device, contact: settings.contact), store: storage.store,
            outbox: delivery.outbox, find: { try await sender.registration(at: $0) }, now: { .now }, logger: logger)
    }

    private static func retention(_ settings: MessagesSection, _ store: any DocumentStore) -> ScheduledJob {
        let retention = OutboxRetention(
            store: store, maximumAge: settings.retention, maximumBytesPerOwner: settings.maximumBytesPerOwner,
            now: { .now })
        return ScheduledJob(name: "messages-retention", interval: .seconds(5 * 60)) { try await retention.sweep() }
    }

    /// Returns the job that forgets the schedules of messages whose records are gone.
    private static func enteredMessages(_ scheduled: ScheduledMessages, _ settings: MessagesSection) -> ScheduledJob {
        ScheduledJob(name: "scheduled-messages-clean-up", interval: .seconds(24 * 60 * 60)) {
            try await scheduled.sweep(enteredBefore: .now.adding(.zero - settings.retention))
        }
    }

    /// Returns the job that forgets which subscriptions push services have ended.
    private static func removals(_ store: any DocumentStore) -> ScheduledJob {
        let removals = RemovedSubscriptions(store: store)
        return ScheduledJob(name: "removed-subscriptions-clean-up", interval: .seconds(24 * 60 * 60)) {
            try await removals.sweep(at: .now)
        }
    }

    /// Returns the job that forgets requests whose repetitions are new requests.
    private static func idempotencyKeys(_ storage: GatewayStorage) -> ScheduledJob {
        let requests = IdempotentRequests(
            store: storage.store, isShared: storage.membership != nil, now: { .now })
        return ScheduledJob(name: "idempotency-keys-clean-up", interval: .seconds(60 * 60)) {
            try await requests.sweep()
        }
    }

    /// Returns the job that merges registrations of older versions. It finds something once, and again if a gateway of
    /// an older version has run since.
    private static func registrationUpgrade(_ storage: GatewayStorage) -> ScheduledJob {
        let upgrade = RegistrationUpgrade(
            store: storage.store, key: RegistrationTokenKey(storage.key.registrationTokens))
        return ScheduledJob(name: "registrations-device-tokens", interval: .seconds(7 * 24 * 60 * 60)) {
            try await upgrade.run()
        }
    }
}
