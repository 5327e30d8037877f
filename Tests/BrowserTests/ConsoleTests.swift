import APNsSimulator
import DocumentStore
import Gateway
import HTTPTypes
import JSON
import Secrets
import TestDoubles
import TestSupport
import Testing

/// The console as its user sees it.
@Suite("Console in a browser", .serialized, .timeLimit(.minutes(10)))
struct ConsoleTests {
    private func withConsole(
        _ screen: Browser.Screen, simulator: RunningSimulator? = nil,
        _ body: (RunningGateway, Browser) async throws -> Void
    ) async throws {
        try await withGateway(simulator: simulator) { gateway in
            try await Browser.running(screen) { browser in
                try await browser.open(gateway.url)
                try await browser.type(gateway.gateway.adminToken.value, into: "#token")
                try await browser.click("main form button")
                try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Overview""#)
                try await body(gateway, browser)
            }
        }
    }

    @Test("Every page fits a phone and a desk, in light and dark", arguments: [Browser.Screen.smallPhone, .wide])
    func pages(screen: Browser.Screen) async throws {
        try await withConsole(screen) { gateway, browser in
            let daemon = Daemon(gateway.caller)
            let registered = try await daemon.register(
                "phone", token: "emulated:phone", ["agent_display_name": "website@build-server"]
            ).body
            try await daemon.register(
                "tablet", token: "emulated:tablet", ["agent_display_name": "website@build-server"])
            let script: JSONValue = ["token": "emulated:tablet", "errorCode": "UNREGISTERED", "times": 1]
            _ = try await gateway.ask("/emulator/v1/scripts", .post, script)
            try await daemon.trigger(preview: "All 128 tests pass now. I fixed the time zone in the invoice.")
            let server = registered["server_key"]?.string ?? ""
            let device = "servers/\(server)/agents/\(registered["agent_key"]?.string ?? "")/devices/tablet"
            let id = try #require(
                try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]?["id"]?.string)
            _ = try await gateway.gateway.store.commit([
                .set(
                    try DocumentPath("registrations/anna"),
                    ["token": "t", "deviceToken": "emulated:anna", "transport": "emulated"]),
                .set(
                    try DocumentPath("topics/news/subscriptions/anna"), ["token": "t", "createdAt": .timestamp(.now)]),
            ])
            for (name, path) in [
                ("overview", "/"), ("overview-day", "/?span=day"), ("overview-week", "/?span=week"),
                ("messages", "/console/messages"), ("message", "/console/messages/\(id)"),
                ("documents", "/console/documents"), ("document", "/console/documents?path=servers/\(server)"),
                ("collection", "/console/documents?path=servers"), ("devices", "/console/devices"),
                ("device", "/console/devices/device?path=\(device)&test=\(id)"),
                ("topics", "/console/devices/topics"), ("topic", "/console/devices/topic?name=news"),
                ("servers", "/console/servers"),
                ("pairing", "/console/pairing"), ("keys", "/console/keys"), ("webhooks", "/console/webhooks"),
                ("inbox", "/console/inbox"), ("search", "/console/search?q=all"), ("unknown", "/console/nothing"),
            ] {
                try await browser.open(gateway.url + path)
                let title = try await browser.evaluate("return document.querySelector('h1')?.textContent")
                #expect((title == "Nothing here") == (name == "unknown"), "\(name)")
                _ = try await browser.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
                try await browser.checkLayout("\(name)")
                if screen.isPhone {
                    try await browser.checkFieldsOfFilters("\(name)")
                } else {
                    try await browser.checkWordsOfTables("\(name)")
                }
                if name.hasPrefix("overview") { try await browser.checkTimesOfChart("\(name)") }
                try await browser.checkColours(screen, "console-\(name)")
            }
        }
    }

    @Test("An app that is held up fits on a phone and a desk too", arguments: [Browser.Screen.smallPhone, .wide])
    func heldUp(screen: Browser.Screen) async throws {
        try await withSimulator { apns in
            apns.simulator.script(
                token: nil, answers: [ScriptedAnswer(status: 403, reason: "InvalidProviderToken", count: nil)])
            try await withConsole(screen, simulator: apns) { gateway, browser in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: .randomToken(), ["apns_environment": "sandbox"])
                try await daemon.trigger(preview: "All 128 tests pass now.")
                try await eventually("the app is held up") {
                    try await gateway.ask("/v1/diagnoses", .post, ["of": "phone"]).body["cause"] == "sender-refused"
                }
                let diagnosis = try await gateway.ask("/v1/diagnoses", .post, ["of": "phone"]).body
                let device = try #require(diagnosis["devices"]?[0])
                let path = try #require(device["registration"]?.string)
                let id = try #require(device["messages"]?[0]?["id"]?.string)
                for (name, page) in [
                    ("overview", "/"), ("messages", "/console/messages?state=waiting"),
                    ("message", "/console/messages/\(id)"), ("device", "/console/devices/device?path=\(path)"),
                ] {
                    try await browser.open(gateway.url + page)
                    let text = try await browser.evaluate("return document.querySelector('main').textContent").string
                    #expect(name == "messages" || text?.contains("is held up since 20") == true, "\(name)")
                    try await browser.checkLayout("\(name)")
                    if name == "message" { try await browser.checkSpace(12, between: ".facts", and: "main > details") }
                    if name == "device" { try await browser.checkSpace(12, between: ".facts", and: ".actions") }
                    try await browser.checkColours(screen, "console-held-up-\(name)")
                }
            }
        }
    }

    @Test("The page to sign in fits too, and says what is wrong", arguments: [Browser.Screen.smallPhone, .wide])
    func signIn(screen: Browser.Screen) async throws {
        try await withGateway { gateway in
            try await Browser.running(screen) { browser in
                try await browser.open(gateway.url)
                try await browser.checkLayout("the page")
                try await browser.checkColours(screen, "console-sign-in")
                try await browser.type("wrong", into: "#token")
                try await browser.click("main form button")
                try await browser.wait(until: #"document.querySelector("[role=alert]")"#)
                try await browser.checkLayout("the refusal")
                try await browser.checkColours(screen, "console-sign-in-refused")
            }
        }
    }

    @Test("Messages and the inbox change as they happen, and what is being typed is kept")
    func live() async throws {
        try await withConsole(.wide) { gateway, browser in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await browser.open(gateway.url + "/console/messages")
            try await daemon.trigger(preview: "First")
            try await browser.wait(until: #"document.querySelectorAll("tbody tr").length === 1"#)
            _ = try await browser.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
            try await browser.type("emulated:phone", into: "#to")
            try await daemon.trigger(preview: "Second")
            try await Task.sleep(for: .seconds(3))
            #expect(try await browser.evaluate("return document.getElementById('to').value") == "emulated:phone")
            try await browser.click("details form button")
            try await browser.wait(until: #"document.querySelector(".steps .mark.ok")"#)
            try await browser.open(gateway.url + "/console/inbox")
            try await browser.wait(until: #"document.querySelectorAll(".notification").length === 3"#)
            #expect(try await browser.complaints() == [])
        }
    }

    @Test("A device, a token or an agent leads to its page, and a test shows its answer there")
    func device() async throws {
        try await withConsole(.smallPhone) { gateway, browser in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await browser.open(gateway.url + "/console/devices")
            try await browser.type("emulated:phone", into: "main form.filters input[name=of]")
            try await browser.click("main form.filters button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "phone""#)
            let address = try await browser.evaluate("return location.href")
            #expect(address.string?.contains("emulated") == false)
            try await browser.click("main .actions form button")
            try await browser.wait(until: #"document.querySelector(".card .mark.ok")?.textContent === "accepted""#)
            try await browser.checkLayout("device")
            #expect(try await browser.complaints() == [])
        }
    }

    @Test("Times are those of the reader's zone, with UTC as a hint, also after a change")
    func localTimes() async throws {
        try await withConsole(.wide) { gateway, browser in
            try await browser.use(timeZone: "Asia/Kathmandu")
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await browser.open(gateway.url + "/console/inbox")
            for count in 1...2 {
                try await daemon.trigger(preview: "Number \(count)")
                try await browser.wait(until: "document.querySelectorAll('.notification').length === \(count)")
                let shown = try await browser.evaluate("return document.querySelector('time').textContent").string
                let hint = try await browser.evaluate("return document.querySelector('time').title").string
                let time = try #require(hint.flatMap { Timestamp($0) })
                let local = time.adding(.seconds((5 * 60 + 45) * 60)).description.prefix(19).replacing("T", with: " ")
                #expect(shown == String(local))
            }
        }
    }

    @Test("A sign-in leads to the page that was opened, a change is told there, and a refused form keeps its entries")
    func forms() async throws {
        try await withGateway { gateway in
            try await Browser.running(.smallPhone) { browser in
                try await browser.open(gateway.url + "/console/servers")
                try await browser.type(gateway.gateway.adminToken.value, into: "#token")
                try await browser.click("main form button")
                try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Servers""#)
                _ = try await browser.evaluate("document.querySelector('main details').open = true")
                try await browser.type(String(repeating: "a", count: 64), into: "#server")
                try await browser.type("Build host", into: "#name")
                try await browser.click("main details .buttons button")
                try await browser.wait(until: #"document.querySelector("[role=status]")"#)
                let said = try await browser.evaluate("return document.querySelector('[role=status]').textContent")
                #expect(said == "The server aaaaaaaa… is allowed.")
                try await browser.checkLayout("the notice")
                try await browser.checkColours(.smallPhone, "console-notice")
                try await browser.open(gateway.url + "/console/messages?to=servers/nobody")
                try await browser.clear("#title")
                try await browser.type("Dinner", into: "#title")
                try await browser.click("main details form button")
                try await browser.wait(until: #"document.querySelector("[role=alert]")"#)
                #expect(try await browser.evaluate("return document.getElementById('title').value") == "Dinner")
                #expect(try await browser.evaluate("return document.activeElement.className") == "problem")
                try await browser.checkLayout("the refused form")
                try await browser.checkSpace(12, between: ".problem", and: "h1")
                try await browser.checkColours(.smallPhone, "console-refused")
            }
        }
    }

    @Test("Without scripts, all is there to read and forms work; the keyboard reaches the content first")
    func withoutScripts() async throws {
        try await withConsole(.wide) { gateway, browser in
            try await browser.use(scripts: false)
            try await browser.open(gateway.url + "/console/servers")
            try await browser.use(scripts: true)
            let first = try await browser.evaluate("return document.querySelector('a').className")
            #expect(first == "skip")
            let current = try await browser.evaluate("return document.querySelector('[aria-current=page]').textContent")
            #expect(current == "Servers")
        }
    }
}

extension Browser.Screen {
    /// The smallest screen of phones in use, and a large one of a desk.
    static let smallPhone = Browser.Screen(width: 360, height: 780, isPhone: true)
    static let wide = Browser.Screen(width: 1_440, height: 900, isPhone: false)
}
