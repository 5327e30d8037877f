import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// The page that subscribes a browser, in a browser that subscribes at a push service on this machine.
@Suite("The page /try in a browser", .serialized, .timeLimit(.minutes(10)))
struct TryPageTests {
    /// Runs a push service, a gateway that sends to it, and Chromium, which subscribes at it.
    private func withBrowser(
        _ screen: Browser.Screen, _ settings: [String: String] = [:],
        _ body: (RunningGateway, Browser) async throws -> Void
    ) async throws {
        try await TestPushService.running { push in
            try await withGateway(push.gatewaySettings.merging(settings) { $1 }) { gateway in
                try await Browser.running(screen, push.chromium) { browser in
                    try await browser.grant("notifications", to: gateway.url)
                    try await body(gateway, browser)
                }
            }
        }
    }

    @Test("A link subscribes one browser to its agent, and the page shows no secret")
    func link() async throws {
        try await withBrowser(.phone) { gateway, browser in
            let daemon = Daemon(gateway.caller)
            let made = try await gateway.caller.call(
                "createPairing", ["cwd": "/srv/app", "agent_display_name": "My agent"], secret: daemon.secret)
            let code = try #require(made.body["code"]?.string)
            // The manifest has the code for an app on a home screen, and does not use it up.
            #expect(try await gateway.caller.send(.get, "/try/manifest.webmanifest?code=\(code)").status == 200)
            try await browser.open(gateway.url + "/try#" + code)
            try await browser.subscribe()
            #expect(try await browser.evaluate("return location.hash") == "")
            let command = try await browser.command()
            #expect(command.contains("Bearer $CODEAGENTS_PUSH_SECRET") && !command.contains(daemon.secret))
            try await daemon.trigger(preview: "First.")
            #expect(try await browser.title(of: "First.") == "My agent")

            // A page that is loaded again has what it had, and registers again by itself.
            try await browser.open(gateway.url + "/try")
            try await browser.wait(until: "document.querySelectorAll('#agents li').length === 1")
            #expect(try await browser.title(of: "First.") == "My agent")
            try await daemon.trigger(preview: "Second.")
            #expect(try await browser.title(of: "Second.") == "My agent")

            let body: JSONValue = ["code": .string(code)]
            #expect(try await gateway.caller.send(.post, "/try/pair", body: body.serialized).code == "unknown_code")
        }
    }

