import DocumentStore
import Foundation
import Functions
import HTTPTypes
import Hummingbird
import QRCodes
import Server

/// The page that pairs a browser with an agent: a form, and the link that it makes.
struct PairingPage {
    private static let path = "/console/pairing"
    private static let longestFolder = 2_048
    private static let longestName = 120
    private static let suggestedServers = 100

    let pairing: any DevicePairing
    let services: ConsoleServices
    let visit: ConsoleVisit

    // MARK: The form

    func page() async throws -> ConsolePage {
        var form: HTML = ""
        if visit.mayChange { form = try await self.form }
        let path = pairing.pairingPage
        return Self.page(
            """
            <p>A browser subscribes to an agent at <a href="\(path)">\(path)</a> by a code, which is good once and for ten \
            minutes. It gets a credential for its own subscription, and no secret. \
            <a href="/console/keys">Keys</a> lists the browsers that were paired.</p>
            \(form)
            """)
    }

    private static func page(_ content: HTML) -> ConsolePage {
        ConsolePage(section: .pairing, title: "Pairing", content: "<h1>Pairing</h1>\n\(content)")
    }

    private var form: HTML {
        get async throws {
            let servers = try await services.servers?.servers(after: nil, limit: Self.suggestedServers) ?? []
            return """
                <details class="card" open><summary>Pair a browser</summary>
                <form method="post" action="\(Self.path)">\(ConsolePage.key(visit.session))
                <label for="server">Server</label>
                <input id="server" name="server" value="\(visit.entered("server") ?? "")" required pattern="[0-9a-f]{64}" autocomplete="off" list="servers" \
                aria-describedby="server-hint">
                <datalist id="servers">
                \(servers.map { "<option value=\"\($0.key)\" label=\"\($0.name ?? "")\"></option>\n" as HTML })\
                </datalist>
                <p class="hint" id="server-hint">The SHA-256 of its secret, 64 hexadecimal digits; \
                <code>pushgate enable</code> prints it.</p>
                <label for="folder">Folder</label>
                <input id="folder" name="folder" value="\(visit.entered("folder") ?? "")" required pattern="/.*" maxlength="\(Self.longestFolder)" \
                autocomplete="off" aria-describedby="folder-hint">
                <p class="hint" id="folder-hint">The agent's directory on its server, such as <code>/srv/app</code>.</p>
                <label for="name">Name, if the agent has none yet</label>
                <input id="name" name="name" value="\(visit.entered("name") ?? "")" maxlength="\(Self.longestName)">
                <button>Make a code</button>
                </form></details>
                """
        }
    }

    // MARK: The link

    /// Makes a code, and returns the page that shows it: it cannot be shown again.
    func invite() async throws -> ConsoleAnswer {
        let form = try visit.form().mapValues { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        let (server, folder, name) = (form["server"] ?? "", form["folder"] ?? "", form["name"] ?? "")
        guard KnownServer.isKey(server) else {
            throw APIError.invalidArgument("a server's key has 64 hexadecimal digits in lower case")
        }
        guard folder.hasPrefix("/"), folder.utf16.count <= Self.longestFolder else {
            throw APIError.invalidArgument("the folder is the whole path of the agent's directory, and begins with /")
        }
        guard name.utf16.count <= Self.longestName else {
            throw APIError.invalidArgument("the name has more than \(Self.longestName) characters")
        }
        let invitation = try await pairing.invite(to: folder, of: server, name: name.isEmpty ? nil : name)
        return .page(Self.page(content(of: invitation, to: folder)))
    }

    private func content(of invitation: PairingInvitation, to folder: String) -> HTML {
        let link = invitation.link ?? visit.origin + invitation.path
        let warning: HTML? =
            link.hasPrefix("https://")
            ? nil
            : """
            <p class="problem">Phones subscribe at https:// addresses only: set <code>http.publicUrl</code>.</p>
            """
        return """
            <div class="card">
            <h2>Open this link on the phone</h2>
            \(Self.image(of: link))
            <p><a href="\(link)"><code>\(link)</code></a></p>
            \(warning)
            <p>It subscribes one browser to <code>\(folder)</code>. On an iPhone, add the page to the home screen; if it \
            asks for the code there, it is <code>\(invitation.code)</code>.</p>
            <p class="hint">Good once, until \(ConsoleText.time(invitation.expiresAt)). It cannot be shown again.</p>
            </div>
            <p><a href="\(Self.path)">Pair another browser</a></p>
            """
    }

    /// Returns the link as a QR code; `nil` if it is too long for one.
    private static func image(of link: String) -> HTML? {
        QRCode(link).map { code in
            """
            <svg class="qr" viewBox="0 0 \(code.imageWidth) \(code.imageWidth)" width="264" height="264" role="img" \
            aria-label="The link as a QR code" shape-rendering="crispEdges"><path d="\(code.path)"/></svg>
            """
        }
    }
}
