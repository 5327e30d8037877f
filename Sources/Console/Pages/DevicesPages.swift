import DocumentStore
import Functions
import Messaging
import Server

/// The pages of registrations: the devices of all systems, the registrations of FCM's clients, and topics.
struct DevicesPages {
    static let pageSize = 50
    /// The devices of a list that are counted.
    private static let maximumTotal = 10_000
    /// The devices of a list that are sorted by time, and those of them that are read at once.
    private static let (maximumSorted, sortedAtOnce) = (2_000, 500)

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
    func tabs(_ current: String?) -> HTML {
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
        guard let list else { return "<p>There are none.</p>" }
        let text = visit.parameter("q")
        let isNewestFirst = text == nil && visit.parameter("sort") == "newest"
        let part = try await isNewestFirst ? newest(of: list) : self.part(of: list, text)
        let agents = try await list.agents(of: part.documents.map(\.path))
        let found: HTML
        if part.documents.isEmpty {
            let none = text == nil ? "There are none." : "There is none that begins with “\(text ?? "")”."
            found =
                part.next != nil
                ? "<p>None among the first of these.</p>"
                : ConsoleText.empty("\(none)", command: text == nil && list.hasAgents ? FirstCommands.register : nil)
        } else {
            found = """
                <table class="stack"><thead><tr><th>Device</th>\(list.hasAgents ? "<th>Agent</th>" as HTML : "")\
                <th>System</th><th>Push service</th><th>Registered</th>\
                <th><span class="unseen">Actions</span></th></tr></thead><tbody>
                \(part.documents.map { row($0, list, agent: agents[$0.path]) })
                </tbody></table>
                """
        }
        return """
            \(try await tools(for: list, text, isNewestFirst))
            \(found)
            \(part.next)
            """
    }

    /// A page of devices, and the link to the next one.
    private typealias Page = (documents: [Document], next: HTML?)

    private func part(of list: DeviceList, _ text: String?) async throws -> Page {
        let after = try visit.parameter("after").map { text throws(StoreError) in try DocumentPath(text) }
        let found: DeviceList.Part =
            if let text {
                try await list.search(text, after: after, limit: Self.pageSize)
            } else {
                try await list.part(after: after, limit: Self.pageSize)
            }
        let next: HTML? = found.next.map {
            let link = ConsoleText.link("/console/devices", [("of", list.id), ("q", text), ("after", $0.description)])
            let isSearch = found.documents.isEmpty || text != nil
            return "<p><a href=\"\(link)\">\(isSearch ? "Continue the search" : "More")</a></p>"
        }
        return (found.documents, next)
    }

    /// Returns a page of the devices that have registered last, as far as they are among those that are sorted.
    private func newest(of list: DeviceList) async throws -> Page {
        var (documents, place) = ([Document](), DocumentPath?.none)
        repeat {
            let part = try await list.part(after: place, limit: Self.sortedAtOnce)
            documents += part.documents
            place = part.next
        } while place != nil && documents.count < Self.maximumSorted
        documents.sort { (Self.time(of: $0), $1.path) > (Self.time(of: $1), $0.path) }
        let first = max(0, visit.parameter("first").flatMap { Int($0) } ?? 0)
        let shown = Array(documents.dropFirst(first).prefix(Self.pageSize))
        var next: HTML?
        if first < documents.count - Self.pageSize {
            let link = ConsoleText.link(
                "/console/devices", [("of", list.id), ("sort", "newest"), ("first", String(first + Self.pageSize))])
            next = "<p><a href=\"\(link)\">More</a></p>"
        } else if place != nil {
            next = "<p class=\"hint\">The newest of the first \(documents.count) devices.</p>"
        }
        return (shown, next)
    }

    /// Returns the number of devices, the search, and the choice of the order.
    private func tools(for list: DeviceList, _ text: String?, _ isNewestFirst: Bool) async throws -> HTML {
        let count = try await list.count(upTo: Self.maximumTotal)
        let total =
            count < Self.maximumTotal
            ? ConsoleText.count(count, "device", "devices") : "\(ConsoleText.number(Self.maximumTotal)) devices or more"
        let link = ConsoleText.link("/console/devices", [("of", list.id)])
        let sorted = ConsoleText.link("/console/devices", [("of", list.id), ("sort", "newest")])
        let all: HTML? = text == nil ? nil : "<a href=\"\(link)\">All devices</a>"
        return """
            <form class="filters" method="get" action="/console/devices" role="search">
            <input type="hidden" name="of" value="\(list.id)">
            <label>\(list.hasAgents ? "Id, or name of the agent" : "Id") <input name="q" type="search" \
            value="\(text ?? "")" autocomplete="off"></label>
            <button class="quiet">Search</button> \(all)
            </form>
            <p>\(total)</p>
            \(ConsoleText.choice("Order", [("by id", link, !isNewestFirst), ("newest first", sorted, isNewestFirst)]))
            """
    }

    /// The time of a registration.
    private static func time(of document: Document) -> Timestamp {
        document["registeredAt"]?.timestamp ?? document["updatedAt"]?.timestamp ?? document.updateTime
    }

    private func row(_ document: Document, _ list: DeviceList, agent: String?) -> HTML {
        let address = services.sender.address(in: document)
        let app = [address?.app.bundleID, address?.app.environment].compactMap(\.self).joined(separator: ", ")
        let token: HTML? = address.map { "<span class=\"detail\">\($0.token.description)</span>" }
        let owner: HTML? = list.hasAgents ? "<td>\(agent ?? "")</td>" : nil
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
            \(owner)<td class="word">\(list.system)</td>
            <td>\(address?.transport.rawValue ?? "no token") \(app)</td>
            <td>\(ConsoleText.time(Self.time(of: document)))</td><td class="actions">\(actions)</td></tr>

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
}
