import APNsSimulator
import Cryptography
import DocumentStore
import Foundation
import HTTPTypes
import JSON
import Messaging
import Secrets
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("The console", .timeLimit(.minutes(10)))
struct ConsoleTests {
    private static let readToken = "reads-only-0123456789"
    private static let pages = [
        "/", "/console/messages", "/console/messages?state=waiting&source=fcm", "/console/documents",
        "/console/documents?path=servers", "/console/devices", "/console/devices?of=registrations",
        "/console/devices/topics", "/console/servers", "/console/pairing", "/console/keys",
        "/console/webhooks", "/console/inbox", "/console/search?q=a",
    ]

    // MARK: Access

    @Test("Without a session each page leads to the first, which has the form to sign in and no facts")
    func signedOut() async throws {
        try await withGateway { gateway in
            let home = try await gateway.caller.send(.get, "/")
            #expect(home.status == 200 && home.text.contains("action=\"/console/sign-in\""))
            #expect(!home.text.contains(GatewayVersion.current))
            for page in Self.pages.dropFirst() + [
                "/console", "/console/messages/x", "/console/documents/export?path=a",
            ] {
                let answer = try await gateway.caller.send(.get, page, headerFields: [.cookie: "pushgate-console=abc"])
                #expect(answer.status == 303, "\(page)")
                let start = page == "/console" ? "/" : "/?next=/console/"
                #expect(answer.headerFields[.location]?.hasPrefix(start) == true, "\(page)")
            }
            #expect(try await gateway.caller.send(.get, "/console/changes").status == 401)
            for path in ["/console/messages", "/console/servers", "/console/documents", "/console/inbox"] {
                #expect(try await gateway.caller.send(.post, path, body: Array("a=b".utf8)).status == 303)
            }
        }
    }

