import Cryptography
import Functions
import HTTPTypes
import Hummingbird

/// A page of the console, or the way to another one.
enum ConsoleAnswer: Sendable {
    case page(ConsolePage)
    /// The path of the page to go on to: after a change, of the page that shows it, with the change in words.
    case see(String, done: String?)
    case file(type: String, name: String, ResponseBody)
}

/// An entry of the console's menu.
struct ConsoleSection: Hashable, Sendable {
    let title: String
    /// The path of its page.
    let path: String

    static let overview = ConsoleSection(title: "Overview", path: "/")
    static let messages = ConsoleSection(title: "Messages", path: "/console/messages")
    static let documents = ConsoleSection(title: "Documents", path: "/console/documents")
    static let devices = ConsoleSection(title: "Devices", path: "/console/devices")
    static let servers = ConsoleSection(title: "Servers", path: "/console/servers")
    static let pairing = ConsoleSection(title: "Pairing", path: "/console/pairing")
    static let keys = ConsoleSection(title: "Keys", path: "/console/keys")
    static let webhooks = ConsoleSection(title: "Webhooks", path: "/console/webhooks")
    static let inbox = ConsoleSection(title: "Inbox", path: "/console/inbox")
    /// The search, which is no entry of the menu but a field beside it.
    static let search = ConsoleSection(title: "Search", path: "/console/search")
}

/// A page of the console.
struct ConsolePage: Sendable {
    var status = HTTPResponse.Status.ok
    let section: ConsoleSection?
    let title: String
    /// `true` if the page shows changes as they happen.
    var isLive = false
    /// The text that the field of the search has.
    var searched = ""
    /// The reason why the form on the page was refused.
    var problem: String?
    let content: HTML

    /// - Parameter notice: A change that was just made, in words.
    func html(for session: ConsoleSessions.Session, menu: [ConsoleSection], notice: String? = nil) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex, nofollow">
        <meta name="color-scheme" content="light dark">
        <title>\(problem == nil ? "" : "Not done: ")\(title) – Pushgate</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="\(ConsoleFile.style.path)">
        <script src="\(ConsoleFile.script.path)" defer></script>
        </head>
        <body\(isLive ? " data-live" as HTML : "")>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
        <a class="brand" href="/">\(Self.sign)Pushgate</a>
        <nav aria-label="Console">
        \(menu.map(link))
        </nav>
        <form class="search" method="get" action="\(ConsoleSection.search.path)" role="search">
        <label class="unseen" for="search">Search</label>
        <input id="search" name="q" type="search" value="\(searched)" placeholder="Search" autocomplete="off" required>
        </form>
        <form method="post" action="/console/sign-out">
        \(Self.key(session))
        \(session.role == .reader ? "<span class=\"role\">read only</span>" as HTML : "")
        <button class="quiet">Sign out</button>
        </form>
        </header>
        \(notice.map { "<p class=\"done\" role=\"status\">\($0)</p>" as HTML })
        <main id="content">
        \(problem.map { "<p class=\"problem\" role=\"alert\" tabindex=\"-1\" autofocus>\($0)</p>" as HTML })
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private func link(_ section: ConsoleSection) -> HTML {
        let current: HTML = section == self.section ? " aria-current=\"page\"" : ""
        return "<a href=\"\(section.path)\"\(current)>\(section.title)</a>\n"
    }

    private static let sign: HTML = """
        <svg viewBox="0 0 48 48" width="28" height="28" aria-hidden="true">\
        <rect class="tile" width="48" height="48" rx="12"/>\
        <path class="sign" d="M14 34V22a10 10 0 0 1 20 0v12M10 34h28M24 20v9m-4-4 4 4 4-4"/></svg>
        """

    /// Returns the field that each form contains.
    static func key(_ session: ConsoleSessions.Session) -> HTML {
        "<input type=\"hidden\" name=\"key\" value=\"\(session.formKey)\">"
    }

    /// The page at an address that has none.
    static let unknownAddress = ConsolePage(
        status: .notFound, section: nil, title: "Nothing here",
        content: """
            <h1>Nothing here</h1>
            <p>The console has no page at this address. The menu lists the pages of the systems that are switched on.</p>
            """)

    /// Returns the page for an error.
    static func error(_ status: HTTPResponse.Status, _ message: String) -> ConsolePage {
        ConsolePage(
            status: status, section: nil, title: "That did not work",
            content: """
                <h1>That did not work</h1>
                <p class="problem" role="alert">\(message.capitalizedSentence)</p>
                <p>Go back to correct it, or to the <a href="/">overview</a>.</p>
                """)
    }
}

/// A file that pages of the console load. The path changes with the contents, so browsers may keep it.
struct ConsoleFile: Sendable {
    let path: String
    let type: String
    let text: String

    private init(_ name: String, _ type: String, _ text: String) {
        path = "/console/\(SHA256.hexadecimal(of: text).prefix(12))/\(name)"
        self.type = type
        self.text = text
    }

    static let style = ConsoleFile("console.css", "text/css; charset=utf-8", ConsoleStyle.text)
    static let script = ConsoleFile("console.js", "text/javascript; charset=utf-8", ConsoleScript.text)

    var response: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "public, max-age=31536000, immutable",
                .xContentTypeOptions: "nosniff",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension String {
    /// The text as a sentence: with a capital letter and a full stop.
    var capitalizedSentence: String {
        let text = prefix(1).uppercased() + dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}
