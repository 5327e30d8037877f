import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Human tasks: responses", .timeLimit(.minutes(10)))
struct TaskAnswerTests {
    @Test("A response is kept unchanged, and a name responds once in any spelling")
    func responding() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone, ["hit_type": "group_poll"])
        let data: JSONValue = ["z": [[1], [2.5, nil]], "a": "x\u{0}y", "deep": ["b": ["c": true]]]
        let first = try await bench.call(
            .post, "/api/hits/\(task)/respond", ["respondent_name": " Tom ", "response_data": data])
        let id = try #require(first.body["id"]?.string)
        let expected: JSONValue = [
            "id": .string(id), "hit_id": .string(task), "respondent_name": "Tom", "response_data": data,
            "created_at": bench.time,
        ]
        #expect(first == .json(.created, expected))
        for name in ["Tom", "tom", " TOM\t"] {
            let again = try await bench.call(
                .post, "/api/hits/\(task)/respond", ["respondent_name": .string(name), "response_data": [:]])
            #expect(again == .task(.conflict, "You have already responded"))
        }
        bench.clock.advance(by: .seconds(1))
        _ = try await bench.call(
            .post, "/api/hits/\(task)/respond", ["respondent_name": "Ann", "response_data": [:]])
        let list = try await bench.call(.get, "/api/hits/\(task)/responses", headers: phone.headers)
        #expect(list.body["responses"]?.array?.map { $0["respondent_name"]?.string } == ["Tom", "Ann"])
        #expect(list.body["responses"]?[0] == expected)
        #expect(list.body["hit_id"] == .string(task) && list.body["count"] == 2)
        #expect(try await bench.call(.get, "/api/hits/\(task)").body["status"] == "in_progress")
        let stranger = try await bench.makePhone("Other")
        let hidden = try await bench.call(.get, "/api/hits/\(task)/responses", headers: stranger.headers)
        #expect(hidden == .task(.notFound, "HIT not found"))
    }

    @Test("A name is the same with composed and decomposed letters")
    func composition() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone(), ["hit_type": "group_poll"])
        for (name, status) in [("Zo\u{EB}", HTTPResponse.Status.created), ("ZOE\u{308}", .conflict), ("Zoe", .created)]
        {
            let answer = try await bench.call(
                .post, "/api/hits/\(task)/respond", ["respondent_name": .string(name), "response_data": [:]])
            #expect(answer.status == status, "\(name)")
        }
    }

    @Test("Of concurrent responses with one name one is kept, and other names lose none")
    func manyAnswers() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone, ["hit_type": "group_poll"])
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try await bench.call(
                        .post, "/api/hits/\(task)/respond",
                        ["respondent_name": .string("Tom \(number / 2)"), "response_data": [:]]
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == .created } == 8 && statuses.count { $0 == .conflict } == 8)
        let list = try await bench.call(.get, "/api/hits/\(task)/responses", headers: phone.headers)
        #expect(list.body["count"] == 8)
    }

    @Test("A name may respond to a poll more than once")
    func poll() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone, ["hit_type": "poll"])
        for _ in 0..<2 {
            let answer = try await bench.call(
                .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
            #expect(answer.status == .created)
        }
        let list = try await bench.call(.get, "/api/hits/\(task)/responses", headers: phone.headers)
        #expect(list.body["count"] == 2)
    }

    @Test("A name may respond to a photo task more than once")
    func severalAnswers() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        for _ in 0..<2 {
            let answer = try await bench.call(
                .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
            #expect(answer.status == .created)
        }
        let list = try await bench.call(.get, "/api/hits/\(task)/responses", headers: phone.headers)
        #expect(list.body["count"] == 2)
    }

    @Test("Only participants respond about days and times, each once", arguments: ["group_poll", "availability"])
    func participants(type: String) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        for request in [
            ["config": ["participants": ["Tom", "Zo\u{EB}"]]],
            ["participants": ["Tom", "Zo\u{EB}"]],
            ["participants": ["Tom", "Zo\u{EB}"], "distribution_mode": "group"],
        ] as [JSONObject] {
            let task = try await bench.ask(phone, JSONObject(request.members + [("hit_type", .string(type))]))
            func respond(_ name: String) async throws -> FunctionResponse {
                try await bench.call(
                    .post, "/api/hits/\(task)/respond", ["respondent_name": .string(name), "response_data": [:]])
            }
            #expect(try await respond("Eve") == .task(.badRequest, "Name not in participant list"))
            #expect(try await respond("Tom").status == .created)
            #expect(try await respond("Tom") == .task(.conflict, "You have already responded"))
            // The response has the name that the app knows, in any spelling.
            #expect(try await respond(" ZOE\u{308}").body["respondent_name"] == "Zo\u{EB}")
        }
        for request in [["config": [:]], ["config": ["participants": "Tom"]], [:]] as [JSONObject] {
            let task = try await bench.ask(phone, JSONObject(request.members + [("hit_type", .string(type))]))
            let answer = try await bench.call(
                .post, "/api/hits/\(task)/respond", ["respondent_name": "Eve", "response_data": [:]])
            #expect(answer.status == .created)
        }
    }

    @Test("A task accepts 500 responses")
    func mostAnswers() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone, ["hit_type": "group_poll"])
        _ = try await bench.disk.documents.commit([
            .update(try DocumentPath("humanTasks/\(task)"), ["responseCount": .integer(499)])
        ])
        let last = try await bench.call(
            .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
        #expect(last.status == .created)
        let tooMany = try await bench.call(
            .post, "/api/hits/\(task)/respond", ["respondent_name": "Ann", "response_data": [:]])
        #expect(tooMany == .task(.conflict, "HIT takes no more responses"))
    }

    @Test(
        "An invalid response is answered with what is wrong",
        arguments: [
            ("{}", [("respondent_name", "is required"), ("response_data", "is required")]),
            (#"{"respondent_name":"Tom","response_data":[]}"#, [("response_data", "must be an object")]),
            (#"{"respondent_name":"Tom","response_data":"x"}"#, [("response_data", "must be an object")]),
            (#"{"respondent_name":"  ","response_data":{}}"#, [("respondent_name", "must have 1 to 50 characters")]),
            (
                #"{"respondent_name":"Tom","response_data":{"a":"\#(String(repeating: "a", count: 16_384))"}}"#,
                [("response_data", "must have at most 16384 bytes of JSON")]
            ),
        ] as [(String, [(String?, String)])])
    func badAnswers(body: String, issues: [(String?, String)]) async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let answer = try await bench.call(.post, "/api/hits/\(task)/respond", text: body)
        #expect(answer == .invalid(issues))
        let malformed = try await bench.call(.post, "/api/hits/\(task)/respond", text: "{")
        #expect(malformed == .task(.badRequest, "Malformed JSON in request body"))
    }
}