    @Test("The page's worker reports to the gateway what it has displayed")
    func receipts() async throws {
        try await withBrowser(.phone, ["http.publicUrl": "https://push.example.com"]) { gateway, browser in
            let daemon = Daemon(gateway.caller)
            let made = try await gateway.caller.call("createPairing", ["cwd": "/srv/app"], secret: daemon.secret)
            let code = try #require(made.body["code"]?.string)
            try await browser.open(gateway.url + "/try#" + code)
            try await browser.subscribe()
            try await daemon.trigger(preview: "Reported.")
            try await eventually("the receipt arrives") {
                let delivery = try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]
                return delivery?["receipts"] == ["delivered": 1, "opened": 0]
            }
        }
    }

    @Test("The command of a paired browser notifies it where the secret is, with any characters in the folder's name")
    func command() async throws {
        try await withBrowser(.phone) { gateway, browser in
            let daemon = Daemon(gateway.caller)
            let folder = #"/srv/it's "$HOME" \ & more"#
            let made = try await gateway.caller.call("createPairing", ["cwd": .string(folder)], secret: daemon.secret)
            let code = try #require(made.body["code"]?.string, "\(made.text)")
            try await browser.open(gateway.url + "/try#" + code)
            try await browser.subscribe()
            let answer = try await browser.runCommand(environment: ["CODEAGENTS_PUSH_SECRET": daemon.secret])
            #expect(answer["attempted"] == 1, "\(answer)")
            _ = try await browser.title(of: "Hello from my server.")
        }
    }

    @Test("A code that is typed into the page subscribes the browser to its agent, in groups and in small letters too")
    func typedCode() async throws {
        try await withBrowser(.phone) { gateway, browser in
            // A browser that a proxy leads to the gateway is not on its machine, so it needs a code.
            try await browser.add(headerFields: ["X-Forwarded-For": "203.0.113.9"])
            let daemon = Daemon(gateway.caller)
            let made = try await gateway.caller.call(
                "createPairing", ["cwd": "/srv/app", "agent_display_name": "My agent"], secret: daemon.secret)
            let code = try #require(made.body["code"]?.string)
            try await browser.open(gateway.url + "/try")
            try await browser.wait(until: "document.getElementById('code').checkVisibility()")
            #expect(try await browser.evaluate("return document.getElementById('form').checkValidity()") == false)
            try await browser.type("\(code.prefix(5))-\(code.dropFirst(5))".lowercased(), into: "#code")
            try await browser.subscribe()
            #expect(try await browser.evaluate("return document.getElementById('code').value") == "")
            #expect(try await !browser.command().contains(daemon.secret))
            try await daemon.trigger(preview: "By a typed code.")
            #expect(try await browser.title(of: "By a typed code.") == "My agent")

            let body: JSONValue = ["code": .string(code)]
            #expect(try await gateway.caller.send(.post, "/try/pair", body: body.serialized).code == "unknown_code")
        }
    }

    /// A tab of an iPhone: its browser has push messages for pages on the home screen alone.
    private static let iPhoneTab = """
        Object.defineProperty(navigator, "standalone", { value: false, configurable: true });
        delete window.PushManager;
        """

    @Test("In a tab of an iPhone the page asks for the home screen, where the manifest's address begins with the code")
    func homeScreen() async throws {
        try await withBrowser(.phone) { gateway, browser in
            let daemon = Daemon(gateway.caller)
            let made = try await gateway.caller.call("createPairing", ["cwd": "/srv/app"], secret: daemon.secret)
            let code = try #require(made.body["code"]?.string)
            let address = try await browser.running(Self.iPhoneTab) {
                try await browser.open(gateway.url + "/try#" + code)
                try await browser.wait(until: "!document.getElementById('home-screen').hidden")
                #expect(try await browser.evaluate("return document.getElementById('join').hidden") == true)
                let typed = try await browser.evaluate("return document.getElementById('home-code').textContent").string
                #expect(typed?.replacing("-", with: "") == code)
                return try await browser.evaluate(
                    """
                    const { href } = document.querySelector("link[rel=manifest]");
                    return fetch(href).then(answer => answer.json())
                        .then(manifest => new URL(manifest.start_url, href).href)
                    """
                ).string
            }
            #expect(address == gateway.url + "/try#" + code)
            // The page on the home screen. The tab has not used the code up.
            try await browser.open("about:blank")
            try await browser.open(try #require(address))
            try await browser.subscribe()
            try await daemon.trigger(preview: "From the home screen.")
            #expect(try await browser.title(of: "From the home screen.") == "app")
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
        try await withBrowser(.phone) { gateway, browser in
            try await browser.open(gateway.url + "/try#" + String(repeating: "0", count: 26))
            try await browser.wait(until: "!document.getElementById('join').hidden")
            try await browser.click("#form button")
            try await browser.wait(until: "document.getElementById('status').textContent")
            #expect(try await browser.status().string?.contains("older than ten minutes") == true)
            #expect(try await browser.evaluate("return document.querySelectorAll('#agents li').length") == 0)
            // The link does not stand in the way of another pairing, not even after a start from the home screen.
            try await browser.wait(until: Self.isForgotten)
            try await browser.open("about:blank")
            try await browser.open(gateway.url + "/try#" + String(repeating: "0", count: 26))
            try await browser.wait(until: Self.isForgotten)
            try await browser.subscribe()
        }
    }

    @Test("Without its gateway, a subscribed browser still shows the page, with its manifest and its icon")
    func offline() async throws {
        try await TestPushService.running { push in
            try await Browser.running(.phone, push.chromium) { browser in
                let page = try await withGateway(push.gatewaySettings) { gateway in
                    try await browser.grant("notifications", to: gateway.url)
                    try await browser.open(gateway.url + "/try")
                    try await browser.subscribe()
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
        try await withBrowser(screen) { gateway, browser in
            try await browser.open(gateway.url + "/try")
            try await browser.wait(until: "!document.getElementById('join').hidden")
            try await browser.checkLayout("before")
            try await browser.checkColours(screen, "try")
            try await browser.subscribe()
            let daemon = Daemon(gateway.caller, secret: try await browser.secret())
            try await daemon.trigger(cwd: "/try", preview: "All 128 tests pass now.", waiting: 10)
            _ = try await browser.title(of: "All 128 tests pass now.")
            try await browser.checkColours(screen, "try-arrived")
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
