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

    /// Makes a call, in most cases with one or several mutations.
    init(grpc generator: inout SeededGenerator, in world: World) {
        let method = generator.pick(Self.methods)
        let message = GRPCMessage(content: Self.content(&generator, in: world))
        var call = RequestText(
            target: Self.service + method,
            headers: [
                ("Host", "127.0.0.1"), ("Content-Type", "application/grpc"), ("te", "trailers"),
                ("authorization", world.filled("Bearer <admin>", &generator)),
            ], body: message.bytes)
        let mutations = (0..<generator.pick([0, 1, 1, 1, 2, 3])).map { _ in generator.pick(GRPCMutation.all) }
        for mutation in mutations { mutation.apply(&call, message, &generator) }
        route = "gRPC: \(method)"
        self.mutations = mutations.map(\.name)
        text = call
        chunkSize = nil
    }

    /// Returns a message whose field 1 is the name of a database, of its documents or of one of them. Each method has
    /// its database, parent or name there.
    private static func content(_ generator: inout SeededGenerator, in world: World) -> [UInt8] {
        let place = generator.pick(["", "/documents", "/documents/notes/<n>", "/documents/<word>"])
        let name = Array(world.filled("projects/demo-<n>/databases/(default)" + place, &generator).utf8)
        return [0x0A, UInt8(name.count)] + name
    }
}
