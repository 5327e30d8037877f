import Console
import DocumentStore
import Functions
import Instance
import Messaging

/// The state of the parts that a gateway needs on its own machine. It sends nothing to a push service.
struct Readiness: Sendable {
    /// The state of a part.
    enum State: String, Comparable {
        case ok
        /// The gateway accepts messages, but somebody should act.
        case degraded
        /// The gateway accepts no new messages.
        case failed

        static func < (left: State, right: State) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .degraded: 1
            case .failed: 2
            }
        }
    }

    /// A part with its state.
    struct Check: Sendable {
        let name: String
        /// The name for people, if it differs.
        var title: String?
        var state = State.ok
        /// The problem, in words for the operator; `nil` if there is none.
        var problem: String?
        /// The problem on a page that has its details elsewhere; `nil` if that is ``problem`` too.
        var shortProblem: String?
    }

    let probe: StoreProbe
    let space: DiskSpace
    let dispatcher: Dispatcher
    let certificates: CertificateFiles?
    let troubles: DeviceTroubles
    let channels: CardChannels

    func checks() async -> [Check] {
        [await store, disk, lanes] + [certificate, devices, cards].compactMap(\.self)
    }

    private var store: Check {
        get async {
            let problem = await probe.problem()
            return Check(name: "store", state: problem == nil ? .ok : .failed, problem: problem)
        }
    }

    private var disk: Check {
        do throws(StoreError) {
            try space.admit()
            return Check(name: "disk")
        } catch {
            return Check(name: "disk", state: .failed, problem: error.message)
        }
    }

    private var lanes: Check {
        let title = "push services"
        let apps = dispatcher.heldApps
        guard !apps.isEmpty else { return Check(name: "lanes", title: title) }
        let list = apps.map { "\($0.name) since \($0.since.text) (\($0.failure.reason))" }.joined(separator: ", ")
        let names = apps.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return Check(
            name: "lanes", title: title, state: .degraded,
            problem: "held up: \(list); the console's overview says what to do",
            shortProblem: "held up: \(names.joined(separator: ", "))")
    }

    /// The devices whose notifications cannot arrive; `nil` if there was none in the last day.
    private var devices: Check? {
        let recent = troubles.recent
        guard !recent.isEmpty else { return nil }
        let list = recent.map(\.description).joined(separator: "; ")
        return Check(name: "devices", state: .degraded, problem: list)
    }

    /// The apps whose cards start without channels; `nil` if there was no such card in the last hour.
    private var cards: Check? {
        let shortages = channels.shortages
        guard !shortages.isEmpty else { return nil }
        let list = shortages.map { "\($0.app.bundleID ?? "-") (\($0.absence.rawValue)) at \($0.at)" }
        return Check(
            name: "channels", title: "Live Activities", state: .degraded,
            problem: "cards started without a channel, and depend on update tokens: \(list.joined(separator: ", "))",
            shortProblem: "cards start without channels")
    }

    private var certificate: Check? {
        guard let certificates else { return nil }
        let missing = certificates.missingNames
        guard !missing.isEmpty else { return Check(name: "certificates") }
        let list = missing.joined(separator: ", ")
        return Check(name: "certificates", state: .degraded, problem: "none yet for \(list); the log has the reason")
    }
}
