/// The numbers of devices that have reported a message.
package struct ReceiptCounts: Hashable, Sendable {
    /// The devices on which it has arrived, including those that have opened it.
    package var delivered = 0
    /// The devices on which it was opened.
    package var opened = 0

    package init(delivered: Int = 0, opened: Int = 0) {
        self.delivered = delivered
        self.opened = opened
    }
}
