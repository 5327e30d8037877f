import DocumentStore

extension Write {
    var isOfChunk: Bool { path.collection.id == "messages" }
}
