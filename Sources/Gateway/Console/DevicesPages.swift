import DocumentStore
import Functions
import Messaging

/// The pages of registrations: the devices of all systems, the registrations of FCM's clients, and topics.
struct DevicesPages {
    private static let pageSize = 50
    /// The subscriptions of a topic that are counted.
    private static let maximumCount = 1_000
    /// The ids of collections with devices, and what is in them.
    private static let groups: [(id: String, title: String)] = [
        ("devices", "Devices of the systems"), ("registrations", "Registrations of FCM's clients"),
    ]

    let services: ConsoleServices
    let visit: ConsoleVisit

    func page() async throws -> ConsolePage {
        let group = Self.groups.first { $0.id == visit.parameter("of") } ?? Self.groups[0]
        let tabs = Self.groups.map { tab -> HTML in
            let current: HTML = tab.id == group.id ? " aria-current=\"page\"" : ""
            return "<a href=\"/console/devices?of=\(tab.id)\"\(current)>\(tab.title)</a>\n"
        }
        return ConsolePage(
            section: .devices, title: "Devices",
            content: """
                <h1>Devices</h1>
                <nav class="tabs" aria-label="Kinds of devices">\(tabs)<a href="/console/devices/topics">Topics</a></nav>
                \(try await table(of: group.id))
                """)
    }

    private func table(of group: String) async throws -> HTML {
        var query = Query.collectionGroup(group).ordered(by: .documentName).limited(to: Self.pageSize)
        if let after = visit.parameter("after") {
            query.start = Cursor(
                [.reference(try DocumentPath(after).name(in: services.store.database))], isAfter: true)
        }
        let documents = try await services.store.documents(matching: query)
        guard !documents.isEmpty else { return "<p>There are none.</p>" }
        let next: HTML? =
            documents.count == Self.pageSize
            ? documents.last.map {
                let link = ConsoleText.link("/console/devices", [("of", group), ("after", $0.path.description)])
                return "<p><a href=\"\(link)\">More</a></p>"
            } : nil
        return """
            <table class="stack"><thead><tr><th>Device</th><th>System</th><th>Push service</th><th>Registered</th>\
            <th><span class="unseen">Actions</span></th></tr></thead><tbody>
            \(documents.map(row))
            </tbody></table>
            \(next)
            """
    }

    private func row(_ document: Document) -> HTML {
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
            <input type="hidden" name="of" value="\(document.path.collection.id)">
            <button class="quiet" data-confirm="Remove the registration of \(document.path.id)? It gets no more \
            notifications until it registers again.">Remove</button></form>
            """ : ""
        return """
            <tr><td><a href="\(ConsoleText.link(toDocument: document.path.description))">\(document.path.id)</a> \(token)</td>
            <td>\(Self.system(of: document.path))</td>
            <td>\(address?.transport.rawValue ?? "no token") \(app)</td>
            <td>\(ConsoleText.time(time))</td><td class="actions">\(actions)</td></tr>

            """
    }

    /// Returns the system of a device, by its collection.
    private static func system(of path: DocumentPath) -> String {
        let root = path.segments.first.map(String.init) ?? ""
        return ["servers": "codeagents", "registrations": "fcm"][root] ?? root
    }

    func remove() async throws -> ConsoleAnswer {
        let form = try await visit.form()
        let path = try DocumentPath(form["path"] ?? "")
        guard Self.groups.contains(where: { $0.id == path.collection.id }) else {
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
        let tabs = Self.groups.map { "<a href=\"/console/devices?of=\($0.id)\">\($0.title)</a>\n" as HTML }
        return ConsolePage(
            section: .devices, title: "Topics",
            content: """
                <h1>Devices</h1>
                <nav class="tabs" aria-label="Kinds of devices">\(tabs)\
                <a href="/console/devices/topics" aria-current="page">Topics</a></nav>
                \(content)
                \(next)
                """)
    }
}
