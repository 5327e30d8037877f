import DocumentStore
import Functions
import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import Testing

@Suite("Human tasks: deleting", .timeLimit(.minutes(10)))
struct TaskDeletionTests {
    /// Creates a task with a photo and an answer.
    private func filled(_ bench: HumanTasksBench, _ phone: Phone) async throws -> String {
        let task = try await bench.ask(phone)
        let photo = try await bench.call(
            .post, "/api/hits/\(task)/upload", bytes: Pictures.jpeg, headers: [.contentType: "image/jpeg"])
        try #require(photo.status == .created)
        let answer = try await bench.call(
            .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
        try #require(answer.status == .created)
        return task
    }

    private func left(_ bench: HumanTasksBench, _ task: String) async throws -> Int {
        var count = try await bench.documents(in: "humanTasks").count { $0.path.id == task }
        for collection in ["responses", "photos"] {
            count += try await bench.documents(in: "humanTasks/\(task)/\(collection)").count
        }
        return count
    }

    @Test("A deleted task is removed with its answers, photos and files, and other tasks stay")
    func deletion() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let (task, other) = (try await filled(bench, phone), try await filled(bench, phone))
        let answer = try await bench.call(.delete, "/api/hits/\(task)", headers: phone.agentHeaders)
        #expect(answer == .json(.ok, ["deleted": true, "id": .string(task)]))
        #expect(try await left(bench, task) == 0)
        #expect(try await left(bench, other) == 3)
        #expect(files.names.count == 1 && files.names.allSatisfy { $0.hasPrefix(other) })
        let gone = FunctionResponse.task(.notFound, "HIT not found")
        #expect(try await bench.call(.delete, "/api/hits/\(task)", headers: phone.headers) == gone)
        #expect(try await bench.call(.get, "/api/hits/\(task)") == gone)
        let list = try await bench.call(.get, "/api/hits", headers: phone.headers)
        #expect(list.body["count"] == 1)
    }

    @Test("A task can be deleted only by its device")
    func authorization() async throws {
        let bench = try HumanTasksBench()
        let (phone, other) = (try await bench.makePhone(), try await bench.makePhone("Other"))
        let task = try await filled(bench, phone)
        for (method, path) in [
            (HTTPRequest.Method.delete, "/api/hits/\(task)"), (.post, "/api/hits/bulk-delete"),
        ] {
            let body: JSONValue = ["ids": [.string(task)]]
            #expect(try await bench.call(method, path, body) == .task(.unauthorized, "Missing X-Device-ID header"))
            let unknown = try await bench.call(method, path, body, headers: .device("x"))
            #expect(unknown == .task(.forbidden, "Unknown device"))
        }
        let forbidden = try await bench.call(.delete, "/api/hits/\(task)", headers: other.headers)
        #expect(forbidden == .task(.forbidden, "Forbidden"))
        let none = try await bench.call(
            .post, "/api/hits/bulk-delete", ["ids": [.string(task)]], headers: other.headers)
        #expect(none == .json(.ok, ["deleted": 0, "ids": []]))
        #expect(try await left(bench, task) == 3)
    }

    @Test("An answer or a photo that arrives during the deletion is removed too")
    func meanwhile() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let isFirst = Mutex(true)
        bench.store.set {
            $0.beforeCommit = { _ in
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isFirst else { return }
                _ = try? await bench.call(.post, "/api/hits/\(task)/upload", bytes: Pictures.jpeg)
                _ = try? await bench.call(
                    .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
            }
        }
        #expect(try await bench.call(.delete, "/api/hits/\(task)", headers: phone.headers).status == .ok)
        #expect(try await left(bench, task) == 0)
        #expect(files.names.isEmpty)
    }

