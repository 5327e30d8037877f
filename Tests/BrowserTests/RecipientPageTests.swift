import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// Tests of the page behind a task's link, as a person sees it.
@Suite("Recipient's page in a browser", .serialized, .timeLimit(.minutes(10)))
struct RecipientPageTests {
    @Test(
        "A recipient sends a photo and a text, and the task is completed",
        arguments: [Browser.Screen.phone, .desktop])
    func photo(screen: Browser.Screen) async throws {
        try await withAskingApp(screen) { app, browser, apns in
            // A task without a type asks for photos.
            let task = try await app.ask(["task_description": "Photos of the living room, please."])
            #expect(try await app.status(task.id) == "pending")
            try await browser.open(task.url)
            #expect(try await app.status(task.id) == "in_progress")
            try await browser.checkLayout("the form")
            let fields = try await browser.evaluate(
                #"return [...document.querySelectorAll("form [name]")].map(e => e.name)"#)
            #expect(fields == ["photo", "text", "name"])
            try await browser.checkColours(screen, "photo")
            let picture = try await browser.picture()
            try await withTemporaryDirectory { directory in
                let path = directory + "/living room.jpg"
                try Data(picture).write(to: URL(fileURLWithPath: path))
                try await browser.type(path, into: "#photo")
                try await browser.wait(until: #"document.querySelector("ul.chosen img")?.naturalWidth > 0"#)
                try await browser.checkLayout("with a photo")
                try await browser.type("The light is best at noon.", into: "#text")
                try await browser.click("button")
                try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            }
            try await browser.checkLayout("the thanks")
            try await browser.checkColours(screen, "photo-thanks")
            #expect(try await app.status(task.id) == "completed")
            let photos = try await app.call(.get, "/api/hits/\(task.id)/photos").body
            let id = try #require(photos["photos"]?[0]?["id"]?.string)
            #expect(photos["photos"]?[0]?["content_type"] == "image/jpeg" && photos["count"] == 1)
            #expect(try await app.call(.get, "/api/hits/\(task.id)/photos/\(id)").bytes == picture)
            let responses = try await app.responses(task.id)
            #expect(responses.first?["response_data"] == ["text": "The light is best at noon."])
            #expect(responses.first?["respondent_name"] == "Sarah")
            try await eventually("the notification arrives") { !apns.simulator.received().isEmpty }
            let received = try #require(apns.simulator.received().first)
            #expect(received.token == app.token && apns.simulator.received().count == 1)
            #expect(received.payload?["aps"]?["alert"] == ["title": "HIT Completed", "body": "Sarah sent 1 photo"])
            try await browser.open(task.url)
            #expect(try await browser.evaluate(#"return document.querySelector("h1").textContent"#) == "Already done")
        }
    }

    @Test(
        "A recipient votes in a poll, and a second vote under the same name is refused as such",
        arguments: [Browser.Screen.phone, .desktop])
    func poll(screen: Browser.Screen) async throws {
        try await withAskingApp(screen) { app, browser, apns in
            let long = String(repeating: "Donaudampfschifffahrtsgesellschaft", count: 4)
            let task = try await app.ask([
                "hit_type": "group_poll", "task_description": "Where shall we eat?",
                "config": ["options": ["Thai", "Pizza", .string(long)]],
            ])
            try await browser.open(task.url)
            try await browser.checkLayout("the poll")
            try await browser.checkColours(screen, "poll")
            // Without a choice the browser does not send the form.
            try await browser.click("button")
            #expect(try await browser.evaluate(#"return document.querySelector("form").checkValidity()"#) == false)
            try await browser.click("label.option:nth-of-type(2)")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            let responses = try await app.responses(task.id)
            #expect(responses.first?["response_data"] == ["choices": ["Pizza"]])
            try await eventually("the notification arrives") { !apns.simulator.received().isEmpty }
            #expect(
                apns.simulator.received().first?.payload?["aps"]?["alert"]
                    == ["title": "New Group Poll Vote", "body": "Sarah voted in your group poll"])
            try await browser.open(task.url)
            try await browser.click("label.option:nth-of-type(1)")
            try await browser.type("For the soup", into: "#text")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector(".problems")"#)
            try await browser.checkLayout("the mistake")
            try await browser.checkColours(screen, "poll-mistake")
            #expect(try await browser.evaluate("return document.activeElement.className") == "problems")
            #expect(try await browser.evaluate(#"return document.getElementById("text").value"#) == "For the soup")
            #expect(try await browser.evaluate(#"return document.querySelector("[name=choice]:checked").value"#) == "0")
            try await browser.clear("#name")
            try await browser.type("Sarah K", into: "#name")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            #expect(try await app.responses(task.id).count == 2)
        }
    }

    @Test("A file that is no photo keeps the valid photo and the text, and the next click completes the task")
    func mistake() async throws {
        try await withAskingApp(.phone) { app, browser, _ in
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
            try await browser.checkLayout("the mistake")
            let text = try await browser.evaluate("return document.body.innerText").string ?? ""
            #expect(text.contains("bad.jpg is not a photo that can be taken") && text.contains("1 photo has arrived."))
            #expect(try await browser.evaluate(#"return document.getElementById("text").value"#) == "Both of them")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            #expect(try await app.status(task.id) == "completed")
        }
    }

    @Test("Photos that are too large together are refused before they are sent")
    func total() async throws {
        try await withAskingApp(.phone) { app, browser, _ in
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

    @Test("The page fits in every language, from right to left in Arabic", arguments: ["de", "fr", "es", "ar"])
    func languages(language: String) async throws {
        try await withAskingApp(.phone) { app, browser, _ in
            try await browser.use(language: language)
            let poll = try await app.ask([
                "hit_type": "group_poll", "task_description": "Which day?",
                "config": ["date_options": ["2026-12-01", "2026-12-02"]],
            ])
            let photo = try await app.ask(["hit_type": "photo", "task_description": "Photos, please."])
            for (name, url) in [("photo", photo.url), ("poll", poll.url)] {
                try await browser.open(url)
                try await browser.checkLayout("\(name) in \(language)", language: language)
                try await browser.checkColours(.phone, "\(name)-\(language)")
                let direction = try await browser.evaluate("return getComputedStyle(document.body).direction")
                #expect(direction == (language == "ar" ? "rtl" : "ltr"))
            }
            try await browser.click("label.option:nth-of-type(1)")
            try await browser.click("button")
            try await browser.wait(until: "!document.querySelector('form')")
            try await browser.checkLayout("the thanks in \(language)", language: language)
            #expect(try await app.responses(poll.id).first?["response_data"] == ["selected_dates": ["2026-12-01"]])
            try await browser.open(poll.url)
            #expect(try await browser.evaluate("return document.querySelectorAll('[role=status]').length") == 1)
        }
    }

    @Test("The page accepts a photo without scripts")
    func noScripts() async throws {
        try await withAskingApp(.phone) { app, browser, _ in
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

    @Test("The page of an unknown task says that nothing is there")
    func nothing() async throws {
        try await withAskingApp(.phone) { app, browser, _ in
            try await browser.open(app.gateway.url + "/hit/aaaaaaaa")
            try await browser.checkLayout("nothing")
            #expect(try await browser.evaluate(#"return document.querySelector("h1").textContent"#) == "Nothing here")
        }
    }
}
