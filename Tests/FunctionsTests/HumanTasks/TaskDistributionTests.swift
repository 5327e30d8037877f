import Functions
import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import Testing

@Suite("Human tasks: modes of distribution", .timeLimit(.minutes(10)))
struct TaskDistributionTests {
    private func create(
        _ bench: HumanTasksBench, _ phone: Phone, _ mode: String, _ more: JSONObject = [:]
    ) async throws -> FunctionResponse {
        let body: JSONObject = ["task_description": "Dinner?", "distribution_mode": .string(mode)]
        return try await bench.call(
            .post, "/api/hits", .object(JSONObject(body.members + more.members)), headers: phone.headers)
    }

    @Test(
        "The mode individual creates one task per participant, all in one group",
        arguments: [nil, "g-1"] as [String?])
    func individual(group: String?) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let answer = try await create(
            bench, phone, "individual",
            [
                "participants": ["Tom", "Ann"], "recipient_name": "Sarah",
                "group_id": group.map(JSONValue.string) ?? nil,
            ])
        let ids = try #require(answer.body["hits"]?.array).compactMap { $0["id"]?.string }
        let groupID = try #require(answer.body["group_id"]?.string)
        try #require(ids.count == 2 && Set(ids).count == 2)
        #expect(group == nil ? groupID.wholeMatch(of: /grp_[A-Za-z0-9]{8}/) != nil : groupID == group)
        let links = zip(["Tom", "Ann"], ids).map { name, id -> JSONValue in
            ["name": .string(name), "id": .string(id), "url": .string("https://tasks.example.com/hit/\(id)")]
        }
        #expect(
            answer
                == .json(
                    .created,
                    [
                        "distribution_mode": "individual", "group_id": .string(groupID), "hits": .array(links),
                        "count": 2, "sender_name": "Someone", "task_description": "Dinner?", "created_at": bench.time,
                    ]))
        for (name, id) in zip(["Tom", "Ann"], ids) {
            let row = try await bench.call(.get, "/api/hits/\(id)")
            #expect(row.body["recipient_name"] == .string(name) && row.body["group_id"] == .string(groupID))
        }
        let list = try await bench.call(.get, "/api/hits", headers: phone.headers, query: ["group_id": groupID])
        #expect(list.body["count"] == 2)
    }

    @Test("The mode group creates one task with the participants in its config")
    func group() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let answer = try await create(
            bench, phone, "group",
            [
                "participants": ["Tom", "Ann"], "recipient_name": "Sarah", "hit_type": "group_poll",
                "config": ["date_options": ["2026-12-01"]], "sender_name": "Matt",
            ])
        #expect(answer.status == .created)
        for (name, value) in [
            ("distribution_mode", "group"), ("recipient_name", "Group"), ("sender_name", "Matt"),
            ("task_description", "Dinner?"), ("status", "pending"), ("participants", ["Tom", "Ann"]),
            ("created_at", bench.time),
        ] as [(String, JSONValue)] {
            #expect(answer.body[name] == value, "\(name)")
        }
        let id = try #require(answer.body["id"]?.string)
        #expect(answer.body["url"] == .string("https://tasks.example.com/hit/\(id)"))
        let row = try await bench.call(.get, "/api/hits/\(id)")
        #expect(row.body["config"] == #"{"date_options":["2026-12-01"],"participants":["Tom","Ann"]}"#)
        #expect(row.body["recipient_name"] == "Group")
    }

    @Test(
        "The mode group replaces the participants in the config",
        arguments: [["Zed"], [], nil] as [JSONValue])
    func participantsOfGroup(own: JSONValue) async throws {
        let bench = try HumanTasksBench()
        let answer = try await create(
            bench, try await bench.makePhone(), "group",
            ["participants": ["Ann"], "hit_type": "group_poll", "config": ["participants": own]])
        let id = try #require(answer.body["id"]?.string)
        for (name, status) in [("Ann", HTTPResponse.Status.created), ("Zed", .badRequest)] {
            let answer = try await bench.call(
                .post, "/api/hits/\(id)/respond", ["respondent_name": .string(name), "response_data": [:]])
            #expect(answer.status == status, "\(name)")
        }
    }

    @Test("The mode open creates one task for anyone, without participants")
    func open() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let answer = try await create(
            bench, phone, "open", ["participants": ["Tom"], "hit_type": "availability"])
        #expect(answer.status == .created)
        #expect(answer.body["distribution_mode"] == "open" && answer.body["recipient_name"] == "Anyone")
        #expect(answer.body["participants"] == nil && answer.body["config"] == .null)
        let id = try #require(answer.body["id"]?.string)
        let response = try await bench.call(
            .post, "/api/hits/\(id)/respond", ["respondent_name": "Eve", "response_data": [:]])
        #expect(response.status == .created)
    }

    @Test("A mode that needs participants is refused without them", arguments: ["individual", "group"])
    func nobody(mode: String) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        for more in [[:], ["participants": []], ["recipient_name": "Sarah"]] as [JSONObject] {
            let answer = try await create(bench, phone, mode, more)
            #expect(answer == .task(.badRequest, "Distribution mode '\(mode)' requires participants array"))
        }
        #expect(try await bench.documents(in: "humanTasks").isEmpty)
    }

    @Test("Each participant's task counts against the device's limit, all or none")
    func limit() async throws {
        let bench = try HumanTasksBench(configure: { $0.newTasksPerHourPerDevice = 3 })
        let phone = try await bench.makePhone()
        let pair: JSONObject = ["participants": ["Tom", "Ann"]]
        #expect(try await create(bench, phone, "individual", pair).status == .created)
        #expect(try await create(bench, phone, "individual", pair).status == .tooManyRequests)
        #expect(try await bench.documents(in: "humanTasks").count == 2)
        #expect(try await create(bench, phone, "open").status == .created)
        bench.clock.advance(by: .seconds(3_600))
        // A request larger than the limit uses a whole hour.
        let four: JSONObject = ["participants": ["Tom", "Ann", "Eve", "Zoë"]]
        #expect(try await create(bench, phone, "individual", four).status == .created)
        #expect(try await create(bench, phone, "open").status == .tooManyRequests)
    }

    @Test("The tasks of participants are stored together, under unused ids")
    func ids() async throws {
        let ids = Mutex(["aaaaaaaa", "gggggggg", "bbbbbbbb", "aaaaaaaa", "cccccccc", "dddddddd"])
        let bench = try HumanTasksBench(makeID: { ids.withLock { $0.removeFirst() } })
        let phone = try await bench.makePhone()
        _ = try await bench.ask(phone)
        let answer = try await create(bench, phone, "individual", ["participants": ["Tom", "Ann"]])
        #expect(answer.body["hits"]?.array?.compactMap { $0["id"]?.string } == ["cccccccc", "dddddddd"])
        #expect(answer.body["group_id"] == "grp_gggggggg")
        #expect(try await bench.documents(in: "humanTasks").count == 3)
    }
}
