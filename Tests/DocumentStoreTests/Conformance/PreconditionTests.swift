import DocumentStore
import Testing

@Suite("Conformance: preconditions")
struct PreconditionTests {
    @Test("Creating an existing document fails with ALREADY_EXISTS and changes nothing", arguments: Engine.all)
    func createExisting(engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.set("things/one", ["n": .integer(1)])
            await expectError(.alreadyExists) {
                try await store.commit([.create(DocumentPath("things/one"), ["n": .integer(2)])])
            }
            #expect(try await store.fields("things/one") == ["n": .integer(1)])
        }
    }

    @Test("Updating a missing document fails with NOT_FOUND and creates nothing", arguments: Engine.all)
    func updateMissing(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            await expectError(.notFound) {
                try await store.commit([.update(DocumentPath("things/one"), ["n": .integer(2)])])
            }
            await expectError(.notFound) {
                try await store.commit([.delete(DocumentPath("things/one"), precondition: .exists(true))])
            }
            #expect(try await store.fields("things/one") == nil)
        }
    }

    @Test("A write with a precondition on another update time fails with FAILED_PRECONDITION", arguments: Engine.all)
    func updateTime(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            let path = try DocumentPath("things/one")
            let first = try await store.commit([.set(path, ["n": .integer(1)])]).commitTime
            let second = try await store.commit([.set(path, ["n": .integer(2)])]).commitTime

            await expectError(.failedPrecondition) {
                try await store.commit([.set(path, ["n": .integer(3)], precondition: .updateTime(first))])
            }
            await expectError(.failedPrecondition) {
                try await store.commit([.delete(DocumentPath("things/none"), precondition: .updateTime(first))])
            }
            #expect(try await store.fields("things/one") == ["n": .integer(2)])
            _ = try await store.commit([.delete(path, precondition: .updateTime(second))])
            #expect(try await store.fields("things/one") == nil)
        }
    }

    @Test("The error of a failed precondition has Firestore's text", arguments: Engine.all)
    func texts(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            let (path, missing) = (try DocumentPath("t/one"), try DocumentPath("t/none"))
            let name = "projects/pushgate/databases/(default)/documents"
            let time = try await store.commit([.set(path, [:])]).commitTime
            let later = time.adding(.microseconds(1))
            let earlier = time.adding(.microseconds(-1))
            let failures: [(Write, StoreError.Code, String)] = [
                (.create(path, [:]), .alreadyExists, "Document already exists: \(name)/t/one"),
                (.update(missing, [:]), .notFound, "No document to update: \(name)/t/none"),
                (
                    .set(path, [:], precondition: .updateTime(earlier)), .failedPrecondition,
                    """
                    the stored version (\(time.microseconds)) does not match the required base version \
                    (\(earlier.microseconds))
                    """
                ),
                (
                    .delete(missing, precondition: .updateTime(time)), .failedPrecondition,
                    "the stored version (0) does not match the required base version (\(time.microseconds))"
                ),
                (
                    .delete(path, precondition: .updateTime(later)), .invalidArgument,
                    "Invalid base version, it is greater than the stored version: \(name)/t/one"
                ),
            ]
            for (write, code, text) in failures {
                let error = await expectError(code) { try await store.commit([write]) }
                #expect(error?.message == text)
            }
        }
    }

    @Test("A precondition on the update time fails after another write of the commit", arguments: Engine.all)
    func versions(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            let path = try DocumentPath("t/one")
            let time = try await store.commit([.set(path, ["n": .integer(1)])]).commitTime
            for first in [Write.set(path, ["n": .integer(2)]), .delete(path)] {
                await expectError(.invalidArgument) {
                    try await store.commit([first, .set(path, ["n": .integer(3)], precondition: .updateTime(time))])
                }
            }
            #expect(try await store.fields("t/one") == ["n": .integer(1)])
        }
    }

    @Test(
        "An update time of 0 requires that the document was missing before the commit, also after a deletion",
        arguments: Engine.all)
    func missing(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            let path = try DocumentPath("t/one")
            let create = Write.set(path, ["n": .integer(1)], precondition: .updateTime(Precondition.missing))
            _ = try await store.commit([.delete(path, precondition: .updateTime(Precondition.missing))])
            _ = try await store.commit([create])
            let error = await expectError(.failedPrecondition) { try await store.commit([create]) }
            #expect(error?.message.hasSuffix("does not match the required base version (0)") == true)
            for first in [Write.delete(path), .set(path, [:])] {
                await expectError(.invalidArgument) { try await store.commit([first, create]) }
            }
            #expect(try await store.fields("t/one") == ["n": .integer(1)])
            let time = try #require(try await store.document(at: path)).updateTime
            _ = try await store.commit([.delete(path)])
            await expectError(.failedPrecondition) {
                try await store.commit([.set(path, [:], precondition: .updateTime(time))])
            }
            _ = try await store.commit([create, create])
            #expect(try await store.fields("t/one") == ["n": .integer(1)])
        }
    }

    @Test(
        "A verify fails as a write with its precondition does, and changes nothing, also beside other writes",
        arguments: Engine.all)
    func verify(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            let (path, other) = (try DocumentPath("t/one"), try DocumentPath("t/other"))
            let first = try await store.commit([.set(path, ["n": .integer(1)])]).commitTime
            let time = try await store.commit([.set(path, ["n": .integer(2)])]).commitTime
            let failing: [(Precondition, StoreError.Code)] = [
                (.updateTime(first), .failedPrecondition), (.exists(false), .alreadyExists),
                (.updateTime(Precondition.missing), .failedPrecondition),
            ]
            for (precondition, code) in failing {
                await expectError(code) {
                    try await store.commit([.set(other, [:]), .verify(path, precondition)])
                }
            }
            await expectError(.notFound) {
                try await store.commit([.set(other, [:]), .verify(DocumentPath("t/none"), .exists(true))])
            }
            #expect(try await store.fields("t/other") == nil)
            let none = try DocumentPath("t/none")
            let result = try await store.commit([
                .verify(path, .updateTime(time)), .set(other, [:]), .verify(path, .exists(true)),
                .verify(none, .updateTime(Precondition.missing)), .verify(none, .exists(false)),
            ])
            #expect(result.updateTimes == [nil, result.commitTime, nil, nil, nil])
            #expect(try await store.document(at: path)?.updateTime == time)
            #expect(try await store.document(at: none) == nil)
        }
    }

    @Test("A verify leaves the writes of its document as they are without it", arguments: Engine.all)
    func verifyBesideWrites(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            let path = try DocumentPath("t/one")
            let time = try await store.commit([.set(path, ["n": .integer(1)])]).commitTime
            _ = try await store.commit([
                .verify(path, .exists(true)), .set(path, ["n": .integer(2)], precondition: .updateTime(time)),
                .verify(path, .updateTime(time)), .delete(path), .verify(path, .exists(false)), .create(path, [:]),
            ])
            #expect(try await store.fields("t/one") == [:])
            let contradictions: [([Write], String)] = [
                ([.set(path, [:]), .verify(path, .exists(false))], "upsert then verify"),
                ([.delete(path), .verify(path, .exists(true))], "delete then verify"),
            ]
            for (writes, kinds) in contradictions {
                let error = await expectError(.invalidArgument) { try await store.commit(writes) }
                #expect(error?.message == "Cannot \(kinds) an entity in the same request.")
            }
            let transform = FieldTransform("n", .requestTime)
            await expectError(.invalidArgument) {
                try await store.commit([Write(.verify, at: path, transforms: [transform])])
            }
            #expect(try await store.fields("t/one") == [:])
        }
    }

    @Test("A commit that only verifies is no change of its documents", arguments: Engine.all)
    func verifyIsNoChange(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let path = try DocumentPath("t/one")
            try await store.set("t/one", ["n": .integer(1)])
            var reads = TransactionReads(at: store.readTime)
            reads.add([path])
            let listener = store.listener()
            _ = try await store.commit([.verify(path, .exists(true))])
            _ = try await store.commit([.set(DocumentPath("t/two"), [:])], ifUnchanged: reads)
            let changes = try await listener.next(upTo: store.readTime)
            guard case .documents(let documents) = changes.content else {
                Issue.record("the changes were missed")
                return
            }
            #expect(documents.map(\.path.id) == ["two"])
        }
    }

    @Test("All update times that a commit requires of a document are those before the commit", arguments: Engine.all)
    func requiredTwice(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            let path = try DocumentPath("t/one")
            func update(_ number: Int64, _ time: Timestamp?) -> Write {
                .set(path, ["n": .integer(number)], precondition: time.map { .updateTime($0) })
            }
            let first = try #require(try await store.commit([update(0, nil)]).updateTimes[0])
            let second = try await store.commit([update(1, first), update(2, nil), update(3, first)])
            #expect(try await store.fields("t/one") == ["n": .integer(3)])

            let time = second.commitTime
            let other = time.adding(.microseconds(-1))
            for writes in [
                [update(4, nil), update(5, time)], [update(4, time), update(5, other)],
                [update(4, other), update(5, time)],
                [update(3, nil), .delete(path, precondition: .updateTime(time))],
            ] {
                let error = await expectError(.invalidArgument) { try await store.commit(writes) }
                #expect(error?.message.hasPrefix("Cannot require an update time") == true)
            }
            let deleted = [Write.delete(path), update(4, time)]
            let error = await expectError(.invalidArgument) { try await store.commit(deleted) }
            #expect(error?.message == "Cannot delete then update an entity in the same request.")
            _ = try await store.commit([update(4, time), .delete(path, precondition: .updateTime(time))])
            #expect(try await store.document(at: path) == nil)
        }
    }

    @Test(
        "Writes of one document that contradict each other are INVALID_ARGUMENT", arguments: Engine.all,
        [false, true])
    func contradictions(engine: Engine, exists: Bool) async throws {
        try await engine.withStore { store async throws in
            let path = try DocumentPath("t/one")
            if exists { try await store.set("t/one", ["n": .integer(1)]) }
            let (create, set, delete) = (Write.create(path, [:]), Write.set(path, [:]), Write.delete(path))
            let absent = Write.delete(path, precondition: .exists(false))
            let contradictions: [([Write], String)] = [
                ([create, create], "insert then insert"), ([set, create], "upsert then insert"),
                ([set, absent], "upsert then delete"), ([delete, .update(path, [:])], "delete then update"),
                ([delete, .delete(path, precondition: .exists(true))], "delete then delete"),
                ([.create(try DocumentPath("t/two"), [:]), create, set, create], "upsert then insert"),
            ]
            for (writes, kinds) in contradictions {
                let error = await expectError(.invalidArgument) { try await store.commit(writes) }
                #expect(error?.message == "Cannot \(kinds) an entity in the same request.")
            }
            let kept: Fields? = exists ? ["n": .integer(1)] : nil
            #expect(try await store.fields("t/one") == kept)
            #expect(try await store.fields("t/two") == nil)
            _ = try await store.commit([delete, create, delete, create])
        }
    }

    @Test("One failed write makes the whole commit fail", arguments: Engine.all)
    func allOrNothing(engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.set("things/kept", ["n": .integer(1)])
            await expectError(.notFound) {
                try await store.commit([
                    .set(DocumentPath("things/new"), [:]), .set(DocumentPath("things/kept"), ["n": .integer(9)]),
                    .delete(DocumentPath("things/kept")), .update(DocumentPath("things/missing"), [:]),
                ])
            }
            #expect(try await store.ids(.collectionGroup("things")) == ["kept"])
            #expect(try await store.fields("things/kept") == ["n": .integer(1)])
        }
    }

    @Test("Failing commits do not affect concurrent ones", arguments: Engine.all)
    func manyAtOnce(engine: Engine) async throws {
        try await engine.withStore { store in
            let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        do {
                            let missing = try DocumentPath("missing/\(index)")
                            let kept = try DocumentPath("things/\(index)")
                            _ = try await store.commit(
                                [.set(kept, ["n": .integer(Int64(index))])]
                                    + (index % 2 == 0 ? [] : [.update(missing, [:])]))
                            return nil
                        } catch {
                            return (error as? StoreError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == .notFound } == 50)
            #expect(codes.count { $0 == nil } == 50)
            let documents = try await store.documents(matching: .collectionGroup("things"))
            #expect(documents.count == 50)
            #expect(documents.allSatisfy { $0["n"]?.integer.map { $0 % 2 == 0 } ?? false })
        }
    }

    @Test("Exactly one of many concurrent creations of a document succeeds", arguments: Engine.all)
    func race(engine: Engine) async throws {
        try await engine.withStore { store in
            let successes = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<50 {
                    group.addTask {
                        (try? await store.commit([.create(DocumentPath("t/one"), ["n": .integer(Int64(index))])]))
                            != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(successes == 1)
        }
    }
}
