import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

/// Tests that chunks of which nothing is left to send neither probe a lane that was held up, nor delay its probe.
@Suite("Chunks with nothing to send")
struct UnsentBacklogTests {
    /// A push service that refuses the app while the switch is on.
    private final class Refusal: Sendable {
        private let isOn = Mutex(true)

        var outcome: Outcome { isOn.withLock(\.self) ? .laneRefused : .accepted }
        func end() { isOn.withLock { $0 = false } }
    }

    private static let target = Target(address: PushAddress(token: "phone"), registration: nil)

    private static func draft(_ body: String, id: String? = "chat") -> Draft {
        var headers: [String: String] = [:]
        headers["apns-collapse-id"] = id
        return Draft(
            message: Message(notification: .init(body: body), apns: .init(headers: headers)),
            lifetime: .seconds(86_400), source: "test", registrationFields: RegistrationFields(token: "token"))
    }

    /// Returns a bench, and the refusal that the lane of the bench begins with.
    private func refusedBench() throws -> (bench: Bench, refusal: Refusal) {
        let refusal = Refusal()
        return (try Bench(ScriptedTransport { _ in refusal.outcome }), refusal)
    }

    /// Accepts a message, and waits until it is refused, and its lane held up.
    private func holdUp(_ bench: Bench, id: String? = "chat") async throws -> Delivery {
        let delivery = try await bench.outbox.accept(Self.draft("1", id: id), to: [Self.target])
        try await eventually("the refusal is stored") {
            let isStored = try await bench.chunk(delivery.messageID).targets.contains { $0["failures"] != nil }
            return isStored && !bench.dispatcher.pausedLanes.isEmpty
        }
        return delivery
    }

    /// Stops the commits of outcomes at a gate.
    ///
    /// - Returns: a function that returns the number of chunks in each of these commits so far.
    private func holdOutcomes(of bench: Bench, at gate: Gate) -> @Sendable () -> [Int] {
        let commits = Mutex<[Int]>([])
        bench.store.set { hooks in
            hooks.beforeCommit = { writes in
                let count = writes.count { $0.isOfChunk && $0.precondition == nil }
                guard count > 0 else { return }
                commits.withLock { $0.append(count) }
                await gate.pass()
            }
        }
        return { commits.withLock(\.self) }
    }

    /// Accepts messages while the lane's queue is read, one before each read of names and of chunks, until the lane is
    /// probed; 50 at most.
    ///
    /// - Returns: a function that returns the number of reads of names so far.
    private func acceptDuringReads(of bench: Bench, id: String?) -> @Sendable () -> Int {
        let bodies = Mutex(1)
        let reads = Tally()
        let accept: @Sendable () async -> Void = {
            guard bench.transport.sent.count == 1 else { return }
            let body = bodies.withLock { body in
                body += 1
                return body
            }
            if body <= 50 { _ = try? await bench.outbox.accept(Self.draft("\(body)", id: id), to: [Self.target]) }
        }
        bench.store.set { hooks in
            hooks.beforeQuery = { query in
                guard query.projection?.isEmpty == true else { return }
                reads.add()
                await accept()
            }
            hooks.beforeRead = { paths in
                if paths.contains(where: { $0.collection.id == OutboxDocuments.messages }) { await accept() }
            }
        }
        return { reads.count }
    }

    private func settled(_ bench: Bench) async throws {
        let messages = Query.collection(try CollectionPath(OutboxDocuments.messages))
        try await eventually("all settle", advancing: bench.clock, by: .milliseconds(100)) {
            try await bench.disk.documents.documents(matching: messages).allSatisfy { $0["settledAt"] != nil }
        }
    }

    // MARK: On disk

