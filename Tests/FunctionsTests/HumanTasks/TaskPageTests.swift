import Cryptography
import DocumentStore
import Foundation
import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Human tasks: the recipient's page", .timeLimit(.minutes(10)))
struct TaskPageTests {
    private static let browser: HTTPFields = [.userAgent: "Mozilla/5.0 (iPhone) Safari/605.1.15"]

    private func open(
        _ bench: HumanTasksBench, _ task: String, headers: HTTPFields = browser, query: [String: String] = [:]
    ) async throws -> FunctionResponse {
        try await bench.call(.get, "/hit/\(task)", headers: headers, query: query)
    }

    private func send(
        _ bench: HumanTasksBench, _ task: String, _ texts: [(String, String)], _ files: [[UInt8]] = []
    ) async throws -> FunctionResponse {
        try await bench.call(
            .post, "/hit/\(task)/answer", bytes: Pictures.form(files, texts),
            headers: [.contentType: Pictures.formType])
    }

    private func responses(_ bench: HumanTasksBench, _ task: String, _ phone: Phone) async throws -> [JSONValue] {
        try await bench.call(.get, "/api/hits/\(task)/responses", headers: phone.headers)
            .body["responses"]?.array ?? []
    }

    @Test("The recipient's page names sender, recipient and task, and starts the task")
    func opening() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone(), ["sender_name": "Matt", "agent_name": "Claude"])
        let page = try await open(bench, task)
        #expect(page.status == .ok)
        for text in [
            #"<html lang="en">"#, "<title>Matt asks Sarah for something</title>", ">Hi Sarah,</h1>",
            "Photos of the living room", ">Matt</bdi>", ">Claude</bdi>", #"action="/hit/\#(task)/answer""#,
            #"type="file" accept="image/*" multiple"#, #"name="name" value="Sarah""#, ">Done</button>",
            "until Thu 8 Jan 2026",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(try await bench.status(task) == "in_progress")
    }

    @Test("The page speaks the browser's language, and the answer is the same in each of them")
    func languages() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        for (language, texts, thanks) in [
            ("de-DE,de;q=0.9", [#"<html lang="de">"#, ">Hallo Sarah,</h1>", ">Fertig</button>"], "Danke"),
            ("fr", [#"<html lang="fr">"#, ">Bonjour Sarah,</h1>", "mar. 1 déc. 2026"], "Merci"),
            ("es", [#"<html lang="es">"#, ">Hola, Sarah:</h1>", "Elige una opción"], "Gracias"),
            ("ar", [#"<html lang="ar" dir="rtl">"#, "اختر واحدًا"], "شكرًا"),
            ("ja", [#"<html lang="en">"#, ">Hi Sarah,</h1>", "Tue 1 Dec 2026"], "Thank you"),
        ] {
            let more: JSONObject = ["hit_type": "group_poll", "config": ["options": ["2026-12-01", "Pizza"]]]
            let task = try await bench.ask(phone, more)
            let headers: HTTPFields = [.userAgent: "Mozilla/5.0 (iPhone)", .acceptLanguage: language]
            let page = try await open(bench, task, headers: headers)
            for text in texts { #expect(page.text.contains(text), "\(language): \(text)") }
            #expect(page.headerFields[.vary] == "Accept-Language")
            let form: HTTPFields = [.contentType: Pictures.formType, .acceptLanguage: language]
            let empty = try await bench.call(
                .post, "/hit/\(task)/answer", bytes: Pictures.form([], [("name", "Sarah")]), headers: form)
            #expect(empty.status == .unprocessableContent, "\(language)")
            let sent = try await bench.call(
                .post, "/hit/\(task)/answer", bytes: Pictures.form([], [("name", "Sarah"), ("choice", "0")]),
                headers: form)
            #expect(sent.status == .seeOther, "\(language)")
            #expect(try await responses(bench, task, phone).first?["response_data"] == ["choices": ["2026-12-01"]])
            let after = try await open(bench, task, headers: headers, query: ["thanks": "1"])
            #expect(after.text.contains(">\(thanks)</h1>"), "\(language)")
            let nothing = try await open(bench, "aaaaaaaa", headers: headers)
            #expect(nothing.status == .notFound && nothing.text.contains(texts[0]), "\(language)")
        }
    }

    @Test("A browser that has answered a poll is told so at the next visit, and others are not")
    func answeredBefore() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(
            try await bench.makePhone(), ["hit_type": "group_poll", "config": ["options": ["Thai", "Pizza"]]])
        let sent = try await send(bench, task, [("name", "Sarah"), ("choice", "0")])
        let cookie = try #require(sent.headerFields[.setCookie])
        #expect(cookie.hasPrefix("answered=1; Path=/hit/\(task); ") && cookie.contains("HttpOnly; SameSite=Lax"))
        var headers = Self.browser
        #expect(try await !open(bench, task, headers: headers).text.contains("You have answered"))
        headers[.cookie] = "other=2; answered=1"
        let page = try await open(bench, task, headers: headers)
        #expect(page.text.contains(#"role="status">You have answered, and your answer counts."#))
        #expect(page.text.contains("Pizza") && page.status == .ok)
        let untouched = try await bench.ask(
            try await bench.makePhone(), ["hit_type": "group_poll", "config": ["options": ["Thai", "Pizza"]]])
        #expect(try await !open(bench, untouched, headers: headers).text.contains("You have answered"))
    }

    @Test("The recipient's page has no referrer, cache, index or frame, and runs only its own script")
    func headers() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        for page in [try await open(bench, task), try await open(bench, "aaaaaaaa"), try await open(bench, "a/b/c")] {
            let fields = page.headerFields
            #expect(fields[.cacheControl] == "no-store" && fields[.xContentTypeOptions] == "nosniff")
            for (name, value) in [
                ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("X-Robots-Tag", "noindex, nofollow"),
            ] {
                #expect(HTTPField.Name(name).flatMap { fields[$0] } == value)
            }
            let policy = try #require(fields[.contentSecurityPolicy])
            for tag in ["style", "script"] {
                let inner = try #require(
                    page.text.firstMatch(of: try Regex("<\(tag)>((?s).*?)</\(tag)>"))?.output[1].substring)
                let digest = Data(SHA256.digest(of: Array(inner.utf8))).base64EncodedString()
                #expect(policy.contains("\(tag)-src 'sha256-\(digest)'"))
            }
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe") && !page.text.contains("style=\"") && !page.text.contains(" onclick"))
        }
    }

    @Test("The recipient's page shows every input as text, never as markup")
    func escaping() async throws {
        let evil = "</textarea><script>alert(1)</script>\"'&"
        let bench = try HumanTasksBench()
        let task = try await bench.ask(
            try await bench.makePhone(),
            [
                "recipient_name": .string(evil), "task_description": .string(evil), "sender_name": .string(evil),
                "agent_name": .string(evil), "hit_type": "poll", "config": ["options": [.string(evil), "B"]],
            ])
        let refused = try await send(bench, task, [("name", evil), ("text", evil)])
        for page in [try await open(bench, task), refused] {
            #expect(!page.text.contains("<script>alert") && page.text.contains("&lt;script&gt;alert(1)"))
            #expect(page.text.components(separatedBy: "</textarea>").count == 2)
        }
    }

    @Test(
        "A request of a link preview for the recipient's page does not start the task",
        arguments: [
            ("User-Agent", "facebookexternalhit/1.1 Facebot Twitterbot/1.0"), ("User-Agent", "WhatsApp/2.23.20.0"),
            ("User-Agent", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"),
            ("User-Agent", "TelegramBot (like TwitterBot)"), ("User-Agent", "SkypeUriPreview Preview/0.5"),
            ("Sec-Purpose", "prefetch;prerender"), ("X-Purpose", "preview"),
        ])
    func previews(name: String, value: String) async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        var headers = Self.browser
        headers[try #require(HTTPField.Name(name))] = value
        let page = try await open(bench, task, headers: headers)
        #expect(page.status == .ok && page.text.contains(#"property="og:title""#))
        _ = try await bench.call(.head, "/hit/\(task)", headers: Self.browser)
        #expect(try await bench.status(task) == "pending")
    }

    @Test(
        "A request of a browser for the recipient's page starts the task",
        arguments: [
            "Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Snapchat/12.60 (like Safari)",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Viber/21.0",
        ])
    func people(agent: String) async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        _ = try await open(bench, task, headers: [.userAgent: agent])
        #expect(try await bench.status(task) == "in_progress")
    }

    @Test("The page's form with photos and a text completes the task and notifies the device once")
    func photos() async throws {
        let bench = try HumanTasksBench()
        try await bench.running {
            let phone = try await bench.makePhone()
            let task = try await bench.ask(phone)
            let answer = try await send(
                bench, task, [("name", "Sarah"), ("text", "There you are\r\nMatt")], [Pictures.jpeg, Pictures.png])
            #expect(answer.status == .seeOther && answer.headerFields[.location] == "/hit/\(task)?thanks=1")
            #expect(try await bench.status(task) == "completed")
            let thanks = try await open(bench, task, query: ["thanks": "1"])
            #expect(thanks.status == .ok && thanks.text.contains(">Thank you</h1>"))
            #expect(try await open(bench, task).text.contains(">Already done</h1>"))
            let responses = try await responses(bench, task, phone)
            #expect(responses.map { $0["response_data"] } == [["text": "There you are\nMatt"]])
            let sent = await bench.sent(1)
            #expect(sent.map(\.message.message.notification?.body) == ["Sarah sent 2 photos"])
            #expect(try await bench.documents(in: "messages").count == 1)
            let late = try await send(bench, task, [("name", "Sarah")], [Pictures.jpeg])
            #expect(late.status == .badRequest || late.text.contains("Already done"))
        }
    }

    @Test("The page of a group poll accepts one vote per name and stays open for others")
    func poll() async throws {
        let bench = try HumanTasksBench()
        try await bench.running {
            let phone = try await bench.makePhone()
            let task = try await bench.ask(
                phone, ["hit_type": "group_poll", "config": ["options": ["Thai", ["id": 7, "label": "Pizza"], 3]]])
            let page = try await open(bench, task)
            #expect(page.text.contains(#"type="radio" name="choice" value="1" required><span dir="auto">Pizza"#))
            let vote = try await send(bench, task, [("name", "Tom"), ("choice", "1"), ("text", "")])
            #expect(vote.status == .seeOther)
            #expect(try await open(bench, task, query: ["thanks": "1"]).text.contains(">Thank you</h1>"))
            #expect(try await open(bench, task).text.contains("<form"))
            let again = try await send(bench, task, [("name", " tom "), ("choice", "0"), ("text", "No, Thai")])
            #expect(again.status == .conflict && again.text.contains("Somebody called tom has answered already."))
            #expect(again.text.contains(#"value="0" checked required"#) && again.text.contains("No, Thai</textarea>"))
            let responses = try await responses(bench, task, phone)
            #expect(responses.map { $0["response_data"] } == [["choices": [["id": 7, "label": "Pizza"]]]])
            #expect(await bench.sent(1).map(\.message.message.notification?.body) == ["Tom voted in your group poll"])
            #expect(try await bench.status(task) == "in_progress")
        }
    }

    @Test("The page of a task without a type asks for photos first and for an optional text")
    func defaultType() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone, ["hit_type": nil])
        let page = try await open(bench, task).text
        let photos = try #require(page.range(of: #"<label for="photo">Photos</label>"#))
        let text = try #require(
            page.range(of: #"<label for="text">Anything to add? <span class="optional">(optional)</span></label>"#))
        #expect(photos.lowerBound < text.lowerBound)
        let refused = try await send(bench, task, [("name", "Tom"), ("text", "Green")])
        #expect(refused.status == .unprocessableContent && refused.text.contains("Add a photo."))
        #expect(try await send(bench, task, [("name", "Tom")], [Pictures.jpeg]).status == .seeOther)
        #expect(try await bench.status(task) == "completed")
    }

    @Test("The page of an availability task accepts times from a grid, or none of them")
    func availability() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(
            phone,
            [
                "hit_type": "availability",
                "config": [
                    "title": "Dinner <3", "date_options": ["2026-12-01", "2026-12-03"],
                    "time_slots": ["6 PM", "19:00"],
                ],
            ])
        let page = try await open(bench, task).text
        for text in [
            ">Dinner &lt;3</legend>", ">Tue 1 Dec 2026</p>", ">Thu 3 Dec 2026</p>",
            #"value="2026-12-01|6 PM"><span dir="auto">6 PM</span>"#, #"value="2026-12-03|19:00">"#,
        ] {
            #expect(page.contains(text), "\(text)")
        }
        for (name, choices) in [
            ("Tom", ["2026-12-03|19:00", "2026-12-01|6 PM", "2026-12-02|6 PM"]), ("Ann", ["none"]),
        ] {
            let answer = try await send(bench, task, [("name", name)] + choices.map { ("choice", $0) })
            #expect(answer.status == .seeOther)
            bench.clock.advance(by: .seconds(1))
        }
        #expect(
            try await responses(bench, task, phone).map { $0["response_data"] } == [
                [
                    "available_slots": [
                        ["date": "2026-12-01", "time": "6 PM"], ["date": "2026-12-03", "time": "19:00"],
                    ]
                ],
                ["available_slots": []],
            ])
        for choices in [[], ["2026-12-02|6 PM"], ["0"]] {
            let refused = try await send(
                bench, task, [("name", "Eve"), ("text", "Hm")] + choices.map { ("choice", $0) })
            #expect(refused.status == .unprocessableContent && refused.text.contains("Choose what suits you"))
            #expect(refused.text.contains("Hm</textarea>"))
        }
        let again = try await send(bench, task, [("name", "tom"), ("choice", "2026-12-01|6 PM")])
        #expect(again.status == .conflict && again.text.contains(#"value="2026-12-01|6 PM" checked>"#))
    }

    @Test("An availability page without days offers the next five and accepts them after midnight too")
    func nextDays() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone, ["hit_type": "availability"])
        let page = try await open(bench, task).text
        let values = page.matches(of: /value="([0-9-]{10}\|[^"]*)"/).map { String($0.1) }
        let times = ["5 PM", "6 PM", "7 PM", "8 PM"]
        #expect(values == (2...6).flatMap { day in times.map { "2026-01-0\(day)|\($0)" } })
        bench.clock.advance(by: .seconds(86_400))
        let answer = try await send(
            bench, task, [("name", "Tom"), ("choice", "2026-01-02|5 PM"), ("choice", "2026-01-07|8 PM")])
        #expect(answer.status == .seeOther)
        #expect(
            try await responses(bench, task, phone).map { $0["response_data"]?["available_slots"] } == [
                [["date": "2026-01-02", "time": "5 PM"], ["date": "2026-01-07", "time": "8 PM"]]
            ])
    }

    @Test("The page of a group poll shows the participants, the days and the votes")
    func groupPoll() async throws {
        let bench = try HumanTasksBench()
        try await bench.running {
            let phone = try await bench.makePhone()
            let task = try await bench.ask(
                phone,
                [
                    "hit_type": "group_poll", "distribution_mode": "group", "participants": ["Tom", "Ann", "Zo\u{EB}"],
                    "config": ["context": "Moving day", "date_options": ["2026-12-01", "2026-12-03", "2026-12-04"]],
                ])
            let page = try await open(bench, task).text
            for text in [
                ">Moving day</legend>", ">Tue 1 Dec 2026</span>", ">Who are you?</legend>",
                #"type="radio" name="name" value="Ann" required>"#,
                #"type="checkbox" name="choice" value="2026-12-03">"#,
            ] {
                #expect(page.contains(text), "\(text)")
            }
            let vote = try await send(
                bench, task, [("name", "Ann"), ("choice", "2026-12-04"), ("choice", "2026-12-01")])
            #expect(vote.status == .seeOther)
            #expect(
                try await responses(bench, task, phone).map { $0["response_data"] } == [
                    ["selected_dates": ["2026-12-01", "2026-12-04"]]
                ])
            #expect(await bench.sent(1).map(\.message.message.notification?.title) == ["New Group Poll Vote"])
            let next = try await open(bench, task).text
            #expect(next.contains(#"Tue 1 Dec 2026</span><span class="votes" dir="auto">1: Ann</span>"#))
            #expect(next.contains(#"value="Ann" disabled required>"#) && next.contains(">has answered</span>"))
            #expect(!next.contains(#"Thu 3 Dec 2026</span><span class="votes""#))
        }
    }

    @Test(
        "A page with participants accepts each of them once and refuses others",
        arguments: ["group_poll", "availability"])
    func participants(type: String) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(
            phone,
            [
                "hit_type": .string(type),
                "config": ["date_options": ["2026-12-01"], "time_slots": ["6 PM"], "participants": ["Tom", "Ann"]],
            ])
        let choice = ("choice", type == "availability" ? "2026-12-01|6 PM" : "2026-12-01")
        let nobody = try await send(bench, task, [choice])
        #expect(nobody.status == .unprocessableContent && nobody.text.contains("Choose your name."))
        let outsider = try await send(bench, task, [("name", "Eve"), choice])
        #expect(outsider.status == .badRequest && outsider.text.contains("Only those who are named here can answer."))
        #expect(outsider.text.contains("\(choice.1)\" checked>") && !outsider.text.contains(">Eve<"))
        #expect(try await send(bench, task, [("name", "tom"), choice]).status == .seeOther)
        let again = try await send(bench, task, [("name", "Tom"), choice])
        #expect(again.status == .conflict && again.text.contains("Tom has answered already."))
        #expect(try await responses(bench, task, phone).map { $0["respondent_name"] } == ["Tom"])
    }

    @Test("The page asks for a text if there are no options or photos are disabled")
    func text() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone, ["hit_type": "poll", "config": [:]])
        #expect(try await open(bench, task).text.contains(">Your answer"))
        #expect(try await send(bench, task, [("name", "Tom"), ("text", " ")]).status == .unprocessableContent)
        #expect(try await send(bench, task, [("name", "Tom"), ("text", "Green")]).status == .seeOther)
        #expect(try await responses(bench, task, phone).map { $0["response_data"] } == [["text": "Green"]])
        let textsOnly = try HumanTasksBench(configure: { $0.maximumPhotos = 0 })
        let other = try await textsOnly.ask(try await textsOnly.makePhone())
        #expect(try await open(textsOnly, other).text.contains(">Your answer"))
        #expect(try await send(textsOnly, other, [("name", "Tom"), ("text", "Green")]).status == .seeOther)
        #expect(try await textsOnly.status(other) == "completed")
    }

    @Test("A form with mistakes names each of them and keeps the input and every usable photo")
    func mistakes() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(
            files: files,
            configure: {
                $0.maximumPhotoBytes = 2_048
                $0.maximumPhotos = 2
            })
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let page = try await send(
            bench, task, [("name", " "), ("text", "My text")],
            [Pictures.jpeg, Array("no photo".utf8), Pictures.jpeg + Array(repeating: 0, count: 2_048)])
        #expect(page.status == .unprocessableContent)
        for text in [
            "<title>Not sent yet: ", "role=\"alert\"", "Enter your name.",
            "IMG_1.jpg is not a photo that can be taken.",
            "IMG_2.jpg is larger than 1 MB.", "My text</textarea>", "1 photo has arrived.", "aria-invalid=\"true\"",
            "href=\"#photo\"", "id=\"photo-problem\"",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(files.names.count == 1)
        #expect(try await bench.status(task) == "in_progress")
        let more = try await send(bench, task, [("name", "Sarah")], [Pictures.png, Pictures.gif])
        #expect(more.text.contains("Only 1 more fit: the others were left out."))
        #expect(files.names.count == 2)
        // The photos have arrived, so they are not sent again.
        #expect(try await send(bench, task, [("name", "Sarah")]).status == .seeOther)
        #expect(try await bench.status(task) == "completed")
    }

    @Test("The page states the total size of photos if it is less than the sum of single sizes")
    func photoHint() async throws {
        for (count, text) in [
            (20, "Up to 20 photos, 10 MB each and 64 MB together at the most."),
            (6, "Up to 6 photos, 10 MB each at the most."),
        ] {
            let bench = try HumanTasksBench(configure: { $0.maximumPhotos = count })
            let page = try await open(bench, try await bench.ask(try await bench.makePhone()))
            #expect(page.text.contains(text))
            #expect(page.text.contains(#"data-total="\#(min(64, count * 10) * 1_048_576)""#))
        }
    }

    @Test("The page stays small for long inputs, and a text over 64 KiB is refused")
    func longTexts() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let form = try await open(bench, task).text.utf8.count
        for field in ["name", "text"] {
            let long = try await send(bench, task, [(field, String(repeating: "<", count: 65_536))], [Pictures.jpeg])
            #expect(long.status == .unprocessableContent && long.text.utf8.count < form + 32_768)
            let huge = try await send(bench, task, [(field, String(repeating: "<", count: 1_048_576))])
            #expect(huge.status == .contentTooLarge && huge.text.utf8.count < form)
        }
    }

    @Test("A form sent twice stores and counts its photos once")
    func repetition() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files, configure: { $0.maximumPhotos = 2 })
        let task = try await bench.ask(try await bench.makePhone())
        for _ in 0..<2 {
            let page = try await send(bench, task, [("name", "")], [Pictures.jpeg, Pictures.png])
            #expect(page.status == .unprocessableContent && page.text.contains("2 photos have arrived."))
            #expect(!page.text.contains("No more photos fit."))
        }
        #expect(files.names.count == 2)
        #expect(try await send(bench, task, [("name", "Sarah")], [Pictures.jpeg, Pictures.png]).status == .seeOther)
        #expect(files.names.count == 2)
    }

    @Test("A form keeps as many photos as fit if others arrive while it is sent")
    func meanwhile() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files, configure: { $0.maximumPhotos = 3 })
        let task = try await bench.ask(try await bench.makePhone())
        let match = try #require(
            ModuleRouter([bench.system]).match(.post, RequestPath("/hit/\(task)/answer")))
        let page = await match.handle(
            FunctionRequest(
                method: .post, headerFields: [.contentType: Pictures.formType], parameters: match.parameters,
                clientAddress: "192.0.2.1"
            ) { _ throws(RequestBodyError) in
                _ = try? await bench.call(
                    .post, "/api/hits/\(task)/photos", bytes: Pictures.form([Pictures.heic, Pictures.heif]),
                    headers: [.contentType: Pictures.formType])
                return Pictures.form([Pictures.jpeg, Pictures.png], [("name", "Sarah")])
            })
        #expect(page.status == .unprocessableContent)
        #expect(page.text.contains("Only 1 more fit: the others were left out."))
        #expect(page.text.contains("3 photos have arrived."))
        #expect(files.names.count == 3)
    }

    @Test("A form keeps as many photos as fit if others are stored at the same moment")
    func lastMoment() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files, configure: { $0.maximumPhotos = 3 })
        let task = try await bench.ask(try await bench.makePhone())
        let isFirst = Mutex(true)
        bench.store.set {
            $0.beforeCommit = { _ in
                guard
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return }
                _ = try? await bench.call(
                    .post, "/api/hits/\(task)/photos", bytes: Pictures.form([Pictures.heic, Pictures.heif]),
                    headers: [.contentType: Pictures.formType])
            }
        }
        let page = try await send(bench, task, [("name", "Sarah")], [Pictures.jpeg, Pictures.png])
        #expect(page.status == .unprocessableContent)
        #expect(page.text.contains("Only 1 more fit: the others were left out."))
        #expect(files.names.count == 3)
    }

    @Test("A form with only photos stores the name and notifies the device once")
    func name() async throws {
        let bench = try HumanTasksBench()
        try await bench.running {
            let phone = try await bench.makePhone()
            let task = try await bench.ask(phone, ["distribution_mode": "open"])
            #expect(try await send(bench, task, [("name", "Zoë")], [Pictures.jpeg]).status == .seeOther)
            let responses = try await responses(bench, task, phone)
            #expect(responses.map { $0["respondent_name"] } == ["Zoë"])
            #expect(responses.map { $0["response_data"] } == [[:]])
            #expect(await bench.sent(1).map(\.message.message.notification?.body) == ["Zoë sent 1 photo"])
            #expect(try await bench.documents(in: "messages").count == 1)
        }
    }

    @Test("A page for a full task or an internal error does not claim that the answer was incomplete")
    func troubles() async throws {
        let bench = try HumanTasksBench(configure: { $0.maximumPhotos = 1 })
        let task = try await bench.ask(try await bench.makePhone(), ["hit_type": "poll", "config": [:]])
        let texts = Array(repeating: ("other", "x"), count: 1_002)
        let parts = try await send(bench, task, texts)
        #expect(parts.status == .conflict && parts.text.contains(">Too many photos</h1>"))
        _ = try await bench.disk.documents.commit([
            .update(try DocumentPath("humanTasks/\(task)"), ["responseCount": .integer(500)])
        ])
        let full = try await send(bench, task, [("name", "Sarah"), ("text", "Green")])
        #expect(full.status == .conflict && full.text.contains(">No more answers</h1>"))
        bench.store.set { $0.beforeRead = { _ throws(StoreError) in throw StoreError(.dataLoss, "a broken page") } }
        let failed = try await open(bench, task)
        #expect(failed.status == .internalServerError && failed.text.contains(">Our mistake</h1>"))
        for page in [parts, full, failed] { #expect(!page.text.contains("did not arrive whole")) }
    }

    @Test("A form without a photo is refused if photos were asked for")
    func noPhoto() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let page = try await send(bench, task, [("name", "Sarah"), ("text", "later")])
        #expect(page.status == .unprocessableContent && page.text.contains("Add a photo."))
    }

    @Test("A missing, late or broken request is answered with a page that says what to do")
    func states() async throws {
        let bench = try HumanTasksBench(configure: { $0.lifetime = .seconds(60) })
        let task = try await bench.ask(try await bench.makePhone(), ["sender_name": "Matt"])
        let broken = try await bench.call(
            .post, "/hit/\(task)/answer", text: "--x", headers: [.contentType: Pictures.formType])
        #expect(broken.status == .badRequest && broken.text.contains("Go back and try again"))
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        let full = try await send(bench, task, [("name", "Sarah")], [Pictures.jpeg])
        #expect(full.status == .serviceUnavailable && full.text.contains("try again in a few seconds"))
        bench.store.set { $0.beforeCommit = { _ in } }
        bench.clock.advance(by: .seconds(60))
        for page in [try await open(bench, task), try await send(bench, task, [("name", "Sarah")])] {
            #expect(page.status == .gone && page.text.contains("Ask Matt for a new link"))
        }
        for path in ["/hit", "/hit/aaaaaaaa", "/hit/..%2F..", "/hit/%2e%2e/answer", "/hit/\(task)/x", "/hit/%00"] {
            for method in [HTTPRequest.Method.get, .post, .put] {
                let page = try await bench.call(method, path)
                #expect(page.status == .notFound && page.text.contains(">Nothing here</h1>"), "\(path)")
            }
        }
    }

    @Test("Reloading a form with mistakes leads back to the task's page")
    func reload() async throws {
        let bench = try HumanTasksBench(configure: { $0.publicURL = "https://example.com/tasks" })
        let task = try await bench.ask(try await bench.makePhone())
        let answer = try await bench.call(.get, "/hit/\(task)/answer")
        #expect(answer.status == .seeOther && answer.headerFields[.location] == "/tasks/hit/\(task)")
        #expect(try await open(bench, task).text.contains(#"action="/tasks/hit/\#(task)/answer""#))
    }
}

extension FunctionResponse {
    /// The HTML of the page.
    fileprivate var text: String { if case .html(let text) = content { text } else { "" } }
}
