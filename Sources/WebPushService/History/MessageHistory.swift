import SimulatorTools

/// The log that all connections write to, and the waiters for messages in it.
typealias MessageHistory = ReceivedHistory<MessageLog>

extension ReceivedHistory<MessageLog> {
    /// Returns an accepted message; `nil` if it is no longer kept.
    func message(_ messageID: String) -> ReceivedMessage? { read { $0.message(messageID) } }

    /// Changes the state of an accepted message and notifies waiters whose number is reached.
    func update(_ messageID: String, to delivery: MessageDelivery, code: Int? = nil) {
        update { $0.update(messageID, to: delivery, code: code) }
    }
}
