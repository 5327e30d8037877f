import Testing

@testable import DocumentStore

@Suite("Listeners to changes")
struct ChangeListenerTests {
    private let database = DatabaseID(project: "test")

    private func time(_ moment: Int64) -> Timestamp { Timestamp(microseconds: moment) }

    private func changes(_ ids: some Sequence<String>, at moment: Int64) throws -> ChangedDocuments {
        var changes = ChangedDocuments()
        for id in ids {
            let after = StoredDocument(json: Array("{}".utf8), createTime: time(moment), updateTime: time(moment))
            changes.append(
                ChangedDocument(
                    database: database, path: try DocumentPath("c/\(id)"), before: nil, after: after,
                    time: time(moment)))
        }
        return changes
    }

    private func documents(_ changes: Changes) -> [DocumentChange]? {
        if case .documents(let documents) = changes.content { documents } else { nil }
    }

    @Test("Several changes of a document become its newest state")
    func coalescing() async throws {
        let listeners = ChangeListeners()
        let listener = listeners.listener(to: database, since: time(1))
        listeners.notify(of: try changes(["a", "b"], at: 2), upTo: time(2))
        listeners.notify(of: try changes(["a"], at: 3), upTo: time(3))
        let next = try await listener.next()
        #expect(next.readTime == time(3))
        #expect(documents(next)?.map(\.path.id) == ["a", "b"])
        #expect(documents(next)?.map { $0.after?.updateTime } == [time(3), time(2)])
    }

    @Test("A listener of another database gets no documents, but its time passes")
    func otherDatabase() async throws {
        let listeners = ChangeListeners()
        let listener = listeners.listener(to: .gateway, since: time(1))
        listeners.notify(of: try changes(["a"], at: 2), upTo: time(2))
        let next = try await listener.next(upTo: time(2))
        #expect(documents(next)?.isEmpty == true)
        #expect(next.readTime == time(2))
    }

    @Test("More than 10,000 changed documents are missed rather than kept, and later ones are not")
    func tooMany() async throws {
        let listeners = ChangeListeners()
        let listener = listeners.listener(to: database, since: time(1))
        listeners.notify(of: try changes((0...10_000).map(String.init), at: 2), upTo: time(2))
        #expect(documents(try await listener.next()) == nil)
        listeners.notify(of: try changes(["a"], at: 3), upTo: time(3))
        #expect(documents(try await listener.next())?.count == 1)
    }

    @Test("Emptying a database makes its listeners read again")
    func emptying() async throws {
        let listeners = ChangeListeners()
        let listener = listeners.listener(to: database, since: time(1))
        listeners.reset(database, at: time(2))
        let next = try await listener.next()
        #expect(documents(next) == nil)
        #expect(next.readTime == time(2))
    }

    @Test("Listeners end as UNAVAILABLE, also those created after the end")
    func finishing() async throws {
        let listeners = ChangeListeners()
        let listener = listeners.listener(to: database, since: time(1))
        listeners.finish()
        await expectError(.unavailable) { try await listener.next() }
        let later = listeners.listener(to: database, since: time(1))
        await expectError(.unavailable) { try await later.next() }
    }
}
