/// A chunk on its way through the dispatcher.
struct Job: Sendable {
    let chunk: Chunk
    let message: AcceptedMessage
    /// Who waits for it, when someone does.
    let delivery: Delivery?
    /// Whether it is to find out if a paused lane may go on: its first notification is sent alone.
    var isProbe = false
    /// The last of ``DispatchState``'s advances when it was started.
    var advance = 0

    init(chunk: Chunk, message: AcceptedMessage, delivery: Delivery?) {
        self.chunk = chunk
        self.message = message
        self.delivery = delivery
    }
}
