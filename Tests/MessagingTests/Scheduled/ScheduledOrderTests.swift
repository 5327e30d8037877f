import DocumentStore
import TestBasics
import TestDoubles
import Testing

@testable import Messaging

/// The order of messages to one phone with one collapse id, some of which are sent later: without I/O.
private struct ScheduleModel {
    private var waiting: [(id: String, body: String, deliverAt: Timestamp)] = []
    /// The messages that were accepted, in their order.
    private(set) var accepted: [String] = []
    private(set) var cancelled: Set<String> = []

    var ids: [String] { waiting.map(\.id) }

    func isDue(by time: Timestamp) -> [String] { waiting.filter { $0.deliverAt <= time }.map(\.id) }

    mutating func accept(_ body: String) { accepted.append(body) }

    mutating func schedule(_ body: String, _ id: String, at time: Timestamp) { waiting.append((id, body, time)) }

    mutating func cancel(_ id: String) {
        cancelled.formUnion(waiting.filter { $0.id == id }.map(\.body))
        waiting.removeAll { $0.id == id }
    }

    /// Accepts what is due by a time.
    mutating func advance(to time: Timestamp) {
        let due = waiting.filter { $0.deliverAt <= time }.sorted { ($0.deliverAt, $0.id) < ($1.deliverAt, $1.id) }
        accepted += due.map(\.body)
        waiting.removeAll { $0.deliverAt <= time }
    }
}

@Suite("The order of messages that are sent later", .timeLimit(.minutes(10)))
struct ScheduledOrderTests {
    /// Accepts, schedules, cancels, waits and restarts in any order, and follows the messages at the push service.
    @Test("A message has its place from when it is due, whatever comes before", arguments: 0..<12)
    func model(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var model = ScheduleModel()
        var stage = try ScheduleBench()
        var (arrived, number): ([String], Int) = ([], 0)
        for _ in 0..<3 {
            try await stage.running {
                try await dueAreAccepted(on: stage, &model)
                for _ in 0..<12 {
                    number += 1
                    try await step("\(number)", on: stage, &model, &random)
                }
            }
            arrived += stage.bodies
            // Messages become due while no gateway runs.
            stage.bench.clock.advance(by: .seconds(1_000))
            stage = try ScheduleBench(on: stage)
        }
        try await stage.running {
            try await dueAreAccepted(on: stage, &model)
            number += 1
            let last = try await stage.bench.outbox.accept(.later("\(number)"), to: [.phone])
            model.accept("\(number)")
            try await stage.bench.settled(last)
        }
        arrived += stage.bodies
        let places = arrived.map { model.accepted.firstIndex(of: $0) }
        #expect(places.allSatisfy { $0 != nil }, "a message arrived that was not accepted")
        // One whose outcome was not stored at the end of a process arrives again.
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(arrived.last == model.accepted.last && model.cancelled.isDisjoint(with: arrived))
    }

    private func step(
        _ body: String, on stage: ScheduleBench, _ model: inout ScheduleModel, _ random: inout SeededGenerator
    ) async throws {
        let clock = stage.bench.clock
        switch Int.random(in: 0..<8, using: &random) {
        case 0...1:
            _ = try await stage.bench.outbox.accept(.later(body), to: [.phone])
            model.accept(body)
        case 2...4:
            let time = clock.timestamp.adding(.seconds(Int64.random(in: 1...20, using: &random) * 200))
            let id = try await stage.scheduled.schedule(.later(body), to: .all([.phone]), at: time)
            model.schedule(body, id, at: time)
        case 5:
            guard let id = model.ids.randomElement(using: &random) else { return }
            #expect(try await stage.scheduled.cancel(id) == .cancelled)
            model.cancel(id)
        default:
            clock.advance(by: .seconds(Int64.random(in: 1...5, using: &random) * 200))
            try await dueAreAccepted(on: stage, &model)
        }
    }

    /// Waits until the gateway has accepted what is due.
    private func dueAreAccepted(on stage: ScheduleBench, _ model: inout ScheduleModel) async throws {
        let clock = stage.bench.clock
        try await eventually("what is due is accepted", advancing: clock, by: .seconds(1)) {
            for id in model.isDue(by: clock.timestamp) where try await stage.isWaiting(id) { return false }
            return true
        }
        model.advance(to: clock.timestamp)
    }
}
