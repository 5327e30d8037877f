import NIOCore
import NIOHPACK

/// A conversation of requests over HTTP/2 on one connection.
///
/// If the frames are valid, each stream must get an answer or a reset. If they are not, the received bytes must be
/// frames without a server error. In both cases the connection must end when the client is done.
struct StreamConversation: Conversation {
    private let bytes: [UInt8]
    private let requests: [FuzzRequest]
    private let isInOrder: Bool
    private let patience: Patience
    private var reader = HTTP2FrameReader()
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var block: [UInt8] = []
    private var open: Set<UInt32>
    private var isLeaving = false
    private var isHalfClosed = false
    private(set) var record = ConversationRecord()

    /// - Parameters:
    ///   - bytes: The requests' frames, with their mutations.
    ///   - requests: The requests on the streams 1, 3, 5, …
    init(_ bytes: [UInt8], requests: [FuzzRequest], isInOrder: Bool, patience: Patience) {
        self.bytes = bytes
        self.requests = requests
        self.isInOrder = isInOrder
        self.patience = patience
        open = isInOrder ? Set(requests.indices.map(Self.stream)) : []
    }

    /// Returns the stream of a request by its number.
    static func stream(of number: Int) -> UInt32 { UInt32(2 * number + 1) }

    mutating func start() -> [ConversationStep] {
        [.send(bytes), .wait(isInOrder ? patience.due : patience.quiet)]
    }

    mutating func receive(_ bytes: inout ByteBuffer) -> [ConversationStep] {
        reader.append(&bytes)
        var steps: [ConversationStep] = []
        do {
            while let frame = try reader.next() { steps += try take(frame) }
        } catch {
            record.faults.append(Fault(.malformed, "\(error)", route: "HTTP/2"))
            return [.finish]
        }
        guard isInOrder, !isHalfClosed else { return steps }
        guard open.isEmpty || isLeaving else { return steps + [.wait(patience.due)] }
        isHalfClosed = true
        return steps + [.halfClose, .wait(patience.due)]
    }

    mutating func close() -> [ConversationStep] {
        if !open.isEmpty, !isLeaving { record.faults += open.map { fault(.noAnswer, "closed", on: $0) } }
        return [.finish]
    }

    mutating func timeOut() -> [ConversationStep] {
        guard !isHalfClosed else {
            record.faults.append(Fault(.notClosed, isLeaving ? "after GOAWAY" : "", route: "HTTP/2"))
            return [.finish]
        }
        isHalfClosed = true
        guard isInOrder else { return [.halfClose, .wait(patience.due)] }
        record.faults += open.map { fault(.noAnswer, "silence", on: $0) }
        return [.finish]
    }

    private func fault(_ kind: Fault.Kind, _ detail: String, on stream: UInt32) -> Fault {
        let number = Int(stream / 2)
        return Fault(kind, detail, route: route(of: stream), request: number)
    }

    private func request(of stream: UInt32) -> FuzzRequest? {
        let number = Int(stream / 2)
        return requests.indices.contains(number) ? requests[number] : nil
    }

    private func route(of stream: UInt32) -> String { request(of: stream)?.route ?? "HTTP/2" }

    /// Returns `true` for a call of gRPC. Without its content type it is answered with 501, as WebChannel is, which has
    /// these paths too.
    private func isCall(_ stream: UInt32) -> Bool { route(of: stream).hasPrefix("gRPC: ") }

    // MARK: Frames

    private mutating func take(_ frame: HTTP2Frame) throws -> [ConversationStep] {
        let isEnd = frame.flags & HTTP2Frame.Flag.endStream != 0
        switch HTTP2Frame.Kind(rawValue: frame.type) {
        case .headers, .continuation:
            block += try fragment(of: frame)
            if frame.flags & HTTP2Frame.Flag.endHeaders != 0 { try endBlock(on: frame.stream) }
            if frame.type == HTTP2Frame.Kind.headers.rawValue, isEnd { open.remove(frame.stream) }
        case .data: if isEnd { open.remove(frame.stream) }
        case .reset: open.remove(frame.stream)
        case .goAway: isLeaving = true
        case .settings where !isEnd:
            return [.send(HTTP2Frame(.settings, flags: HTTP2Frame.Flag.acknowledgement, []).bytes)]
        case .ping where !isEnd:
            return [.send(HTTP2Frame(.ping, flags: HTTP2Frame.Flag.acknowledgement, frame.payload).bytes)]
        default: break
        }
        return []
    }

    private func fragment(of frame: HTTP2Frame) throws -> ArraySlice<UInt8> {
        var payload = frame.payload[...]
        if frame.flags & HTTP2Frame.Flag.padded != 0, let padding = payload.popFirst() {
            payload = payload.dropLast(Int(padding))
        }
        if frame.flags & HTTP2Frame.Flag.priority != 0 { payload = payload.dropFirst(5) }
        return payload
    }

    private mutating func endBlock(on stream: UInt32) throws {
        var buffer = ByteBuffer(bytes: block)
        block = []
        guard let headers = try? decoder.decodeHeaders(from: &buffer) else {
            // Mutated settings may have changed the size of the header table.
            if isInOrder { throw MalformedAnswer("a header block that cannot be read") }
            return
        }
        noteCode(of: headers, on: stream)
        guard let text = headers.first(name: ":status"), let status = Int(text) else { return }
        guard status >= 200 else { return }
        record.note(
            status, of: route(of: stream), isBroken: !isInOrder || isCall(stream),
            saysWhen: headers.contains(name: "retry-after"), request: Int(stream / 2))
    }

    /// The codes of gRPC that no request may cause: UNKNOWN, INTERNAL, DATA_LOSS.
    private static let serverErrors: Set = ["2", "13", "15"]

    /// The codes of a gateway that is full for a moment: RESOURCE_EXHAUSTED, UNAVAILABLE.
    private static let excuses: Set = ["8", "14"]

    private mutating func noteCode(of headers: HPACKHeaders, on stream: UInt32) {
        guard let code = headers.first(name: "grpc-status") else { return }
        let message = headers.first(name: "grpc-message") ?? ""
        if Self.serverErrors.contains(code) {
            record.faults.append(fault(.serverError, "grpc-status \(code) \(message)", on: stream))
        } else if isInOrder, let expected = request(of: stream)?.expectedCode, code != expected,
            !Self.excuses.contains(code)
        {
            record.faults.append(fault(.wrongCode, "grpc-status \(code) in place of \(expected)", on: stream))
        }
    }
}
