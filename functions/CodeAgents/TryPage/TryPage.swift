import HTTPTypes
import JSON

/// The page that subscribes a browser, and its files. It loads nothing from elsewhere.
struct TryPage: Sendable {
    static let path = "/try"
    /// The page's address, relative to those of its files.
    private static let pathFromFiles = ".." + path
    /// The beginning of the addresses of files and calls, relative to the page's.
    private static let folder = "\(path.dropFirst())/"

    /// The public key that subscriptions need; `nil` if Web Push is off.
    let key: String?
    /// `true` if the browser is on the gateway's own machine, and needs no code.
    let isLocal: Bool

    var response: FunctionResponse {
        FunctionResponse(headerFields: Self.headerFields, content: .html(html.description))
    }

    /// The addresses are relative to the page's, because a proxy may add a path before it.
    private var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
        <meta name="robots" content="noindex, nofollow">
        <meta name="color-scheme" content="light dark">
        <meta name="theme-color" content="#f2f3f8" media="(prefers-color-scheme: light)">
        <meta name="theme-color" content="#0f1117" media="(prefers-color-scheme: dark)">
        <meta name="apple-mobile-web-app-title" content="Pushgate">
        <title>Pushgate in this browser</title>
        <link rel="manifest" href="\(Self.folder)manifest.webmanifest">
        <link rel="icon" href="\(Self.folder)icon.png">
        <link rel="apple-touch-icon" href="\(Self.folder)icon.png">
        <style>\(HTML(verbatim: TryStyle.text))</style>
        </head>
        <body>
        <main\(key.map { " data-key=\"\($0)\"" as HTML })\(isLocal ? " data-local" as HTML : "")>
        <svg class="sign" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">\
        <rect class="tile" width="48" height="48" rx="12"/>\
        <path class="line" d="M14 34V22a10 10 0 0 1 20 0v12M10 34h28M24 20v9m-4-4 4 4 4-4"/></svg>
        <h1>Notifications in this browser</h1>
        \(key == nil ? Self.switchedOff : Self.content)
        </main>
        <script>\(HTML(verbatim: TryScript.text))</script>
        </body>
        </html>

