public import Foundation

/// The sender of receipts: it tells gateways which notifications have arrived, and which were opened.
///
/// The app and its notification service extension each have one, with the same file in the container of their app
/// group. Each receipt is sent once, together with those that could not be sent before.
public actor ReceiptReporter {
    /// The number of receipts that a gateway takes at once, and of those that are remembered.
    private static let limit = 100

    private let file: URL
    private let http: any HTTPSending

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - file: A file that the app and its extension share. It has the ids of messages, and a random name of this
    ///     installation, by which a gateway counts the device once.
    ///   - http: The sender of requests.
    public init(file: URL, http: any HTTPSending = URLSessionSender()) {
        self.file = file
        self.http = http
    }

    /// Reports a notification. What cannot be sent is kept for the next report.
    ///
    /// - Returns: `false` if a receipt waits, because a gateway could not be reached.
    @discardableResult
    public func report(_ kind: NotificationReceipt.Kind, _ receipt: NotificationReceipt) async -> Bool {
        let entry = ReceiptList.Entry(endpoint: receipt.endpoint, id: receipt.id, kind: kind)
        change { $0.add(entry, limit: Self.limit) }
        return await sendWaiting()
    }

    /// Sends the receipts that wait. Call it when the app comes to the foreground.
    ///
    /// - Returns: `false` if some still wait.
    @discardableResult
    public func sendWaiting() async -> Bool {
        let list = loaded()
        var isDone = true
        for (endpoint, entries) in Dictionary(grouping: list.waiting, by: \.endpoint) {
            guard await send(entries, to: endpoint, from: list.device) else {
                isDone = false
                continue
            }
            change { $0.markSent(entries, limit: Self.limit) }
        }
        return isDone
    }

    private func send(_ entries: [ReceiptList.Entry], to endpoint: URL, from device: String) async -> Bool {
        let receipts = entries.prefix(Self.limit).map { entry in
            ["id": entry.id, "kind": entry.kind.rawValue, "device": device]
        }
        guard let body = try? JSONEncoder().encode(["receipts": receipts]) else { return false }
        let request = GatewayRequest(
            url: endpoint, headerFields: ["Content-Type": "application/json"], body: body)
        guard let answer = try? await http.send(request) else { return false }
        // Any answer but one that asks to try again is final: the gateway has no better one.
        return answer.status < 500 && answer.status != 429
    }

    // MARK: The file

    /// The list is read for each use, because another process may have changed it. If both change it at once, a receipt
    /// may be sent again, which a gateway does not count.
    private func loaded() -> ReceiptList {
        guard let data = try? Data(contentsOf: file), let list = try? JSONDecoder().decode(ReceiptList.self, from: data)
        else { return ReceiptList(device: UUID().uuidString.lowercased()) }
        return list
    }

    private func change(_ edit: (inout ReceiptList) -> Void) {
        var list = loaded()
        edit(&list)
        guard let data = try? JSONEncoder().encode(list) else { return }
        try? data.write(to: file, options: .atomic)
    }
}

/// The receipts of an installation that wait, and the last ones that were sent.
struct ReceiptList: Codable, Hashable, Sendable {
    struct Entry: Codable, Hashable, Sendable {
        let endpoint: URL
        let id: String
        let kind: NotificationReceipt.Kind
    }

    /// The name of the installation.
    let device: String
    private(set) var waiting: [Entry] = []
    private(set) var sent: [Entry] = []

    init(device: String) { self.device = device }

    /// Adds a receipt, unless it waits or was sent. The oldest ones above the limit are dropped.
    mutating func add(_ entry: Entry, limit: Int) {
        guard !waiting.contains(entry), !sent.contains(entry) else { return }
        waiting = Array((waiting + [entry]).suffix(limit))
    }

    mutating func markSent(_ entries: [Entry], limit: Int) {
        waiting.removeAll(where: entries.contains)
        sent = Array((sent + entries).suffix(limit))
    }
}
