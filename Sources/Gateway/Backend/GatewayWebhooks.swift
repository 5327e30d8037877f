import DocumentStore
import Instance
import Logging
import Messaging
import ServiceLifecycle
import WebPush
import Webhooks

/// The events of a gateway for programs of its operator, and the webhooks that get them.
struct GatewayWebhooks: Sendable {
    let targets: WebhookTargets
    let sender: WebhookSender
    /// The recorder for the dispatcher.
    let recorder: WebhookRecorder
    private let client: WebhookClient
    private let membership: (any Membership)?
    private let logger: Logger

    init(_ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ logger: Logger) {
        let policy = configuration[BrowserPushService.self]?.policy ?? EndpointPolicy()
        let isShared = storage.membership != nil
        targets = WebhookTargets(
            configuration.webhooks.webhooks, store: storage.admitting, policy: policy,
            secret: { [key = storage.key] in key.derived(for: "webhook \($0)") }, now: { .now })
        client = WebhookClient(policy: policy, userAgent: "pushgate/\(GatewayVersion.current)", logger: logger)
        let sender = WebhookSender(targets, over: client, store: storage.store, isShared: isShared, logger: logger)
        self.sender = sender
        recorder = WebhookRecorder(
            targets, isShared: isShared,
            secretCollections: EnabledModules.secretCollections,
            hasRoom: { [space = storage.space] in (try? space.admit()) != nil },
            announce: { sender.notify() }, now: { .now })
        membership = storage.membership
        self.logger = logger
    }

    /// Reads the webhooks, before the first outcome.
    func begin() async {
        do {
            try await targets.refresh()
        } catch {
            logger.error("failed to read the webhooks; events are not recorded", metadata: ["error": "\(error)"])
        }
    }

    /// The services: one gateway sends, and all notice new webhooks.
    var services: [any Service] {
        let sending = Duty(sender, membership)
        return membership == nil ? [sending] : [sending, WebhookTargetWatch(targets, logger: logger)]
    }

    /// Ends the requests in progress.
    func shutdown() async { await client.shutdown() }
}
