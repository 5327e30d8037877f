import DocumentStore
import TestBasics
import Testing

/// The code of the pages about the store as a library, which readers copy.
@Suite("Examples of the store's pages", .timeLimit(.minutes(10)))
struct ExampleTests {
    @Test(
        "Each example of the store's pages is in this file",
        arguments: ["store/DocumentStore.docc/DocumentStore.md", "docs/documentstore.md"])
    func areHere(page: String) throws {
        let examples = try DocumentedExample.all(in: page)
        #expect(!examples.isEmpty)
        #expect(try examples.filter { try !$0.isPart(of: #filePath) }.map(\.description) == [])
    }

    @Test("The example of the store's reference finds the order that is due")
    func reference() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("shop.sqlite")

        let engine = try SQLiteEngine(
            path: path, fieldIndexes: [FieldIndex(collectionGroup: "orders", field: "dueAt", type: .timestamp)])
        let store = engine.store(for: DatabaseID(project: "shop"))

        let orders = try CollectionPath("orders")
        _ = try await store.commit([
            .create(try orders.document("42"), ["customer": .string("Ada"), "dueAt": .timestamp(.now)])
        ])
        let due = try await store.documents(
            matching: .collection(orders).where("dueAt", .lessThanOrEqual, .timestamp(.now)).ordered(by: "dueAt"))
        await engine.close()

        #expect(due.map(\.path.description) == ["orders/42"])
    }

    @Test("The example of the store's page sends the order that is due, and ends when no order is open")
    func page() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("shop.sqlite")

        let engine = try SQLiteEngine(
            path: path, fieldIndexes: [FieldIndex(collectionGroup: "orders", field: "dueAt", type: .timestamp)])
        let store = engine.store(for: DatabaseID(project: "shop"))
        let orders = try CollectionPath("orders")
        let customer = try DocumentPath("customers/ada")

        // Both documents change, or neither. If there is an order 42 already, the commit fails with ALREADY_EXISTS.
        _ = try await store.commit([
            .create(try orders.document("42"), ["state": .string("open"), "dueAt": .timestamp(.now)]),
            .merge(customer, ["name": .string("Ada")], transforms: [FieldTransform("orders", .increment(.integer(1)))]),
        ])

        // The orders that are due, the oldest first. This query uses the index.
        let due = Query.collection(orders)
            .where("dueAt", .lessThanOrEqual, .timestamp(.now)).ordered(by: "dueAt").limited(to: 10)
        for order in try await store.documents(matching: due) {
            do {
                _ = try await store.commit([
                    .merge(order.path, ["state": .string("sent")], precondition: .updateTime(order.updateTime))
                ])
            } catch {
                // Another commit has changed the order since it was read: the next query returns its new state.
                guard error.code == .failedPrecondition else { throw error }
            }
        }

        // The open orders now, and again after each commit that changes them, until there are none.
        let open = Query.collection(orders).where("state", .equal, .string("open"))
        for try await snapshot in store.watch(open) {
            if snapshot.documents.isEmpty { break }
        }

        let ordersOfAda = try await store.document(at: customer)?["orders"]?.integer  // 1
        await engine.close()

        #expect(ordersOfAda == 1)
    }

    @Test("The example of a transaction commits if the document is unchanged")
    func transaction() async throws {
        let directory = try TemporaryDirectory()
        let engine = try SQLiteEngine(path: directory.file("shop.sqlite"))
        let store = engine.store(for: DatabaseID(project: "shop"))
        let path = try DocumentPath("customers/ada")
        let writes = [Write.set(path, [:])]

        var reads = TransactionReads(at: store.readTime)
        let state = try await store.snapshot(at: reads.time)
        let document = try await state.document(at: path)
        reads.add([path])
        _ = try await store.commit(writes, ifUnchanged: reads)  // ABORTED if the document has changed: begin again

        #expect(document == nil)
        await engine.close()
    }
}
