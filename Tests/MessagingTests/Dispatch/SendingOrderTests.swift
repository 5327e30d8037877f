import DocumentStore
import TestBasics
import TestDoubles
import Testing

@testable import Messaging

@Suite("The order of notifications in memory")
struct SendingOrderTests {
    private let replaced = SendingLine.collapsible(.sample, RegistrationToken("phone"))
    private let plain = SendingLine.plain(sender: "s", PushAddress(token: "phone"))

    private func place(_ message: Int) -> NotificationPlace {
        NotificationPlace(chunk: ChunkID(message: "m\(message)", number: 0), isInMessage: true, index: 0)
    }

    @Test("A new message supersedes one that waits, and not one in flight")
    func supersedes() {
        var order = SendingOrder<Int>()
        #expect(order.add(place(1), to: replaced, isNew: true).isEmpty)
        #expect(order.begin(place(1), in: replaced, waiter: 1) == .send)
        _ = order.add(place(2), to: replaced, isNew: true)
        #expect(order.begin(place(2), in: replaced, waiter: 2) == .wait)
        #expect(order.add(place(3), to: replaced, isNew: true) == [2])
        #expect(order.begin(place(2), in: replaced, waiter: 2) == .superseded)
        #expect(order.begin(place(3), in: replaced, waiter: 3) == .wait)
        #expect(order.predecessor(of: place(3), in: replaced) == place(1))
        let end = order.end(place(1), in: replaced)
        #expect(end.isSuperseded && end.next == 3)
        #expect(order.predecessor(of: place(3), in: replaced) == nil)
        let last = order.end(place(3), in: replaced)
        #expect(!last.isSuperseded && last.next == nil && order.isEmpty)
    }

    @Test("A message that has failed is replaced until it is on disk again, and nobody waits for it")
    func failed() {
        var order = SendingOrder<Int>()
        _ = order.add(place(1), to: replaced, isNew: true)
        #expect(order.begin(place(1), in: replaced, waiter: 1) == .send)
        #expect(order.end(place(1), in: replaced, hasFailed: true) == (false, nil))
        #expect(order.places(in: replaced) == [place(1)])
        _ = order.add(place(2), to: replaced, isNew: true)
        #expect(order.begin(place(2), in: replaced, waiter: 2) == .send)
        #expect(order.remove(place(1), from: replaced) == nil)
        #expect(order.end(place(2), in: replaced) == (false, nil))
        #expect(order.isEmpty)
    }

    @Test("An older message that comes from disk is superseded by a newer one in memory")
    func olderFromDisk() {
        var order = SendingOrder<Int>()
        _ = order.add(place(2), to: replaced, isNew: true)
        #expect(order.add(place(1), to: replaced, isNew: false).isEmpty)
        #expect(order.begin(place(1), in: replaced, waiter: 1) == .superseded)
        #expect(order.begin(place(2), in: replaced, waiter: 2) == .send)
    }

    @Test("A page that is cut later replaces only messages that are older than its own")
    func page() {
        var order = SendingOrder<Int>()
        _ = order.add(place(1), to: replaced, isNew: true)
        #expect(order.begin(place(1), in: replaced, waiter: 1) == .send)
        _ = order.add(place(3), to: replaced, isNew: true)
        #expect(order.begin(place(3), in: replaced, waiter: 3) == .wait)
        #expect(order.add(place(2), to: replaced, isNew: false).isEmpty)
        #expect(order.begin(place(2), in: replaced, waiter: 2) == .superseded)
        #expect(order.supersede(replaced, before: "m2").isEmpty)
        #expect(order.end(place(1), in: replaced) == (true, 3))
        #expect(order.end(place(3), in: replaced) == (false, nil))
        #expect(order.isEmpty)
    }

    @Test("A page of a held-up lane takes the places of older messages that wait, and of no newer ones")
    func pageOnDisk() {
        var order = SendingOrder<Int>()
        _ = order.add(place(1), to: replaced, isNew: true)
        #expect(order.begin(place(1), in: replaced, waiter: 1) == .send)
        _ = order.add(place(2), to: replaced, isNew: true)
        #expect(order.begin(place(2), in: replaced, waiter: 2) == .wait)
        #expect(order.supersede(replaced, before: "m2").isEmpty)
        #expect(order.supersede(replaced, before: "m3") == [2])
        #expect(order.end(place(1), in: replaced) == (true, nil))
        #expect(order.isEmpty)
    }

