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

    /// The lists that the user may see.
    private var lists: [DeviceList] {
        services.devices.filter { visit.seesSecrets || !services.secrets.collections.contains($0.id) }
    }

    func page() async throws -> ConsolePage {
        let id = visit.entered("of") ?? visit.parameter("of")
        let list = lists.first { $0.id == id } ?? lists.first
        return ConsolePage(
            section: .devices, title: "Devices",
            content: """
                <h1>Devices</h1>
                \(visit.mayChange ? search : "")
                \(tabs(list?.id))
                \(try await table(of: list))
                """)
    }

    /// The form for a question about a device. It is sent by POST, because the text may be a token.
    private var search: HTML {
        """
        <form class="filters" method="post" action="/console/devices/search">
        \(ConsolePage.key(visit.session))
        <label>Why does a device, a token or an agent get nothing? \
        <input name="of" required autocomplete="off"></label>
        <button class="quiet">Find out</button>
        </form>
        """
    }

    /// Returns links to all lists.
    private func tabs(_ current: String?) -> HTML {
        let links =
            lists.map { ($0.id, $0.title, ConsoleText.link("/console/devices", [("of", $0.id)])) }
            + [("topics", "Topics", "/console/devices/topics")]
        let items = links.map { id, title, link -> HTML in
            let mark: HTML = id == current ? " aria-current=\"page\"" : ""
            return "<a href=\"\(link)\"\(mark)>\(title)</a>\n"
        }
        return "<nav class=\"tabs\" aria-label=\"Kinds of devices\">\(items)</nav>"
    }

    private func table(of list: DeviceList?) async throws -> HTML {
        let after = try visit.parameter("after").map { text throws(StoreError) in try DocumentPath(text) }
        guard let list else { return "<p>There are none.</p>" }
        let (documents, place) = try await list.part(after: after, limit: Self.pageSize)
        let next: HTML? = place.map {
            let link = ConsoleText.link("/console/devices", [("of", list.id), ("after", $0.description)])
            return "<p><a href=\"\(link)\">\(documents.isEmpty ? "Continue the search" : "More")</a></p>"
        }
        guard !documents.isEmpty else {
            return "<p>\(place == nil ? "There are none." : "None among the first of these.")</p>\(next)"
        }
        return """
            <table class="stack"><thead><tr><th>Device</th><th>System</th><th>Push service</th><th>Registered</th>\
            <th><span class="unseen">Actions</span></th></tr></thead><tbody>
            \(documents.map { row($0, list) })
            </tbody></table>
            \(next)
            """
    }

    private func row(_ document: Document, _ list: DeviceList) -> HTML {
        let address = services.sender.address(in: document)
        let app = [address?.app.bundleID, address?.app.environment].compactMap(\.self).joined(separator: ", ")
        let time = document["registeredAt"]?.timestamp ?? document["updatedAt"]?.timestamp ?? document.updateTime
        let token: HTML? = address.map { "<span class=\"detail\">\($0.token.description)</span>" }
        let actions: HTML =
            visit.mayChange
            ? """
            <a href="\(ConsoleText.link("/console/messages", [("to", document.path.description)]))">Send a test</a>
            <form method="post" action="/console/devices">\(ConsolePage.key(visit.session))
            <input type="hidden" name="path" value="\(document.path.description)">
            <input type="hidden" name="of" value="\(list.id)">
            <button class="quiet" data-confirm="Remove the registration of \(document.path.id)? It gets no more \
            notifications until it registers again.">Remove</button></form>
            """ : ""
        return """
            <tr><td><a href="\(ConsoleText.link(toDevice: document.path))">\(document.path.id)</a> \(token)</td>
            <td>\(list.system)</td>
            <td>\(address?.transport.rawValue ?? "no token") \(app)</td>
            <td>\(ConsoleText.time(time))</td><td class="actions">\(actions)</td></tr>

            """
    }

    func remove() async throws -> ConsoleAnswer {
        let form = try visit.form()
        let path = try DocumentPath(form["path"] ?? "")
        guard lists.contains(where: { $0.has(path) }) else {
            throw APIError.invalidArgument("\(path) is not the path of a device")
        }
        _ = try await services.store.commit([.delete(path, precondition: .exists(true))])
        return .see(
            ConsoleText.link("/console/devices", [("of", form["of"])]),
            done: "The registration of \(path.id) is removed.")
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
