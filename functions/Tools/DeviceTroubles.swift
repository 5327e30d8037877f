package import DocumentStore
package import Logging
package import Messaging
import Synchronization

/// The devices whose notifications cannot arrive, although nothing fails at the gateway: devices that another server
/// knows, and devices with tokens for which the gateway has no transport.
///
/// It logs some of their requests and counts all of them, for the console and `doctor`. Log and memory stay small,
/// whatever clients send.
package final class DeviceTroubles: Sendable {
    /// The reason why notifications do not arrive.
    package enum Kind: Hashable, Sendable {
        /// The gateway does not know the device, which was told so.
        case unknownDevice
        /// The device is registered, and no transport that is configured sends to its token.
        case noTransport(TransportName)
    }

    /// The requests of one kind to one system.
    package struct Trouble: Hashable, Sendable {
        /// The name of the system.
        package let system: String
        /// The reason.
        package let kind: Kind
        /// The number of requests, until there is none for a day.
        package let count: Int
        /// The time of the last of them.
        package let lastAt: Timestamp
        /// The cause and the remedy, if the devices' transport is not configured.
        fileprivate let advice: String
    }

    private struct Key: Hashable {
        let system: String
        let kind: Kind
    }

    /// The maximum number of log lines per minute.
    private static let linesPerMinute = 10
    /// The time after the last request for which a trouble is reported.
    private static let memory = Duration.seconds(24 * 60 * 60)

    private struct State {
        var troubles: [Key: (count: Int, lastAt: Timestamp)] = [:]
        var minute: Int64 = 0
        /// The number of log lines in that minute.
        var lines = 0

        mutating func count(_ key: Key, at time: Timestamp) {
            let earlier = troubles[key].flatMap { time - $0.lastAt > DeviceTroubles.memory ? nil : $0.count } ?? 0
            troubles[key] = (earlier + 1, time)
        }

        /// Returns `true` if one more line may be logged.
        mutating func takeLine(at time: Timestamp) -> Bool {
            if minute != time.seconds / 60 { (minute, lines) = (time.seconds / 60, 0) }
            guard lines < DeviceTroubles.linesPerMinute else { return false }
            lines += 1
            return true
        }
    }

    private let remedy: @Sendable (TransportName) -> String?
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let state = Mutex(State())

    /// Creates a record without troubles.
    ///
    /// - Parameter advice: Returns the cause and the remedy if a transport is not configured.
    package init(
        advice: @escaping @Sendable (TransportName) -> String? = { _ in nil },
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) {
        remedy = advice
        self.now = now
        self.logger = logger
    }

    /// The troubles of the last day, by system.
    package var recent: [Trouble] {
        let start = now().adding(.zero - Self.memory)
        return state.withLock(\.troubles).filter { $0.value.lastAt >= start }
            .map { key, value in
                Trouble(
                    system: key.system, kind: key.kind, count: value.count, lastAt: value.lastAt,
                    advice: advice(for: key.kind))
            }
            .sorted { $0.description < $1.description }
    }

    /// Notes a request, and logs a warning if there were few in this minute.
    ///
    /// - Parameter metadata: the facts for the log that identify the device, without its token.
    func note(_ kind: Kind, of system: String, metadata: Logger.Metadata) {
        let time = now()
        let isLogged = state.withLock { state in
            state.count(Key(system: system, kind: kind), at: time)
            return state.takeLine(at: time)
        }
        guard isLogged else { return }
        logger.warning(kind.warning(advice(for: kind)), metadata: metadata.merging(["system": "\(system)"]) { $1 })
    }

    fileprivate func advice(for kind: Kind) -> String {
        switch kind {
        case .unknownDevice: ""
        case .noTransport(let transport): remedy(transport) ?? "there is no transport \(transport.rawValue)"
        }
    }
}

extension DeviceTroubles.Kind {
    fileprivate func warning(_ advice: String) -> Logger.Message {
        switch self {
        case .unknownDevice:
            "refused a device that is not registered here; if it has moved from another server, register it again in the app"
        case .noTransport:
            "registered a device that no notification reaches: \(advice)"
        }
    }
}

extension DeviceTroubles.Trouble: CustomStringConvertible {
    /// The trouble in words for the operator, with the next step.
    package var description: String {
        switch kind {
        case .unknownDevice:
            "\(system): \(count) \(count == 1 ? "request" : "requests") of devices that are not registered here, the last "
                + "at \(lastAt); if they have moved from another server, register them again in the app (“Re-register”)"
        case .noTransport:
            "\(system): \(count) \(count == 1 ? "registration" : "registrations") of devices that no notification "
                + "reaches, the last at \(lastAt): \(advice)"
        }
    }
}

/// The reachability of one system's devices.
struct DeviceReach: Sendable {
    let system: String
    let hasTransport: @Sendable (TransportName) -> Bool
    /// `false` if the gateway delivers everything into its inbox.
    let reachesDevices: Bool
    /// The forms of tokens.
    let forms: TokenForms
    let subscriptions: BrowserSubscriptions
    let troubles: DeviceTroubles

    /// Notes a device that has just registered, if no transport sends to it.
    func check(_ address: PushAddress) {
        guard !hasTransport(address.transport) else { return }
        troubles.note(.noTransport(address.transport), of: system, metadata: ["token": "\(address.token)"])
    }

    /// Returns the reasons why notifications will not reach a device that has just registered, in sentences for its
    /// client.
    func warnings(about address: PushAddress) -> [String] {
        // The token of a browser's address is a URL.
        let mistake = address.transport == forms.otherwise ? forms.mistake(in: address.token) : nil
        guard let failure = failure(of: address.transport) else { return [mistake].compactMap(\.self) }
        return [mistake, "\(failure): \(troubles.advice(for: .noTransport(address.transport)))"].compactMap(\.self)
    }

    /// Returns the failure of all notifications of a transport; `nil` if it is one that works.
    private func failure(of transport: TransportName) -> String? {
        if !hasTransport(transport) { return "no notification reaches this device" }
        if reachesDevices || transport == .emulated { return nil }
        return "this device's notifications stay in the gateway's inbox"
    }

    /// Notes a request of a device that is not registered.
    func noteUnknownDevice(from address: String) {
        troubles.note(.unknownDevice, of: system, metadata: ["address": "\(address)"])
    }
}
