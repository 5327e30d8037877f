import NIOCore

/// A conversation with bytes whose number of answers is unknown. Every answer must be HTTP without a server error,
/// and the connection must end when the client is done.
struct ByteConversation: Conversation {
    private let bytes: [UInt8]
    private let route: String
    private let speaksHTTP: Bool
    private let patience: Patience
    private var buffer = ByteBuffer()
    private var isHalfClosed = false
    private(set) var record = ConversationRecord()

    /// - Parameters:
    ///   - route: A name for the request, for reports.
    ///   - speaksHTTP: `true` if the server answers in HTTP; over TLS it may send an alert.
    init(_ bytes: [UInt8], route: String, speaksHTTP: Bool = true, patience: Patience) {
        self.bytes = bytes
        self.route = route
        self.speaksHTTP = speaksHTTP
        self.patience = patience
    }

    mutating func start() -> [ConversationStep] { [.send(bytes), .wait(patience.quiet)] }

    mutating func receive(_ bytes: inout ByteBuffer) -> [ConversationStep] {
        buffer.writeBuffer(&bytes)
        return []
    }

    mutating func close() -> [ConversationStep] {
        judge()
        return [.finish]
    }

    mutating func timeOut() -> [ConversationStep] {
        guard isHalfClosed else {
            isHalfClosed = true
            return [.halfClose, .wait(patience.due)]
        }
        judge()
        record.faults.append(Fault(.notClosed, "", route: route))
        return [.finish]
    }

    private mutating func judge() {
        guard speaksHTTP, buffer.readableBytes > 0 else { return }
        let heads = answers()
        if heads.first?.offset != 0 { record.faults.append(Fault(.malformed, "is no HTTP", route: route)) }
        for head in heads {
            record.note(head.status, of: route, isBroken: true, saysWhen: head.saysWhen)
        }
    }

    /// Returns the heads among the received bytes. The bodies are unknown, as they depend on how many requests the
    /// server read.
    private func answers() -> [(offset: Int, status: Int, saysWhen: Bool)] {
        var heads: [(Int, Int, Bool)] = []
        var position = 0
        while let offset = HTTP1AnswerReader.offset(of: "HTTP/1.", in: buffer, from: position) {
            let start = buffer.readerIndex + offset
            let end = HTTP1AnswerReader.offset(of: "\r\n\r\n", in: buffer, from: offset) ?? buffer.readableBytes
            let text = buffer.getString(at: start, length: end - offset) ?? ""
            if let status = Int(text.dropFirst(9).prefix(3)) {
                heads.append((offset, status, text.lowercased().contains("\r\nretry-after:")))
            }
            position = offset + 7
        }
        return heads
    }
}
