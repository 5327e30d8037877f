package import DocumentStore
import Foundation
package import Functions
package import Messaging
import Server

/// The one place that answers why a notification did not arrive. It only reads, and reads a bounded number of
/// documents.
package struct Diagnoses: Sendable {
    /// The greatest number of devices in an answer.
    private static let maximumDevices = 20
    /// The number of notifications of each device in an answer.
    private static let notificationsPerDevice = 10

    let sender: DirectSender
    let history: DeliveryHistory
    let explanations: Explanations
    let dispatcher: Dispatcher
    let gateway: any ConsoleGateway
    let lists: [DeviceList]
    let refusal: @Sendable (PushAddress) -> SubscriptionRefusal?
    let sends: @Sendable (PushAddress) -> Bool
    let now: @Sendable () -> Timestamp

    /// Takes the parts of a gateway that know something about the way of a notification.
    ///
    /// - Parameters:
    ///   - lists: The devices of all systems and clients.
    ///   - refusal: Returns the reason why the gateway does not send to an address; `nil` if it does.
    ///   - sends: Returns `true` unless the address is of an app that the gateway does not send for.
    package init(
        sender: DirectSender, history: DeliveryHistory, explanations: Explanations, dispatcher: Dispatcher,
        gateway: any ConsoleGateway, lists: [DeviceList],
        refusal: @escaping @Sendable (PushAddress) -> SubscriptionRefusal?,
        sends: @escaping @Sendable (PushAddress) -> Bool, now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.sender = sender
        self.history = history
        self.explanations = explanations
        self.dispatcher = dispatcher
        self.gateway = gateway
        self.lists = lists
        self.refusal = refusal
        self.sends = sends
        self.now = now
    }

    /// Answers why notifications do not arrive.
    ///
    /// - Parameter text: The path or the id of a registration, a token, or an agent's path, directory or name.
    /// - Throws: `INVALID_ARGUMENT` for an empty text; the store's error if it cannot be read.
    package func diagnosis(of text: String) async throws -> Diagnosis {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            throw APIError.invalidArgument("name a device, a token or an agent; an empty text is none of them")
        }
        let failure = await gatewayFailure()
        do {
            let search = DiagnosisSearch(sender: sender, history: history, lists: lists, limit: Self.maximumDevices)
            let diagnosis = try await diagnosis(of: try await search.subject(of: text))
            return withGateway(failure, diagnosis)
        } catch let error as StoreError where failure != nil && error.code != .invalidArgument {
            return withGateway(failure, Diagnosis(.gatewayFailing, error.message))
        }
    }

    /// Answers why the notifications of a registration do not arrive.
    func diagnosis(ofDevice path: DocumentPath) async throws -> Diagnosis {
        let device = FoundDevice(
            path: path, document: try await sender.store.document(at: path), list: lists.first { $0.has(path) })
        return withGateway(await gatewayFailure(), try await diagnosis(of: .devices([device], notes: [])))
    }

    // MARK: The gateway

    /// The reason why the gateway takes no new messages; `nil` if it does.
    private func gatewayFailure() async -> String? {
        let problems = await gateway.checks().filter { $0.state == .failed }.map { $0.problem ?? $0.name }
        return problems.isEmpty ? nil : problems.joined(separator: "; ")
    }

    /// Returns a diagnosis with a cause that concerns all devices, if there is one, in place of its own.
    private func withGateway(_ failure: String?, _ diagnosis: Diagnosis) -> Diagnosis {
        func because(_ cause: DiagnosisCause, _ summary: String) -> Diagnosis {
            let own = diagnosis.cause == cause ? [] : ["For itself: \(diagnosis.summary)"]
            return Diagnosis(cause, summary, devices: diagnosis.devices, notes: own + diagnosis.notes)
        }
        if let failure { return because(.gatewayFailing, "The gateway takes no new messages: \(failure)") }
        let time = now()
        let isOpen = diagnosis.cause.isGood || [.noMessage, .noDevice, .notFound].contains(diagnosis.cause)
        guard isOpen, let ended = gateway.certificates?.certificates.first(where: { $0.expiry <= time }) else {
            return diagnosis
        }
        return because(
            .certificateExpired,
            "The gateway's certificate for \(ended.names.joined(separator: ", ")) has expired at \(ended.expiry.text): "
                + "clients refuse it, so no message and no registration arrives over HTTPS. Renew it.")
    }

    // MARK: Subjects

    private func diagnosis(of subject: DiagnosisSubject) async throws -> Diagnosis {
        switch subject {
        case .devices(let found, let notes): return try await diagnosis(of: found, notes: notes)
        case .group(let group, let list):
            let found = group.devices.map { FoundDevice(path: $0.path, document: $0, list: list) }
            let devices = try await diagnosis(of: found, notes: ["It is \(group.name)."])
            if let trouble = group.trouble {
                return Diagnosis(
                    found.isEmpty ? .noDevice : .systemRefuses, "No message reaches \(group.name): \(trouble).",
                    devices: devices.devices, notes: devices.notes)
            }
            guard found.isEmpty else { return devices }
            return Diagnosis(
                .noDevice,
                "No device is subscribed to \(group.name), so there is nothing to notify. Register one in the app.")
        case .document(let path):
            return Diagnosis(
                .noToken,
                "The document \(path) is no registration: it has no token. The console lists the devices.")
        case .removedToken:
            return Diagnosis(
                .registrationGone,
                "This gateway made the token, and its registration is gone: it was removed, or its device no longer "
                    + "takes notifications. The app must register again.")
        case .unusableToken(let problem):
            return Diagnosis(.notFound, "It can be no token of a device: \(problem).")
        case .nothing(let isToken, let notes):
            return Diagnosis(
                .notFound,
                isToken
                    ? "No registration has this token: the app has not registered it with this gateway, or it has "
                        + "another one now, or the registration was removed. Open the app, so that it registers again."
                    : "Nothing here has this name: no registration, token, agent or message that is kept. If the device "
                        + "has moved from another gateway, register it again in the app.",
                notes: notes)
        }
    }

    private func diagnosis(of found: [FoundDevice], notes: [String]) async throws -> Diagnosis {
        guard !found.isEmpty else { return Diagnosis(.noDevice, "There is no device.", notes: notes) }
        let paths = Set(found.map(\.path))
        let history = try await history.notifications(
            limit: Self.notificationsPerDevice * found.count, where: paths.contains)
        let later = try await sender.scheduled.waiting(for: paths)
        let context = Context(
            held: dispatcher.heldApps, senders: gateway.senders, agents: try await agents(of: found.map(\.path)),
            history: history, later: later, now: now())
        var devices: [DiagnosedDevice] = []
        for one in found { devices.append(try await diagnosed(one, context)) }
        let notes = notes + context.bounds
        let wrong = devices.filter { !$0.cause.isGood }
        let shown = wrong.first ?? devices[0]
        guard devices.count > 1 else {
            return Diagnosis(shown.cause, shown.summary, devices: devices, notes: notes)
        }
        let count =
            wrong.isEmpty
            ? "All \(devices.count) registrations are in order" : "\(wrong.count) of \(devices.count) registrations"
        return Diagnosis(
            shown.cause, "\(count); \(shown.path.id): \(shown.summary)", devices: devices, notes: notes)
    }

    /// Returns the names of the agents that devices belong to, by the paths of the devices.
    private func agents(of devices: [DocumentPath]) async throws -> [DocumentPath: String] {
        var agents: [DocumentPath: String] = [:]
        for list in lists where list.hasAgents {
            let paths = devices.filter { list.has($0) }
            guard !paths.isEmpty else { continue }
            agents.merge(try await list.agents(of: paths)) { $1 }
        }
        return agents
    }

    /// The facts that all devices of an answer share.
    private struct Context {
        let held: [HeldApp]
        let senders: [PushSender]
        /// The names of agents by the paths of their devices.
        let agents: [DocumentPath: String]
        let history: DeviceHistory
        let later: ScheduledByRegistration
        let now: Timestamp

        /// The bounds that the search has reached, in words.
        var bounds: [String] {
            var bounds: [String] = []
            if !history.isComplete {
                bounds.append(
                    "Only the newest \(history.messages) messages were looked at"
                        + (history.oldest.map { ", back to \($0.text)." } ?? "."))
            }
            if !later.isComplete {
                bounds.append(
                    "Of the messages that wait for later, only the first \(ScheduledMessages.searched) were looked at.")
            }
            return bounds
        }
    }

    private func diagnosed(_ found: FoundDevice, _ context: Context) async throws -> DiagnosedDevice {
        let entries = context.history.entries.filter { $0.notification.registration == found.path }
        let document = found.document
        let (cause, summary) = adding(
            document == nil ? nil : context.later[found.path], to: try await verdict(on: found, entries, context))
        return DiagnosedDevice(
            path: found.path, isRegistered: document != nil, system: found.list?.system,
            agent: context.agents[found.path], address: document.flatMap(sender.address),
            platform: document?["platform"]?.string,
            registeredAt: document.map { $0["createdAt"]?.timestamp ?? $0.createTime },
            lastSeenAt: document.map(sender.lastRegistration), cause: cause, summary: summary,
            notifications: entries.prefix(Self.notificationsPerDevice).map {
                diagnosed($0, heldUp: context.held, at: context.now)
            })
    }

    private func diagnosed(
        _ entry: DeviceHistory.Entry, heldUp apps: [HeldApp], at time: Timestamp
    ) -> DiagnosedNotification {
        let notification = entry.notification
        return DiagnosedNotification(
            entry: entry, meaning: explanations.meaning(of: notification, heldUp: apps, at: time),
            isHeldUp: notification.isPending && apps.contains { $0.holds(notification.lane) })
    }

    /// Returns a notification of a message with its meaning.
    func diagnosed(_ notification: NotificationRecord, of record: DeliveryRecord) -> DiagnosedNotification {
        diagnosed(DeviceHistory.Entry(record, notification), heldUp: dispatcher.heldApps, at: now())
    }

    // MARK: Verdicts

    private typealias Verdict = (DiagnosisCause, String)

    /// Returns a verdict that also tells of the messages that wait for later.
    private func adding(_ later: ScheduledByRegistration.Messages?, to verdict: Verdict) -> Verdict {
        guard let later else { return verdict }
        let (cause, summary) = verdict
        let time = later.first.text
        let sentence =
            later.count == 1
            ? "One message waits for later, until \(time)."
            : "\(later.count) messages wait for later, the first until \(time)."
        return (cause == .noMessage ? .scheduled : cause, "\(summary) \(sentence)")
    }

    /// Returns the cause. The registration comes first, because without it nothing else counts, and then the newest
    /// notification.
    private func verdict(
        on found: FoundDevice, _ entries: [DeviceHistory.Entry], _ context: Context
    ) async throws -> Verdict {
        let trouble = try await found.list?.trouble(of: found.path)
        guard let document = found.document else {
            guard let trouble else { return gone(entries) }
            return (.systemRefuses, "The registration is gone: \(trouble).")
        }
        guard let address = sender.address(in: document) else {
            return (.noToken, "The registration has no token. The app must register again.")
        }
        switch refusal(address) {
        case .switchedOff(let advice): return (.serviceOff, "No notification reaches the device: \(advice).")
        case .invalid(let error):
            return (.addressRefused, "The gateway's rules do not let it send to the device: \(error).")
        case nil: break
        }
        guard sends(address) else {
            return (
                .appNotConfigured,
                "The gateway does not send for the app \(address.app.bundleID ?? "") of this device: list its bundle id "
                    + "under apps in the configuration, or register with the right one."
            )
        }
        if let trouble { return (.systemRefuses, "No message reaches the device: \(trouble).") }
        guard let newest = entries.first else { return noMessage(for: found.path, context) }
        if newest.isInvalidToken, let settled = newest.notification.settledAt,
            sender.lastRegistration(of: document) > settled
        {
            return (
                .noMessage,
                "The device has registered again since its token was rejected at \(settled.text), and no message was "
                    + "accepted for it after that. Send a test."
            )
        }
        return try await verdict(on: newest, before: entries.dropFirst().first, context)
    }

    private func noMessage(for path: DocumentPath, _ context: Context) -> Verdict {
        let since = context.history.isComplete ? "" : context.history.oldest.map { " since \($0.text)" } ?? ""
        guard context.later[path] == nil else {
            return (.noMessage, "No message was accepted for this device\(since).")
        }
        return (
            .noMessage,
            "No message was accepted for this device\(since): nothing was sent to it. If one was reported, look at the "
                + "answer that its sender got. Send a test."
        )
    }

    private func gone(_ entries: [DeviceHistory.Entry]) -> Verdict {
        guard let last = entries.first(where: \.isInvalidToken) else {
            return (
                .registrationGone,
                "The registration is gone: the app or the operator removed it, or it was not used for long. The app must "
                    + "register again."
            )
        }
        return (
            .registrationGone,
            "The registration is gone, because the push service rejected its token\(at(last)): \(meaning(of: last))"
        )
    }

    private func verdict(
        on newest: DeviceHistory.Entry, before: DeviceHistory.Entry?, _ context: Context
    ) async throws -> Verdict {
        let notification = newest.notification
        switch notification.state {
        case .pending: return try await waiting(notification, context)
        case .superseded:
            return (
                .superseded,
                "The newest message, of \(newest.acceptedAt.text), was not sent: \(meaning(of: newest))"
            )
        case .rejected(_, let reason) where reason == Explanations.expired:
            let cause = notification.failures.last.map { failure in
                let words = explanations.failure(failure.code, reason: failure.reason, by: notification.lane.transport)
                return " It waited after a failed attempt (\(failure.reason)): \(words)"
            }
            return (
                .expired,
                "The newest message, of \(newest.acceptedAt.text), expired at \(newest.expiresAt.text), before the push "
                    + "service took it.\(cause ?? "")"
            )
        case .rejected:
            return newest.isInvalidToken
                ? (.tokenInvalid, "The push service rejected the device's token\(at(newest)): \(meaning(of: newest))")
                : (.messageRejected, "The newest message was rejected\(at(newest)): \(meaning(of: newest))")
        case .accepted: return accepted(newest, before)
        }
    }

    private func waiting(_ notification: NotificationRecord, _ context: Context) async throws -> Verdict {
        if let app = context.held.first(where: { $0.holds(notification.lane) }) {
            let sentence = explanations.heldUp(
                app, name: app.shownName(among: context.senders),
                waiting: try await dispatcher.messagesWaiting(for: app))
            return (app.isRefused ? .senderRefused : .serviceUnreachable, sentence)
        }
        let meaning = explanations.meaning(of: notification, heldUp: [], at: context.now)
        guard let last = notification.failures.last else {
            return (.queued, "The newest message is not sent yet. \(meaning)")
        }
        let cause: DiagnosisCause =
            switch last.code {
            case .messageRateExceeded: .rateLimited
            case .thirdPartyAuthError: .senderRefused
            default: .attemptFailed
            }
        return (cause, "The newest message has failed so far. \(meaning)")
    }

    private func accepted(_ newest: DeviceHistory.Entry, _ before: DeviceHistory.Entry?) -> Verdict {
        let transport = newest.notification.lane.transport
        let settled = newest.notification.settledAt ?? newest.acceptedAt
        let isInInbox = gateway.isEmulator || !explanations.reachesDevices(transport)
        let cause: DiagnosisCause = isInInbox ? .inInbox : .accepted
        let credentials = gateway.isEmulator ? " This gateway has no credentials of a push service." : ""
        let text =
            "The newest message was accepted at \(settled.text).\(credentials) "
            + explanations.acceptance(by: transport)
        guard let before, before.notification.state != .accepted, !before.notification.isPending else {
            return (cause, text)
        }
        return (cause, "\(text) The message before it, of \(before.acceptedAt.text): \(meaning(of: before))")
    }

    private func meaning(of entry: DeviceHistory.Entry) -> String {
        explanations.meaning(of: entry.notification, heldUp: [], at: now())
    }

    /// Returns the time and the reason of a rejection, as a part of a sentence.
    private func at(_ entry: DeviceHistory.Entry) -> String {
        let time = entry.notification.settledAt.map { " at \($0.text)" } ?? ""
        guard case .rejected(_, let reason) = entry.notification.state else { return time }
        return "\(time) (\(reason))"
    }
}

extension NotificationRecord {
    /// `true` if it is not settled.
    fileprivate var isPending: Bool { if case .pending = state { true } else { false } }
}

extension DeviceHistory.Entry {
    /// `true` if the push service does not take the token.
    fileprivate var isInvalidToken: Bool {
        guard case .rejected(let code, _) = notification.state else { return false }
        return [.registrationTokenNotRegistered, .invalidRegistrationToken].contains(code)
    }
}