    @Test("A message that names an address twice does not replace itself")
    func twice() {
        var order = SendingOrder<Int>()
        let chunk = place(1).chunk
        let places = (0..<2).map { NotificationPlace(chunk: chunk, isInMessage: true, index: $0) }
        for place in places { #expect(order.add(place, to: replaced, isNew: true).isEmpty) }
        #expect(order.begin(places[0], in: replaced, waiter: 0) == .send)
        #expect(order.begin(places[1], in: replaced, waiter: 1) == .wait)
        #expect(order.end(places[0], in: replaced).next == 1)
    }

    @Test("Messages without a collapse id leave in the order in which they came, also if one goes back to the disk")
    func inOrder() {
        var order = SendingOrder<Int>()
        for number in 1...4 { #expect(order.add(place(number), to: plain, isNew: true).isEmpty) }
        #expect(order.begin(place(3), in: plain, waiter: 3) == .wait)
        #expect(order.begin(place(2), in: plain, waiter: 2) == .wait)
        #expect(order.begin(place(1), in: plain, waiter: 1) == .send)
        #expect(order.end(place(1), in: plain).next == 2)
        #expect(order.remove(place(2), from: plain) == 3)
        #expect(order.remove(place(4), from: plain) == nil)
        #expect(order.end(place(3), in: plain).next == nil && order.isEmpty)
    }

    /// Accepts, cuts, answers, fails, holds up and crashes in any order, and follows the messages at the push service.
    @Test("The last message accepted is the last one at the push service, whatever happens", arguments: 0..<200)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var gateway = ModelGateway()
        for _ in 0..<200 { gateway.step(&random) }
        gateway.finish()
        #expect(gateway.arrived.last == gateway.accepted)
        #expect(gateway.arrived == gateway.arrived.sorted())
        #expect(gateway.hasKeptSchedules)
        #expect(gateway.order.isEmpty)
    }
}

/// A gateway with one phone and one collapse id. Its disk has the pending messages, and those that are marked as
/// replaced.
private struct ModelGateway {
    var order = SendingOrder<Int>()
    /// The newest message that was accepted.
    private(set) var accepted = 0
    /// The messages that the push service has accepted, in its order.
    private(set) var arrived: [Int] = []
    private var onDisk: Set<Int> = []
    private var marked: Set<Int> = []
    private var inMemory: Set<Int> = []
    private var inFlight: Set<Int> = []
    /// The messages that have failed, which is not stored yet.
    private var returning: Set<Int> = []
    /// The messages to a topic that no page was cut of.
    private var uncut: Set<Int> = []
    /// The messages that are not due yet, by the number of their schedule. They have no number among the accepted.
    private var scheduled: Set<Int> = []
    private var schedules = 0
    /// The numbers of the accepted messages by schedule, and the schedules that were cancelled.
    private var due: [Int: Int] = [:]
    private var cancelled: Set<Int> = []
    private var acceptance = AcceptanceOrder()
    private var isHeldUp = false
    private let line = SendingLine.collapsible(.sample, RegistrationToken("phone"))

    private func place(_ message: Int) -> NotificationPlace { chunk(message).place(0) }

    private func chunk(_ message: Int) -> Chunk {
        .sample(of: "m\(100_000 + message)", to: ["phone"])
    }

    private func stored(_ message: Int) -> AcceptedMessage { .sample(id: "m\(100_000 + message)") }

    mutating func step(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: accept()
        case 3: acceptForTopic()
        case 4...5: load()
        case 6: answer(isAccepted: true, &random)
        case 7...8: answer(isAccepted: false, &random)
        case 9: isHeldUp.toggle()
        case 10: leaveAll()
        case 11...12: store()
        case 13...14: if let message = uncut.sorted().randomElement(using: &random) { cut(message) }
        case 15: crash(&random)
        case 16...17: schedule()
        case 18: if let one = scheduled.sorted().randomElement(using: &random) { becomeDue(one) }
        default: if let one = scheduled.sorted().randomElement(using: &random) { cancel(one) }
        }
    }

    /// `true` if each schedule waits, was accepted once, or was cancelled.
    var hasKeptSchedules: Bool {
        scheduled.count + due.count + cancelled.count == schedules && Set(due.values).count == due.count
            && scheduled.isDisjoint(with: cancelled) && cancelled.isDisjoint(with: due.keys)
    }

    mutating func finish() {
        isHeldUp = false
        var random = SeededGenerator(seed: 0)
        for message in uncut.sorted() { cut(message) }
        store()
        while !onDisk.isEmpty {
            load()
            answer(isAccepted: true, &random)
        }
    }

