import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// The page behind a task's link, as a person has it before them.
@Suite("The recipient's page in a browser", .serialized, .timeLimit(.minutes(5)))
struct RecipientPageTests {
    private static let settings = ["functions.humantasks.enabled": "true"]

    /// The app that asks.
    private struct App: Sendable {
        let gateway: RunningGateway
        let token: String
        let key: String

        init(_ gateway: RunningGateway) async throws {
            self.gateway = gateway
            token = .randomToken()
            let made = try await gateway.caller.send(
                .post, "/api/devices/register", body: Array(#"{"name":"Matt's iPhone"}"#.utf8))
            key = try #require(made.body["mcp_token"]?.string)
            let id = try #require(made.body["id"]?.string)
            let stored = try await call(.post, "/api/devices/\(id)/apns-token", ["token": .string(token)])
            try #require(stored.status == 200)
        }

        func call(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
            try await gateway.caller.send(
                method, path, headerFields: [.authorization: "Bearer \(key)"], body: body?.serialized ?? [])
        }

        /// A task, and its link.
        func ask(_ more: JSONObject) async throws -> (id: String, url: String) {
            var body: JSONObject = ["recipient_name": "Sarah", "sender_name": "Matt", "agent_name": "Claude"]
            for (name, value) in more.members { body[name] = value }
            let answer = try await call(.post, "/api/hits", .object(body))
            return (try #require(answer.body["id"]?.string), try #require(answer.body["url"]?.string))
        }

        /// As the app's list has it, which nobody's look changes.
        func status(_ id: String) async throws -> JSONValue? {
            let list = try await call(.get, "/api/hits").body.array ?? []
            return list.first { $0["id"] == .string(id) }?["status"]
        }
    }

    private func withApp(
        _ screen: Browser.Screen, _ body: (App, Browser, RunningSimulator) async throws -> Void
    ) async throws {
        try await withSimulator { apns in
            try await withGateway(Self.settings, simulator: apns) { gateway in
                let app = try await App(gateway)
                try await Browser.running(screen) { try await body(app, $0, apns) }
            }
        }
    }

    /// What holds for every page: nothing to scroll sideways, nothing without a name, no complaint.
    private func checkLayout(_ browser: Browser, _ what: Comment) async throws {
        let sideways = try await browser.evaluate(
            "const e = document.documentElement; return e.scrollWidth - e.clientWidth")
        #expect(sideways == 0, what)
        let unnamed = try await browser.evaluate(
            """
            return [...document.querySelectorAll("input, textarea, button, select")]
              .filter(e => !(e.labels && e.labels.length) && !e.textContent.trim()).map(e => e.outerHTML)
            """)
        #expect(unnamed == [], what)
        let small = try await browser.evaluate(
            """
            return [...document.querySelectorAll("form input:not([type=radio], [type=checkbox]), form textarea, button, label.option")]
              .filter(e => e.getBoundingClientRect().height < 44).map(e => e.outerHTML)
            """)
        #expect(small == [], what)
        #expect(try await browser.evaluate("return document.documentElement.lang") == "en", what)
        #expect(try await browser.complaints() == [], what)
    }

    private func checkColours(_ browser: Browser) async throws {
        for isDark in [false, true] {
            try await browser.use(dark: isDark)
            let contrast = try await browser.evaluate(
                """
                const light = text => {
                  const parts = text.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
                    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
                };
                const ground = e => {
                  for (; e; e = e.parentElement) {
                    const colour = getComputedStyle(e).backgroundColor;
                    if (!/, 0\\)$/.test(colour)) return colour;
                  }
                  return "rgb(255, 255, 255)";
                };
                const ratio = e => {
                  const pair = [light(getComputedStyle(e).color), light(ground(e))].sort((a, b) => b - a);
                  return (pair[0] + 0.05) / (pair[1] + 0.05);
                };
                return Math.min(...[...document.querySelectorAll("h1, p, label, legend, button, span, textarea, input")].map(ratio))
                """)
            #expect((contrast.double ?? 0) >= 4.5, "contrast \(contrast) in \(isDark ? "dark" : "light")")
            let brightness = try await browser.evaluate(
                "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)[0]")
            #expect(((brightness.integer ?? 0) < 60) == isDark)
        }
        try await browser.use(dark: false)
    }

    @Test("takes a photo and a word, and is done", arguments: [Browser.Screen.phone, .desktop])
    func photo(screen: Browser.Screen) async throws {
        try await withApp(screen) { app, browser, apns in
            let task = try await app.ask([
                "hit_type": "photo", "task_description": "Photos of the living room, please.",
            ])
            #expect(try await app.status(task.id) == "pending")
            try await browser.open(task.url)
            #expect(try await app.status(task.id) == "in_progress")
            try await checkLayout(browser, "the form")
            try await checkColours(browser)
            let picture = try await browser.picture()
            try await withTemporaryDirectory { directory in
                let path = directory + "/living room.jpg"
                try Data(picture).write(to: URL(fileURLWithPath: path))
                try await browser.type(path, into: "#photo")
                try await browser.wait(until: #"document.querySelector("ul.chosen img")?.naturalWidth > 0"#)
                try await checkLayout(browser, "with a photo")
                try await browser.type("The light is best at noon.", into: "#text")
                try await browser.click("button")
                try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            }
            try await checkLayout(browser, "the thanks")
            try await checkColours(browser)
            #expect(try await app.status(task.id) == "completed")
            let photos = try await app.call(.get, "/api/hits/\(task.id)/photos").body
            let id = try #require(photos[0]?["id"]?.string)
            #expect(photos[0]?["content_type"] == "image/jpeg" && photos.array?.count == 1)
            #expect(try await app.call(.get, "/api/hits/\(task.id)/photos/\(id)").bytes == picture)
            let responses = try await app.call(.get, "/api/hits/\(task.id)/responses").body
            #expect(responses[0]?["response_data"] == ["text": "The light is best at noon."])
            #expect(responses[0]?["respondent_name"] == "Sarah")
            try await eventually("the notification") { !apns.simulator.received().isEmpty }
            let received = try #require(apns.simulator.received().first)
            #expect(received.token == app.token && apns.simulator.received().count == 1)
            #expect(received.payload?["aps"]?["alert"] == ["title": "HIT Completed", "body": "Sarah sent 1 photo"])
            try await browser.open(task.url)
            #expect(try await browser.evaluate(#"return document.querySelector("h1").textContent"#) == "Already done")
        }
    }

    @Test("takes a vote; a second in the same name is said to be one", arguments: [Browser.Screen.phone, .desktop])
    func poll(screen: Browser.Screen) async throws {
        try await withApp(screen) { app, browser, apns in
            let long = String(repeating: "Donaudampfschifffahrtsgesellschaft", count: 4)
            let task = try await app.ask([
                "hit_type": "poll", "task_description": "Where shall we eat?",
                "config": ["options": ["Thai", "Pizza", .string(long)]],
            ])
            try await browser.open(task.url)
            try await checkLayout(browser, "the poll")
            try await checkColours(browser)
            // Nothing is chosen: the browser itself does not send it.
            try await browser.click("button")
            #expect(try await browser.evaluate(#"return document.querySelector("form").checkValidity()"#) == false)
            try await browser.click("label.option:nth-of-type(2)")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            let responses = try await app.call(.get, "/api/hits/\(task.id)/responses").body
            #expect(responses[0]?["response_data"] == ["choices": ["Pizza"]])
            try await eventually("the notification") { !apns.simulator.received().isEmpty }
            #expect(
                apns.simulator.received().first?.payload?["aps"]?["alert"]
                    == ["title": "New Group Poll Vote", "body": "Sarah voted in your group poll"])
            try await browser.open(task.url)
            try await browser.click("label.option:nth-of-type(1)")
            try await browser.type("For the soup", into: "#text")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector(".problems")"#)
            try await checkLayout(browser, "the mistake")
            try await checkColours(browser)
            #expect(try await browser.evaluate("return document.activeElement.className") == "problems")
            #expect(try await browser.evaluate(#"return document.getElementById("text").value"#) == "For the soup")
            #expect(try await browser.evaluate(#"return document.querySelector("[name=choice]:checked").value"#) == "0")
            try await browser.clear("#name")
            try await browser.type("Sarah K", into: "#name")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            #expect(try await app.call(.get, "/api/hits/\(task.id)/responses").body.array?.count == 2)
        }
    }

    @Test("keeps the good photo and the text when a file is none, and is done with the next click")
    func mistake() async throws {
        try await withApp(.phone) { app, browser, _ in
            let task = try await app.ask(["hit_type": "photo", "task_description": "Photos, please."])
            try await browser.open(task.url)
            try await withTemporaryDirectory { directory in
                try Data(try await browser.picture()).write(to: URL(fileURLWithPath: directory + "/good.jpg"))
                try Data("no photo".utf8).write(to: URL(fileURLWithPath: directory + "/bad.jpg"))
                try await browser.type("\(directory)/good.jpg\n\(directory)/bad.jpg", into: "#photo")
                try await browser.type("Both of them", into: "#text")
                try await browser.click("button")
                try await browser.wait(until: #"document.querySelector(".problems")"#)
            }
            try await checkLayout(browser, "the mistake")
            let text = try await browser.evaluate("return document.body.innerText").string ?? ""
            #expect(text.contains("bad.jpg is not a photo that can be taken") && text.contains("1 photo has arrived."))
            #expect(try await browser.evaluate(#"return document.getElementById("text").value"#) == "Both of them")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            #expect(try await app.status(task.id) == "completed")
        }
    }

    @Test("says at once that photos are too large together")
    func total() async throws {
        try await withApp(.phone) { app, browser, _ in
            let task = try await app.ask(["hit_type": "photo", "task_description": "Photos, please."])
            try await browser.open(task.url)
            let choose = { (count: Int) in
                try await browser.evaluate(
                    """
                    const chosen = new DataTransfer();
                    for (let i = 0; i < \(count); i++) {
                      chosen.items.add(new File([new Uint8Array(10 * 1024 * 1024)], `${i}.jpg`, {type: "image/jpeg"}));
                    }
                    const input = document.getElementById("photo");
                    input.files = chosen.files;
                    input.dispatchEvent(new Event("change"));
                    return input.validationMessage;
                    """)
            }
            let tooMuch = try await choose(7)
            #expect(tooMuch.string?.hasPrefix("Choose fewer photos, of 64 MB together at the most.") == true)
            #expect(try await choose(6) == "")
        }
    }

    @Test("works without scripts")
    func noScripts() async throws {
        try await withApp(.phone) { app, browser, _ in
            let task = try await app.ask(["hit_type": "photo", "task_description": "Photos, please."])
            try await browser.use(scripts: false)
            try await browser.open(task.url)
            try await withTemporaryDirectory { directory in
                try Data(try await browser.picture()).write(to: URL(fileURLWithPath: directory + "/a.jpg"))
                try await browser.type(directory + "/a.jpg", into: "#photo")
                let shown = try await browser.evaluate(#"return document.querySelectorAll("ul.chosen img").length"#)
                #expect(shown == 0)
                try await browser.click("button")
                try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            }
            #expect(try await app.status(task.id) == "completed")
        }
    }

    @Test("takes times, of which “None of these” is the only one when it is chosen")
    func availability() async throws {
        try await withApp(.phone) { app, browser, _ in
            let task = try await app.ask([
                "hit_type": "availability", "task_description": "When?",
                "config": ["slots": ["2026-12-01T10:00", "2026-12-02T10:00"]],
            ])
            try await browser.open(task.url)
            try await checkLayout(browser, "the times")
            let checked = #"return [...document.querySelectorAll("[name=choice]:checked")].map(e => e.value)"#
            try await browser.click("label.option:nth-of-type(1)")
            try await browser.click("label.option:nth-of-type(3)")
            #expect(try await browser.evaluate(checked) == ["none"])
            try await browser.click("label.option:nth-of-type(1)")
            try await browser.click("label.option:nth-of-type(2)")
            #expect(try await browser.evaluate(checked) == ["0", "1"])
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            let responses = try await app.call(.get, "/api/hits/\(task.id)/responses").body
            #expect(responses[0]?["response_data"] == ["choices": ["2026-12-01T10:00", "2026-12-02T10:00"]])
        }
    }

    @Test("of no task says so")
    func nothing() async throws {
        try await withApp(.phone) { app, browser, _ in
            try await browser.open(app.gateway.url + "/hit/aaaaaaaa")
            try await checkLayout(browser, "nothing")
            #expect(try await browser.evaluate(#"return document.querySelector("h1").textContent"#) == "Nothing here")
        }
    }
}
