/// The room that settled messages take on the disk, to within a tenth or so: texts, and what a row, its keys and its
/// places in indexes come to on average.
enum KeptBytes {
    private static let chunkOverhead = 700
    private static let messageOverhead = 1_000

    /// Those of a chunk; of the first of a message, those of the message too.
    static func of(_ settled: SettledTargets, in chunk: Chunk, _ message: AcceptedMessage) -> Int {
        let own = settled.outcomes.reduce(settled.text.utf8.count + chunkOverhead) { $0 + $1.utf8.count + 20 }
        return chunk.id.number == 0 ? own + message.text.utf8.count + messageOverhead : own
    }
}
