import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("The history of deliveries")
struct DeliveryHistoryTests {
    @Test("The history has every target of every chunk, with its failures and its notification id")
    func record() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                switch sent.token {
                case "gone": .dead
                case "slow": sent.attempt == 1 ? .busy : .accepted
                default: .accepted
                }
            })
        let history = DeliveryHistory(store: bench.store)
        #expect(try await history.delivery(of: "none")?.id == nil)
        let phone = try await bench.register("phone", token: "slow")
        let other = Multicast.sample(tokens: ["gone"], topic: "other").targets
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample([phone] + other))
            try await eventually("the message settles", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.isSettled(delivery.messageID)
            }
            let record = try #require(try await history.delivery(of: delivery.messageID))
            #expect(record.acceptedAt == ManualClock.start)
            #expect(record.accepted == 1)
            #expect(record.pending == 0)
            #expect(record.rejected == [.registrationTokenNotRegistered: 1])
            #expect(record.notifications.map(\.registration) == [phone.registration, nil])
            #expect(record.notifications.map(\.lane.app.bundleID) == [nil, "other"])
            #expect(record.notifications.map { $0.failures.map(\.reason) } == [["ServiceUnavailable"], []])
            #expect(Set(record.notifications.map(\.id)) == Set(bench.transport.sent.map(\.id)))
            #expect(record.notifications.allSatisfy { $0.settledAt != nil })
        }
    }

    @Test("The history leaves out unreadable messages and chunks and logs each of them")
    func unreadable() async throws {
        let bench = try Bench()
        let log = CollectedLog()
        let history = DeliveryHistory(store: bench.store, logger: log.logger)
        var ids: [String] = []
        for number in 0..<5 {
            bench.clock.advance(by: .seconds(1))
            let targets = (0..<2).flatMap { Multicast.sample(tokens: ["token \(number)"], topic: "app-\($0)").targets }
            ids.append(try await bench.outbox.accept(.sample(targets)).messageID)
        }
        try await bench.disk.damage(OutboxDocuments.messagePath(ids[0]))
        try await bench.disk.damage(OutboxDocuments.furtherChunkPath(ChunkID(message: ids[1], number: 1)))
        let foreign = try OutboxDocuments.messagePath(ids[2])
        let message = try OutboxDocuments.messagePath(ids[3])
        _ = try await bench.disk.documents.commit([
            .merge(foreign, ["transport": .integer(1)]), .merge(message, ["source": .integer(1)]),
        ])
        let records = try await history.page(limit: 10).records
        #expect(records.map(\.id) == [ids[4], ids[2], ids[1]])
        #expect(records.map(\.targets) == [2, 1, 1])
        for id in [ids[1], ids[2], ids[3]] {
            let lines = log.lines.filter { $0.contains("unreadable document") && $0.contains(id) }
            #expect(lines.count == 1)
        }
    }

    @Test("The history gives the due time of pending targets and leaves out foreign documents")
    func pending() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy })
        let history = DeliveryHistory(store: bench.store)
        let foreign = try DocumentPath("rooms/1/messages/2")
        let early = Value.timestamp(ManualClock.start.adding(.seconds(-1)))
        _ = try await bench.disk.documents.commit([.set(foreign, ["acceptedAt": early])])
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await eventually("the attempt is stored") {
                try await bench.chunk(delivery.messageID)["attempts"] == .integer(1)
            }
            let records = try await history.page(limit: 10).records
            #expect(records.map(\.id) == [delivery.messageID])
            let dueAt = bench.clock.timestamp.adding(.seconds(2))
            #expect(records.map(\.pending) == [1] && records.allSatisfy { $0.notifications.isEmpty })
            let record = try await history.delivery(of: delivery.messageID)
            #expect(record?.notifications.map(\.state) == [.pending(dueAt: dueAt)])
            #expect(try await history.page(before: ManualClock.start, limit: 10).records.isEmpty)
        }
    }

    @Test("The history reads at most one page of chunks at a time")
    func pages() async throws {
        let bench = try Bench()
        let targets = (0..<45).flatMap { Multicast.sample(tokens: ["t\($0)"], topic: "app-\($0)").targets }
        let delivery = try await bench.outbox.accept(.sample(targets))
        let largest = Mutex(0)
        bench.store.set { hooks in
            hooks.beforeRead = { paths throws(StoreError) in largest.withLock { $0 = max($0, paths.count) } }
            hooks.beforeQuery = { query throws(StoreError) in
                guard case .collectionGroup("messages", _) = query.scope else {
                    throw StoreError(.internal, "a query that has no bound")
                }
            }
        }
        let history = DeliveryHistory(store: bench.store)
        let list = try await history.page(limit: 10).records
        #expect(list.map(\.targets) == [45] && list.map(\.pending) == [45])
        var topics: [String?] = []
        var page: Int? = 0
        while let number = page {
            let record = try #require(try await history.delivery(of: delivery.messageID, page: number))
            #expect(record.targets == 45)
            topics += record.notifications.map(\.lane.app.bundleID)
            page = record.nextPage
        }
        #expect(topics == (0..<45).map { "app-\($0)" })
        #expect(largest.withLock { $0 } == 20)
        let last = try await history.delivery(of: delivery.messageID, page: .max)
        #expect(last?.nextPage == nil && last?.notifications.isEmpty == true)
        let beyond = try await history.delivery(of: delivery.messageID, page: 3)
        #expect(beyond?.notifications.isEmpty == true && beyond?.nextPage == nil)
    }

    @Test("A page that looks for few messages reads a bounded number of documents, and the next one goes on there")
    func search() async throws {
        let bench = try Bench()
        var ids: [String] = []
        for number in 0..<900 {
            bench.clock.advance(by: .seconds(1))
            let sample = Multicast.sample(tokens: ["token \(number)"])
            ids.append(try await bench.outbox.accept(sample).messageID)
        }
        let reads = Mutex((documents: 0, largest: 0))
        bench.store.set { hooks in
            hooks.beforeRead = { paths throws(StoreError) in reads.withLock { $0.documents += paths.count } }
            hooks.beforeQuery = { query throws(StoreError) in
                reads.withLock { $0.documents += query.limit ?? 1_000_000 }
            }
        }
        let history = DeliveryHistory(store: bench.store)
        func search(
            source: String? = nil, where matches: (DeliveryRecord) -> Bool = { _ in true }
        ) async throws -> (pages: Int, found: [String]) {
            var (pages, found, next) = (0, [String](), Timestamp?.some(.distantFuture))
            while let time = next {
                reads.withLock { $0.documents = 0 }
                let page = try await history.page(before: time, limit: 20, source: source, where: matches)
                reads.withLock { $0.largest = max($0.largest, $0.documents) }
                #expect(page.records.count <= 20)
                (pages, found, next) = (pages + 1, found + page.records.map(\.id), page.next)
            }
            return (pages, found)
        }
        let all = try await search()
        #expect(all.found == Array(ids.reversed()))
        let none = try await search(source: "nobody")
        #expect(none.found.isEmpty && none.pages > 1)
        let few = try await search { $0.id == ids[3] || $0.id == ids[700] }
        #expect(few.found == [ids[700], ids[3]] && few.pages > none.pages)
        #expect(reads.withLock { $0.largest } <= 700)
    }

    @Test("Messages that were accepted at the very same time are all found, beyond what is read at once")
    func sameTime() async throws {
        let bench = try Bench()
        let phone = try await bench.register("phone", token: "phone")
        var ids: Set<String> = []
        for _ in 0..<510 { ids.insert(try await bench.outbox.accept(.later("needle", id: nil), to: [phone]).messageID) }
        let history = DeliveryHistory(store: bench.store)
        let found = try await history.search("needle", limit: 1_000)
        #expect(found.count == 510 && Set(found.map(\.id)) == ids)
        let page = try await history.page(limit: 120)
        #expect(page.records.count > 120 && Set(page.records.map(\.id)).count == page.records.count)
        let entries = try await history.notifications(limit: 130) { $0 == phone.registration }.entries
        #expect(entries.count == 130 && Set(entries.map(\.messageID)).count == 130)
    }

    @Test("A search looks at the texts of the newest 10,000 messages, and at no older ones")
    func searchedTexts() async throws {
        let bench = try Bench()
        let first = try await bench.outbox.accept(.later("needle", id: nil), to: [.phone]).messageID
        bench.clock.advance(by: .seconds(1))
        let second = try await bench.outbox.accept(.later("needle", id: nil), to: [.phone]).messageID
        let fields = try #require(
            try await bench.disk.documents.document(at: OutboxDocuments.messagePath(second))?.fields)
        func add(_ numbers: Range<Int>) async throws {
            let writes = try numbers.map { number in
                var fields = fields
                fields[OutboxDocuments.message] = .string(#"{"notification":{"body":"hay"}}"#)
                fields[OutboxDocuments.acceptedAt] = .timestamp(
                    bench.clock.timestamp.adding(.milliseconds(number + 1)))
                return Write.set(try OutboxDocuments.messagePath("m\(number)"), fields)
            }
            _ = try await bench.disk.documents.commit(writes)
        }
        for start in stride(from: 0, to: 9_500, by: 500) { try await add(start..<start + 500) }
        try await add(9_500..<9_998)
        let history = DeliveryHistory(store: bench.store)
        #expect(try await history.search("needle", limit: 20).map(\.id) == [second, first])
        try await add(9_998..<9_999)
        #expect(try await history.search("needle", limit: 20).map(\.id) == [second])
    }

    @Test("A page has all messages of the time at which the next one begins, in both directions")
    func pageEdge() async throws {
        let bench = try Bench()
        var ids: [String] = []
        for number in 0..<15 {
            if number.isMultiple(of: 5) { bench.clock.advance(by: .seconds(1)) }
            ids.append(try await bench.outbox.accept(.later("x", id: nil), to: [.phone]).messageID)
        }
        let history = DeliveryHistory(store: bench.store)
        let newest = try await history.page(limit: 7)
        #expect(newest.records.map(\.id) == Array(ids[5...].reversed()))
        let oldest = try await history.page(before: try #require(newest.next), limit: 7)
        #expect(oldest.records.map(\.id) == Array(ids[..<5].reversed()) && oldest.next == nil)
        #expect(try await history.page(after: .distantPast, limit: 7).records.map(\.id) == Array(ids[..<10]))
    }

    @Test("The history shows the chunks of a topic message that is still being cut")
    func broadcast() async throws {
        let stage = try TopicBench()
        try await stage.subscriptions.subscribe(try await stage.devices(600), to: "news")
        let id = try await stage.broadcaster.accept(.sample(), to: try Condition(topic: "news"))
        let history = DeliveryHistory(store: stage.bench.store)
        let accepted = try await history.delivery(of: id)
        #expect(accepted?.isExpanding == true && accepted?.targets == 0 && accepted?.pending == 0)
        let pages = Mutex(0)
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.collection.id == "broadcasts" }) else { return }
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                if page > 1 { throw .diskFull }
            }
        }
        try await stage.running {
            try await eventually("a page is stored") { pages.withLock { $0 } > 1 }
            let records = try await history.page(limit: 1).records
            #expect(records.map(\.targets) == [500] && records.map(\.isExpanding) == [true])
            stage.bench.store.set { $0.beforeCommit = { _ in } }
            try await eventually("the rest is sent", advancing: stage.bench.clock, by: .seconds(1)) {
                try await history.delivery(of: id)?.targets == 600
            }
            try await eventually("it is whole", advancing: stage.bench.clock, by: .seconds(1)) {
                try await history.delivery(of: id)?.isExpanding == false
            }
        }
    }
}
