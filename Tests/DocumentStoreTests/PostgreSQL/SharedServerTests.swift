import DocumentStore
import Logging
import PostgreSQLStore
import TestBasics
import Testing

/// Several engines, as those of several gateways, on one server.
@Suite("PostgreSQL: several engines", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct SharedServerTests {
    /// Runs the body with engines that share all databases. They take their times from the server.
    private func withEngines(
        _ count: Int = 2, looksEvery interval: Duration = .milliseconds(20), notifies: Bool = true,
        _ body: ([PostgreSQLEngine], _ url: String) async throws -> Void
    ) async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(
            url: url, connections: 3, pollInterval: interval, notifies: notifies)
        let engines = try await withThrowingTaskGroup(of: PostgreSQLEngine.self) { group in
            for _ in 0..<count {
                group.addTask { try PostgreSQLEngine(configuration, logger: Logger(label: "test")) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        do {
            try await body(engines, url)
        } catch {
            for engine in engines { await engine.close() }
            throw error
        }
        for engine in engines { await engine.close() }
    }

    private func increment(_ engine: PostgreSQLEngine) async throws -> Timestamp {
        let write = try Write.merge(
            DocumentPath("counters/one"), [:], mask: [], transforms: [FieldTransform("n", .increment(.integer(1)))])
        return try await engine.store(for: .app).commit([write]).commitTime
    }

    @Test("Engines that start together make the tables once, and each reads what the others have committed")
    func start() async throws {
        try await withEngines(4) { engines, _ in
            for (number, engine) in engines.enumerated() {
                _ = try await engine.store(for: .app).commit([.set(DocumentPath("users/\(number)"), [:])])
            }
            for engine in engines {
                let users = try await engine.store(for: .app).documents(matching: .collection(CollectionPath("users")))
                #expect(users.map(\.path.id) == ["0", "1", "2", "3"])
            }
        }
    }

    @Test("An engine answers the repetition of a transaction's commit at another one, until the outcome is too old")
    func outcome() async throws {
        try await withEngines { engines, url in
            let identity = CommitIdentity(transaction: Array(0..<16), digest: [1])
            let write = try Write.merge(
                DocumentPath("counters/one"), [:], transforms: [FieldTransform("n", .increment(.integer(1)))])
            let results = try await withThrowingTaskGroup(of: CommitResult.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await engines[number % 2].store(for: .app)
                            .commitUnlessCancelled([write], with: CommitOptions(identity: identity))
                    }
                }
                return try await group.reduce(into: [CommitResult]()) { $0.append($1) }
            }
            #expect(Set(results.map(\.commitTime)).count == 1)
            #expect(results.allSatisfy { $0.transformResults(ofWrite: 0) == [.integer(1)] })
            try await engines[0].sweep()
            #expect(try await engines[1].store(for: .app).outcome(of: identity) != nil)
            try PostgreSQLEngine.run("UPDATE outcomes SET committed_at = committed_at - 4300000000", at: url)
            try await engines[0].sweep()
            #expect(try await engines[1].store(for: .app).outcome(of: identity) == nil)
        }
    }

    @Test("Commits of several engines at once follow each other: none is lost, and no two have one time")
    func commits() async throws {
        try await withEngines { engines, _ in
            let times = try await withThrowingTaskGroup(of: Timestamp.self) { group in
                for number in 0..<200 { group.addTask { try await increment(engines[number % 2]) } }
                return try await group.reduce(into: [Timestamp]()) { $0.append($1) }
            }
            #expect(Set(times).count == 200)
            let counter = try await engines[0].store(for: .app).document(at: DocumentPath("counters/one"))
            #expect(counter?.fields["n"] == .integer(200))
            #expect(counter?.updateTime == times.max())
        }
    }

    @Test("Of transactions in several engines that add to one counter, none is lost")
    func transactions() async throws {
        try await withEngines { engines, _ in
            let path = try DocumentPath("counters/one")
            _ = try await engines[0].store(for: .app).commit([.set(path, ["n": .integer(0)])])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let store = engines[number % 2].store(for: .app)
                        while true {
                            let time = try await store.presentTime()
                            let found = try await store.snapshot(at: time).document(at: path)
                            var reads = TransactionReads(at: time)
                            reads.add([path])
                            let next = (found?.fields["n"]?.integer ?? 0) + 1
                            do throws(StoreError) {
                                _ = try await store.commit([.set(path, ["n": .integer(next)])], ifUnchanged: reads)
                                return
                            } catch {
                                guard error.code == .aborted else { throw error }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await engines[1].store(for: .app).document(at: path)?.fields["n"] == .integer(20))
        }
    }

    @Test("Listeners and watches of one engine see the commits of another, in their order", arguments: [true, false])
    func listening(notifies: Bool) async throws {
        // With notices, nothing waits for the next look; without them, the looks are enough.
        let interval = notifies ? Duration.seconds(600) : .milliseconds(20)
        try await withEngines(looksEvery: interval, notifies: notifies) { engines, _ in
            let (here, there) = (engines[0].store(for: .app), engines[1].store(for: .app))
            let path = try DocumentPath("users/a")
            let listener = here.listener()
            var watch = here.watch(.collection(path.collection)).makeAsyncIterator()
            #expect(try await watch.next()?.documents.isEmpty == true)
            let first = try await there.commit([.set(path, ["n": .integer(1)])]).commitTime
            #expect(try await watch.next()?.documents.map(\.path) == [path])
            let second = try await here.commit([.set(path, ["n": .integer(2)])]).commitTime
            let third = try await there.commit([.delete(path)]).commitTime
            #expect(first < second && second < third)
            let changes = try await listener.next(upTo: third)
            #expect(changes.readTime >= third)
            guard case .documents(let documents) = changes.content else {
                Issue.record("the listener missed changes")
                return
            }
            #expect(documents.map(\.path) == [path] && documents[0].after == nil && documents[0].time == third)
            try await engines[1].removeAll(from: .app)
            guard case .missed = try await listener.next().content else {
                Issue.record("the listener was not told to read again")
                return
            }
        }
    }

    @Test("A listener sees the changes of another engine also in a database without versions, whose rows are lists")
    func lists() async throws {
        try await withEngines(looksEvery: .milliseconds(20)) { engines, url in
            let (here, there) = (engines[0].store(for: .gateway), engines[1].store(for: .gateway))
            let listener = here.listener()
            let name = String(repeating: "n", count: 200)
            let paths = try (0..<60).map { try DocumentPath("users/\(name)\($0)") }
            _ = try await there.commit(paths.map { Write.set($0, ["n": .integer(0)]) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, path) in paths.enumerated() {
                    group.addTask { _ = try await there.commit([.set(path, ["n": .integer(Int64(number))])]) }
                }
                try await group.waitForAll()
            }
            let last = try await there.commit([.delete(paths[7])]).commitTime
            let changes = try await listener.next(upTo: last)
            guard case .documents(let documents) = changes.content else {
                Issue.record("the listener missed changes")
                return
            }
            #expect(Set(documents.map(\.path)) == Set(paths))
            for document in documents {
                let number = paths.firstIndex(of: document.path) ?? -1
                #expect(document.after?.fields["n"] == (number == 7 ? nil : .integer(Int64(number))))
            }
            #expect(documents.first { $0.path == paths[7] }?.time == last)
            #expect(try await engines[0].texts("SELECT DISTINCT parent FROM changes") == [""])
            // A row that cannot be read makes listeners read again.
            let later = """
                UPDATE databases SET last_change = last_commit + 1, last_commit = last_commit + 1; \
                UPDATE changes SET fields = '1 2 3', changed_at = (SELECT last_commit FROM databases)
                """
            try PostgreSQLEngine.run(later, at: url)
            guard case .missed = try await listener.next().content else {
                Issue.record("the listener was not told to read again")
                return
            }
        }
    }

    @Test("Tables of version 2 are brought to version 3 by the engines that start on them together")
    func previousVersion() async throws {
        try await withEngines(1) { engines, url in
            try PostgreSQLEngine.run("DROP TABLE listeners; UPDATE pushgate_schema SET version = 2", at: url)
            let next = try await withThrowingTaskGroup(of: PostgreSQLEngine.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try PostgreSQLEngine(
                            PostgreSQLStoreConfiguration(url: url, connections: 2), logger: Logger(label: "test"))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(try await engines[0].texts("SELECT version::text FROM pushgate_schema") == ["3"])
            for engine in next {
                _ = try await increment(engine)
                await engine.close()
            }
        }
    }

    @Test("The table of engines that wait for notices has those that somebody listens to, and loses old ones")
    func listeners() async throws {
        try await withEngines(looksEvery: .seconds(600)) { engines, url in
            let senders = "SELECT sender FROM listeners"
            #expect(try await engines[0].texts(senders).isEmpty)
            try PostgreSQLEngine.run("INSERT INTO listeners VALUES ('gone', 1)", at: url)
            let listener = engines[0].store(for: .app).listener()
            #expect(
                try await eventually {
                    let found = try await engines[1].texts(senders)
                    return found.count == 1 && found != ["gone"]
                })
            // An engine that others have forgotten hears of nothing until it has renewed its row.
            try PostgreSQLEngine.run("DELETE FROM listeners", at: url)
            let time = try await increment(engines[1])
            #expect(try await eventually { try await engines[1].texts(senders).count == 1 })
            #expect(try await listener.next(upTo: time).readTime >= time)
        }
    }

    @Test("The server tells of commits those engines that somebody listens to, and no others")
    func listeningSessions() async throws {
        try await withEngines(looksEvery: .seconds(600)) { engines, _ in
            let sessions = """
                SELECT pid::text FROM pg_stat_activity WHERE query = 'LISTEN ' || quote_ident('pushgate ' || current_schema())
                """
            #expect(try await engines[0].texts(sessions).isEmpty)
            let store = engines[0].store(for: .app)
            for count in 1...2 {
                let listener = store.listener()
                let time = try await increment(engines[1])
                #expect(try await listener.next(upTo: time).readTime >= time)
                #expect(try await eventually { try await engines[0].texts(sessions).count == 1 }, "listener \(count)")
            }
            _ = try await increment(engines[1])
            #expect(try await eventually { try await engines[0].texts(sessions).isEmpty })
            // It stays so.
            for _ in 0..<20 {
                try await Task.sleep(for: .milliseconds(100))
                #expect(try await engines[0].texts(sessions).isEmpty)
            }
            let listener = store.listener()
            let time = try await increment(engines[1])
            #expect(try await listener.next(upTo: time).readTime >= time)
        }
    }

    @Test("Commits whose connections the server ends are applied once, or not at all and say so")
    func endedConnections() async throws {
        try await withEngines { engines, url in
            let ending = Task {
                let others = """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                    WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name')
                    """
                while !Task.isCancelled {
                    try? PostgreSQLEngine.run(others, at: url)
                    try? await Task.sleep(for: .milliseconds(10))
                }
            }
            let applied = await withTaskGroup(of: Int.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        var applied = 0
                        for _ in 0..<40 where (try? await increment(engines[worker % 2])) != nil { applied += 1 }
                        return applied
                    }
                }
                return await group.reduce(0, +)
            }
            ending.cancel()
            await ending.value
            let counter = try await engines[0].store(for: .app).document(at: DocumentPath("counters/one"))
            #expect(counter?.fields["n"] == .integer(Int64(applied)), "accepted and applied")
            #expect(applied > 0)
        }
    }

    @Test("Rows of a database that was emptied are deleted, and those of the present one stay")
    func sweep() async throws {
        try await withEngines(1) { engines, _ in
            let store = engines[0].store(for: .app)
            for number in 0..<5 { _ = try await store.commit([.set(DocumentPath("users/\(number)"), [:])]) }
            try await engines[0].removeAll(from: .app)
            _ = try await store.commit([.set(DocumentPath("users/new"), [:])])
            #expect(try await engines[0].texts("SELECT document FROM documents").count == 6)
            try await engines[0].sweep()
            #expect(try await engines[0].texts("SELECT document FROM documents") == ["new"])
            #expect(try await engines[0].texts("SELECT document FROM changes") == ["new"])
            let now = try await store.presentTime()
            #expect(try await store.snapshot(at: now).document(at: DocumentPath("users/new")) != nil)
        }
    }

    @Test("Tables of a newer version and of a build before 0.1.0 are refused, and a server that is not there is named")
    func refusals() async throws {
        try await withEngines(1) { engines, url in
            try PostgreSQLEngine.run("UPDATE pushgate_schema SET version = 99", at: url)
            let newer = #expect(throws: StoreError.self) {
                try PostgreSQLEngine(PostgreSQLStoreConfiguration(url: url), logger: Logger(label: "test"))
            }
            #expect(newer?.code == .failedPrecondition && newer?.message.contains("newer version (99)") == true)
            try PostgreSQLEngine.run("UPDATE pushgate_schema SET version = 1", at: url)
            let earlier = #expect(throws: StoreError.self) {
                try PostgreSQLEngine(PostgreSQLStoreConfiguration(url: url), logger: Logger(label: "test"))
            }
            #expect(earlier?.code == .failedPrecondition)
            #expect(earlier?.message.contains("a build of commit \(EarlierForm.lastConversion)") == true)
            #expect(try await engines[0].texts("SELECT version::text FROM pushgate_schema") == ["1"])
        }
        let missing = #expect(throws: StoreError.self) {
            try PostgreSQLEngine(
                PostgreSQLStoreConfiguration(url: "host=/nowhere user=none dbname=none"), logger: Logger(label: "test"))
        }
        #expect(missing?.code == .unavailable, "\(missing?.description ?? "")")
    }
}