    @Test(
        "The probe of a lane waits for none of them, however many are before it, and they settle in groups",
        arguments: [(1, false), (60, false), (700, false), (60, true)])
    func probe(count: Int, haveExpired: Bool) async throws {
        let (bench, refusal) = try refusedBench()
        let gate = Gate()
        defer { gate.open() }
        if haveExpired { bench.clock.advance(by: .seconds(60)) }
        try await bench.running {
            let live = try await holdUp(bench)
            let prepared = bench.transport.prepared
            try await bench.putOnDisk(count, areReplaced: !haveExpired)
            let commits = holdOutcomes(of: bench, at: gate)
            refusal.end()
            try await eventually("the lane is probed", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count == 2
            }
            gate.open()
            try await settled(bench)
            #expect(commits().reduce(0, +) == count + 1)
            #expect(commits().count <= 5 + count / 20)
            #expect(live.progress.sent == 1)
            #expect(bench.log.lines.filter { $0.hasPrefix("notice resumed a lane") }.count == 1)
            #expect(bench.transport.prepared == prepared + 1)
        }
        #expect(bench.transport.bodies == ["1", "1"])
    }

    @Test("After a restart the newest message is sent behind 3,000 of them, of which memory holds a thousand")
    func restart() async throws {
        let first = try Bench()
        try await first.putOnDisk(3_000, areReplaced: true)
        first.clock.advance(by: .seconds(1))
        _ = try await first.outbox.accept(Self.draft("newest"), to: [Self.target])
        let (bench, gate) = (try Bench(on: first), Gate())
        defer { gate.open() }
        let commits = holdOutcomes(of: bench, at: gate)
        try await bench.running {
            try await eventually("the reader waits") {
                commits().reduce(0, +) >= 1_000 && !bench.clock.pendingSleeps.isEmpty
            }
            #expect(commits().reduce(0, +) == 1_000)
            gate.open()
            try await eventually("the newest one is sent", advancing: bench.clock, by: .milliseconds(100)) {
                bench.transport.bodies == ["newest"]
            }
            try await settled(bench)
            #expect(commits().reduce(0, +) == 3_001)
            #expect(commits().count <= 62)
            try await eventually("nothing stays in memory") { bench.isIdle }
        }
        #expect(bench.transport.bodies == ["newest"])
    }

