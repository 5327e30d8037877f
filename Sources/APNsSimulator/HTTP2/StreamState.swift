import NIOCore

/// One request on its way in, or its answer on its way out.
struct StreamState {
    private var request: APNsRequest?
    var delayedAnswer: Scheduled<Void>?
    var isAnswered = false
    /// What becomes of the answer.
    let delivery: RequestPlan.Delivery

    init(request: APNsRequest, delivery: RequestPlan.Delivery) {
        self.request = request
        self.delivery = delivery
    }

    /// Keeps what can be a payload, and one byte more to show that it was too large.
    ///
    /// - Returns: whether it has become too large.
    mutating func receiveBody(_ bytes: ByteBufferView) -> Bool {
        let limit = RequestValidator.largestPayload + 1
        guard let received = request?.body.count, received < limit else { return false }
        request?.body.append(contentsOf: bytes.prefix(limit - received))
        return received + bytes.count >= limit
    }

    /// The whole request; `nil` from the second time on.
    mutating func takeRequest() -> APNsRequest? {
        defer { request = nil }
        return request
    }
}
