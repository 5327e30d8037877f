package import DocumentStore
package import Logging
import Messaging
import ServiceLifecycle
import Synchronization
package import WebPush

/// The targets of events: those of the configuration, and those that were made at run time.
package final class WebhookTargets: Sendable {
    private let configured: [WebhookTarget]
    private let store: any DocumentStore
    /// Derives the secret of a webhook from its id.
    private let secret: @Sendable (_ id: String) -> [UInt8]
    private let policy: EndpointPolicy
    private let now: @Sendable () -> Timestamp
    private let made = Mutex<[WebhookTarget]>([])

    /// The maximum number of webhooks that are made at run time: each outcome is written once for each.
    package static let maximumCount = 20

    /// The collections at the root whose documents have URLs, which may be secrets, or events.
    package static let collections = [WebhookDocuments.webhooksID, WebhookDocuments.queuesID]

    /// Creates the table.
    ///
    /// - Parameters:
    ///   - settings: The webhooks of the configuration.
    ///   - store: The documents; they refuse new ones while the disk is nearly full.
    ///   - policy: The rules for the hosts of webhooks that are made at run time.
    ///   - secret: Derives the secret of a webhook from its id.
    package init(
        _ settings: WebhookSettings, store: any DocumentStore, policy: EndpointPolicy,
        secret: @escaping @Sendable (_ id: String) -> [UInt8], now: @escaping @Sendable () -> Timestamp
    ) {
        configured = settings.urls.map { url in
            let id = WebhookTarget.id(ofConfigured: url)
            return WebhookTarget(
                id: id, url: url, isConfigured: true, kinds: Set(settings.kinds),
                secret: settings.secret ?? secret(id))
        }
        self.store = store
        self.policy = policy
        self.secret = secret
        self.now = now
    }

    /// All targets, those of the configuration first.
    package var all: [WebhookTarget] { configured + made.withLock(\.self) }

    /// `true` if there are none.
    var isEmpty: Bool { configured.isEmpty && made.withLock(\.isEmpty) }

    /// Reads the webhooks that were made at run time, also by other gateways.
    package func refresh() async throws(StoreError) {
        let documents = try await store.documents(matching: .collection(try WebhookDocuments.webhooks()))
        let targets = documents.compactMap { target($0) }
        made.withLock { $0 = targets }
    }

    private func target(_ document: Document) -> WebhookTarget? {
        guard let url = document[WebhookDocuments.Field.url]?.string else { return nil }
        let kinds = document[WebhookDocuments.Field.kinds]?.array?.compactMap(\.string) ?? []
        return WebhookTarget(
            id: document.path.id, url: url, isConfigured: false,
            kinds: Set(kinds.compactMap(WebhookEventKind.init(rawValue:))), secret: secret(document.path.id))
    }

    // MARK: Changes

    /// Makes a webhook.
    ///
    /// - Throws: ``WebhookProblem`` if the URL is not one that strangers may name.
    package func add(_ url: String, _ kinds: Set<WebhookEventKind>) async throws -> WebhookTarget {
        try await refresh()
        guard made.withLock(\.count) < Self.maximumCount else {
            throw WebhookProblem("there are \(Self.maximumCount) webhooks already; remove one")
        }
        let endpoint: WebPushEndpoint
        do throws(SubscriptionError) {
            endpoint = try WebPushEndpoint(url)
            try policy.check(endpoint)
        } catch {
            throw WebhookProblem("the URL \(error.requirement); for a private address set webhooks.urls")
        }
        let id = DocumentPath.randomID()
        let target = WebhookTarget(
            id: id, url: endpoint.url, isConfigured: false, kinds: kinds, secret: secret(id))
        typealias Field = WebhookDocuments.Field
        let names = WebhookEventKind.allCases.filter(kinds.contains).map { Value.string($0.rawValue) }
        let write = Write.create(
            try WebhookDocuments.webhook(id),
            [Field.url: .string(target.url), Field.kinds: .array(names), Field.createdAt: .timestamp(now())])
        _ = try await store.commit([write])
        made.withLock { $0.append(target) }
        return target
    }

    /// Removes a webhook that was made at run time. The events that wait for it are removed later.
    ///
    /// - Returns: `true` if there was one with that id.
    package func remove(_ id: String) async throws(StoreError) -> Bool {
        guard let path = try? WebhookDocuments.webhook(id) else { return false }
        do {
            _ = try await store.commit([.delete(path, precondition: .exists(true))])
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
        made.withLock { $0.removeAll { $0.id == id } }
        return true
    }
}

extension WebhookTargets {
    /// Puts an event that says that it is a test into the queue of a target.
    ///
    /// - Returns: The event's id; `nil` if there is no such target.
    package func test(_ id: String) async throws(StoreError) -> String? {
        guard all.contains(where: { $0.id == id }) else { return nil }
        let event = WebhookEvent(testAt: now())
        _ = try await store.commit([try event.write(for: id, isOnlyNew: true)])
        return event.id
    }
}

/// A service that notices webhooks that other gateways make and remove. Each gateway that shares the documents runs it.
package struct WebhookTargetWatch: Service {
    private let targets: WebhookTargets
    private let clock: any Clock<Duration>
    private let logger: Logger

    private static let interval = Duration.seconds(5)

    package init(_ targets: WebhookTargets, clock: any Clock<Duration> = .continuous, logger: Logger) {
        self.targets = targets
        self.clock = clock
        self.logger = logger
    }

    /// Watches until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await clock.sleep(for: Self.interval)
                do throws(StoreError) {
                    try await targets.refresh()
                } catch {
                    logger.debug("failed to read the webhooks; retrying", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}

/// The reason why a webhook is not made, in words for the operator.
package struct WebhookProblem: Error {
    /// The words.
    package let text: String

    init(_ text: String) { self.text = text }
}
