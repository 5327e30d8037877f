package import Logging
import Metrics
import Synchronization

/// A reporter of documents that lists leave out because they cannot be read.
///
/// The metric counts each occurrence. The log names each document once, because a list may be read every second.
package final class UnreadableDocuments: Sendable {
    /// The limit of documents named in the log and counted in ``count``; the metric counts all others.
    private static let mostReported = 1_000

    private let counter = Counter(label: "pushgate_unreadable_documents_total")
    private let logger: Logger
    private let reported = Mutex<Set<DocumentPath>>([])

    /// Makes a reporter that logs with `logger` and counts in `pushgate_unreadable_documents_total`.
    package init(logger: Logger) { self.logger = logger }

    /// The number of documents that were left out, each counted once; at most 1,000.
    package var count: Int { reported.withLock(\.count) }

    /// Counts an unreadable document, and logs it if it is new.
    ///
    /// - Parameters:
    ///   - path: the document's path, which the log shortens.
    ///   - reason: for the log; it must not contain the document's field values.
    package func report(_ path: DocumentPath, because reason: String) {
        counter.increment()
        let isNew = reported.withLock { reported in
            reported.count < Self.mostReported && reported.insert(path).inserted
        }
        guard isNew else { return }
        logger.error(
            "left an unreadable document out of a list; restore it from a backup, or delete it",
            metadata: ["document": "\(path.redacted)", "reason": "\(reason)"])
    }

    /// Returns models of the documents. Leaves out and reports each document for which the closure returns `nil`.
    package func models<Model>(
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
    /// The path with at most the first half of each document's id, and at most eight characters of it: ids may be
    /// tokens, or make a link secret.
    fileprivate var redacted: String {
        segments.enumerated()
            .map { place, id in place % 2 == 0 ? String(id) : "\(id.prefix(min(id.count / 2, 8)))…" }
            .joined(separator: "/")
    }
}
