package import DocumentStore
import Logging
import Metrics
import Synchronization

/// The reports about channels.
extension CardChannels {
    /// The reason why an app's cards start without channels.
    package struct Shortage: Hashable, Sendable {
        /// The app and the environment.
        package let app: AppIdentity
        /// The reason of the last card.
        package let absence: CardChannelAbsence
        /// The time of the last card.
        package let at: Timestamp
    }

    /// The time for which a card without a channel counts as a shortage.
    private static let memoryOfShortages = Duration.seconds(3_600)

    /// The requests to Apple, as labels of metrics.
    enum Call: String {
        case create, list, delete, publish
    }

    func count(_ call: Call, _ error: ChannelError?) {
        Counter(
            label: "pushgate_channel_requests_total",
            dimensions: [("call", call.rawValue), ("result", error?.kind.rawValue ?? "ok")]
        ).increment()
    }

    /// The apps of which a card started without a channel at this gateway in the last hour, in the order of their
    /// names.
    package var shortages: [Shortage] {
        let time = now()
        let recent = memory.withLock { memory in
            memory.shortages = memory.shortages.filter { time - $0.value.at < Self.memoryOfShortages }
            return memory.shortages
        }
        return recent.map { Shortage(app: $0.key, absence: $0.value.absence, at: $0.value.at) }
            .sorted { $0.app.channelKey < $1.app.channelKey }
    }

    /// Counts a card that starts without a channel, and says so in the log once an hour.
    func reportCard(without absence: CardChannelAbsence, of app: AppIdentity) {
        Counter(label: "pushgate_cards_without_channel_total", dimensions: [("reason", absence.rawValue)]).increment()
        guard absence != .notAvailable else { return }
        let app = service?.resolved(app) ?? app
        let time = now()
        let isNews = memory.withLock { memory in
            memory.shortages[app] = (absence, time)
            return memory.warnings.admit(at: time.seconds)
        }
        guard isNews else { return }
        logger.warning(
            "refused a Live Activity a channel; it gets its updates by tokens, or people get alerts",
            metadata: ["reason": "\(absence.rawValue)", "app": "\(app.bundleID ?? "-")"])
    }
}
