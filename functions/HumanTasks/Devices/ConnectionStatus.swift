import DocumentStore

/// The connection status of an agent, by the time of its last call.
enum ConnectionStatus: String, Sendable {
    case connected
    case recent
    case notConnected = "not_connected"

    init(lastCall: Timestamp?, now: Timestamp) {
        guard let lastCall else {
            self = .notConnected
            return
        }
        switch now - lastCall {
        case ...Duration.seconds(60): self = .connected
        case ...Duration.seconds(300): self = .recent
        default: self = .notConnected
        }
    }
}
