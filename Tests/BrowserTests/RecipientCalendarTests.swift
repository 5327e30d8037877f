import APNsSimulator
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// Tests of days and times on the page behind a task's link.
@Suite("Recipient's page in a browser: days and times", .serialized, .timeLimit(.minutes(10)))
struct RecipientCalendarTests {
    @Test(
        "A recipient chooses times of a grid, and “None of these” clears the others",
        arguments: [Browser.Screen.phone, .desktop])
    func availability(screen: Browser.Screen) async throws {
        try await withAskingApp(screen) { app, browser, apns in
            let task = try await app.ask([
                "hit_type": "availability", "task_description": "Dinner next week: when?",
                "config": ["title": "When are you free for dinner?"],
            ])
            try await browser.open(task.url)
            try await browser.checkLayout("the grid")
            // Five days of four times each, in columns, so the times of all days are in rows.
            let columns = try await browser.evaluate(
                """
                const days = [...document.querySelectorAll(".day")].map(day =>
                  [...day.querySelectorAll(".slot")].map(slot => Math.round(slot.getBoundingClientRect().left)).join());
                return [days.length, new Set(days).size, new Set(days[0].split(",")).size];
                """)
            #expect(columns == [5, 1, 4])
            // Without a choice the browser does not send the form.
            try await browser.click("button")
            #expect(try await browser.evaluate(#"return document.querySelector("form").checkValidity()"#) == false)
            let checked = #"return [...document.querySelectorAll("[name=choice]:checked")].map(e => e.value)"#
            try await browser.click(".day:nth-of-type(1) .slot:nth-of-type(2)")
            try await browser.click("label.option")
            #expect(try await browser.evaluate(checked) == ["none"])
            try await browser.click(".day:nth-of-type(1) .slot:nth-of-type(2)")
            try await browser.click(".day:nth-of-type(3) .slot:nth-of-type(4)")
            let values = try await browser.evaluate(checked).array?.compactMap(\.string) ?? []
            #expect(values.count == 2 && values.first?.hasSuffix("|6 PM") == true)
            try await browser.checkLayout("with times")
            try await browser.checkColours(screen, "availability")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            let slots = values.map { value -> JSONValue in
                let parts = value.split(separator: "|").map { JSONValue.string(String($0)) }
                return ["date": parts[0], "time": parts[1]]
            }
            #expect(try await app.responses(task.id).first?["response_data"] == ["available_slots": .array(slots)])
            try await eventually("the notification arrives") { !apns.simulator.received().isEmpty }
            #expect(
                apns.simulator.received().first?.payload?["aps"]?["alert"] == [
                    "title": "New Availability Response", "body": "Sarah responded to your availability poll",
                ])
        }
    }

    @Test("A recipient without scripts chooses times of a grid, and is told if the choice is missing")
    func availabilityWithoutScripts() async throws {
        try await withAskingApp(.phone) { app, browser, _ in
            let task = try await app.ask([
                "hit_type": "availability", "task_description": "When?",
                "config": [
                    "date_options": ["2026-12-01", "2026-12-02"], "time_slots": ["10:00"],
                    "participants": ["Tom", "Sarah"],
                ],
            ])
            try await browser.use(scripts: false)
            try await browser.open(task.url)
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector(".problems")"#)
            try await browser.checkLayout("the mistake")
            let text = try await browser.evaluate("return document.body.innerText").string ?? ""
            #expect(text.contains("Choose what suits you"))
            // The recipient is one of the participants, and is preselected.
            let name = #"return document.querySelector("[name=name]:checked").value"#
            #expect(try await browser.evaluate(name) == "Sarah")
            try await browser.click(".day:nth-of-type(2) .slot")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            let responses = try await app.responses(task.id)
            #expect(responses.first?["respondent_name"] == "Sarah")
            #expect(
                responses.first?["response_data"]
                    == ["available_slots": [["date": "2026-12-02", "time": "10:00"]]])
        }
    }

    @Test(
        "A recipient of a group poll chooses a name and days, and sees who chose which day",
        arguments: [Browser.Screen.phone, .desktop])
    func groupPoll(screen: Browser.Screen) async throws {
        try await withAskingApp(screen) { app, browser, _ in
            let task = try await app.ask([
                "hit_type": "group_poll", "task_description": "Help me move?", "distribution_mode": "group",
                "participants": ["Tom", "Ann", "Zo\u{EB} van der Meer"],
                "config": ["title": "Moving day", "date_options": ["2026-12-01", "2026-12-03", "2026-12-05"]],
            ])
            try await browser.open(task.url)
            try await browser.checkLayout("the poll")
            try await browser.click("button")
            #expect(try await browser.evaluate(#"return document.querySelector("form").checkValidity()"#) == false)
            try await browser.click("#name label:nth-of-type(2)")
            try await browser.click("#choice label:nth-of-type(1)")
            try await browser.click("#choice label:nth-of-type(3)")
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector("h1")?.textContent === "Thank you""#)
            let responses = try await app.responses(task.id)
            #expect(responses.first?["respondent_name"] == "Ann")
            #expect(responses.first?["response_data"] == ["selected_dates": ["2026-12-01", "2026-12-05"]])
            try await browser.open(task.url)
            let votes = try await browser.evaluate(
                ##"return [...document.querySelectorAll("#choice .votes")].map(e => e.textContent)"##)
            #expect(votes == ["1: Ann", "1: Ann"])
            #expect(try await browser.evaluate(#"return document.querySelector("[value=Ann]").disabled"#) == true)
            try await browser.click("#name label:nth-of-type(1)")
            try await browser.click("#choice label:nth-of-type(1)")
            try await browser.checkLayout("with a vote")
            try await browser.checkSpace(16, between: ".there", and: "form")
            try await browser.checkColours(screen, "group-poll")
            // In the meantime another client answers under this name.
            let answer = try await app.call(
                .post, "/api/hits/\(task.id)/respond", ["respondent_name": "Tom", "response_data": [:]])
            #expect(answer.status == 201)
            try await browser.click("button")
            try await browser.wait(until: #"document.querySelector(".problems")"#)
            try await browser.checkLayout("the mistake")
            try await browser.checkColours(screen, "group-poll-mistake")
            #expect(
                try await browser.evaluate(#"return document.querySelectorAll("[name=name]:disabled").length"#) == 2)
        }
    }
}
