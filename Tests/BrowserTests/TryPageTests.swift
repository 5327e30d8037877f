import Cryptography
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing
import WebPushService

/// The page that subscribes a browser, in a browser that subscribes at a push service on this machine.
@Suite("The page /try in a browser", .serialized, .timeLimit(.minutes(10)))
struct TryPageTests {
    /// Runs a push service, and gives the body the settings of a gateway that sends to it, and the options of a
    /// Chromium that subscribes at it.
    private func withService(
        _ body: (LocalPushService, _ settings: [String: String], Browser.Options) async throws -> Void
    ) async throws {
        let service = LocalPushService()
        let addresses = try await service.start()
        do {
            let server = addresses.push.replacing("https://", with: "")
            // Chromium chooses one of Google's hosts by itself.
            let hosts = ["fcm.googleapis.com", "jmt17.google.com"].map { "\($0)=\(server)" }
            let settings = [
                "webpush.subject": "mailto:ops@pushgate.dev", "webpush.caFile": addresses.certificateAuthorityPath,
                "webpush.connectTo": hosts.joined(separator: ","),
            ]
            let options = Browser.Options(
                flags: addresses.chromiumFlags,
                environment: Dictionary(addresses.chromiumEnvironment.map { ($0.name, $0.value) }) { $1 },
                excludedFlags: ["disable-background-networking"])
            try await body(service, settings, options)
        } catch {
            await service.shutdown()
            throw error
        }
        await service.shutdown()
    }

    /// Runs a push service, a gateway that sends to it, and Chromium, which subscribes at it.
    private func withBrowser(
        _ screen: Browser.Screen, _ body: (RunningGateway, LocalPushService, Browser) async throws -> Void
    ) async throws {
        try await withService { service, settings, options in
            try await withGateway(settings) { gateway in
                try await Browser.running(screen, options) { browser in
                    try await browser.grant("notifications", to: gateway.url)
                    try await body(gateway, service, browser)
                }
            }
        }
    }

    /// Presses the page's button, and waits until the browser is subscribed to a number of agents.
    private func subscribe(_ browser: Browser, agents: Int = 1) async throws {
        try await browser.wait(until: "!document.getElementById('join').hidden")
        try await browser.click("#form button")
        try await browser.wait(until: "document.getElementById('status').textContent")
        #expect(try await status(browser) == "This browser is subscribed.")
        try await browser.wait(until: "document.querySelectorAll('#agents li').length === \(agents)")
    }

    private func status(_ browser: Browser) async throws -> JSONValue {
        try await browser.evaluate("return document.getElementById('status').textContent")
    }

    /// Waits until the page shows a message with a body, and returns its title.
    private func title(of body: String, _ browser: Browser) async throws -> JSONValue {
        let shown =
            "[...document.querySelectorAll('#messages li')]"
            + ".find(item => item.querySelector('.body').textContent === '\(body)')"
        try await browser.wait(until: shown)
        return try await browser.evaluate("return \(shown).querySelector('.title').textContent")
    }

