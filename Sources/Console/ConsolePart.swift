import Functions
import HTTPTypes
import Hummingbird

/// A part of the console: an entry of its menu, and its pages.
struct ConsolePart: Sendable {
    let section: ConsoleSection
    let routes: [Route]

    /// A page, or the target of a form.
    struct Route: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let answer: @Sendable (ConsoleVisit) async throws -> ConsoleAnswer
        /// Returns the page with the form, which is shown again if the form is refused; `nil` for pages.
        let form: FormPage?

        typealias FormPage = @Sendable (ConsoleVisit) async throws -> ConsolePage

        init(
            _ method: HTTPRequest.Method, _ path: String,
            _ answer: @escaping @Sendable (ConsoleVisit) async throws -> ConsoleAnswer
        ) {
            self.method = method
            self.path = path
            self.answer = answer
            form = nil
        }

        init(
            _ method: HTTPRequest.Method, _ path: String, of form: @escaping FormPage,
            _ answer: @escaping @Sendable (ConsoleVisit) async throws -> ConsoleAnswer
        ) {
            self.method = method
            self.path = path
            self.answer = answer
            self.form = form
        }
    }
}

extension ConsolePart {
    /// Returns the table of all parts, in the order of the menu. The first has its page at `/`, which ``Console``
    /// shares with the way to sign in.
    static func all(_ services: ConsoleServices) -> [ConsolePart] {
        let own = [
            ConsolePart(section: .overview, routes: []), messages(services), documents(services), devices(services),
            services.servers.map { servers($0, services) }, services.pairing.map { pairing($0, services) },
            keys(services), webhooks(services), inbox(services),
        ]
        return own.compactMap(\.self) + services.pages.map { ConsolePart($0) }
    }

    private static func messages(_ services: ConsoleServices) -> ConsolePart {
        let list: Route.FormPage = { try await MessagesPages(services: services, visit: $0).list() }
        let one: Route.FormPage = { visit in
            try await MessagesPages(services: services, visit: visit).one(visit.message)
        }
        return ConsolePart(
            section: .messages,
            routes: [
                Route(.get, "/console/messages") { .page(try await list($0)) },
                Route(.post, "/console/messages", of: list) {
                    try await MessagesPages(services: services, visit: $0).send()
                },
                Route(.get, "/console/messages/:message") { .page(try await one($0)) },
                Route(.post, "/console/messages/:message/again", of: one) { visit in
                    try await MessagesPages(services: services, visit: visit).sendAgain(visit.message)
                },
                Route(.post, "/console/messages/:message/cancel", of: list) { visit in
                    try await MessagesPages(services: services, visit: visit).cancel(visit.message)
                },
            ])
    }

    private static func documents(_ services: ConsoleServices) -> ConsolePart {
        let page: Route.FormPage = { try await DocumentsPages(services: services, visit: $0).page() }
        return ConsolePart(
            section: .documents,
            routes: [
                Route(.get, "/console/documents") { .page(try await page($0)) },
                Route(.post, "/console/documents", of: page) {
                    try await DocumentChanges(services: services, visit: $0).answer()
                },
                Route(.get, "/console/documents/export") {
                    try await DocumentsPages(services: services, visit: $0).export()
                },
            ])
    }

    private static func devices(_ services: ConsoleServices) -> ConsolePart {
        let page: Route.FormPage = { try await DevicesPages(services: services, visit: $0).page() }
        let device: Route.FormPage = { try await DevicePage(services: services, visit: $0).page() }
        let topic: Route.FormPage = { try await DevicesPages(services: services, visit: $0).topic() }
        return ConsolePart(
            section: .devices,
            routes: [
                Route(.get, "/console/devices") { .page(try await page($0)) },
                Route(.post, "/console/devices", of: page) {
                    try await DevicesPages(services: services, visit: $0).remove()
                },
                Route(.get, "/console/devices/device") { .page(try await device($0)) },
                Route(.post, "/console/devices/device", of: device) {
                    try await DevicePage(services: services, visit: $0).send()
                },
                Route(.post, "/console/devices/search") {
                    try await DevicePage(services: services, visit: $0).search()
                },
                Route(.get, "/console/devices/topics") {
                    .page(try await DevicesPages(services: services, visit: $0).topics())
                },
                Route(.get, "/console/devices/topic") { .page(try await topic($0)) },
                Route(.post, "/console/devices/topic", of: topic) {
                    try await DevicesPages(services: services, visit: $0).sendToTopic()
                },
            ])
    }

    private static func servers(_ servers: any ServerList, _ services: ConsoleServices) -> ConsolePart {
        let page: Route.FormPage = { try await ServersPage(list: servers, visit: $0).page() }
        return ConsolePart(
            section: .servers,
            routes: [
                Route(.get, "/console/servers") { .page(try await page($0)) },
                Route(.post, "/console/servers", of: page) {
                    try await ServersPage(list: servers, visit: $0).change()
                },
            ])
    }

    private static func pairing(_ pairing: any DevicePairing, _ services: ConsoleServices) -> ConsolePart {
        let page: Route.FormPage = { visit in
            try await PairingPage(pairing: pairing, services: services, visit: visit).page()
        }
        return ConsolePart(
            section: .pairing,
            routes: [
                Route(.get, "/console/pairing") { .page(try await page($0)) },
                Route(.post, "/console/pairing", of: page) { visit in
                    try await PairingPage(pairing: pairing, services: services, visit: visit).invite()
                },
            ])
    }

    private static func keys(_ services: ConsoleServices) -> ConsolePart {
        let page: Route.FormPage = { try await KeysPage(services: services, visit: $0).page() }
        return ConsolePart(
            section: .keys,
            routes: [
                Route(.get, "/console/keys") { .page(try await page($0)) },
                Route(.post, "/console/keys", of: page) {
                    try await KeysPage(services: services, visit: $0).change()
                },
            ])
    }

    private static func webhooks(_ services: ConsoleServices) -> ConsolePart {
        let pages = { @Sendable (visit: ConsoleVisit) in
            WebhooksPage(targets: services.webhooks, sender: services.webhookSender, visit: visit)
        }
        let page: Route.FormPage = { try await pages($0).page() }
        return ConsolePart(
            section: .webhooks,
            routes: [
                Route(.get, "/console/webhooks") { .page(try await page($0)) },
                Route(.post, "/console/webhooks", of: page) { try await pages($0).change() },
            ])
    }

    private static func inbox(_ services: ConsoleServices) -> ConsolePart {
        let page: Route.FormPage = { InboxPage(services: services, visit: $0).page() }
        return ConsolePart(
            section: .inbox,
            routes: [
                Route(.get, "/console/inbox") { .page(try await page($0)) },
                Route(.post, "/console/inbox", of: page) {
                    try InboxPage(services: services, visit: $0).change()
                },
            ])
    }
}

extension ConsolePart {
    /// Makes a part with the page of a system.
    fileprivate init(_ page: OperatorPage) {
        let section = ConsoleSection(title: page.title, path: "/console/\(page.name)")
        self.init(
            section: section,
            routes: [
                Route(.get, section.path) { _ in
                    let content = try await page.content()
                    return .page(
                        ConsolePage(
                            section: section, title: page.title, content: "<h1>\(page.title)</h1>\n\(content)"))
                }
            ])
    }
}

extension ConsoleVisit {
    /// The id of the message in the path.
    fileprivate var message: String {
        get throws { try context.parameters.require("message") }
    }
}
