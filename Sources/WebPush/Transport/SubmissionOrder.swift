import Synchronization

/// The order in which requests to an endpoint reach the client. Their messages are encrypted at the same time, so one
/// may be ready before an earlier one.
final class SubmissionOrder: Sendable {
    /// The place of a notification in the line of its endpoint.
    struct Place: Hashable, Sendable {
        fileprivate let endpoint: String
        fileprivate let number: UInt64
    }

    private struct Line {
        /// The numbers of the places that nobody has left.
        var numbers: [UInt64] = []
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var lines: [String: Line] = [:]

        /// Returns `true` if no earlier place is in the line, or the place itself was left.
        func mayGo(_ place: Place) -> Bool {
            let numbers = lines[place.endpoint]?.numbers ?? []
            return numbers.first == place.number || !numbers.contains(place.number)
        }
    }

    private let state = Mutex(State())

    /// The number of endpoints with a line.
    var count: Int { state.withLock(\.lines.count) }

    /// Takes the last place of an endpoint's line.
    func enter(_ endpoint: String) -> Place {
        state.withLock { state in
            state.lastNumber += 1
            state.lines[endpoint, default: Line()].numbers.append(state.lastNumber)
            return Place(endpoint: endpoint, number: state.lastNumber)
        }
    }

    /// Returns `true` if ``wait(for:)`` would not wait.
    func mayGo(_ place: Place) -> Bool { state.withLock { $0.mayGo(place) } }

    /// Waits until all earlier places of the line are left.
    func wait(for place: Place) async {
        guard !mayGo(place) else { return }
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state -> Bool in
                guard !state.mayGo(place) else { return true }
                state.lines[place.endpoint]?.waiting[place.number] = continuation
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    /// Leaves a place. Only the first call has an effect.
    func leave(_ place: Place) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard var line = state.lines[place.endpoint] else { return nil }
            line.numbers.removeAll { $0 == place.number }
            let next = line.numbers.first.flatMap { line.waiting.removeValue(forKey: $0) }
            state.lines[place.endpoint] = line.numbers.isEmpty ? nil : line
            return next
        }
        next?.resume()
    }
}