    /// The clock stands still while the other lane is read, so a reader that waits for space would not go on.
    @Test(
        "A retry and a probe are sent on time though 3,000 of them in another lane cannot be settled",
        arguments: [false, true])
    func otherLane(isHeldUp: Bool) async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.attempt == 1, sent.token == "phone" else { return .accepted }
                return isHeldUp ? .laneRefused : .busy
            })
        let gate = Gate()
        defer { gate.open() }
        let app = AppIdentity(bundleID: "other")
        bench.clock.advance(by: .seconds(60))
        try await bench.running {
            let phone = Target(address: PushAddress(token: "phone", app: app), registration: nil)
            let delivery = try await bench.outbox.accept(Self.draft("1"), to: [phone])
            try await eventually("the failure is stored") {
                let isStored = try await bench.chunk(delivery.messageID).targets.contains { $0["failures"] != nil }
                return isStored && bench.dispatcher.pausedLanes.isEmpty != isHeldUp
            }
            let commits = holdOutcomes(of: bench, at: gate)
            try await bench.putOnDisk(3_000, areReplaced: false)
            try await eventually("the reader waits") {
                commits().reduce(0, +) >= 1_000 && !bench.clock.pendingSleeps.isEmpty
            }
            #expect(bench.transport.bodies == ["1"])
            bench.clock.advance(by: .seconds(5))
            try await eventually("the other lane is sent to") { bench.transport.bodies == ["1", "1"] }
            if !isHeldUp {
                let tablet = Target(address: PushAddress(token: "tablet", app: app), registration: nil)
                _ = try await bench.outbox.accept(Self.draft("2"), to: [tablet])
                try await eventually("a new message is sent") { bench.transport.bodies == ["1", "1", "2"] }
            }
            #expect(commits().reduce(0, +) < 1_100)
            gate.open()
            try await settled(bench)
        }
        #expect(bench.transport.bodies == (isHeldUp ? ["1", "1"] : ["1", "1", "2"]))
    }

    @Test("On a full disk the probe is sent, and they settle once there is space")
    func fullDisk() async throws {
        let (bench, refusal) = try refusedBench()
        try await bench.running {
            _ = try await holdUp(bench)
            try await bench.putOnDisk(60, areReplaced: true)
            bench.store.set { hooks in
                hooks.beforeCommit = { writes throws(StoreError) in
                    if writes.contains(where: { $0.isOfChunk && $0.precondition == nil }) { throw .diskFull }
                }
            }
            refusal.end()
            try await eventually("the lane is probed", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count == 2
            }
            bench.store.set { $0 = ObservedStore.Hooks() }
            try await settled(bench)
            try await eventually("nothing stays in memory") { bench.isIdle }
        }
        #expect(bench.transport.sent.count == 2)
    }

    @Test("What is replaced while its lane is held up settles at once, and only the newest message stays on disk")
    func whileHeldUp() async throws {
        let (bench, _) = try refusedBench()
        try await bench.running {
            var deliveries = [try await holdUp(bench)]
            for number in 2...5 {
                deliveries.append(try await bench.outbox.accept(Self.draft("\(number)"), to: [Self.target]))
            }
            for delivery in deliveries.dropLast() {
                try await bench.settled(delivery)
                #expect(delivery.progress.superseded == 1 && delivery.progress.pending == 0)
            }
            #expect(bench.clock.timestamp == ManualClock.start && !bench.dispatcher.pausedLanes.isEmpty)
            #expect(try await !bench.isSettled(deliveries[4].messageID))
            let waiting = try await bench.disk.documents.documents(matching: QueueKey().all)
            #expect(waiting.map(\.path.id) == [deliveries[4].messageID])
        }
        #expect(bench.transport.bodies == ["1"])
    }

    /// The lane stays held up, so nothing else reads what was replaced.
    @Test("What is replaced while its lane is held up settles also if the first read of it fails")
    func failedRead() async throws {
        let (bench, _) = try refusedBench()
        let (accepted, failed) = (Tally(), Tally())
        try await bench.running {
            let old = try await holdUp(bench)
            bench.store.set { hooks in
                hooks.beforeCommit = { writes in
                    if writes.contains(where: { $0.isOfChunk && $0.precondition != nil }) { accepted.add() }
                }
                hooks.beforeRead = { paths throws(StoreError) in
                    guard accepted.count > 0, failed.count == 0,
                        paths.contains(where: { $0.collection.id == OutboxDocuments.messages })
                    else { return }
                    failed.add()
                    throw StoreError(.unavailable, "the disk does not answer")
                }
            }
            _ = try await bench.outbox.accept(Self.draft("2"), to: [Self.target])
            try await eventually("the read fails, and the reader waits") {
                bench.log.lines.contains { $0.contains("failed to read the outbox") }
                    && !bench.clock.pendingSleeps.isEmpty
            }
            #expect(try await !bench.isSettled(old.messageID))
            bench.clock.advance(by: .seconds(1))
            try await bench.settled(old)
            #expect(old.progress.superseded == 1 && failed.count == 1)
            #expect(!bench.dispatcher.pausedLanes.isEmpty)
        }
        #expect(bench.transport.bodies == ["1"])
    }

    // MARK: Arrivals

    @Test("A new message starts behind older ones that are read after it, though all that was read before has settled")
    func arrivalAfterSettling() async throws {
        let bench = try Bench()
        let lane = Self.target.address.lane
        let reads = Tally()
        bench.store.set { hooks in
            hooks.beforeRead = { paths in
                guard paths.contains(where: { $0.collection.id == OutboxDocuments.messages }) else { return }
                reads.add()
                // The second read is that of the last two, and nothing of the lane is in memory then.
                guard reads.count == 2 else { return }
                _ = await eventually { bench.dispatcher.lanes.knownCount(in: lane) == 0 }
                _ = try? await bench.outbox.accept(Self.draft("new", id: nil), to: [Self.target])
            }
        }
        try await bench.running {
            try await eventually("the dispatcher has caught up") { bench.dispatcher.lanes.isCaughtUp }
            try await bench.putOnDisk(50, areReplaced: true, before: ["old 1", "old 2"])
            try await eventually("all are sent") { bench.transport.sent.count == 3 }
            try await settled(bench)
        }
        #expect(bench.transport.bodies == ["old 1", "old 2", "new"])
    }

    @Test("A lane is probed with the newest message though another one replaces it during each read")
    func replacedDuringReads() async throws {
        let (bench, refusal) = try refusedBench()
        try await bench.running {
            let old = try await holdUp(bench)
            refusal.end()
            let reads = acceptDuringReads(of: bench, id: "chat")
            try await eventually("the lane is probed", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count > 1
            }
            #expect(reads() <= 4)
            bench.store.set { $0 = ObservedStore.Hooks() }
            try await settled(bench)
            #expect(old.progress.superseded == 1 && old.progress.sent == 0)
        }
        #expect(Set(bench.transport.bodies).count == bench.transport.bodies.count)
    }

    @Test("A lane is probed with its oldest message though others arrive during each read, and they follow in order")
    func arrivalsDuringReads() async throws {
        let (bench, refusal) = try refusedBench()
        try await bench.running {
            _ = try await holdUp(bench, id: nil)
            refusal.end()
            let reads = acceptDuringReads(of: bench, id: nil)
            try await eventually("the lane is probed", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count > 1
            }
            #expect(reads() <= 4)
            bench.store.set { $0 = ObservedStore.Hooks() }
            try await settled(bench)
        }
        let bodies = bench.transport.bodies
        #expect(bodies.count > 2 && bodies == ["1"] + (1..<bodies.count).map { "\($0)" })
    }

    // MARK: In memory

    @Test("Of messages that replace each other while they wait in memory only the last one starts")
    func inMemory() {
        let lanes = Lanes(capacity: 10, window: { _ in 1 }, now: { ManualClock.start })
        lanes.caughtUp()
        let jobs = ["m1", "m2", "m3"].map { id in
            ChunkJob(chunk: .sample(of: id, to: ["phone"]), message: .sample(id: id), delivery: nil)
        }
        for job in jobs { _ = lanes.enqueue([job], isNew: true) }
        let (start, unsent) = lanes.next()
        #expect(start?.job.chunk.id.message == "m3")
        #expect(unsent.map(\.chunk.id.message) == ["m1", "m2"])
        #expect(unsent.allSatisfy { $0.hasNothingToSend(at: ManualClock.start) })
        #expect(lanes.targetsWaiting == 0)
        lanes.settled(unsent)
        if let job = start?.job { _ = lanes.finish(job, dueAt: nil) }
        #expect(lanes.isIdle)
    }
}

