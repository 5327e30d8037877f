import TestBasics

/// Calls of Firestore's interface over gRPC.
extension FuzzRequest {
    private static let service = "/google.firestore.v1.Firestore/"
    /// The methods, and one that does not exist.
    private static let methods = [
        "BatchGetDocuments", "BatchWrite", "BeginTransaction", "Commit", "CreateDocument", "DeleteDocument",
        "ExecutePipeline", "GetDocument", "ListCollectionIds", "ListDocuments", "Listen", "PartitionQuery", "Rollback",
        "RunAggregationQuery", "RunQuery", "UpdateDocument", "Write", "Nothing",
    ]

    /// The methods that no database has.
    private static let unimplemented: Set = ["ExecutePipeline", "Nothing"]
    /// Names of databases that no database can have. Those who compare or store only a part of them, or compare what
    /// looks the same, take them for others.
    private static let disguises = [
        "pushgate\0/databases/(default)", "pushgate\0x/databases/(default)", "pushgate/databases/(default)\0",
        "pushgate\n/databases/(default)", "pushgate\u{1B}[31m/databases/(default)",
        "pushgate\u{9B}/databases/(default)", "pushgate/databases/\u{FF08}default)", "caf\u{E9}/databases/(default)",
        "cafe\u{301}/databases/(default)",
        "\u{212A}/databases/(default)",
    ]

    /// Makes a call, in most cases with one or several mutations. One in four is well-formed and names a database that
    /// cannot exist, and of the others that run a query, one in two is well-formed and has too many filters and orders.
    init(grpc generator: inout SeededGenerator, in world: World) {
        let method = generator.pick(Self.methods)
        let isDisguised = generator.number(0...3) == 0
        let database = isDisguised ? generator.pick(Self.disguises) : "demo-<n>/databases/(default)"
        let isLong = !isDisguised && LongQuery.methods.contains(method) && generator.number(0...1) == 0
        let content =
            isLong
            ? LongQuery.content(of: method, &generator) : Self.content(of: database, &generator, in: world)
        let message = GRPCMessage(content: content)
        var call = RequestText(
            target: Self.service + method,
            headers: [
                ("Host", "127.0.0.1"), ("Content-Type", "application/grpc"), ("te", "trailers"),
                ("authorization", world.filled("Bearer <admin>", &generator)),
            ], body: message.bytes)
        let count = isDisguised || isLong ? 0 : generator.pick([0, 1, 1, 1, 2, 3])
        let mutations = (0..<count).map { _ in generator.pick(GRPCMutation.all) }
        for mutation in mutations { mutation.apply(&call, message, &generator) }
        route = "gRPC: \(method)"
        self.mutations = mutations.map(\.name)
        text = call
        chunkSize = nil
        // INVALID_ARGUMENT
        expectedCode = isLong || isDisguised && !Self.unimplemented.contains(method) ? "3" : nil
    }

    /// Returns a message whose field 1 is the name of a database, of its documents or of one of them. Each method has
    /// its database, parent or name there.
    private static func content(
        of database: String, _ generator: inout SeededGenerator, in world: World
    ) -> [UInt8] {
        let place = generator.pick(["", "/documents", "/documents/notes/<n>", "/documents/<word>"])
        let name = Array(world.filled("projects/" + database + place, &generator).utf8)
        return [0x0A, UInt8(name.count)] + name
    }
}