        """
    }

    private static let switchedOff: HTML = """
        <section class="card">
        <h2>Web Push is off</h2>
        <p>This gateway sends to no browsers. Its operator switches it on by <code>webpush.subject</code>, an address at \
        which push services reach the operator, such as <code>mailto:you@your-domain.com</code>.</p>
        </section>
        """

    /// The parts of the page, of which the script shows those that apply.
    private static let content: HTML = """
        <noscript><p class="card">This page needs scripts.</p></noscript>
        <p class="status" id="status" role="status"></p>
        <section class="card" id="insecure" hidden>
        <h2>This address is not secure</h2>
        <p>Browsers subscribe at https:// addresses only, and on the gateway's own machine at localhost. Open this page at \
        the gateway's https:// address.</p>
        </section>
        <section class="card" id="home-screen" hidden>
        <h2>Add this page to the home screen first</h2>
        <p>An iPhone or iPad shows notifications only of pages on its home screen.</p>
        <ol><li>Tap Share, then “Add to Home Screen”.</li><li>Open Pushgate from the home screen.</li>
        <li>Tap “Subscribe this browser” there.</li></ol>
        <p id="home-hint" hidden>If it asks for a code, it is <code id="home-code"></code>.</p>
        </section>
        <section class="card" id="unable" hidden>
        <h2>This browser cannot be notified</h2>
        <p>It has no Web Push. Current versions of Chrome, Edge, Firefox and Safari have it, but not in private windows.</p>
        </section>
        <section class="card" id="denied" hidden>
        <h2>Notifications are blocked</h2>
        <p>Allow notifications of this page in the browser's settings, then load the page again.</p>
        </section>
        <section class="card" id="join" hidden>
        <form id="form">
        <p id="invited" hidden>The link subscribes this browser to the notifications of an agent.</p>
        <p id="own" hidden>This browser is on the gateway's own machine, so it needs no code: it gets an agent of its own \
        to try.</p>
        <div id="typed" hidden>
        <label for="code">Code</label>
        <input id="code" maxlength="500" autocomplete="off" autocapitalize="characters" spellcheck="false" \
        aria-describedby="code-hint">
        <p class="hint" id="code-hint">The code or the link that <code>pushgate pair --cwd DIR</code> prints where the \
        agent is. It is good once, and for ten minutes.</p>
        </div>
        <button>Subscribe this browser</button>
        </form>
        </section>
        <section id="subscribed" hidden>
        <h2>Subscribed to</h2>
        <ul id="agents"></ul>
        </section>
        <section id="arrived" hidden>
        <h2>Arrived</h2>
        <p class="hint" id="nothing">Nothing yet. Notify this browser by the line above.</p>
        <ul id="messages"></ul>
        <p><button class="quiet" id="clear" type="button">Clear</button></p>
        </section>
        <template id="agent"><li class="card">
        <h3 class="name"></h3>
        <p class="folder"></p>
        <p class="where"></p>
        <pre class="command"><code></code></pre>
        <div class="buttons"><button class="quiet copy" type="button">Copy</button>
        <button class="quiet leave" type="button">Unsubscribe</button></div>
        </li></template>
        <template id="message"><li class="card">
        <p class="title" dir="auto"></p>
        <p class="body" dir="auto"></p>
        <time></time>
        <details><summary>Data</summary><pre></pre></details>
        </li></template>
        """

    /// The page may have a code in its fragment. Only its own content is loaded and run.
    private static let headerFields = HTTPFields.secretPage(
        policy: "default-src 'none'; style-src \(HTML.policySource(of: TryStyle.text)); "
            + "script-src \(HTML.policySource(of: TryScript.text)); worker-src 'self'; connect-src 'self'; "
            + "manifest-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
}

extension TryPage {
    /// Returns the path of a file or a call below the page, as a pattern of requests.
    static func pattern(below name: String) -> PathPattern { PathPattern(stringLiteral: "\(path)/\(name)") }
}

/// The files below the page.
extension TryPage {
    /// The worker. It serves the page's own path, which is above its own.
    static let worker: FunctionResponse = {
        var fields: HTTPFields = [
            .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy:
                "default-src 'none'; connect-src 'self'; manifest-src 'self'; img-src 'self'",
        ]
        if let name = HTTPField.Name("Service-Worker-Allowed") { fields[name] = TryPage.pathFromFiles }
        return FunctionResponse(
            headerFields: fields,
            content: .bytes(Array(TryWorker.text.utf8), type: "text/javascript; charset=utf-8"))
    }()

    static let icon = FunctionResponse(
        headerFields: [.cacheControl: "public, max-age=86400", .xContentTypeOptions: "nosniff"],
        content: .bytes(TryIcon.png, type: "image/png"))

    /// Returns the manifest, by which the page becomes an app on a home screen.
    ///
    /// - Parameter code: The code that the app begins with, because on an iPhone it does not share the storage of the
    ///   browser; `nil` for none.
    static func manifest(with code: PairingCode?) -> FunctionResponse {
        let size = JSONValue.string("\(TryIcon.size)x\(TryIcon.size)")
        let icons = ["any", "maskable"].map { purpose -> JSONValue in
            ["src": "icon.png", "sizes": size, "type": "image/png", "purpose": .string(purpose)]
        }
        let manifest: JSONValue = [
            "name": "Pushgate", "short_name": "Pushgate", "lang": "en",
            "start_url": .string(pathFromFiles + (code.map { "#" + $0.text } ?? "")), "scope": .string(pathFromFiles),
            "display": "standalone", "background_color": "#f2f3f8", "theme_color": "#3a4bd6", "icons": .array(icons),
        ]
        return FunctionResponse(
            headerFields: [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            content: .bytes(manifest.serialized, type: "application/manifest+json"))
    }
}
