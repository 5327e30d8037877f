import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Documents that a system cannot read", .timeLimit(.minutes(10)))
struct UnreadableDocumentTests {
    private func isNamedOnce(_ path: String, in log: CollectedLog) -> Bool {
        log.lines.count { $0.contains("left an unreadable document out of a list") && $0.contains(path) } == 1
    }

    @Test("An unreadable task or response is left out of its list and logged once")
    func humanTasks() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let tasks = [try await bench.ask(phone), try await bench.ask(phone)]
        for name in ["Tom", "Ann"] {
            let answer = try await bench.call(
                .post, "/api/hits/\(tasks[1])/respond", ["respondent_name": .string(name), "response_data": [:]])
            #expect(answer.status == .created)
        }
        let responses = try await bench.documents(in: "humanTasks/\(tasks[1])/responses")
        let broken = try #require(responses.first { $0["name"] == .string("Tom") })
        _ = try await bench.disk.documents.commit([
            .merge(DocumentPath("humanTasks/\(tasks[0])"), ["taskDescription": .integer(1)]),
            .merge(broken.path, ["data": .string("no JSON")]),
        ])
        for _ in 0..<2 {
            let list = try await bench.call(.get, "/api/hits", headers: phone.headers)
            #expect(list.body["hits"]?.array?.map { $0["id"] } == [.string(tasks[1])])
            let answers = try await bench.call(.get, "/api/hits/\(tasks[1])/responses", headers: phone.headers)
            #expect(answers.body["responses"]?.array?.map { $0["respondent_name"] } == ["Ann"])
        }
        #expect(isNamedOnce("humanTasks/\(tasks[0].prefix(4))…", in: bench.log))
        #expect(isNamedOnce("humanTasks/\(tasks[1].prefix(4))…/responses/", in: bench.log))
        // A task's id is secret, because it is the task's link.
        #expect(!bench.log.lines.contains { line in tasks.contains { line.contains($0) } })
    }

    @Test("An unreadable device is skipped, and the others are notified")
    func phones() async throws {
        let bench = try SessionsBench()
        for token in ["token-1", "token-2"] { #expect(try await bench.register(token).status == .ok) }
        let phones = try await bench.documents(in: "sessionPhones")
        let broken = try #require(phones.first { $0["deviceToken"] == .string("token-1") })
        _ = try await bench.disk.documents.commit([.merge(broken.path, ["deviceToken": .null])])
        try await bench.running {
            let answer = try await bench.report("Stop")
            #expect(answer.status == .ok)
            #expect(await bench.sent(1).map(\.token) == ["token-2"])
        }
        #expect(isNamedOnce("sessionPhones/", in: bench.log))
    }
}