    @Test("Signing in leads to the page that was asked for, after a wrong token too, and never to another site")
    func destination() async throws {
        try await withGateway { gateway in
            let wanted = "/console/messages?state=waiting&source=fcm"
            let led = try await gateway.caller.send(.get, wanted)
            let home = try #require(led.headerFields[.location])
            #expect(home == "/?next=/console/messages%3Fstate%3Dwaiting%26source%3Dfcm")
            let form = try await gateway.caller.send(.get, home).text
            let shown = try #require(form.firstMatch(of: /name="next" value="([^"]+)"/))
            #expect(shown.1 == "/console/messages?state=waiting&amp;source=fcm")
            let wrong = try await ConsoleUser.signIn(gateway, "wrong", next: wanted)
            #expect(wrong.text.contains("name=\"next\" value=\"\(shown.1)\""))
            let loadedAgain = try await gateway.caller.send(.get, "/console/sign-in")
            #expect(loadedAgain.status == 303 && loadedAgain.headerFields[.location] == "/")
            let token = gateway.gateway.adminToken.value
            #expect(
                try await ConsoleUser.signIn(gateway, token, next: wanted).headerFields[.location] == wanted)
            for other in [
                "https://evil.example/", "//evil.example/console/", "/\\evil.example", "/console", "/v1/servers",
                "/console/a b", "/console/\r\nx: y", "",
            ] {
                let answer = try await ConsoleUser.signIn(gateway, token, next: other)
                #expect(answer.status == 303 && answer.headerFields[.location] == "/", "\(other)")
            }
        }
    }

    @Test("An unknown address is a page with the menu, after signing in")
    func unknownAddress() async throws {
        try await withGateway { gateway in
            let user = try await ConsoleUser(gateway)
            for path in ["/console/nothing", "/console/nothing/at/all", "/console/messages/a/b"] {
                let page = try await user.get(path)
                #expect(page.status == 404 && page.text.contains("<h1>Nothing here</h1>"), "\(path)")
                #expect(page.text.contains("<a href=\"/console/devices\">Devices</a>"), "\(path)")
                #expect(page.headerFields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
                #expect(try await gateway.caller.send(.get, path).status == 303, "\(path)")
            }
        }
    }

    @Test("An unknown address outside the console is a page for browsers, and JSON for programs")
    func unknownAddressOfBrowsers() async throws {
        try await withGateway { gateway in
            let browser: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"]
            let page = try await gateway.caller.send(.get, "/nothing/here", headerFields: browser)
            #expect(page.status == 404 && page.text.contains("<h1>Nothing here</h1>"))
            #expect(page.headerFields[.contentType] == "text/html; charset=utf-8")
            #expect(page.headerFields[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
            let program = try await gateway.caller.send(.get, "/nothing/here")
            #expect(program.status == 404 && program.body["error"] != nil)
            let posted = try await gateway.caller.send(.post, "/nothing/here", headerFields: browser)
            #expect(posted.status == 404 && posted.body["error"] != nil)
            // A system's own answers stay as they are.
            let missing = try await gateway.caller.send(.get, "/v1/deliveries/none", headerFields: browser)
            #expect(missing.status == 401 && !missing.text.contains("<h1>"))
        }
    }

    @Test("The cookie reaches no script and no other site, and only TLS if it was used; signing out ends the session")
    func cookie() async throws {
        try await withGateway { gateway in
            let token = gateway.gateway.adminToken.value
            let plain = try await ConsoleUser.signIn(gateway, token).headerFields[.setCookie] ?? ""
            #expect(plain.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
            let forwarded = try #require(HTTPField.Name("X-Forwarded-Proto"))
            let proxied = try await ConsoleUser.signIn(gateway, token, [forwarded: "https"])
            #expect(proxied.headerFields[.setCookie]?.hasSuffix("SameSite=Strict; Secure") == true)
            let user = try await ConsoleUser(gateway)
            #expect(try await user.get("/").text.contains("<h1>Overview</h1>"))
            let out = try await user.post("/console/sign-out", [:])
            #expect(out.status == 303 && out.headerFields[.setCookie]?.contains("Max-Age=0") == true)
            #expect(try await user.get("/console/messages").status == 303)
        }
    }

    @Test("Wrong tokens are refused, and after ten of an address even the right one has to wait")
    func guesses() async throws {
        try await withGateway { gateway in
            for _ in 0..<10 {
                let answer = try await ConsoleUser.signIn(gateway, "wrong")
                #expect(answer.status == 403 && answer.text.contains("not the token of this gateway"))
                #expect(answer.headerFields[.setCookie] == nil)
            }
            let refused = try await ConsoleUser.signIn(gateway, gateway.gateway.adminToken.value)
            #expect(refused.status == 429 && refused.headerFields[.retryAfter] != nil)
            #expect(refused.text.contains("Too many wrong tokens"))
        }
    }

    @Test("A form without this session's key, or from a page of another site, changes nothing")
    func forgery() async throws {
        try await withGateway { gateway in
            let user = try await ConsoleUser(gateway)
            let key = String(repeating: "a", count: 64)
            let deny = ["server": key, "access": "denied"]
            for wrong in ["", "x", try await ConsoleUser(gateway).cookie] {
                let answer = try await user.post("/console/servers", deny, key: wrong)
                #expect(answer.status == 403 && answer.text.contains("not of this session"))
            }
            for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
                let answer = try await user.post("/console/servers", deny, [.origin: origin])
                #expect(answer.status == 403, "\(origin)")
                #expect(
                    try await ConsoleUser.signIn(gateway, gateway.gateway.adminToken.value, [.origin: origin]).status
                        == 403)
            }
            #expect(try await gateway.ask("/v1/servers").body["servers"] == [])
            #expect(try await user.post("/console/servers", deny, [.origin: gateway.url]).status == 303)
            #expect(try await gateway.ask("/v1/servers").body["servers"]?[0]?["access"] == "denied")
        }
    }

    @Test("The token that reads only shows all pages, without forms, and its user changes nothing")
    func reader() async throws {
        try await withGateway(["admin.readToken": Self.readToken]) { gateway in
            _ = try await Daemon(gateway.caller).register("phone", token: "emulated:phone")
            let user = try await ConsoleUser(gateway, token: Self.readToken)
            for page in Self.pages {
                let answer = try await user.get(page)
                #expect(answer.status == 200, "\(page)")
                let forms = answer.text.matches(of: /<form method="post" action="([^"]+)"/).map { String($0.1) }
                #expect(forms == ["/console/sign-out"], "\(page)")
            }
            for path in ["/console/messages", "/console/servers", "/console/documents", "/console/devices"] {
                let answer = try await user.post(path, ["to": "emulated:1", "body": "x"])
                #expect(answer.status == 403 && answer.text.contains("reads only"))
            }
            let bearer: HTTPFields = [.authorization: "Bearer \(Self.readToken)"]
            #expect(try await gateway.caller.send(.get, "/v1/deliveries", headerFields: bearer).status == 401)
        }
    }

    @Test("Every page has a strict policy, is not kept, and shows no secret and no whole token")
    func secrecy() async throws {
        try await withSimulator { apns in
            try await withGateway(["admin.readToken": Self.readToken], simulator: apns) { gateway in
                let (token, secret) = (String.randomToken(), String.randomSecret())
                let daemon = Daemon(gateway.caller, secret: secret)
                let registered = try await daemon.register("phone", token: token).body
                try await daemon.trigger()
                let user = try await ConsoleUser(gateway)
                let agent =
                    "servers/\(registered["server_key"]?.string ?? "")/agents/\(registered["agent_key"]?.string ?? "")"
                let id = try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]?["id"]?.string ?? ""
                let paths = [
                    "/console/documents?path=\(agent)/devices/phone", "/console/messages/\(id)",
                    "/console/devices/device?path=\(agent)/devices/phone&test=\(id)",
                    "/console/documents?path=messages/\(id)",
                ]
                for page in Self.pages + paths {
                    let answer = try await user.get(page)
                    #expect(answer.status == 200, "\(page)")
                    let policy = answer.headerFields[.contentSecurityPolicy] ?? ""
                    #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
                    #expect(answer.headerFields[.cacheControl] == "no-store")
                    let secrets = [
                        token, secret, gateway.gateway.adminToken.value, Self.readToken,
                        String(user.cookie.split(separator: "=")[1]),
                    ]
                    for secret in secrets { #expect(!answer.text.contains(secret), "\(page)") }
                    #expect(!answer.text.contains("style=\"") && !answer.text.contains(" onclick"))
                }
                let export = try await user.get("/console/documents/export?path=servers")
                #expect(export.text.contains("phone") && !export.text.contains(token))
                for path in [":", "a//b"] {
                    let status = try await user.get("/console/documents/export?path=\(path)").status
                    #expect(status == 400 || status == 404, "\(path): \(status)")
                }
            }
        }
    }

    @Test("Texts of strangers are shown as texts")
    func markup() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            let text = "<script>alert(1)</script>\"'&"
            try await daemon.register(
                "phone", token: "emulated:\"<b>", cwd: "/srv/\(text)", ["agent_display_name": .string(text)])
            try await daemon.trigger(cwd: "/srv/\(text)", preview: text)
            let user = try await ConsoleUser(gateway)
            for page in Self.pages {
                let html = try await user.get(page).text
                #expect(!html.contains("<script>alert") && !html.contains("<b>"), "\(page)")
            }
            #expect(try await user.get("/console/inbox").text.contains("&lt;script&gt;alert(1)"))
        }
    }

    // MARK: Pages

    @Test("Empty pages show the command that fills them, and no longer once there is something")
    func emptyPages() async throws {
        try await withGateway { gateway in
            let user = try await ConsoleUser(gateway)
            let names = ["messages", "devices", "servers", "inbox", "keys"]
            let pages = names.map { "/console/\($0)" }
            for page in pages {
                let text = try await user.get(page).text
                #expect(text.contains("<div class=\"empty\">") && text.contains("<code>"), "\(page)")
                #expect(text.contains("data-copy hidden>Copy</button>"), "\(page)")
                #expect(text.contains("as the user who runs the gateway, or as root:"), "\(page)")
            }
            let filtered = try await user.get("/console/messages?state=waiting").text
            #expect(filtered.contains("No such messages") && !filtered.contains("data-copy"))
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await daemon.trigger()
            for page in pages.dropLast() {
                #expect(try await !user.get(page).text.contains("data-copy"), "\(page)")
            }
        }
    }

    @Test("A form that is refused is shown again as it was filled in, with the reason")
    func refusedForms() async throws {
        try await withGateway { gateway in
            let user = try await ConsoleUser(gateway)
            let message = try await user.post(
                "/console/messages", ["to": "servers/<nobody>", "title": "Dinner", "body": "Pizza & salad"])
            #expect(message.status == 404 && message.text.contains("role=\"alert\""))
            for entry in ["servers/&lt;nobody&gt;", "Dinner", "Pizza &amp; salad"] {
                #expect(message.text.contains("value=\"\(entry)\""), "\(entry)")
            }
            #expect(message.text.contains("<details class=\"card\" open>") && !message.text.contains("data-live"))
            let document = ["action": "create", "path": "notes/x", "shown": "notes", "fields": "{\"a\": <b>}"]
            let created = try await user.post("/console/documents", document)
            #expect(created.status == 400 && created.text.contains("value=\"notes/x\""))
            #expect(created.text.contains("{&quot;a&quot;: &lt;b&gt;}</textarea>"))
            let decision = ["server": "abc", "name": "mine", "access": "allowed"]
            let server = try await user.post("/console/servers", decision)
            #expect(server.status == 400 && server.text.contains("value=\"abc\""))
            #expect(server.text.contains("value=\"mine\""))
            let script = ["action": "script", "error": "QUOTA_EXCEEDED", "token": "emulated:x", "times": "0"]
            let scripted = try await user.post("/console/inbox", script)
            #expect(scripted.status == 400 && scripted.text.contains("<option selected>QUOTA_EXCEEDED</option>"))
            #expect(scripted.text.contains("value=\"emulated:x\"") && scripted.text.contains("value=\"0\""))
            // Another site's form is not filled in for it.
            let forged = try await user.post("/console/messages", ["to": "emulated:<x>", "title": "Dinner"], key: "x")
            #expect(forged.status == 403 && !forged.text.contains("Dinner"))
        }
    }

    @Test("The page after a change says what was done, once, to its own user")
    func notices() async throws {
        try await withGateway { gateway in
            let (user, other) = (try await ConsoleUser(gateway), try await ConsoleUser(gateway))
            let key = String(repeating: "a", count: 64)
            let said = "role=\"status\">The server aaaaaaaa… is denied; 0 subscriptions were removed.</p>"
            _ = try await user.post("/console/servers", ["server": key, "access": "denied"])
            let refresh = try #require(HTTPField.Name("X-Console-Refresh"))
            let live = try await gateway.caller.send(
                .get, "/console/inbox", headerFields: [.cookie: user.cookie, refresh: "1"])
            #expect(live.status == 200 && !live.text.contains("role=\"status\""))
            #expect(try await !other.get("/console/servers").text.contains("role=\"status\""))
            #expect(try await user.get("/console/servers").text.contains(said))
            #expect(try await !user.get("/console/servers").text.contains("role=\"status\""))
            _ = try await user.post(
                "/console/documents", ["action": "create", "path": "notes/<b>", "fields": "{}"])
            #expect(try await user.get("/console/documents?path=notes").text.contains("The document is created."))
        }
    }

    @Test("A test is sent, its outcome is explained, and it can be sent again")
    func sending() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let token = String.randomToken()
                let registered = try await Daemon(gateway.caller).register("phone", token: token).body
                let agent =
                    "servers/\(registered["server_key"]?.string ?? "")/agents/\(registered["agent_key"]?.string ?? "")"
                let user = try await ConsoleUser(gateway)
                let sent = try await user.post(
                    "/console/messages", ["to": "\(agent)/devices/phone", "title": "Hello", "body": "A test"])
                let path = try #require(sent.headerFields[.location])
                #expect(sent.status == 303 && path.hasPrefix("/console/messages/"))
                #expect(
                    try await eventually { try await user.get(path).text.contains("Apple accepted it.") },
                    "the outcome is shown")
                let again = try await user.post(path + "/again?page=0", [:])
                #expect(again.status == 303 && again.headerFields[.location] != path)
                #expect(await eventually { apns.simulator.received().count == 2 })
                let list = try await user.get("/console/messages?source=admin").text
                #expect(list.matches(of: />Hello</).count == 2)
                #expect(try await user.get("/console/messages?state=rejected").text.contains("No such messages"))
                let wrong = try await user.post("/console/messages", ["to": "servers/nobody", "body": "x"])
                #expect(wrong.status == 404 && wrong.text.contains("There is no document servers/nobody"))
            }
        }
    }

    @Test("A message for later is shown above the others, and cancelled by the admin alone")
    func scheduled() async throws {
        try await withGateway(["admin.readToken": Self.readToken]) { gateway in
            let message: JSONValue = ["to": "emulated:phone", "title": "<b>Later</b>", "deliver_in": "2d"]
            let answer = try await gateway.ask("/v1/deliveries", .post, message)
            let id = try #require(answer.body["id"]?.string)
            let (admin, reader) = (
                try await ConsoleUser(gateway), try await ConsoleUser(gateway, token: Self.readToken)
            )
            for user in [admin, reader] {
                let page = try await user.get("/console/messages").text
                #expect(page.contains("For later") && page.contains("&lt;b&gt;Later"))
                #expect(page.contains("\(id)/cancel") == (user.cookie == admin.cookie))
            }
            #expect(try await reader.post("/console/messages/\(id)/cancel", [:]).status == 403)
            #expect(try await admin.post("/console/messages/\(id)/cancel", [:]).status == 303)
            #expect(try await !admin.get("/console/messages").text.contains("For later"))
            #expect(try await admin.post("/console/messages/\(id)/cancel", [:]).status == 404)
        }
    }

    @Test("The page shows the first 50 messages for later, and says how to see the others")
    func manyScheduled() async throws {
        try await withGateway { gateway in
            let user = try await ConsoleUser(gateway)
            for number in 1...51 {
                let title = JSONValue.string("Later \(number)")
                let message: JSONValue = ["to": "emulated:phone", "title": title, "deliver_in": "2d"]
                #expect(try await gateway.ask("/v1/deliveries", .post, message).status == 200)
                guard number >= 50 else { continue }
                let page = try await user.get("/console/messages").text
                #expect(page.contains("deliveries --scheduled") == (number == 51))
                #expect(page.matches(of: />Later [0-9]+</).count == 50)
            }
        }
    }

    @Test("Messages are listed with recipient, app and text, and one goes to newer and older ones by links alone")
    func listOfMessages() async throws {
        try await withGateway { gateway in
            let user = try await ConsoleUser(gateway)
            for number in 1_000..<1_120 {
                let form = ["to": "emulated:\(number)", "title": "n\(number)", "body": "Text <\(number)>"]
                _ = try await user.post("/console/messages", form)
            }
            func titles(_ page: String) -> [String] { page.matches(of: />(n1[0-9]{3})<\/a>/).map { String($0.1) } }
            func link(_ words: String, in page: String) throws -> String {
                let links = page.matches(of: /<a href="([^"]+)">([^<]+)<\/a>/)
                let found = try #require(links.first { $0.2 == words }, "\(words)")
                return String(found.1).replacing("&amp;", with: "&")
            }
            let all = (1_000..<1_120).reversed().map { "n\($0)" }
            let first = try await user.get("/console/messages?source=admin").text
            #expect(titles(first) == Array(all[..<50]) && !first.contains("Newer messages"))
            #expect(first.contains("<p class=\"text\">Text &lt;1119&gt;</p>") && first.contains("a bare token"))
            #expect(!first.contains("<button class=\"quiet\">Show</button>"))
            let second = try await user.get(link("Older messages", in: first)).text
            #expect(titles(second) == Array(all[50..<100]) && second.contains("aria-current=\"true\">admin</a>"))
            let third = try await user.get(link("Older messages", in: second)).text
            #expect(titles(third) == Array(all[100...]) && !third.contains(">Older messages<"))
            let back = try await user.get(link("Newer messages", in: third)).text
            #expect(titles(back) == Array(all[50..<100]))
            let top = try await user.get(link("Newer messages", in: back)).text
            #expect(titles(top) == Array(all[..<50]))
            #expect(try await titles(user.get(link("Older messages", in: top)).text) == Array(all[50..<100]))
        }
    }

    @Test("A document is created, changed by what differs and under its update time, exported, and deleted")
    func documents() async throws {
        try await withGateway { gateway in
            let user = try await ConsoleUser(gateway)
            let fields =
                #"{"a": {"integerValue": "1"}, "fcmToken": {"stringValue": "emulated:x"}, "odd name": {"booleanValue": true}}"#
            let created = try await user.post(
                "/console/documents", ["action": "create", "path": "notes/x", "fields": fields])
            #expect(created.headerFields[.location] == "/console/documents?path=notes/x")
            #expect(
                try await user.post("/console/documents", ["action": "create", "path": "notes/x", "fields": "{}"])
                    .status == 409)
            let page = try await user.get("/console/documents?path=notes/x").text
            #expect(page.contains("token#") && page.contains("Not here, and kept as they are: fcmToken"))
            let time = try #require(page.firstMatch(of: /name="updateTime" value="([^"]+)"/).map { String($0.1) })
            let patch = ["action": "patch", "path": "notes/x", "updateTime": time]
            let changed = try await user.post(
                "/console/documents", patch.merging(["fields": #"{"a": {"integerValue": "2"}}"#]) { $1 })
            #expect(changed.status == 303)
            let stored = try await gateway.gateway.store.document(at: DocumentPath("notes/x"))
            #expect(stored?.fields == ["a": .integer(2), "fcmToken": "emulated:x"])
            let late = try await user.post(
                "/console/documents", patch.merging(["fields": #"{"a": {"integerValue": "3"}}"#]) { $1 })
            #expect(late.status == 400)
            let broken = try await user.post("/console/documents", patch.merging(["fields": "a"]) { $1 })
            #expect(broken.status == 400 && broken.text.contains("in line 1, column 1"))
            let export = try await user.get("/console/documents/export?path=notes")
            #expect(export.headerFields[.contentDisposition] == "attachment; filename=\"notes.jsonl\"")
            #expect(
                try JSONValue(parsing: export.text.trimmingCharacters(in: .newlines))["fields"]?["a"] == [
                    "integerValue": "2"
                ])
            let now = try #require(stored).updateTime.description
            let deleted = try await user.post(
                "/console/documents", ["action": "delete", "path": "notes/x", "updateTime": now])
            #expect(deleted.headerFields[.location] == "/console/documents?path=notes")
            #expect(try await user.get("/console/documents?path=notes/x").status == 404)
        }
    }

    @Test("A large collection is shown page by page, and a document that is missing by its collections")
    func pagesOfDocuments() async throws {
        try await withGateway { gateway in
            let writes = try (0..<120).map {
                Write.set(try DocumentPath("notes/\($0 + 1_000)/below/1"), ["a": .integer(1)])
            }
            _ = try await gateway.gateway.store.commit(writes)
            let user = try await ConsoleUser(gateway)
            var (path, found) = ("/console/documents?path=notes", 0)
            for _ in 0..<4 {
                let page = try await user.get(path).text
                found += page.matches(of: /path=notes\/1[0-9]{3}"/).count
                guard let next = page.firstMatch(of: /href="([^"]+after=[^"]+)">More/) else { break }
                path = String(next.1).replacing("&amp;", with: "&")
            }
            #expect(found == 120)
            let missing = try await user.get("/console/documents?path=notes/1000").text
            #expect(missing.contains("There is no document of this name") && missing.contains(">below<"))
            let export = try await user.get("/console/documents/export?path=notes").text
            #expect(export.split(separator: "\n").count == 120)
        }
    }

    @Test("A list of large documents has all names, and the fields of the first ones only")
    func largeDocuments() async throws {
        try await withGateway { gateway in
            let large = String(repeating: "a", count: 700_000)
            for id in 1...4 {
                _ = try await gateway.gateway.store.commit([
                    .set(try DocumentPath("notes/\(id)"), ["big": .string(large), "small": .integer(1)])
                ])
            }
            let page = try await ConsoleUser(gateway).get("/console/documents?path=notes").text
            #expect(page.matches(of: /path=notes\/[1-4]"/).count == 4)
            #expect(page.contains("<th>Document</th><th>big</th><th>small</th>"))
            let (big, small) = ("<span class=\"unit\">big</span> ", "<span class=\"unit\">small</span> ")
            let cells = "<td class=\"detail\">\(big)\(large.prefix(60))…</td><td class=\"detail\">\(small)1</td>"
            #expect(page.split(separator: cells).count == 3)
            #expect(page.matches(of: /<td class="detail">…<\/td><td class="detail">…<\/td>/).count == 2)
            #expect(!page.contains(String(repeating: "a", count: 61)))
        }
    }

    @Test("Documents are found by their path and by a field, and the gateway's own collections come last")
    func filters() async throws {
        try await withGateway(["admin.readToken": Self.readToken, "functions.humantasks.enabled": "true"]) { gateway in
            let writes = try (1...60).map { number in
                Write.set(
                    try DocumentPath("zoo/z/animals/\(1_000 + number)"),
                    [
                        "legs": .integer(Int64(number % 3 == 0 ? 2 : 4)), "name": .string("n<\(number)>"),
                        "home": .reference("projects/pushgate/databases/(default)/documents/zoo/z"),
                    ])
            }
            _ = try await gateway.gateway.store.commit(
                writes + [
                    .set(try DocumentPath("humanTasks/secret-task"), ["name": "x"]),
                    .set(try DocumentPath("schedules/x"), ["a": .integer(1)]),
                ])
            let user = try await ConsoleUser(gateway)
            func ids(_ page: String) -> [String] { page.matches(of: />(10[0-9]{2})<\/a>/).map { String($0.1) } }
            let root = try await user.get("/console/documents").text
            let places = [">zoo</a>", "The gateway's own", ">schedules</a>"].compactMap {
                root.range(of: $0)?.lowerBound
            }
            #expect(places.count == 3 && places == places.sorted())
            #expect(try await ids(user.get("/console/documents?path=%20/zoo/z/animals/").text).count == 50)
            let path = "/console/documents?path=zoo/z/animals"
            let two = try await user.get(path + "&field=legs&is=EQUAL&value=2").text
            #expect(ids(two) == (1...20).map { "\(1_000 + $0 * 3)" } && two.contains("n&lt;3&gt;"))
            #expect(two.contains("<a href=\"/console/documents?path=zoo/z\">zoo/z</a>"))
            let four = try await user.get(path + "&field=legs&is=GREATER_THAN&value=1").text
            let next = try #require(four.firstMatch(of: /href="([^"]+)">More documents/))
            let rest = try await user.get(String(next.1).replacing("&amp;", with: "&")).text
            #expect(Set(ids(four) + ids(rest)).count == 60)
            for place in [Int.min, -1] {
                #expect(try await ids(user.get(path + "&field=legs&value=2&first=\(place)").text).count == 20)
            }
            let wrong = try await user.get(path + "&field=a..b&value=2")
            #expect(wrong.status == 200 && wrong.text.contains("role=\"alert\""))
            #expect(wrong.text.contains("value=\"a..b\""))
            let hidden = try await user.get(path + "&field=token&value=x")
            #expect(hidden.status == 200 && hidden.text.contains("This database has fields that are hidden."))
            #expect(hidden.text.contains("value=\"EQUAL\"") && !hidden.text.contains("value=\"NOT_EQUAL\""))
            #expect(try await user.get(path + "&field=legs&value=none").text.contains("No document matches."))
            let reader = try await ConsoleUser(gateway, token: Self.readToken)
            for secret in ["humanTasks", "/humanTasks"] {
                let page = try await reader.get("/console/documents?path=\(secret)&field=name&value=x")
                #expect(page.status == 403 && !page.text.contains("secret-task"), "\(secret)")
            }
        }
    }

    @Test("A filter shows the documents up to its bound, and says there that there are more, whatever the address asks")
    func boundOfFilter() async throws {
        try await withGateway { gateway in
            for start in stride(from: 0, to: 10_100, by: 500) {
                let writes = try (start..<min(start + 500, 10_100)).map {
                    Write.set(try DocumentPath("notes/\(100_000 + $0)"), ["a": .integer(1)])
                }
                _ = try await gateway.gateway.store.commit(writes)
            }
            let user = try await ConsoleUser(gateway)
            for place in [10_000, 10_050, Int.max] {
                let page = try await user.get("/console/documents?path=notes&field=a&value=1&first=\(place)")
                #expect(page.status == 200 && page.text.contains("There are more: narrow the filter."))
                #expect(page.text.contains(">110000</a>") && !page.text.contains("More documents"), "\(place)")
            }
        }
    }

    @Test("A few databases are links, and many a choice in a form")
    func databases() async throws {
        try await withGateway { gateway in
            func add(_ project: String) async throws {
                let path = "/v1/projects/\(project)/databases/(default)/documents/notes/a"
                let answer = try await gateway.ask(path, .patch, ["fields": ["a": ["integerValue": "1"]]])
                try #require(answer.status == 200, "\(answer.text)")
            }
            let user = try await ConsoleUser(gateway)
            #expect(try await !user.get("/console/documents").text.contains("aria-label=\"Database\""))
            try await add("shop")
            let few = try await user.get("/console/documents?database=shop/(default)").text
            #expect(few.contains("aria-current=\"true\">shop/(default)</a>") && few.contains(">notes</a>"))
            #expect(!few.contains("The gateway&#39;s own") && !few.contains("The gateway's own"))
            for number in 0..<8 { try await add("project-\(number)") }
            let many = try await user.get("/console/documents").text
            #expect(many.contains("<select name=\"database\">"))
            #expect(many.contains("<option>project-7/(default)</option>"))
        }
    }

    @Test("Collections below a document are shown page by page, and an export has all of them")
    func manyCollections() async throws {
        try await withGateway { gateway in
            let writes = try (0..<350).map {
                Write.set(try DocumentPath("notes/a/c\($0 + 1_000)/1"), ["a": .integer(1)])
            }
            _ = try await gateway.gateway.store.commit(writes)
            let user = try await ConsoleUser(gateway)
            var found: [String] = []
            var path = "/console/documents?path=notes/a"
            for _ in 0..<3 {
                let page = try await user.get(path).text
                found += page.matches(of: />(c1[0-9]{3})<\/a>/).map { String($0.1) }
                guard let next = page.firstMatch(of: /href="([^"]+)">More collections/) else { break }
                path = String(next.1).replacing("&amp;", with: "&")
            }
            #expect(found == (0..<350).map { "c\($0 + 1_000)" })
            for path in ["notes", "notes/a"] {
                let export = try await user.get("/console/documents/export?path=\(path)").text
                #expect(export.split(separator: "\n").count == 350, "\(path)")
            }
        }
    }

    @Test("Devices are listed with their systems, and removed; a path that is no device is not")
    func devices() async throws {
        try await withGateway { gateway in
            let registered = try await Daemon(gateway.caller).register("phone", token: "emulated:phone").body
            let agent =
                "servers/\(registered["server_key"]?.string ?? "")/agents/\(registered["agent_key"]?.string ?? "")"
            let user = try await ConsoleUser(gateway)
            let page = try await user.get("/console/devices").text
            #expect(page.contains(">phone</a>") && page.contains("codeagents") && !page.contains("emulated:phone"))
            #expect(try await user.post("/console/devices", ["path": agent]).status == 400)
            let removed = try await user.post("/console/devices", ["path": "\(agent)/devices/phone", "of": "devices"])
            #expect(removed.status == 303)
            #expect(try await user.get("/console/devices?of=devices").text.contains("There are none."))
            #expect(try await user.post("/console/devices", ["path": "\(agent)/devices/phone"]).status == 404)
        }
    }

    @Test("Devices are listed page by page, and a page that finds none offers to continue")
    func pagesOfDevices() async throws {
        try await withGateway { gateway in
            for start in stride(from: 1_000, to: 1_300, by: 100) {
                let empty = try (start..<start + 100).map { try DocumentPath("servers/\($0)") }
                _ = try await gateway.gateway.store.commit(empty.map { .set($0, ["a": .integer(1)]) })
            }
            let devices = try (0..<60).map { try DocumentPath("servers/2000/agents/a\($0 % 7)/devices/d\($0)") }
            _ = try await gateway.gateway.store.commit(devices.map { .set($0, ["fcmToken": "emulated:x"]) })
            let user = try await ConsoleUser(gateway)
            var (path, found, searches) = ("/console/devices", 0, 0)
            for _ in 0..<5 {
                let page = try await user.get(path).text
                #expect(!page.contains("There are none."))
                found += page.matches(of: />d[0-9]+<\/a>/).count
                searches += page.contains(">Continue the search</a>") ? 1 : 0
                guard let next = page.firstMatch(of: /href="([^"]+after=[^"]+)">(?:More|Continue the search)/) else {
                    break
                }
                path = String(next.1).replacing("&amp;", with: "&")
            }
            #expect(found == 60 && searches == 1)
            #expect(try await user.get("/console/devices?after=rooms/x").status == 400)
        }
    }

    @Test("A topic has a page with its members, and a message reaches all of them")
    func topics() async throws {
        try await withGateway { gateway in
            let store = gateway.gateway.store
            let fields: Fields = ["token": "t", "deviceToken": "emulated:a", "transport": "emulated"]
            let writes = try ["anna", "bert"].flatMap { name in
                [
                    Write.set(try DocumentPath("registrations/\(name)"), fields),
                    Write.set(
                        try DocumentPath("topics/50%25/subscriptions/\(name)"),
                        ["token": "t", "createdAt": .timestamp(.now)]),
                    Write.set(
                        try DocumentPath("registrations/\(name)/topicSubscriptions/50%25"),
                        ["token": "t", "createdAt": .timestamp(.now)]),
                ]
            }
            _ = try await store.commit(writes)
            let user = try await ConsoleUser(gateway)
            let list = try await user.get("/console/devices/topics").text
            let link = try #require(list.firstMatch(of: /href="([^"]+)">50%25<\/a>/).map { String($0.1) })
            #expect(link == "/console/devices/topic?name=50%2525")
            let page = try await user.get(link).text
            #expect(page.contains("<h1>50%25</h1>") && page.contains("<p>Members: 2</p>"))
            #expect(page.contains(">anna</a>") && page.contains(">bert</a>") && page.contains("Member since"))
            let empty = try await user.post("/console/devices/topic", ["name": "50%25", "title": "", "body": ""])
            #expect(empty.status == 400 && empty.text.contains("<h1>50%25</h1>"))
            let sent = try await user.post("/console/devices/topic", ["name": "50%25", "body": "To all"])
            #expect(sent.status == 303 && sent.headerFields[.location]?.hasPrefix("/console/messages/") == true)
            let id = try #require(sent.headerFields[.location]?.split(separator: "/").last.map(String.init))
            #expect(try await gateway.ask("/v1/deliveries/\(id)").status == 200)
            #expect(try await user.get("/console/devices/topic?name=a%20b").status == 404)
            #expect(try await user.post("/console/devices/topic", ["name": "a b", "body": "x"]).status == 400)
            let none = try await user.get("/console/devices/topic?name=unknown").text
            #expect(none.contains("It has no members."))
        }
    }

    @Test("One field finds ids and names by their beginning, and texts of messages, with what each user may see")
    func search() async throws {
        let settings = ["admin.readToken": Self.readToken, "functions.humantasks.enabled": "true"]
        try await withGateway(settings) { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone-1", token: "emulated:a", ["agent_display_name": "Website"])
            try await daemon.trigger(preview: "The <b>bold</b> Invoice is ready.")
            let server = SHA256.hexadecimal(of: daemon.secret)
            let user = try await ConsoleUser(gateway)
            _ = try await user.post("/console/servers", ["server": server, "access": "allowed", "name": "Build host"])
            _ = try await gateway.gateway.store.commit([
                .set(try DocumentPath("topics/news-letter/subscriptions/x"), ["token": "t"]),
                .set(try DocumentPath("humanTaskTokens/secret-phone"), ["deviceToken": "emulated:x"]),
            ])
            let message = try #require(
                try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]?["id"]?.string)
            func results(_ text: String) async throws -> String {
                let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let page = try await user.get("/console/search?q=\(query)")
                #expect(page.status == 200, "\(text)")
                return page.text
            }
            #expect(try await results("phon").contains(">phone-1</a>"))
            #expect(try await results("websi").contains("Coding agents, Website"))
            #expect(try await results(String(server.prefix(10))).contains(">Build host</a>"))
            #expect(try await results("build").contains(String(server.prefix(16)) + "…"))
            #expect(try await results("news").contains(">news-letter</a>"))
            #expect(try await results("new-").contains("Nothing was found"))
            #expect(try await results("new-").contains("the newest 10,000 messages"))
            #expect(try await results(String(message.prefix(8))).contains("/console/messages/\(message)\">"))
            let text = try await results("INVOICE")
            #expect(text.contains("/console/messages/\(message)\">") && text.contains("&lt;b&gt;bold"))
            #expect(text.contains("name=\"q\" type=\"search\" value=\"INVOICE\""))
            #expect(try await results("servers/\(server)").contains("path=servers/\(server)\">"))
            #expect(try await results("<i>").contains("Nothing was found for “&lt;i&gt;”"))
            #expect(try await results("secret-p").contains(">secret-phone</a>"))
            let reader = try await ConsoleUser(gateway, token: Self.readToken)
            #expect(try await reader.get("/console/search?q=secret-p").text.contains("Nothing was found"))
            for odd in ["", " ", "/", "a//b", "..", "__x__", String(repeating: "a", count: 2_000)] {
                _ = try await results(odd)
            }
        }
    }

    @Test("Devices are counted, found by the beginning of their id or of their agent's name, and sorted by time")
    func searchForDevices() async throws {
        try await withGateway { gateway in
            let store = gateway.gateway.store
            let agents = try (0..<3).map { try DocumentPath("servers/s/agents/a\($0)") }
            _ = try await store.commit(
                agents.map { .set($0, ["agentDisplayName": .string("Website <\($0.id)>"), "cwd": "/srv"]) })
            func device(_ agent: DocumentPath, _ id: String, day: Int) throws -> Write {
                let time = try #require(Timestamp("2026-03-0\(day)T12:00:00Z"))
                return .set(
                    try agent.document(id, in: "devices"),
                    ["fcmToken": .string("emulated:\(id)"), "updatedAt": .timestamp(time)])
            }
            _ = try await store.commit([
                device(agents[0], "phone-1", day: 3), device(agents[1], "phone-2", day: 5),
                device(agents[2], "tablet", day: 4),
            ])
            let user = try await ConsoleUser(gateway)
            func ids(_ path: String) async throws -> [String] {
                try await user.get(path).text.matches(of: />(phone-[12]|tablet)<\/a>/).map { String($0.1) }
            }
            let page = try await user.get("/console/devices").text
            #expect(page.contains("<p>3 devices</p>") && page.contains("<td>Website &lt;a1&gt;</td>"))
            #expect(try await ids("/console/devices") == ["phone-1", "phone-2", "tablet"])
            #expect(try await ids("/console/devices?sort=newest") == ["phone-2", "tablet", "phone-1"])
            #expect(try await ids("/console/devices?q=PHONE") == ["phone-1", "phone-2"])
            #expect(try await ids("/console/devices?q=website%20%3Ca2") == ["tablet"])
            #expect(try await ids("/console/devices?q=ablet") == [])
            #expect(try await user.get("/console/devices?q=%3Cb%3E").text.contains("begins with “&lt;b&gt;”"))
            _ = try await store.commit(
                try ["abc", "abd", "b"].map { .set(try DocumentPath("registrations/\($0)"), ["a": .integer(1)]) })
            _ = try await store.commit(
                try (0..<21).map { .set(try agents[0].document("many-\(10 + $0)", in: "devices"), ["fcmToken": "x"]) })
            let many = try await user.get("/console/search?q=many-").text
            #expect(many.matches(of: />many-[0-9]+<\/a>/).count == 20)
            #expect(many.contains("of=devices&amp;q=many-\">More of Coding agents</a>"))
            let clients = try await user.get("/console/devices?of=registrations&q=ab").text
            #expect(clients.matches(of: />ab[cd]<\/a>/).count == 2 && !clients.contains(">b</a>"))
        }
    }

    @Test("The devices of each enabled system are listed and removed, those of human tasks by the admin token alone")
    func devicesOfSystems() async throws {
        let systems = ["runs": "runDevices", "sessions": "sessionPhones", "humantasks": "humanTaskTokens"]
        let keys = [
            "functions.runs.apiKeys": "0123456789abcdef0123", "functions.sessions.masterKey": "0123456789abcdef0123",
        ]
        let enabled = systems.keys.map { ("functions.\($0).enabled", "true") }
        let settings = keys.merging(enabled) { $1 }.merging(["admin.readToken": "reads-only-0123456789"]) { $1 }
        try await withGateway(settings) { gateway in
            let paths = try systems.values.map { try DocumentPath("\($0)/phone-\($0)") }
            _ = try await gateway.gateway.store.commit(
                paths.map {
                    .set($0, ["deviceToken": "emulated:x", "transport": "emulator", "updatedAt": .timestamp(.now)])
                })
            let (user, reader) = (
                try await ConsoleUser(gateway), try await ConsoleUser(gateway, token: "reads-only-0123456789")
            )
            let links = try await user.get("/console/devices").text
            #expect(!links.contains("turnDevices"))
            for path in paths {
                let page = "/console/devices?of=\(path.collection)"
                #expect(links.contains("of=\(path.collection)"))
                #expect(try await user.get(page).text.contains(">\(path.id)</a>"), "\(path)")
                let isSecret = path.collection.id == "humanTaskTokens"
                #expect(try await reader.get(page).text.contains(path.id) == !isSecret, "\(path)")
                let removed = try await user.post(
                    "/console/devices", ["path": path.description, "of": path.collection.description])
                #expect(removed.status == 303 && removed.headerFields[.location] == page)
                #expect(try await user.get(page).text.contains("There are none."))
            }
        }
    }

    @Test("Servers are listed with their names, their agents' names, and the numbers of agents and devices")
    func servers() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            for (device, folder) in [("phone", "/srv/a"), ("tablet", "/srv/a"), ("phone", "/srv/b")] {
                try await daemon.register(
                    device, token: "emulated:\(device)", cwd: folder, ["agent_display_name": .string("<\(folder)>")])
            }
            let user = try await ConsoleUser(gateway)
            let server = SHA256.hexadecimal(of: daemon.secret)
            let decision = ["server": server, "access": "allowed", "name": "Build <host>"]
            _ = try await user.post("/console/servers", decision)
            let page = try await user.get("/console/servers").text
            #expect(page.contains("<strong>Build &lt;host&gt;</strong>") && page.contains("&lt;/srv/a&gt;"))
            #expect(page.contains("<td class=\"number\">2 <span class=\"unit\">agents"))
            #expect(page.contains("<td class=\"number\">3 <span class=\"unit\">devices"))
            let single = Daemon(gateway.caller)
            try await single.register("phone", token: "emulated:single")
            let both = try await user.get("/console/servers").text
            #expect(both.contains("<td class=\"number\">1 <span class=\"unit\">agent</span>"))
            #expect(both.contains("<td class=\"number\">1 <span class=\"unit\">device</span>"))
        }
    }

    @Test("A code pairs one browser with an agent; the page with it shows the link and its QR code once")
    func pairing() async throws {
        let settings = ["http.publicUrl": "https://push.example.com", "admin.readToken": Self.readToken]
        try await withGateway(settings) { gateway in
            let daemon = Daemon(gateway.caller)
            let server = SHA256.hexadecimal(of: daemon.secret)
            let user = try await ConsoleUser(gateway)
            let form = ["server": server, "folder": " /srv/<app> ", "name": "My agent"]
            let page = try await user.post("/console/pairing", form)
            #expect(page.status == 200 && page.headerFields[.cacheControl] == "no-store")
            #expect(page.text.contains("<svg class=\"qr\"") && page.text.contains("/srv/&lt;app&gt;"))
            let link = try #require(page.text.firstMatch(of: /href="https:\/\/push.example.com\/try#([^"]+)"/))
            let body: JSONValue = ["code": .string(String(link.1))]
            let paired = try await gateway.caller.send(.post, "/try/pair", body: body.serialized)
            #expect(paired.body["cwd"] == "/srv/<app>" && paired.body["agent_display_name"] == "My agent")
            let keys = try await user.get("/console/keys").text
            #expect(keys.contains("<strong>My agent</strong> <code>web-") && !keys.contains(String(link.1)))
            for wrong in [["server": "x"], ["folder": "app"], ["name": String(repeating: "a", count: 121)]] {
                #expect(try await user.post("/console/pairing", form.merging(wrong) { $1 }).status == 400, "\(wrong)")
            }
            _ = try await user.post("/console/servers", ["server": server, "access": "denied"])
            let denied = try await user.post("/console/pairing", form)
            #expect(denied.status == 400 && denied.text.contains("is not allowed"))
            let reader = try await ConsoleUser(gateway, token: Self.readToken)
            #expect(try await reader.post("/console/pairing", form).status == 403)
        }
        try await withGateway(["functions.codeagents.pairing": "false"]) { gateway in
            let user = try await ConsoleUser(gateway)
            #expect(try await user.get("/console/pairing").status == 404)
            #expect(try await !user.get("/").text.contains("/console/pairing"))
        }
    }

    @Test("Paired browsers are listed page by page")
    func pagesOfKeys() async throws {
        try await withGateway { gateway in
            let writes = try (1_000..<1_120).map { number in
                let fields: Fields = [
                    "serverKey": "s", "cwd": .string("/srv/\(number)"), "pairedAt": .timestamp(.now),
                    "usedAt": .timestamp(.now),
                ]
                return Write.set(try DocumentPath("pairedDevices/\(number)"), fields)
            }
            _ = try await gateway.gateway.store.commit(writes)
            let user = try await ConsoleUser(gateway)
            let first = try await user.get("/console/keys").text
            #expect(first.matches(of: /<strong>\/srv\/1[0-9]{3}</).count == 100)
            let next = try #require(first.firstMatch(of: /href="([^"]+after=[^"]+)">More/))
            let second = try await user.get(String(next.1).replacing("&amp;", with: "&")).text
            #expect(second.matches(of: /<strong>\/srv\/1[0-9]{3}</).count == 20 && !second.contains(">More<"))
            #expect(!second.contains("Service accounts"))
            #expect(try await user.get("/console/keys?of=codeagents&after=x").status == 400)
        }
    }

    @Test("Service accounts and keys of sessions are listed without their secrets, and revoked")
    func keys() async throws {
        let master = "0123456789abcdef0123"
        try await withGateway([
            "functions.sessions.enabled": "true", "functions.sessions.masterKey": master,
        ]) { gateway in
            let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
            let made = try await gateway.caller.send(
                .post, "/admin/api-keys", headerFields: [.authorization: "Bearer \(master)"],
                body: Array(#"{"name":"my phone","scopes":["read"]}"#.utf8))
            let key = try #require(made.body["key"]?.string)
            let user = try await ConsoleUser(gateway)
            let page = try await user.get("/console/keys").text
            #expect(page.contains("my phone") && !page.contains(key) && !page.contains(master))
            for kind in ["account", "sessions"] {
                let form = try #require(
                    page.matches(of: /name="id" value="([^"]+)">\s*<button class="quiet" name="kind" value="(\w+)"/)
                        .first { $0.2 == kind })
                #expect(try await user.post("/console/keys", ["kind": kind, "id": String(form.1)]).status == 303)
                #expect(try await user.post("/console/keys", ["kind": kind, "id": String(form.1)]).status == 404)
            }
            #expect(try await user.get("/console/keys").text.matches(of: /There are none/).count == 3)
            #expect(try await gateway.caller.askForAccessToken(with: try account.assertion([:])).status == 200)
        }
    }

    @Test("Keys are made: a service account as a file, a key of sessions on a page that shows it once")
    func makingKeys() async throws {
        let settings = [
            "functions.sessions.enabled": "true", "functions.sessions.masterKey": "0123456789abcdef0123",
            "admin.readToken": Self.readToken, "http.publicUrl": "https://push.example.com",
        ]
        try await withGateway(settings) { gateway in
            let user = try await ConsoleUser(gateway)
            let account = ["action": "make", "kind": "account", "for-messaging": "1"]
            let made = try await user.post("/console/keys", account)
            #expect(made.headerFields[.contentDisposition] == "attachment; filename=\"service-account.json\"")
            #expect(made.headerFields[.cacheControl] == "no-store")
            #expect(made.body["type"] == "service_account" && made.body["private_key"] != nil)
            #expect(made.body["token_uri"] == "https://push.example.com/token")
            let keyID = try #require(made.body["private_key_id"]?.string)
            let page = try await user.get("/console/keys").text
            #expect(page.contains("<code>\(keyID.prefix(12))…</code>") && page.contains("<td>messaging</td>"))
            #expect(try await user.post("/console/keys", ["action": "make", "kind": "account"]).status == 400)

            let form = ["action": "make", "kind": "sessions", "name": "my <phone>", "for-read": "1"]
            let shown = try await user.post("/console/keys", form)
            let key = try #require(shown.text.firstMatch(of: /<code>(claud_[0-9a-f]{32})<\/code>/)).1
            let bearer: HTTPFields = [.authorization: "Bearer \(key)"]
            #expect(try await gateway.caller.send(.get, "/api/v1/ping", headerFields: bearer).status == 200)
            let list = try await user.get("/console/keys").text
            #expect(list.contains("my &lt;phone&gt;") && !list.contains(key))
            let nothing = try await user.post("/console/keys", form.filter { $0.key != "for-read" })
            #expect(nothing.status == 400 && nothing.text.contains("value=\"my &lt;phone&gt;\""))
            #expect(try await user.post("/console/keys", form.merging(["kind": "codeagents"]) { $1 }).status == 400)
            let reader = try await ConsoleUser(gateway, token: Self.readToken)
            #expect(try await reader.post("/console/keys", account).status == 403)
        }
    }

    @Test("The inbox is shown and emptied, and errors are scripted")
    func inbox() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            let user = try await ConsoleUser(gateway)
            let script = ["action": "script", "error": "UNREGISTERED", "token": "emulated:phone", "times": "2"]
            #expect(try await user.post("/console/inbox", script).status == 303)
            #expect(try await user.get("/console/inbox").text.contains("2 more times"))
            #expect(try await user.post("/console/inbox", script.merging(["times": "0"]) { $1 }).status == 400)
            #expect(try await user.post("/console/inbox", ["action": "reset"]).status == 303)
            try await daemon.trigger(preview: "All tests pass.")
            let page = try await user.get("/console/inbox").text
            #expect(page.contains("All tests pass.") && page.contains(">phone</a></p>"))
            #expect(page.matches(of: /<li class="notification">/).count == 1)
            for text in ["Dinner", "Supper"] {
                let message: JSONValue = [
                    "token": "emulated:x", "notification": ["title": .string(text)],
                    "apns": ["headers": ["apns-collapse-id": "meal"]],
                ]
                #expect(try await gateway.sendMessage(message).status == 200)
            }
            let meals = try await user.get("/console/inbox").text
            #expect(meals.matches(of: /<li class="notification replaced">/).count == 1)
            let places = ["Supper", "has taken its place", "Dinner"].compactMap { meals.range(of: $0)?.lowerBound }
            #expect(places.count == 3 && places[0] < places[2] && places[2] < places[1])
            #expect(try await user.post("/console/inbox", ["action": "empty"]).status == 303)
            #expect(try await user.get("/console/inbox").text.contains("Nothing has arrived"))
        }
    }

    @Test("A device has a page with its facts, its messages and a test, and messages and devices lead to each other")
    func devicePage() async throws {
        try await withSimulator { apns in
            try await withGateway(["admin.readToken": Self.readToken], simulator: apns) { gateway in
                let token = String.randomToken()
                let daemon = Daemon(gateway.caller)
                let registered = try await daemon.register("phone", token: token, ["apns_environment": "sandbox"]).body
                let path =
                    "servers/\(registered["server_key"]?.string ?? "")/agents/\(registered["agent_key"]?.string ?? "")"
                    + "/devices/phone"
                let user = try await ConsoleUser(gateway)
                let list = try await user.get("/console/devices").text
                let link = try #require(list.firstMatch(of: /href="(\/console\/devices\/device\?path=[^"]+)">phone</))
                #expect(try await user.get(String(link.1)).text.contains("No message was accepted for this device"))
                let sent = try await user.post("/console/devices/device", ["path": path])
                let page = try #require(sent.headerFields[.location])
                #expect(page.contains("test="))
                try await eventually("the test's answer is shown") {
                    try await user.get(page).text.contains("Apple accepted it.")
                }
                let html = try await user.get(page).text
                #expect(html.contains("<h2>The test</h2>") && html.contains("Last seen") && html.contains("codeagents"))
                #expect(html.contains("<dt>Agent</dt><dd>/srv/app</dd>"))
                #expect(html.contains("action=\"/console/devices\"") && !html.contains(token))
                let message = try #require(html.firstMatch(of: /href="(\/console\/messages\/[^"]+)"/)).1
                #expect(try await user.get(String(message)).text.contains("/console/devices/device?path="))
                for subject in ["phone", token, "/srv/app"] {
                    let found = try await user.post("/console/devices/search", ["of": subject])
                    #expect(found.status == 303, "\(subject)")
                    #expect(found.headerFields[.location]?.contains("/console/devices/device?path=") == true)
                }
                let nobody = try await user.post("/console/devices/search", ["of": "nobody"])
                #expect(nobody.status == 200 && nobody.text.contains("Nothing here has this name"))
                let removed = try await user.post("/console/devices", ["path": path, "of": "devices"])
                #expect(removed.status == 303)
                let gone = try await user.get("/console/devices/device?path=\(path)").text
                #expect(gone.contains("The registration is gone") && !gone.contains("<button>Send a test</button>"))
                #expect(try await user.get("/console/devices/device?path=notes/x").status == 404)
                #expect(try await user.get("/console/devices/device?path=notes").status == 400)
                let reader = try await ConsoleUser(gateway, token: Self.readToken)
                #expect(try await reader.get("/console/devices/device?path=\(path)").status == 200)
                #expect(try await reader.post("/console/devices/device", ["path": path]).status == 403)
                #expect(try await reader.post("/console/devices/search", ["of": "phone"]).status == 403)
            }
        }
    }

    @Test("The chart shows an hour, a day or a week, with axes, and counts what the store does not have yet")
    func chart() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await daemon.trigger()
            let hour = OutcomeHours.number(of: .now)
            let earlier = String(OutcomeHours.start(of: hour - 2).description.prefix(13))
            let old = String(OutcomeHours.start(of: hour - 50).description.prefix(13))
            _ = try await gateway.gateway.store.commit([
                .set(try DocumentPath("outcomeHours/\(earlier)"), ["accepted": .integer(40), "rejected": .integer(2)]),
                .set(try DocumentPath("outcomeHours/\(old)"), ["accepted": .integer(100), "failed": .integer(7)]),
            ])
            let user = try await ConsoleUser(gateway)
            for (span, bars, sums) in [
                ("hour", 60, ["1 accepted", "0 rejected", "0 failed"]),
                ("day", 24, ["41 accepted", "2 rejected", "0 failed"]),
                ("week", 28, ["141 accepted", "2 rejected", "7 failed"]),
            ] {
                let parts = sums.map { "\">\($0)" } + ["aria-current=\"true\">\(span)</a>", "class=\"scale\""]
                try await eventually("the chart of the \(span)") {
                    let page = try await user.get("/?span=\(span)").text
                    return parts.allSatisfy { page.contains($0) } && page.matches(of: /<g><title>/).count == bars
                }
            }
            #expect(try await user.get("/?span=year").text.contains("Deliveries of the last hour"))
        }
    }

    @Test("The overview shows a refused key in red, once, with what to do, and so does a message that waits")
    func overview() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: .randomToken())
                #expect(try await daemon.trigger().body["sent"] == 1)
                apns.simulator.script(
                    token: nil, answers: [ScriptedAnswer(status: 403, reason: "InvalidProviderToken", count: nil)])
                try await daemon.trigger()
                let user = try await ConsoleUser(gateway)
                #expect(
                    try await eventually {
                        let page = try await user.get("/").text
                        return page.contains("1 accepted") && page.contains("mark bad\">held up")
                            && page.contains("pushgate doctor")
                    })
                try await daemon.register(
                    "tablet", token: .randomToken(), cwd: "/srv/other", ["apns_environment": "sandbox"])
                try await daemon.trigger(cwd: "/srv/other", preview: "Waits.")
                try await eventually("both messages wait") {
                    let words = "(InvalidProviderToken), 2 messages wait: Apple refuses the key."
                    return try await user.get("/").text.contains(words)
                }
                let page = try await user.get("/").text
                let sentences = page.matches(of: /<p class="problem">([^<]+)<\/p>/).map { String($0.1) }
                #expect(sentences.count == 1, "\(sentences)")
                #expect(sentences.first?.hasPrefix("\(RunningSimulator.bundleID) is held up since 20") == true)
                #expect(!page.contains("lane") && !page.contains("parts of messages"))
                let check = "<strong>push services</strong> <span class=\"detail\">"
                #expect(page.contains("\(check)held up: \(RunningSimulator.bundleID)</span>"))
                let queue = try #require(page.firstMatch(of: /<h2>Queue<\/h2>(.+?)<\/section>/.dotMatchesNewlines())).1
                #expect(queue.contains("messages are held up.") && queue.contains("Messages that wait"))
                #expect(!queue.contains("Nothing waits"))
                #expect(page.firstMatch(of: /held up[^<]*\.\d{6}Z/) == nil)
                let id = try await gateway.ask("/v1/deliveries?limit=1").body["deliveries"]?[0]?["id"]?.string ?? ""
                let message = try await user.get("/console/messages/\(id)").text
                #expect(message.contains("It waits because \(RunningSimulator.bundleID) is held up since 20"))
                #expect(message.contains("(InvalidProviderToken)") && message.contains("pushgate doctor"))
                let notifications = try await gateway.ask("/v1/deliveries/\(id)").body["notifications"]?.array ?? []
                let held = notifications.filter { $0["held_up"]?["reason"] == "InvalidProviderToken" }
                #expect(!held.isEmpty)
                #expect(held.allSatisfy { $0["explanation"]?.string?.contains("It waits because") == true })
            }
        }
    }
}
