import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import Testing

@testable import FirestoreAPI

@Suite("The protocol of a Listen stream")
struct ListenStateTests {
    private let database = DatabaseID(project: "test")
    private let tokens = ResumeTokens(for: DatabaseID(project: "test"), server: 1)

    private func time(_ moment: Int64) -> Timestamp { Timestamp(microseconds: moment) }

    private func document(_ path: String, at moment: Int64) throws -> Document {
        Document(path: try DocumentPath(path), fields: [:], createTime: time(1), updateTime: time(moment))
    }

    private func changes(_ documents: [DocumentChange], at moment: Int64) -> Changes {
        Changes(readTime: time(moment), content: .documents(documents))
    }

    private func change(_ path: String, _ document: Document?, at moment: Int64) throws -> DocumentChange {
        DocumentChange(path: try DocumentPath(path), after: document, time: time(moment))
    }

    /// Returns a stream with one target, 1, that contains `c/a` and was read at 10.
    private func listening(limit: Int32? = nil) throws -> ListenState {
        var state = ListenState(database: database, tokens: tokens)
        state.apply(changes([], at: 10))
        state.add(.collection("c", id: 1, in: database, limit: limit))
        state.beginReading(1, resumedFrom: nil)
        state.add([try document("c/a", at: 5)], to: 1)
        state.finishReading(1, at: time(10))
        state.finishSnapshot()
        return state
    }

    private func summaries(_ state: inout ListenState) -> [String] { state.takeResponses().map(\.summary) }

    @Test("A new target gets ADD, its documents, CURRENT and NO_CHANGE")
    func newTarget() throws {
        var state = try listening()
        #expect(summaries(&state) == ["add [1]", "a +[1] -[]", "current [1]", "noChange []"])
    }

    @Test("A commit that changes no result sends nothing")
    func irrelevantCommit() throws {
        var state = try listening()
        _ = state.takeResponses()
        state.apply(changes([try change("d/x", try document("d/x", at: 11), at: 11)], at: 11))
        state.finishSnapshot()
        #expect(state.takeResponses().isEmpty)
        #expect(state.time == time(11))
    }

    @Test("A commit sends only the documents that it changed, and then one NO_CHANGE")
    func deltas() throws {
        var state = try listening()
        _ = state.takeResponses()
        let entered = try change("c/b", try document("c/b", at: 11), at: 11)
        state.apply(changes([entered, try change("c/a", nil, at: 11)], at: 11))
        state.finishSnapshot()
        #expect(summaries(&state) == ["b +[1] -[]", "deleted a -[1]", "noChange []"])
    }

    @Test("A change that the first read already contained is not sent again")
    func earlierChange() throws {
        var state = try listening()
        _ = state.takeResponses()
        state.apply(changes([try change("c/a", nil, at: 4)], at: 11))
        state.finishSnapshot()
        #expect(state.takeResponses().isEmpty)
    }

    @Test("A document in two targets comes once with both ids")
    func twoTargets() throws {
        var state = try listening()
        state.add(.collection("c", id: 3, in: database))
        state.beginReading(3, resumedFrom: nil)
        state.finishReading(3, at: time(10))
        state.finishSnapshot()
        _ = state.takeResponses()
        state.apply(changes([try change("c/b", try document("c/b", at: 11), at: 11)], at: 11))
        state.finishSnapshot()
        #expect(summaries(&state) == ["b +[1, 3] -[]", "noChange []"])
    }

    @Test("A limited target is read again when a change may move its result")
    func limitedTarget() throws {
        var state = try listening(limit: 1)
        #expect(state.staleTargets.isEmpty)
        state.apply(changes([try change("d/x", try document("d/x", at: 11), at: 11)], at: 11))
        #expect(state.staleTargets.isEmpty)
        state.apply(changes([try change("c/a", nil, at: 12)], at: 12))
        #expect(state.staleTargets == [1])
    }

    @Test("A malformed target gets ADD and REMOVE with the cause, and the others stay")
    func malformedTarget() throws {
        var state = try listening()
        _ = state.takeResponses()
        var target = Google_Firestore_V1_Target()
        target.targetID = 2
        state.add(target)
        #expect(summaries(&state) == ["add [2]", "remove [2] 3"])
        #expect(state.target(1) != nil)
    }

    @Test("A target id of 0 is replaced by an unused one")
    func chosenID() throws {
        var state = try listening()
        _ = state.takeResponses()
        state.add(.collection("c", id: 0, in: database))
        #expect(summaries(&state) == ["add [2]"])
    }

    @Test("A resumed target sends only the differences, and the count if the client has another")
    func resumption() throws {
        var state = ListenState(database: database, tokens: tokens)
        state.apply(changes([], at: 10))
        var target = Google_Firestore_V1_Target.collection(
            "c", id: 1, in: database, token: tokens.token(at: time(7)))
        target.expectedCount.value = 5
        state.add(target)
        let known = [try DocumentPath("c/a"): time(5), try DocumentPath("c/b"): time(6)]
        state.beginReading(1, resumedFrom: known)
        state.add([try document("c/a", at: 5)], to: 1)
        for path in state.takeDepartures(from: 1) { state.remove(path, nil, from: 1, at: time(10)) }
        state.finishReading(1, at: time(10))
        state.finishSnapshot()
        #expect(summaries(&state) == ["add [1]", "deleted b -[1]", "filter 1 1", "current [1]", "noChange []"])
    }

    @Test("A token that cannot be told gets RESET and everything")
    func unknownToken() throws {
        var state = ListenState(database: database, tokens: tokens)
        state.add(.collection("c", id: 1, in: database, token: Data([1])))
        state.beginReading(1, resumedFrom: nil)
        state.add([try document("c/a", at: 5)], to: 1)
        state.finishReading(1, at: time(10))
        #expect(summaries(&state) == ["add [1]", "reset [1]", "a +[1] -[]", "current [1]"])
    }

    @Test("A target for one snapshot ends without a cause after it")
    func once() throws {
        var state = ListenState(database: database, tokens: tokens)
        var target = Google_Firestore_V1_Target.collection("c", id: 1, in: database)
        target.once = true
        state.add(target)
        state.beginReading(1, resumedFrom: nil)
        state.finishReading(1, at: time(10))
        state.finishSnapshot()
        #expect(summaries(&state) == ["add [1]", "current [1]", "noChange []", "remove [1]"])
        #expect(state.target(1) == nil)
    }

    @Test("A token of another server or database has no time")
    func foreignToken() {
        let token = tokens.token(at: time(-3))
        #expect(tokens.time(of: token) == time(-3))
        #expect(ResumeTokens(for: database, server: 2).time(of: token) == nil)
        #expect(ResumeTokens(for: DatabaseID(project: "other"), server: 1).time(of: token) == nil)
    }
}
