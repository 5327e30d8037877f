package import DocumentStore

/// The scheduled messages that wait for registrations, as far as they were looked at.
package struct ScheduledByRegistration: Sendable {
    /// The messages for one registration.
    package struct Messages: Hashable, Sendable {
        package fileprivate(set) var count: Int
        /// The time at which the first of them is due.
        package let first: Timestamp
    }

    private let registrations: Set<DocumentPath>
    private var messages: [DocumentPath: Messages] = [:]
    /// `false` if more messages wait than were looked at.
    package internal(set) var isComplete = true

    init(of registrations: Set<DocumentPath>) { self.registrations = registrations }

    /// Returns the messages for a registration; `nil` if none was found.
    package subscript(registration: DocumentPath) -> Messages? { messages[registration] }

    /// Counts a message. Messages have to be added in the order in which they are due.
    mutating func add(_ document: Document) {
        guard let time = document[ScheduledMessage.deliverAt]?.timestamp else { return }
        for path in Set(ScheduledMessage.registrations(in: document)).intersection(registrations) {
            messages[path, default: Messages(count: 0, first: time)].count += 1
        }
    }
}
