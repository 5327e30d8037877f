package import DocumentStore
import Metrics

/// The recorder of receipts.
///
/// Anybody may send receipts, so one whose id was not signed here costs no access to the store, one of a message that
/// is gone stores nothing, and a message has a limited number of them. A device counts once for each kind.
package struct ReceiptRecorder: Sendable {
    /// The number of receipts that one call records; further ones are left out.
    package static let maximumReceipts = 100
    /// The number of devices that are counted of a message. Its document is read and written as a whole.
    static let maximumDevices = 1_000

    private let address: ReceiptAddress
    private let store: any DocumentStore
    private let events: (any DeliveryEventRecorder)?

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - store: the documents; those for requests refuse new data while the disk is nearly full.
    ///   - events: records events for programs of the operator.
    package init(_ address: ReceiptAddress, store: any DocumentStore, events: (any DeliveryEventRecorder)? = nil) {
        self.address = address
        self.store = store
        self.events = events
    }

    /// Records receipts, each message's in a commit of its own. Those of unknown messages are left out.
    package func record(_ receipts: [Receipt]) async throws(StoreError) {
        let news = news(in: receipts.prefix(Self.maximumReceipts))
        guard !news.isEmpty else { return }
        var paths: [DocumentPath] = []
        for new in news {
            paths.append(try OutboxDocuments.messagePath(new.message))
            paths.append(try ReceiptDocuments.path(of: new.message))
        }
        let documents = try await store.documents(at: paths)
        for (index, new) in news.enumerated() {
            guard let message = documents[2 * index] else {
                ReceiptMetrics.refused("unknown", new.marks.values.reduce(0) { $0 + $1.count })
                continue
            }
            try await record(new, of: message, beside: documents[2 * index + 1])
        }
    }

    // MARK: One message

    /// The marks of one message by kind, without repetitions.
    private struct News {
        let message: String
        var marks: [Receipt.Kind: [Value]] = [:]

        mutating func add(_ mark: Value, _ kind: Receipt.Kind) {
            if marks[kind]?.contains(mark) != true { marks[kind, default: []].append(mark) }
        }
    }

    /// Returns the marks of the messages that were signed here, in the order of the first receipt of each.
    private func news(in receipts: some Sequence<Receipt>) -> [News] {
        var (news, positions): ([News], [String: Int]) = ([], [:])
        for receipt in receipts {
            guard let message = address.message(ofSigned: receipt.signedID) else {
                ReceiptMetrics.refused("forged", 1)
                continue
            }
            let position = positions[message] ?? news.count
            if position == news.count {
                positions[message] = position
                news.append(News(message: message))
            }
            let mark = ReceiptDocuments.mark(of: receipt.device)
            news[position].add(mark, .delivered)
            if receipt.kind == .opened { news[position].add(mark, .opened) }
        }
        return news
    }

    private func record(_ news: News, of message: Document, beside known: Document?) async throws(StoreError) {
        var (transforms, counts): ([FieldTransform], ReceiptCounts) = ([], ReceiptCounts())
        for kind in Receipt.Kind.allCases {
            let marks = ReceiptDocuments.marks(kind, in: known)
            let new = (news.marks[kind] ?? []).filter { !marks.contains($0) }
                .prefix(max(0, Self.maximumDevices - marks.count))
            guard !new.isEmpty else { continue }
            transforms.append(FieldTransform(FieldPath(kind.rawValue), .arrayUnion(Array(new))))
            switch kind {
            case .delivered: counts.delivered = new.count
            case .opened: counts.opened = new.count
            }
        }
        guard !transforms.isEmpty else { return }
        let origin = DeliveryEvent.MessageOrigin(
            id: news.message, source: message[OutboxDocuments.source]?.string ?? "")
        let recorder = events.flatMap { $0.isRecording ? $0 : nil }
        let eventWrites = recorder?.writes(recording: [.receipts(origin, counts)]) ?? []
        do throws(StoreError) {
            // The message may be deleted meanwhile, and its receipts with it.
            _ = try await store.commit(
                [
                    .verify(message.path, .exists(true)),
                    .merge(try ReceiptDocuments.path(of: news.message), [:], transforms: transforms),
                ] + eventWrites)
        } catch {
            guard error.code == .notFound else { throw error }
            return ReceiptMetrics.refused("unknown", counts.delivered + counts.opened)
        }
        if !eventWrites.isEmpty { recorder?.recorded() }
        ReceiptMetrics.recorded(counts)
    }
}

/// The metrics of receipts; docs/metrics.md describes them.
package enum ReceiptMetrics {
    /// Counts receipts of devices that had not sent them before.
    static func recorded(_ counts: ReceiptCounts) {
        for kind in Receipt.Kind.allCases {
            let count = kind == .opened ? counts.opened : counts.delivered
            guard count > 0 else { continue }
            Counter(label: "pushgate_receipts_total", dimensions: [("kind", kind.rawValue)]).increment(by: count)
        }
    }

    /// Counts receipts that are left out.
    package static func refused(_ reason: String, _ count: Int) {
        Counter(label: "pushgate_receipts_refused_total", dimensions: [("reason", reason)]).increment(by: count)
    }
}