    private mutating func accept() {
        accepted += 1
        // One commit, by what is in the order, and what is on disk only.
        marked.formUnion(waiting)
        commit(accepted, isNew: true)
    }

    /// A message is to be sent later: it is on disk, outside of all order.
    private mutating func schedule() {
        schedules += 1
        scheduled.insert(schedules)
    }

    /// One commit ends the schedule and accepts the message, which is newer than all others from then on.
    private mutating func becomeDue(_ schedule: Int) {
        guard scheduled.remove(schedule) != nil else { return }
        accept()
        due[schedule] = accepted
    }

    private mutating func cancel(_ schedule: Int) {
        guard scheduled.remove(schedule) != nil else { return }
        cancelled.insert(schedule)
    }

    private mutating func acceptForTopic() {
        accepted += 1
        uncut.insert(accepted)
        acceptance.begin(stored(accepted))
    }

    private mutating func cut(_ message: Int) {
        uncut.remove(message)
        defer { acceptance.end(stored(message).id) }
        let isOvertaken = !acceptance.overtaken(in: chunk(message)).isEmpty || waiting.contains { $0 > message }
        marked.formUnion(waiting.filter { $0 < message })
        if !isOvertaken { commit(message, isNew: false) }
    }

    /// The messages that are in the order, or on disk only and not replaced.
    private var waiting: Set<Int> {
        let numbers = order.places(in: line).compactMap { Int($0.chunk.message.dropFirst()) }
        return onDisk.subtracting(inMemory).subtracting(marked).union(numbers.map { $0 - 100_000 })
    }

    private mutating func commit(_ message: Int, isNew: Bool) {
        onDisk.insert(message)
        _ = acceptance.committed([chunk(message)], of: stored(message))
        if isHeldUp {
            for waiter in order.supersede(line, before: isNew ? nil : place(message).chunk.message) { settle(waiter) }
        } else {
            enter(message, isNew: isNew)
        }
    }

    private mutating func load() {
        for message in onDisk.sorted() where !inMemory.contains(message) && !isHeldUp {
            if marked.contains(message) { onDisk.remove(message) } else { enter(message, isNew: false) }
        }
    }

    private mutating func enter(_ message: Int, isNew: Bool) {
        inMemory.insert(message)
        for waiter in order.add(place(message), to: line, isNew: isNew) { settle(waiter) }
        begin(message)
    }

    private mutating func begin(_ message: Int) {
        switch order.begin(place(message), in: line, waiter: message) {
        case .send: inFlight.insert(message)
        case .wait: break
        case .superseded: settle(message)
        }
    }

    private mutating func settle(_ message: Int) {
        onDisk.remove(message)
        inMemory.remove(message)
    }

    private mutating func answer(isAccepted: Bool, _ random: inout SeededGenerator) {
        guard let message = inFlight.sorted().randomElement(using: &random) else { return }
        inFlight.remove(message)
        if isAccepted { inMemory.remove(message) }
        if isAccepted { arrived.append(message) }
        let end = order.end(place(message), in: line, hasFailed: !isAccepted)
        if isAccepted || end.isSuperseded { onDisk.remove(message) } else { returning.insert(message) }
        if let next = end.next { inFlight.insert(next) }
    }

    /// Failures are stored: the messages are on disk only.
    private mutating func store() {
        for message in returning {
            if let next = order.remove(place(message), from: line) { inFlight.insert(next) }
        }
        inMemory.subtract(returning)
        returning = []
    }

    /// The lane is paused: whatever is not in flight goes back to the disk.
    private mutating func leaveAll() {
        for message in inMemory.subtracting(inFlight).subtracting(returning) {
            if let next = order.remove(place(message), from: line) { inFlight.insert(next) }
            inMemory.remove(message)
        }
    }

    /// The process ends. A message in flight may arrive, and its outcome is not stored. All pages were cut before: the
    /// next process does not know which messages were sent to their devices.
    private mutating func crash(_ random: inout SeededGenerator) {
        for message in uncut.sorted() { cut(message) }
        if let message = inFlight.first, Bool.random(using: &random) { arrived.append(message) }
        order = SendingOrder()
        acceptance = AcceptanceOrder()
        (inMemory, inFlight, returning) = ([], [], [])
    }
}

extension CollapseKey {
    fileprivate static let sample = CollapseKey(ofAlerts: "chat", sender: "s", in: Lane(transport: .apns))
}
