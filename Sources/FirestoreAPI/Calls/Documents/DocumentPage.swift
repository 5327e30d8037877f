import DocumentStore

/// The entries of a page of a list, up to a number, and up to a size if it has more than one.
struct DocumentPage {
    /// The greatest size of a page, as the memory that its answer takes. Clients follow the tokens to the end, so
    /// they do not depend on the number of entries.
    private static let mostBytes = 16 << 20

    private let most: Int
    private(set) var entries: [ListedDocument] = []
    /// `true` if an entry had no place any more, with which the next page begins.
    private(set) var isFull = false
    private var size = 0

    /// Begins a page of at most `most` entries.
    init(most: Int) { self.most = most }

    /// Adds an entry, unless the page is full.
    mutating func add(_ entry: ListedDocument) {
        let bytes = entry.document?.fields.messageSize ?? 0
        let hasPlace = entries.isEmpty || (entries.count < most && size + bytes <= Self.mostBytes)
        guard !isFull, hasPlace else { return isFull = true }
        entries.append(entry)
        size += bytes
    }
}
