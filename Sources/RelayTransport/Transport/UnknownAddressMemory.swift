import DocumentStore
import Logging
import Messaging
import Synchronization

/// The memory of addresses that their relays do not know, which outlives the process: a gateway that starts again
/// neither gives an address another day, nor takes the rest of its day away.
final class UnknownAddressMemory: Sendable {
    private struct State {
        var addresses = UnknownAddresses()
        var isLoaded: Bool
    }

    private let state: Mutex<State>
    private let records: UnknownAddressRecords?
    private let uptime: @Sendable () -> Duration
    private let logger: Logger

    /// - Parameters:
    ///   - records: The stored part; `nil` to forget everything at the end of the process.
    ///   - uptime: The time since any fixed moment.
    init(_ records: UnknownAddressRecords?, uptime: @escaping @Sendable () -> Duration, logger: Logger) {
        state = Mutex(State(isLoaded: records == nil))
        self.records = records
        self.uptime = uptime
        self.logger = logger
    }

    /// Notes that a relay does not know an address.
    ///
    /// - Returns: `false` if its day is over.
    func mayReturn(_ address: RegistrationToken) async -> Bool {
        await load()
        let time = uptime()
        switch state.withLock({ $0.addresses.notKnown(address, at: time) }) {
        case .new:
            await keep { records async throws(StoreError) in try await records.add(address) }
            return true
        case .waiting: return true
        case .ended:
            await keep { records async throws(StoreError) in try await records.remove(address) }
            return false
        }
    }

    /// Forgets an address that its relay knows.
    func isKnown(_ address: RegistrationToken) async {
        await load()
        guard state.withLock({ $0.addresses.known(address) }) else { return }
        await keep { records async throws(StoreError) in try await records.remove(address) }
    }

    /// Reads the records of earlier processes, once.
    private func load() async {
        guard let records, !state.withLock({ $0.isLoaded }) else { return }
        do throws(StoreError) {
            let ages = try await records.ages()
            let time = uptime()
            state.withLock { state in
                // Another message may have been faster, and its address known meanwhile.
                guard !state.isLoaded else { return }
                state.addresses.restore(ages, at: time)
                state.isLoaded = true
            }
        } catch {
            logger.debug(
                "failed to read which addresses their relays do not know", metadata: ["error": "\(error)"])
        }
    }

    /// Changes the records. Without the change a later process gives the address another day, or less of one.
    private func keep(_ change: (UnknownAddressRecords) async throws(StoreError) -> Void) async {
        guard let records else { return }
        do throws(StoreError) {
            try await change(records)
        } catch {
            logger.debug(
                "failed to store if a relay knows an address", metadata: ["error": "\(error)"])
        }
    }
}
