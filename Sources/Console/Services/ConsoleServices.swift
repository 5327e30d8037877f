package import DocumentStore
package import Emulator
package import FirestoreAPI
package import Functions
package import Messaging
package import Webhooks

/// The parts of the gateway that the console shows and changes.
package struct ConsoleServices: Sendable {
    let gateway: any ConsoleGateway
    let store: any DocumentStore
    /// Firestore's own interface, with all access to the databases that are served.
    let documents: @Sendable (RESTRequest) async -> RESTAnswer
    let history: DeliveryHistory
    /// The outcomes of the last week.
    let outcomes: OutcomeHours
    let explanations: Explanations
    let sender: DirectSender
    let diagnoses: Diagnoses
    let broadcaster: Broadcaster
    let dispatcher: Dispatcher
    let inbox: Inbox
    let scripts: EmulatorScripts
    /// The pages of systems.
    let pages: [OperatorPage]
    /// The servers of a system; `nil` if no system has a list of them.
    let servers: (any ServerList)?
    /// The pairing of browsers with the agents of a system; `nil` if no system has it.
    let pairing: (any DevicePairing)?
    /// The keys of the systems' clients.
    let keys: [KeyList]
    let devices: [DeviceList]
    /// The names of the systems that send messages.
    let sources: [String]
    let secrets: ConsoleSecrets
    let webhooks: WebhookTargets
    let webhookSender: WebhookSender
    /// The places of searches; copies of these services share them.
    let searches = SearchSlots()
    let startedAt = ContinuousClock.now

    /// Gives the console parts of a gateway that starts now.
    ///
    /// - Parameters:
    ///   - store: The gateway's own documents.
    ///   - documents: Answers a request of Firestore's REST API as the operator may see it.
    ///   - modules: The systems.
    ///   - devices: The lists of devices, of systems and of other clients.
    ///   - sources: The names of the systems that send messages.
    package init(
        gateway: any ConsoleGateway, store: any DocumentStore,
        documents: @escaping @Sendable (RESTRequest) async -> RESTAnswer, history: DeliveryHistory,
        explanations: Explanations, sender: DirectSender, diagnoses: Diagnoses, broadcaster: Broadcaster,
        dispatcher: Dispatcher, inbox: Inbox, scripts: EmulatorScripts, modules: [any FunctionModule],
        devices: [DeviceList], sources: [String], secrets: ConsoleSecrets, webhooks: WebhookTargets,
        webhookSender: WebhookSender
    ) {
        self.gateway = gateway
        self.store = store
        self.documents = documents
        self.history = history
        outcomes = OutcomeHours(store: store)
        self.explanations = explanations
        self.sender = sender
        self.diagnoses = diagnoses
        self.broadcaster = broadcaster
        self.dispatcher = dispatcher
        self.inbox = inbox
        self.scripts = scripts
        pages = modules.flatMap(\.pages)
        servers = modules.lazy.compactMap(\.serverList).first
        pairing = modules.lazy.compactMap(\.devicePairing).first
        keys = modules.compactMap(\.keyList)
        self.devices = devices
        self.sources = sources
        self.secrets = secrets
        self.webhooks = webhooks
        self.webhookSender = webhookSender
    }
}
