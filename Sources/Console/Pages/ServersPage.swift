import DocumentStore
import Foundation
import Functions
import Server

/// The page of a system's servers, and the operator's decisions about them.
struct ServersPage {
    private static let pageSize = 50
    /// The agents, and the devices, of a server that are counted.
    private static let maximumCount = 1_000

    let list: any ServerList
    let visit: ConsoleVisit

    func page() async throws -> ConsolePage {
        let servers = try await list.servers(after: visit.parameter("after"), limit: Self.pageSize)
        let rule: HTML =
            switch list.admittedServers {
            case .listed: "Only allowed servers may \(list.rights) (<code>\(list.admissionKey): listed</code>)."
            case .open:
                "All servers may \(list.rights), except denied ones (<code>\(list.admissionKey): open</code>)."
            }
        let next: HTML? =
            servers.count == Self.pageSize
            ? servers.last.map { "<p><a href=\"/console/servers?after=\($0.key)\">More</a></p>" } : nil
        var rows: [HTML] = []
        for server in servers {
            rows.append(row(server, try await list.contents(of: server.key, countedUpTo: Self.maximumCount)))
        }
        let table: HTML =
            servers.isEmpty
            ? ConsoleText.empty(
                "There are none yet. The first registration adds its server.", command: FirstCommands.register)
            : """
            <table class="stack"><thead><tr><th>Server</th><th>Access</th><th class="number">Agents</th>\
            <th class="number">Devices</th><th>Last seen</th>\
            <th><span class="unseen">Actions</span></th></tr></thead><tbody>
            \(rows)
            </tbody></table>
            """
        return ConsolePage(
            section: .servers, title: "Servers",
            content: """
                <h1>Servers</h1>
                <p>\(rule)</p>
                \(table)
                \(next)
                \(visit.mayChange ? form : "")
                """)
    }

    /// Returns a count in words on small screens, where the head of the table is not shown.
    private static func count(_ number: Int, _ one: String, _ many: String) -> HTML {
        let text = number < maximumCount ? "\(number)" : "\(ConsoleText.number(maximumCount)) or more"
        return "<td class=\"number\">\(text) <span class=\"unit\">\(number == 1 ? one : many)</span></td>"
    }

    private func row(_ server: KnownServer, _ contents: ServerContents) -> HTML {
        let access: HTML =
            switch server.access {
            case .allowed: ConsoleText.mark("ok", "allowed")
            case .denied: ConsoleText.mark("bad", "denied")
            case nil: "not decided"
            }
        let known = contents.names.joined(separator: ", ")
        let agents: HTML? =
            known.isEmpty
            ? nil : "<p class=\"text\">\(known)\(contents.agents > contents.names.count ? ", …" : "")</p>"
        let actions: HTML =
            visit.mayChange
            ? "\(button(server, .allowed, "Allow", nil))\(button(server, .denied, "Deny", "Deny this server? The subscriptions of its devices are removed."))"
            : ""
        return """
            <tr><td><strong>\(server.name ?? "")</strong> \
            <a href="\(ConsoleText.link(toDocument: "servers/\(server.key)"))">\
            <code>\(String(server.key.prefix(16)))…</code></a>\(agents)</td>
            <td>\(access)</td>\(Self.count(contents.agents, "agent", "agents"))\
            \(Self.count(contents.devices, "device", "devices"))\
            <td>\(server.lastSeenAt.map { "<span class=\"unit\">last seen</span> \(ConsoleText.time($0))" as HTML })</td>
            <td class="actions">\(actions)</td></tr>

            """
    }

    private func button(_ server: KnownServer, _ access: ServerAccess, _ word: String, _ question: String?) -> HTML {
        guard server.access != access else { return "" }
        let confirm: HTML? = question.map { " data-confirm=\"\($0)\"" }
        return """
            <form method="post" action="/console/servers">\(ConsolePage.key(visit.session))
            <input type="hidden" name="server" value="\(server.key)">
            <button class="quiet" name="access" value="\(access.rawValue)"\(confirm)>\(word)</button></form>
            """
    }

    private var form: HTML {
        """
        <details class="card"\(visit.isRefused ? " open" as HTML : "")><summary>Decide about a server</summary>
        <form method="post" action="/console/servers">\(ConsolePage.key(visit.session))
        <label for="server">Key</label>
        <input id="server" name="server" value="\(visit.entered("server") ?? "")" required pattern="[0-9a-f]{64}" \
        autocomplete="off" aria-describedby="server-hint">
        <p class="hint" id="server-hint">The SHA-256 of its secret, 64 hexadecimal digits; <code>pushgate enable</code> \
        prints it.</p>
        <label for="name">Name</label> <input id="name" name="name" maxlength="120" \
        value="\(visit.entered("name") ?? "")">
        <div class="buttons"><button name="access" value="allowed">Allow</button>
        <button class="danger" name="access" value="denied">Deny</button></div>
        </form></details>
        """
    }

    func change() async throws -> ConsoleAnswer {
        let form = try visit.form()
        let key = (form["server"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard KnownServer.isKey(key) else {
            throw APIError.invalidArgument("a server's key has 64 hexadecimal digits in lower case")
        }
        guard let access = form["access"].flatMap(ServerAccess.init) else {
            throw APIError.invalidArgument("choose to allow or to deny the server")
        }
        let removed = try await list.setAccess(access, of: key, name: form["name"].flatMap { $0.isEmpty ? nil : $0 })
        let subscriptions = ConsoleText.count(removed, "subscription was", "subscriptions were")
        return .see(
            "/console/servers",
            done: access == .allowed
                ? "The server \(key.prefix(8))… is allowed."
                : "The server \(key.prefix(8))… is denied; \(subscriptions) removed.")
    }
}
