import DocumentStore
import Functions
import Messaging
import Server

/// The pages of registrations: the devices of all systems, the registrations of FCM's clients, and topics.
struct DevicesPages {
    private static let pageSize = 50
    /// The subscriptions of a topic that are counted.
    private static let maximumCount = 1_000

    let services: ConsoleServices
    let visit: ConsoleVisit

    /// A list of registrations.
    private struct Group: Equatable {
        /// The id of the collections: at the root, except for devices of coding agents.
        let id: String
        let title: String
        let system: String

        static let agents = Group(id: "devices", title: "Coding agents", system: "codeagents")
        static let clients = Group(id: "registrations", title: "Registrations of FCM's clients", system: "fcm")

        func has(_ path: DocumentPath) -> Bool {
            self == .agents ? path.collection.id == id : path.collection.description == id
        }

        static func == (one: Group, other: Group) -> Bool { one.id == other.id }
    }

    /// The lists that the user may see.
    private var groups: [Group] {
        let systems = services.devices.map { system, collection in
            Group(id: collection, title: system.prefix(1).uppercased() + system.dropFirst(), system: system)
        }
        return [.agents] + systems.filter { visit.seesSecrets || !services.secrets.collections.contains($0.id) } + [
            .clients
        ]
    }

    func page() async throws -> ConsolePage {
        let group = groups.first { $0.id == visit.parameter("of") } ?? .agents
        return ConsolePage(
            section: .devices, title: "Devices",
            content: """
                <h1>Devices</h1>
                \(tabs(group.id))
                \(try await table(of: group))
                """)
    }

    /// Returns links to all lists.
    private func tabs(_ current: String) -> HTML {
        let links =
            groups.map { ($0.id, $0.title, ConsoleText.link("/console/devices", [("of", $0.id)])) }
            + [("topics", "Topics", "/console/devices/topics")]
        let items = links.map { id, title, link -> HTML in
            let mark: HTML = id == current ? " aria-current=\"page\"" : ""
            return "<a href=\"\(link)\"\(mark)>\(title)</a>\n"
        }
        return "<nav class=\"tabs\" aria-label=\"Kinds of devices\">\(items)</nav>"
    }

    private func table(of group: Group) async throws -> HTML {
        let after = try visit.parameter("after").map { text throws(StoreError) in try DocumentPath(text) }
        let (documents, place) = try await documents(of: group, after: after)
        let next: HTML? = place.map {
            let link = ConsoleText.link("/console/devices", [("of", group.id), ("after", $0.description)])
            return "<p><a href=\"\(link)\">\(documents.isEmpty ? "Continue the search" : "More")</a></p>"
        }
        guard !documents.isEmpty else {
            return "<p>\(place == nil ? "There are none." : "None among the first of these.")</p>\(next)"
        }
        return """
            <table class="stack"><thead><tr><th>Device</th><th>System</th><th>Push service</th><th>Registered</th>\
            <th><span class="unseen">Actions</span></th></tr></thead><tbody>
            \(documents.map { row($0, group) })
            </tbody></table>
            \(next)
            """
    }

    /// Returns a page of registrations, and the document after which the next one begins.
    private func documents(
        of group: Group, after place: DocumentPath?
    ) async throws -> (documents: [Document], next: DocumentPath?) {
        guard group != .agents else {
            let page = try await DeviceSearch(store: services.store).page(after: place, limit: Self.pageSize)
            return (page.devices, page.next)
        }
        var query = Query.collection(try CollectionPath(group.id)).ordered(by: .documentName).limited(to: Self.pageSize)
        query.start = place.map { Cursor([.reference($0.name(in: services.store.database))], isAfter: true) }
        let documents = try await services.store.documents(matching: query)
        return (documents, documents.count == Self.pageSize ? documents.last?.path : nil)
    }

    private func row(_ document: Document, _ group: Group) -> HTML {
        let address = services.sender.address(in: document)
        let app = [address?.app.bundleID, address?.app.environment?.rawValue].compactMap(\.self).joined(separator: ", ")
        let time = document["registeredAt"]?.timestamp ?? document["updatedAt"]?.timestamp ?? document.updateTime
        let token: HTML? = address.map { "<span class=\"detail\">\($0.token.description)</span>" }
        let actions: HTML =
            visit.mayChange
            ? """
            <a href="\(ConsoleText.link("/console/messages", [("to", document.path.description)]))">Send a test</a>
            <form method="post" action="/console/devices">\(ConsolePage.key(visit.session))
            <input type="hidden" name="path" value="\(document.path.description)">
            <input type="hidden" name="of" value="\(group.id)">
            <button class="quiet" data-confirm="Remove the registration of \(document.path.id)? It gets no more \
            notifications until it registers again.">Remove</button></form>
            """ : ""
        return """
            <tr><td><a href="\(ConsoleText.link(toDocument: document.path.description))">\(document.path.id)</a> \(token)</td>
            <td>\(group.system)</td>
            <td>\(address?.transport.rawValue ?? "no token") \(app)</td>
            <td>\(ConsoleText.time(time))</td><td class="actions">\(actions)</td></tr>

            """
    }

    func remove() async throws -> ConsoleAnswer {
        let form = try await visit.form()
        let path = try DocumentPath(form["path"] ?? "")
        guard groups.contains(where: { $0.has(path) }) else {
            throw APIError.invalidArgument("\(path) is not the path of a device")
        }
        _ = try await services.store.commit([.delete(path, precondition: .exists(true))])
        return .see(ConsoleText.link("/console/devices", [("of", form["of"])]))
    }

    // MARK: Topics

    func topics() async throws -> ConsolePage {
        let after = visit.parameter("after")
        let topics = try await services.store.listing(
            of: try CollectionPath("topics"), after: after, limit: Self.pageSize, projection: [])
        var rows: [HTML] = []
        for topic in topics {
            let subscriptions = try topic.path.collection("subscriptions")
            let count = try await services.store.count(Query.collection(subscriptions).limited(to: Self.maximumCount))
            let text = count < Self.maximumCount ? "\(count)" : "\(count) or more"
            rows.append(
                """
                <tr><td><a href="\(ConsoleText.link(toDocument: subscriptions.description))">\(topic.path.id)</a></td>
                <td class="number">\(text)</td></tr>

                """)
        }
        let next: HTML? =
            topics.count == Self.pageSize
            ? topics.last.map {
                "<p><a href=\"\(ConsoleText.link("/console/devices/topics", [("after", $0.path.id)]))\">More</a></p>"
            } : nil
        let content: HTML =
            rows.isEmpty
            ? "<p>No registration is subscribed to a topic.</p>"
            : """
            <table><thead><tr><th>Topic</th><th class="number">Subscriptions</th></tr></thead><tbody>\(rows)</tbody></table>
            """
        return ConsolePage(
            section: .devices, title: "Topics",
            content: """
                <h1>Devices</h1>
                \(tabs("topics"))
                \(content)
                \(next)
                """)
    }
}
