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

        init(
            _ method: HTTPRequest.Method, _ path: String,
            _ answer: @escaping @Sendable (ConsoleVisit) async throws -> ConsoleAnswer
        ) {
            self.method = method
            self.path = path
            self.answer = answer
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
        ConsolePart(
            section: .messages,
            routes: [
                Route(.get, "/console/messages") {
                    .page(try await MessagesPages(services: services, visit: $0).list())
                },
                Route(.post, "/console/messages") { try await MessagesPages(services: services, visit: $0).send() },
                Route(.get, "/console/messages/:message") { visit in
                    .page(try await MessagesPages(services: services, visit: visit).one(visit.message))
                },
                Route(.post, "/console/messages/:message/again") { visit in
                    try await MessagesPages(services: services, visit: visit).sendAgain(visit.message)
                },
                Route(.post, "/console/messages/:message/cancel") { visit in
                    try await MessagesPages(services: services, visit: visit).cancel(visit.message)
                },
            ])
    }

    private static func documents(_ services: ConsoleServices) -> ConsolePart {
        ConsolePart(
            section: .documents,
            routes: [
                Route(.get, "/console/documents") {
                    .page(try await DocumentsPages(services: services, visit: $0).page())
                },
                Route(.post, "/console/documents") { try await DocumentsPages(services: services, visit: $0).change() },
                Route(.get, "/console/documents/export") {
                    try await DocumentsPages(services: services, visit: $0).export()
                },
            ])
    }

    private static func devices(_ services: ConsoleServices) -> ConsolePart {
        ConsolePart(
            section: .devices,
            routes: [
                Route(.get, "/console/devices") { .page(try await DevicesPages(services: services, visit: $0).page()) },
                Route(.post, "/console/devices") { try await DevicesPages(services: services, visit: $0).remove() },
                Route(.get, "/console/devices/device") {
                    .page(try await DevicePage(services: services, visit: $0).page())
                },
                Route(.post, "/console/devices/device") {
                    try await DevicePage(services: services, visit: $0).send()
                },
                Route(.post, "/console/devices/search") {
                    try await DevicePage(services: services, visit: $0).search()
                },
                Route(.get, "/console/devices/topics") {
                    .page(try await DevicesPages(services: services, visit: $0).topics())
                },
            ])
    }

    private static func servers(_ servers: any ServerList, _ services: ConsoleServices) -> ConsolePart {
        ConsolePart(
            section: .servers,
            routes: [
                Route(.get, "/console/servers") { .page(try await ServersPage(list: servers, visit: $0).page()) },
                Route(.post, "/console/servers") { try await ServersPage(list: servers, visit: $0).change() },
            ])
    }

    private static func pairing(_ pairing: any DevicePairing, _ services: ConsoleServices) -> ConsolePart {
        ConsolePart(
            section: .pairing,
            routes: [
                Route(.get, "/console/pairing") { visit in
                    .page(try await PairingPage(pairing: pairing, services: services, visit: visit).page())
                },
                Route(.post, "/console/pairing") { visit in
                    try await PairingPage(pairing: pairing, services: services, visit: visit).invite()
                },
            ])
    }

    private static func keys(_ services: ConsoleServices) -> ConsolePart {
        ConsolePart(
            section: .keys,
            routes: [
                Route(.get, "/console/keys") { .page(try await KeysPage(services: services, visit: $0).page()) },
                Route(.post, "/console/keys") { try await KeysPage(services: services, visit: $0).change() },
            ])
    }

    private static func webhooks(_ services: ConsoleServices) -> ConsolePart {
        let page = { @Sendable (visit: ConsoleVisit) in
            WebhooksPage(targets: services.webhooks, sender: services.webhookSender, visit: visit)
        }
        return ConsolePart(
            section: .webhooks,
            routes: [
                Route(.get, "/console/webhooks") { .page(try await page($0).page()) },
                Route(.post, "/console/webhooks") { try await page($0).change() },
            ])
    }

    private static func inbox(_ services: ConsoleServices) -> ConsolePart {
        ConsolePart(
            section: .inbox,
            routes: [
                Route(.get, "/console/inbox") { .page(InboxPage(services: services, visit: $0).page()) },
                Route(.post, "/console/inbox") { try await InboxPage(services: services, visit: $0).change() },
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
