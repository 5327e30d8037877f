import DocumentStore
import Testing

@Suite("Conformance: commits")
struct CommitTests {
    @Test("A stored document returns every type of value unchanged", arguments: Engine.all)
    func everyType(engine: Engine) async throws {
        let fields: Fields = [
            "null": .null, "true": .boolean(true), "integer": .integer(.min), "double": .double(-0.1),
            "infinity": .double(-.infinity), "timestamp": .timestamp(Timestamp(microseconds: 1)),
            "string": .string("é\u{0}\u{1}\u{2}\"\\\n😀"), "bytes": .bytes([0, 255, 1]),
            "reference": .reference("projects/p/databases/d/documents/a/b"),
            "point": .geoPoint(latitude: 48.5, longitude: -122), "empty": .array([]), "nothing": .map([:]),
            "array": .array([.map(["deep": .array([.null])]), .integer(2)]),
            "map": .map(["k": .map(["é": .string("")])]),
            "a.b `c`": .integer(1),
        ]
        try await engine.withStore { store in
            try await store.set("things/one", fields)
            #expect(try await store.fields("things/one") == fields)
        }
    }

    @Test("A stored document keeps NaN and negative zero", arguments: Engine.all)
    func specialDoubles(engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.set("things/one", ["nan": .double(.nan), "zero": .double(-0.0)])
            let fields = try #require(try await store.fields("things/one"))
            guard case .double(let nan) = fields["nan"], case .double(let zero) = fields["zero"] else {
                Issue.record("the doubles are \(fields)")
                return
            }
            #expect(nan.isNaN)
            #expect(zero == 0 && zero.sign == .minus)
        }
    }

    @Test("All writes of a commit apply at one time, which is their create and update time", arguments: Engine.all)
    func oneTime(engine: Engine) async throws {
        let clock = TestClock()
        try await engine.withStore(clock: clock) { store in
            let (one, two) = (try DocumentPath("things/one"), try DocumentPath("things/two"))
            let first = try await store.commit([.set(one, ["n": .integer(1)])])
            clock.advance(by: .seconds(60))
            let second = try await store.commit([.set(one, ["n": .integer(2)]), .set(two, [:])])

            #expect(first.commitTime == Timestamp("2024-05-01T12:00:00Z"))
            #expect(second.commitTime == Timestamp("2024-05-01T12:01:00Z"))
            #expect(second.updateTimes == [second.commitTime, second.commitTime])
            let documents = try await store.documents(at: [one, two])
            #expect(documents.map { $0?.createTime } == [first.commitTime, second.commitTime])
            #expect(documents.map { $0?.updateTime } == [second.commitTime, second.commitTime])
        }
    }

    @Test("Commit times increase while the clock stands still", arguments: Engine.all)
    func increasingTimes(engine: Engine) async throws {
        try await engine.withStore { store in
            var times: [Timestamp] = []
            for index in 0..<5 {
                times.append(try await store.commit([.set(DocumentPath("t/\(index)"), [:])]).commitTime)
            }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test("Commit times increase after the clock goes back", arguments: Engine.all)
    func clockGoingBack(engine: Engine) async throws {
        let clock = TestClock()
        try await engine.withStore(clock: clock) { store in
            let before = try await store.commit([.set(DocumentPath("t/a"), [:])]).commitTime
            clock.advance(by: .seconds(-3_600))
            let after = try await store.commit([.set(DocumentPath("t/b"), [:])]).commitTime
            #expect(after == before.adding(.microseconds(1)))
        }
    }

    @Test("A write that changes nothing keeps the update time", arguments: Engine.all)
    func unchanged(engine: Engine) async throws {
        let clock = TestClock()
        try await engine.withStore(clock: clock) { store in
            let path = try DocumentPath("things/one")
            let fields: Fields = ["b": .integer(1), "a": .map(["y": .null, "x": .double(.nan)])]
            let first = try await store.commit([.set(path, fields)])
            clock.advance(by: .seconds(1))
            let again = try await store.commit([.set(path, fields), .merge(path, ["b": .integer(1)])])

            #expect(again.commitTime > first.commitTime)
            #expect(again.updateTimes == [first.commitTime, first.commitTime])
            #expect(try await store.document(at: path)?.updateTime == first.commitTime)
            let changed = try await store.commit([.merge(path, ["b": .double(1)])])
            #expect(changed.updateTimes == [changed.commitTime])
        }
    }

    @Test("A commit that changes a document and changes it back keeps the update time", arguments: Engine.all)
    func changedBack(engine: Engine) async throws {
        let clock = TestClock()
        try await engine.withStore(clock: clock) { store in
            let path = try DocumentPath("things/one")
            let first = try await store.commit([.set(path, ["n": .integer(1)])])
            clock.advance(by: .seconds(1))
            let back = try await store.commit([.set(path, ["n": .integer(2)]), .set(path, ["n": .integer(1)])])
            #expect(back.updateTimes == [first.commitTime, first.commitTime])
            #expect(try await store.document(at: path)?.updateTime == first.commitTime)

            let anew = try await store.commit([.delete(path), .set(path, ["n": .integer(1)])])
            #expect(anew.updateTimes == [nil, anew.commitTime])
            #expect(try await store.document(at: path)?.createTime == anew.commitTime)
        }
    }

    @Test("Later writes of a commit see the earlier ones", arguments: Engine.all)
    func sequence(engine: Engine) async throws {
        try await engine.withStore { store in
            let path = try DocumentPath("things/one")
            let result = try await store.commit([
                .create(path, ["n": .integer(1)]), .merge(path, ["m": .integer(2)]), .delete(path),
                .create(path, ["last": .boolean(true)]),
            ])
            #expect(result.updateTimes == [result.commitTime, result.commitTime, nil, result.commitTime])
            #expect(try await store.fields("things/one") == ["last": .boolean(true)])
        }
    }

    @Test("A document created again after its deletion has a new create time", arguments: Engine.all)
    func deletion(engine: Engine) async throws {
        try await engine.withStore { store in
            let path = try DocumentPath("things/one")
            try await store.set("things/one", ["n": .integer(1)])
            let deletion = try await store.commit([.delete(path)])
            #expect(deletion.updateTimes == [nil])
            #expect(try await store.document(at: path) == nil)
            let creation = try await store.commit([.create(path, [:])])
            #expect(try await store.document(at: path)?.createTime == creation.commitTime)
        }
    }

    @Test("Deleting a missing document and committing nothing succeed", arguments: Engine.all)
    func nothing(engine: Engine) async throws {
        try await engine.withStore { store in
            let deletion = try await store.commit([.delete(DocumentPath("things/none"))])
            let empty = try await store.commit([])
            #expect(deletion.updateTimes == [nil])
            #expect(empty.updateTimes.isEmpty)
            #expect(empty.commitTime > deletion.commitTime)
            #expect(try await store.count(.collectionGroup("things")) == 0)
        }
    }

    @Test("A document survives the deletion of its parent document", arguments: Engine.all)
    func orphans(engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.set("agents/a")
            try await store.set("agents/a/devices/d", ["n": .integer(1)])
            _ = try await store.commit([.delete(DocumentPath("agents/a"))])
            #expect(try await store.fields("agents/a") == nil)
            #expect(try await store.fields("agents/a/devices/d") == ["n": .integer(1)])
        }
    }

    @Test("Documents of one database are invisible in another", arguments: Engine.all)
    func databases(engine: Engine) async throws {
        let open = try await engine.open(TestClock())
        let (one, other) = (open.store(.gateway), open.store(DatabaseID(project: "other")))
        try await one.set("things/a", ["n": .integer(1)])
        #expect(try await other.fields("things/a") == nil)
        #expect(try await other.ids(.collectionGroup("things")) == [])
        #expect(try await other.collectionIDs(below: nil) == [])
        try await other.set("things/a", ["n": .integer(2)])
        #expect(try await one.fields("things/a") == ["n": .integer(1)])
        #expect(other.database == DatabaseID(project: "other"))
        await open.close()
    }
}
