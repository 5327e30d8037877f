import Foundation
import Functions
import Server
import Webhooks

/// The page of webhooks.
struct WebhooksPage {
    private static let path = "/console/webhooks"

    /// The kinds of events that the form offers. The command line has any others.
    private static let choices: [(name: String, kinds: [WebhookEventKind])] = [
        ("All", WebhookEventKind.allCases),
        ("All but outcomes of notifications", [.receipts, .invalidTokens, .heldUp, .resumed, .decided]),
        ("Apps that are held up, and send again", [.heldUp, .resumed]),
        ("Decisions about approvals of runs", [.decided]),
    ]

    private static func text(_ kinds: [WebhookEventKind]) -> String { kinds.map(\.rawValue).joined(separator: ",") }

    let targets: WebhookTargets
    let sender: WebhookSender
    let visit: ConsoleVisit

    func page() async throws -> ConsolePage {
        try await targets.refresh()
        let all = targets.all
        let table: HTML =
            all.isEmpty
            ? "<p>There are none yet. <code>pushgate webhooks add URL</code> makes one too.</p>"
            : """
            <table class="stack"><thead><tr><th>URL</th><th>Events</th><th>State</th>\
            <th><span class="unseen">Actions</span></th></tr></thead><tbody>
            \(all.map(row))
            </tbody></table>
            """
        return Self.page(
            """
            <p>Programs that get events: outcomes, tokens that are no longer valid, apps that are held up, and \
            decisions about approvals.</p>
            \(table)
            \(visit.mayChange ? form : "")
            """)
    }

    private static func page(_ content: HTML) -> ConsolePage {
        ConsolePage(section: .webhooks, title: "Webhooks", content: "<h1>Webhooks</h1>\n\(content)")
    }

    private func row(_ target: WebhookTarget) -> HTML {
        let failures = sender.failures(of: target.id)
        let state: HTML =
            failures == 0 ? "" : ConsoleText.mark("bad", failures == 1 ? "1 failure" : "\(failures) failures in a row")
        let origin: HTML? = target.isConfigured ? " <span class=\"detail\">of the configuration</span>" : nil
        let kinds = WebhookEventKind.allCases.filter(target.kinds.contains).map(\.rawValue)
        // The path may be a secret.
        return """
            <tr><td><code>\(visit.seesSecrets ? target.url : target.origin)</code>\(origin)</td>
            <td>\(kinds.joined(separator: ", "))</td><td>\(state)</td>
            <td class="actions">\(actions(target))</td></tr>

            """
    }

    private func actions(_ target: WebhookTarget) -> HTML {
        guard visit.mayChange else { return "" }
        let remove: HTML =
            target.isConfigured
            ? ""
            : """
            <button class="quiet" name="action" value="remove" \
            data-confirm="Remove this webhook? The events that wait for it are removed too.">Remove</button>
            """
        return """
            <form method="post" action="\(Self.path)">\(ConsolePage.key(visit.session))
            <input type="hidden" name="id" value="\(target.id)">
            <button class="quiet" name="action" value="test">Test</button>\(remove)</form>
            """
    }

    private var form: HTML {
        let (url, events) = (visit.entered("url", action: "add"), visit.entered("events", action: "add"))
        let options = Self.choices.map { choice -> HTML in
            let text = Self.text(choice.kinds)
            return "<option value=\"\(text)\"\(text == events ? " selected" as HTML : "")>\(choice.name)</option>\n"
        }
        return """
            <details class="card"\(url == nil ? "" : " open" as HTML)><summary>Add a webhook</summary>
            <form method="post" action="\(Self.path)">\(ConsolePage.key(visit.session))
            <label for="url">URL</label>
            <input id="url" name="url" type="url" value="\(url ?? "")" required pattern="https://.*" autocomplete="off" \
            aria-describedby="url-hint">
            <p class="hint" id="url-hint"><code>https://</code> and a host on the internet; private ones are for \
            <code>webhooks.urls</code>.</p>
            <label for="events">Events</label>
            <select id="events" name="events">
            \(options)</select>
            <button name="action" value="add">Add</button>
            </form></details>
            """
    }

    func change() async throws -> ConsoleAnswer {
        let form = try visit.form()
        let id = form["id"] ?? ""
        let done: String
        switch form["action"] {
        case "add": return .page(try await add(form))
        case "test":
            guard try await targets.test(id) != nil else { throw Self.unknown }
            done = "A test event is on its way, after those that wait."
        case "remove":
            guard try await targets.remove(id) else { throw Self.unknown }
            done = "The webhook is removed."
        default: throw APIError.invalidArgument("the form has no known action")
        }
        sender.notify()
        return .see(Self.path, done: done)
    }

    private static let unknown = APIError.notFound("there is no such webhook; perhaps it has just been removed")

    /// Makes a webhook, and returns the page with the secret that its receiver needs.
    private func add(_ form: [String: String]) async throws -> ConsolePage {
        let url = (form["url"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let chosen = (form["events"] ?? "").split(separator: ",").compactMap { WebhookEventKind(rawValue: String($0)) }
        do {
            let target = try await targets.add(url, Set(chosen.isEmpty ? WebhookEventKind.allCases : chosen))
            sender.notify()
            return Self.page(
                """
                <div class="card">
                <h2>The webhook \(target.origin)</h2>
                <p>Its receiver checks signatures with this secret, which <code>pushgate webhooks secret</code> prints too:</p>
                <p><code>\(target.secretText)</code></p>
                </div>
                <p><a href="\(Self.path)">All webhooks</a></p>
                """)
        } catch let problem as WebhookProblem {
            throw APIError.invalidArgument(problem.text)
        }
    }
}
