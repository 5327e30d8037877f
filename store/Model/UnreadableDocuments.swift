public import Logging
internal import Metrics
internal import Synchronization

/// Reports the documents that lists leave out because they cannot be read.
///
/// The metric counts them each time, the log names each once: a list may be asked for every second.
public final class UnreadableDocuments: Sendable {
    /// Beyond this many, documents are counted alone.
    private static let mostReported = 1_000

    private let counter = Counter(label: "pushgate_unreadable_documents_total")
    private let logger: Logger
    private let reported = Mutex<Set<DocumentPath>>([])

    public init(logger: Logger) { self.logger = logger }

    /// - Parameter reason: for the log; it repeats none of the document's fields.
    public func report(_ path: DocumentPath, because reason: String) {
        counter.increment()
        let isNew = reported.withLock { reported in
            reported.count < Self.mostReported && reported.insert(path).inserted
        }
        guard isNew else { return }
        logger.error(
            "left an unreadable document out of a list; restore it from a backup, or delete it",
            metadata: ["document": "\(path.redacted)", "reason": "\(reason)"])
    }

    /// Makes models of documents, and leaves out those that it cannot be made of.
    public func models<Model>(
        of documents: some Sequence<Document>, _ make: (Document) -> Model?
    ) -> [Model] {
        var models: [Model] = []
        models.reserveCapacity(documents.underestimatedCount)
        for document in documents {
            if let model = make(document) {
                models.append(model)
            } else {
                report(document.path, because: "its fields are not as this gateway writes them")
            }
        }
        return models
    }
}

extension DocumentPath {
    /// The path with no more than the first half of each document's id, eight characters at most: ids may be tokens, or what
    /// makes a link secret.
    fileprivate var redacted: String {
        segments.enumerated()
            .map { place, id in place % 2 == 0 ? String(id) : "\(id.prefix(min(id.count / 2, 8)))…" }
            .joined(separator: "/")
    }
}
