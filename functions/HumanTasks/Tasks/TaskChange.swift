import DocumentStore
import Messaging

/// The effects of a change to a task, beside the changed task itself.
struct TaskChange<Result: Sendable>: Sendable {
    var writes: [Write] = []
    /// The notification for the task's device.
    var message: Message?
    /// The result if a document that the writes create exists, and nothing is stored; `nil` if that is an error.
    var conflict: Result?
    let result: Result
}