    @Test("A failed commit deletes no document and no file")
    func failure() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let task = try await filled(bench, phone)
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw StoreError(.unavailable, "busy") } }
        let answer = try await bench.call(.delete, "/api/hits/\(task)", headers: phone.headers)
        #expect(answer.status == .serviceUnavailable)
        bench.store.set { $0.beforeCommit = { _ in } }
        #expect(try await left(bench, task) == 3)
        #expect(files.names.count == 1)
    }

    @Test("Files left by an interrupted deletion are removed by the clean-up")
    func cutShort() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let task = try await filled(bench, phone)
        files.state.withLock { $0.stuck = [task] }
        #expect(try await bench.call(.delete, "/api/hits/\(task)", headers: phone.headers).status == .ok)
        #expect(try await left(bench, task) == 0)
        #expect(files.names.count == 1)
        #expect(bench.log.lines.contains { $0.contains("failed to remove the photos of a deleted task") })
        #expect(!bench.log.lines.contains { $0.contains(task) })
        files.state.withLock { $0.stuck = [] }
        files.put(Pictures.jpeg, at: try #require(files.names.first), age: .seconds(3_600))
        try await #require(bench.system.jobs.first).run()
        #expect(files.names.isEmpty)
    }

    @Test("A bulk deletion by ids deletes only the device's own tasks")
    func ids() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let (phone, other) = (try await bench.makePhone(), try await bench.makePhone("Other"))
        let (first, second) = (try await filled(bench, phone), try await filled(bench, phone))
        let kept = [try await filled(bench, phone), try await filled(bench, other)]
        let ids = [first, kept[1], second, first, "aaaaaaaa", "../../x"].map(JSONValue.string)
        let answer = try await bench.call(
            .post, "/api/hits/bulk-delete", ["ids": .array(ids)], headers: phone.headers)
        #expect(answer == .json(.ok, ["deleted": 2, "ids": [.string(first), .string(second)]]))
        for task in [first, second] { #expect(try await left(bench, task) == 0) }
        for task in kept { #expect(try await left(bench, task) == 3) }
        #expect(files.names.count == 2)
    }

    @Test("A bulk deletion by age and status deletes the 50 oldest at a time")
    func age() async throws {
        let bench = try HumanTasksBench(configure: { $0.newTasksPerHourPerDevice = 0 })
        let (phone, other) = (try await bench.makePhone(), try await bench.makePhone("Other"))
        var tasks: [String] = []
        for _ in 0..<120 {
            bench.clock.advance(by: .seconds(1))
            tasks.append(try await bench.ask(phone))
        }
        _ = try await bench.ask(other)
        for task in [tasks[3], tasks[110]] { _ = try await bench.call(.patch, "/api/hits/\(task)/complete") }
        bench.clock.advance(by: .seconds(86_400))
        let young = try await bench.ask(phone)
        func delete(_ body: JSONValue) async throws -> [String] {
            let answer = try await bench.call(.post, "/api/hits/bulk-delete", body, headers: phone.headers)
            let ids = answer.body["ids"]?.array?.compactMap(\.string) ?? []
            #expect(answer.status == .ok && answer.body["deleted"] == .integer(Int64(ids.count)))
            return ids
        }
        #expect(try await delete(["older_than_days": 2]) == [])
        #expect(try await delete(["older_than_days": 1, "status": "completed"]) == [tasks[3], tasks[110]])
        tasks = tasks.filter { $0 != tasks[3] && $0 != tasks[110] }
        #expect(try await delete(["older_than_days": 1]) == Array(tasks[..<50]))
        #expect(try await delete(["older_than_days": 1, "status": "pending"]) == Array(tasks[50..<100]))
        #expect(try await delete(["older_than_days": 1, "status": "expired"]) == [])
        bench.clock.advance(by: .seconds(7 * 86_400 + 1))
        #expect(try await delete(["older_than_days": 8, "status": "expired"]) == Array(tasks[100...]))
        let list = try await bench.call(.get, "/api/hits", headers: phone.headers)
        #expect(list.body["hits"]?.array?.map { $0["id"] } == [.string(young)])
        #expect(try await bench.documents(in: "humanTasks").count == 2)
    }

    @Test("A bulk deletion of pending tasks takes those that were pending when they expired, and no others")
    func expiredAsPending() async throws {
        let bench = try HumanTasksBench()
        let (phone, other) = (try await bench.makePhone(), try await bench.makePhone("Other"))
        let (pending, started) = (try await bench.ask(phone), try await bench.ask(phone))
        let (completed, foreign) = (try await bench.ask(phone), try await bench.ask(other))
        #expect(try await bench.status(started) == "pending")
        _ = try await bench.call(.get, "/api/hits/\(started)")
        _ = try await bench.call(.patch, "/api/hits/\(completed)/complete")
        bench.clock.advance(by: .seconds(7 * 86_400 + 1))
        func delete(_ status: String) async throws -> [String] {
            let answer = try await bench.call(
                .post, "/api/hits/bulk-delete", ["older_than_days": 7, "status": .string(status)],
                headers: phone.headers)
            #expect(answer.status == .ok)
            return answer.body["ids"]?.array?.compactMap(\.string) ?? []
        }
        let rows = try await bench.call(.get, "/api/hits", headers: phone.headers).body["hits"]?.array ?? []
        #expect(Set(rows.map { $0["status"] }) == ["expired", "completed"])
        #expect(try await delete("pending") == [pending])
        #expect(try await delete("in_progress") == [started])
        #expect(try await delete("expired") == [])
        #expect(try await bench.documents(in: "humanTasks").map(\.path.id).sorted() == [completed, foreign].sorted())
    }

    @Test(
        "An invalid bulk deletion is answered with what is wrong",
        arguments: [
            ("{}", [(nil, "must have ids or older_than_days")]),
            (#"{"status":"completed"}"#, [(nil, "must have ids or older_than_days")]),
            (#"{"ids":[]}"#, [("ids", "must have at least 1 element")]),
            (#"{"ids":"x"}"#, [("ids", "must be an array")]),
            (#"{"ids":[1]}"#, [("ids", "must have strings only")]),
            (
                #"{"ids":[\#(Array(repeating: #""a""#, count: 51).joined(separator: ","))]}"#,
                [("ids", "must have at most 50 elements")]
            ),
            (#"{"older_than_days":0}"#, [("older_than_days", "must be a whole number from 1 to 365")]),
            (
                #"{"older_than_days":366,"status":"done"}"#,
                [
                    ("older_than_days", "must be a whole number from 1 to 365"),
                    ("status", "must be one of pending, in_progress, completed, expired"),
                ]
            ),
            (#"{"older_than_days":"7"}"#, [("older_than_days", "must be a whole number from 1 to 365")]),
        ] as [(String, [(String?, String)])])
    func badSelections(body: String, issues: [(String?, String)]) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let answer = try await bench.call(.post, "/api/hits/bulk-delete", text: body, headers: phone.headers)
        #expect(answer == .invalid(issues))
        #expect(try await bench.status(task) == "pending")
    }
}
