import DocumentStore
import Emulator
import Functions
import Messaging
import Server

/// The page of the emulated push service: the notifications as phones would show them, and the scripted errors.
struct InboxPage {
    /// The newest notifications that are shown.
    private static let shown = 100

    let services: ConsoleServices
    let visit: ConsoleVisit

    func page() -> ConsolePage {
        let items = services.inbox.items()
        let shown = Array(items.suffix(Self.shown).reversed())
        let list: HTML =
            items.isEmpty
            ? ConsoleText.empty(
                """
                Nothing has arrived. Notifications to tokens that begin with <code>emulated:</code> come \
                here\(services.gateway.isEmulator ? ", and all others as long as there are no credentials" : "").
                """, command: services.servers == nil ? nil : FirstCommands.trigger)
            : "<ol class=\"inbox\">\n\(notifications(shown))</ol>"
        let more: HTML? = items.count > Self.shown ? "<p>The newest \(Self.shown) of \(items.count).</p>" : nil
        return ConsolePage(
            section: .inbox, title: "Inbox", isLive: true,
            content: """
                <h1>Inbox</h1>
                \(more)
                \(list)
                \(visit.mayChange && !items.isEmpty ? form("empty", "Empty the inbox", isDangerous: true) : "")
                \(scripts)
                """)
    }

    /// Returns notifications, of which a phone would show the newest with one collapse id alone.
    ///
    /// - Parameter items: The notifications, the newest first.
    private func notifications(_ items: [Inbox.Item]) -> [HTML] {
        var seen: Set<[String]> = []
        return items.map { item in
            let isNewest = item.collapseID.map { seen.insert([item.target.address.token.value, $0]).inserted } ?? true
            return notification(item, isReplaced: !isNewest)
        }
    }

    private func notification(_ item: Inbox.Item, isReplaced: Bool) -> HTML {
        let alert = item.message.notification
        let isHidden = !visit.seesSecrets && services.secrets.contains(item.target.registration)
        let data = (isHidden ? [:] : item.message.data).sorted { $0.key < $1.key }.map { name, value -> HTML in
            "<dt>\(name)</dt><dd>\(value)</dd>\n"
        }
        let token = item.target.address.token
        let app = item.target.address.app.bundleID ?? "App"
        let letter = app.split(separator: ".").last?.prefix(1).uppercased() ?? "A"
        let recipient: HTML =
            if isHidden {
                "a device"
            } else if let registration = item.target.registration {
                "<a href=\"\(ConsoleText.link(toDevice: registration))\">\(registration.id)</a>"
            } else {
                "\(token.shown)"
            }
        let text: HTML =
            alert == nil
            ? "<p class=\"detail\">No alert: the app gets it, and shows nothing.</p>"
            : "\(alert?.title.map { "<p class=\"title\">\($0)</p>" as HTML })\(alert?.body.map { "<p>\($0)</p>" as HTML })"
        let image: HTML? = alert?.image.map { "<dt>Image</dt><dd>\($0)</dd>\n" }
        let replaced: HTML? = isReplaced ? "<p class=\"detail\">A newer one has taken its place on the phone.</p>" : nil
        return """
            <li class="notification\(isReplaced ? " replaced" : "")">
            <span class="icon" aria-hidden="true">\(letter)</span>
            <div>
            <p class="app">\(app) <span>\(ConsoleText.time(item.receivedAt))</span></p>
            \(text)
            <p class="to">to \(recipient)</p>
            \(replaced)
            <details><summary>Details</summary>
            <dl class="facts">\(image)<dt>Apns-id</dt><dd><code>\(item.id.description)</code></dd>\(data)</dl></details>
            </div>
            </li>

            """
    }

    private var scripts: HTML {
        let rows = services.scripts.all.map { script -> HTML in
            let times =
                script.times.map { ConsoleText.count($0, "more time", "more times") } ?? "until they are removed"
            return """
                <tr><td>\(script.token?.shown ?? "every token")</td>
                <td>\(script.error.map { FCMErrorCode($0).rawValue } ?? "accepted, late")</td><td>\(times)</td></tr>

                """
        }
        let table: HTML =
            rows.isEmpty
            ? "<p>None: the emulated push service accepts everything.</p>"
            : """
            <table><thead><tr><th>Token</th><th>Answer</th><th>For</th></tr></thead><tbody>\(rows)</tbody></table>
            \(visit.mayChange ? form("reset", "Remove all scripts", isDangerous: false) : "")
            """
        let chosen = visit.entered("error")
        let codes = FCMErrorCode.allCases.map { code -> HTML in
            "<option\(code.rawValue == chosen ? " selected" as HTML : "")>\(code.rawValue)</option>"
        }
        let add: HTML =
            visit.mayChange
            ? """
            <details class="card"\(chosen == nil ? "" : " open" as HTML)><summary>Script an error</summary>
            <form method="post" action="/console/inbox">\(ConsolePage.key(visit.session))
            <input type="hidden" name="action" value="script">
            <label for="error">Answer</label> <select id="error" name="error">\(codes)</select>
            <label for="token">Token; empty for all</label> <input id="token" name="token" autocomplete="off" \
            value="\(visit.entered("token") ?? "")">
            <label for="times">Times; empty for no limit</label>
            <input id="times" name="times" type="number" min="1" max="1000000" value="\(visit.entered("times") ?? "1")">
            <button>Add</button></form></details>
            """ : ""
        return "<h2>Scripted answers</h2>\(table)\(add)"
    }

    private func form(_ action: String, _ word: String, isDangerous: Bool) -> HTML {
        """
        <form method="post" action="/console/inbox">\(ConsolePage.key(visit.session))
        <button class="\(isDangerous ? "danger" : "quiet")" name="action" value="\(action)">\(word)</button></form>
        """
    }

    func change() throws -> ConsoleAnswer {
        let form = try visit.form()
        let done: String
        switch form["action"] {
        case "empty":
            services.inbox.reset()
            done = "The inbox is empty."
        case "reset":
            services.scripts.reset()
            done = "All scripts are removed."
        case "script":
            guard let code = form["error"].flatMap(FCMErrorCode.init) else {
                throw APIError.invalidArgument("choose the answer")
            }
            let times = form["times"].flatMap { $0.isEmpty ? nil : $0 }
            guard times == nil || times.flatMap({ Int($0) }).map({ (1...1_000_000).contains($0) }) == true else {
                throw APIError.invalidArgument("times must be a whole number from 1 to 1000000, or empty")
            }
            services.scripts.add(
                EmulatorScripts.Script(
                    token: form["token"].flatMap { $0.isEmpty ? nil : RegistrationToken($0) }, error: code.code,
                    times: times.flatMap { Int($0) }))
            done = "The answer is scripted."
        default: throw APIError.invalidArgument("the form has no known action")
        }
        return .see("/console/inbox", done: done)
    }
}