extension Bench {
    /// Puts chunks with one target each at the beginning of the lane's queue on disk. Their messages expire a minute
    /// after the start of the clock.
    ///
    /// - Parameters:
    ///   - areReplaced: `true` if newer messages have replaced the targets.
    ///   - bodies: the messages without a collapse id that are behind these chunks, and are to be sent.
    func putOnDisk(_ count: Int, areReplaced: Bool, before bodies: [String] = []) async throws {
        let lane = PushAddress(token: "phone").lane
        var writes: [Write] = []
        for number in 0..<count {
            // Accepted messages have greater ids.
            let message = AcceptedMessage.sample(id: "0\(100_000 + number)")
            var chunk = Chunk.sample(of: message.id, to: ["phone"], in: lane)
            if areReplaced { chunk.replace([0]) }
            writes.append(.create(try chunk.path(of: message), chunk.pendingFields(of: message, in: QueueKey())))
        }
        for (number, body) in bodies.enumerated() {
            let message = AcceptedMessage.sample(
                id: "0\(100_000 + count + number)", body: body, collapseID: nil)
            var chunk = Chunk.sample(of: message.id, to: ["phone"], in: lane)
            chunk.collapseKey = nil
            writes.append(.create(try chunk.path(of: message), chunk.pendingFields(of: message, in: QueueKey())))
        }
        for start in stride(from: 0, to: writes.count, by: 500) {
            _ = try await disk.documents.commit(Array(writes[start..<min(start + 500, writes.count)]))
        }
        // As a takeover does that finds them.
        dispatcher.lanes.adopted([AdoptedChunk(lane: lane, dueAt: ManualClock.start, collapseKey: nil)])
    }
}

extension ScriptedTransport {
    /// The bodies of all notifications given to the transport, in order.
    fileprivate var bodies: [String] { sent.map { $0.message.message.notification?.body ?? "" } }
}