    @Test("A browser on the gateway's machine subscribes, gets a finished reply, shows it, and unsubscribes")
    func ownAgent() async throws {
        try await withBrowser(.desktop) { gateway, service, browser in
            try await browser.open(gateway.url + "/try")
            try await subscribe(browser)
            // Chromium subscribes for purposes of its own, too, without a key.
            #expect(service.subscriptions.filter { $0.applicationServerKey != nil }.count == 1)
            let line = try await browser.evaluate("return document.querySelector('#agents code').textContent")
            let secret = try #require(line.string?.firstMatch(of: /Authorization: Bearer ([^']+)'/)).1
            #expect(line.string?.hasPrefix("curl \(gateway.url)/triggerReplyFinished ") == true)

            let daemon = Daemon(gateway.caller, secret: String(secret))
            let answer = try await daemon.trigger(cwd: "/try", preview: "All 128 tests pass now.", waiting: 10)
            #expect(answer.body["attempted"] == 1 && answer.body["sent"] == 1, "\(answer.text)")
            #expect(try await title(of: "All 128 tests pass now.", browser) == "This browser")
            try await service.wait(for: 1, matching: MessageFilter(delivery: .acknowledged), timeout: .patience)
            let notifications = try await browser.evaluate(
                """
                return navigator.serviceWorker.ready.then(registration => registration.getNotifications())
                    .then(all => all.map(shown => [shown.title, shown.body, shown.tag]))
                """)
            #expect(
                notifications == [
                    ["This browser", "All 128 tests pass now.", .string(SHA256.hexadecimal(of: "/try"))]
                ])

            try await browser.click("#agents .leave")
            try await browser.wait(until: "document.querySelectorAll('#agents li').length === 0")
            #expect(try await daemon.trigger(cwd: "/try").body["attempted"] == 0)
            #expect(try await browser.complaints() == [])
        }
    }

    @Test("A link subscribes one browser to its agent, and the page shows no secret")
    func link() async throws {
        try await withBrowser(.phone) { gateway, _, browser in
            let daemon = Daemon(gateway.caller)
            let made = try await gateway.caller.call(
                "createPairing", ["cwd": "/srv/app", "agent_display_name": "My agent"], secret: daemon.secret)
            let code = try #require(made.body["code"]?.string)
            // The manifest has the code for an app on a home screen, and does not use it up.
            #expect(try await gateway.caller.send(.get, "/try/manifest.webmanifest?code=\(code)").status == 200)
            try await browser.open(gateway.url + "/try#" + code)
            try await subscribe(browser)
            #expect(try await browser.evaluate("return location.hash") == "")
            let text = try await browser.evaluate("return document.querySelector('#agents code').textContent").string
            #expect(text?.contains("Bearer $CODEAGENTS_PUSH_SECRET") == true)
            #expect(text?.contains(daemon.secret) == false)
            try await daemon.trigger(preview: "First.")
            #expect(try await title(of: "First.", browser) == "My agent")

            // A page that is loaded again has what it had, and registers again by itself.
            try await browser.open(gateway.url + "/try")
            try await browser.wait(until: "document.querySelectorAll('#agents li').length === 1")
            #expect(try await title(of: "First.", browser) == "My agent")
            try await daemon.trigger(preview: "Second.")
            #expect(try await title(of: "Second.", browser) == "My agent")

            let body: JSONValue = ["code": .string(code)]
            #expect(try await gateway.caller.send(.post, "/try/pair", body: body.serialized).code == "unknown_code")
        }
    }

    /// A condition of the page: it asks for what a browser without a code needs, although its address has one. On the
    /// gateway's own machine, that is nothing but the button.
    private static let isForgotten = """
        !document.getElementById('join').hidden && document.getElementById('invited').hidden \
        && !document.getElementById('own').hidden
        """

    @Test("A code that is no good is explained, uses up nothing, and is not tried again")
    func wrongCode() async throws {
        try await withBrowser(.phone) { gateway, _, browser in
            try await browser.open(gateway.url + "/try#" + String(repeating: "0", count: 26))
            try await browser.wait(until: "!document.getElementById('join').hidden")
            try await browser.click("#form button")
            try await browser.wait(until: "document.getElementById('status').textContent")
            #expect(try await status(browser).string?.contains("older than ten minutes") == true)
            #expect(try await browser.evaluate("return document.querySelectorAll('#agents li').length") == 0)
            // The link does not stand in the way of another pairing, not even after a start from the home screen.
            try await browser.wait(until: Self.isForgotten)
            try await browser.open("about:blank")
            try await browser.open(gateway.url + "/try#" + String(repeating: "0", count: 26))
            try await browser.wait(until: Self.isForgotten)
            try await subscribe(browser)
        }
    }

    @Test("Without its gateway, a subscribed browser still shows the page, with its manifest and its icon")
    func offline() async throws {
        try await withService { _, settings, options in
            try await Browser.running(.phone, options) { browser in
                let page = try await withGateway(settings) { gateway in
                    try await browser.grant("notifications", to: gateway.url)
                    try await browser.open(gateway.url + "/try")
                    try await subscribe(browser)
                    return gateway.url + "/try"
                }
                try await browser.open(page)
                let heading = try await browser.evaluate("return document.querySelector('h1')?.textContent ?? null")
                #expect(heading == "Notifications in this browser")
                try await browser.wait(until: "document.querySelectorAll('#agents li').length === 1")
                let files = try await browser.evaluate(
                    """
                    const files = ["/try/manifest.webmanifest", "/try/icon.png"];
                    return Promise.all(files.map(path => fetch(path, { cache: "no-store" })))
                        .then(all => all.map(answer => answer.status))
                    """)
                #expect(files == [200, 200])
                // The worker has copies of no other page.
                let other = try await browser.evaluate("return fetch('/healthz').then(() => true, () => false)")
                #expect(other == false)
            }
        }
    }

    @Test("The page fits a phone and a desk, in light and dark", arguments: [Browser.Screen.phone, .desktop])
    func layout(screen: Browser.Screen) async throws {
        try await withBrowser(screen) { gateway, _, browser in
            try await browser.open(gateway.url + "/try")
            try await browser.wait(until: "!document.getElementById('join').hidden")
            try await browser.checkLayout("before")
            try await browser.checkColours(screen, "try")
            try await subscribe(browser)
            let line = try await browser.evaluate("return document.querySelector('#agents code').textContent").string
            let secret = try #require(line?.firstMatch(of: /Authorization: Bearer ([^']+)'/)).1
            try await Daemon(gateway.caller, secret: String(secret)).trigger(cwd: "/try", preview: "Done.")
            _ = try await title(of: "Done.", browser)
            _ = try await browser.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
            try await browser.checkLayout("after")
            try await browser.checkColours(screen, "try-subscribed")
        }
        try await withGateway { gateway in
            try await Browser.running(screen) { browser in
                try await browser.open(gateway.url + "/try")
                try await browser.checkLayout("without Web Push")
                try await browser.checkColours(screen, "try-off")
            }
        }
    }
}
