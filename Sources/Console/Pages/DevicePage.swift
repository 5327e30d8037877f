import DocumentStore
import Functions
import HTTPTypes
import Messaging
import Server

/// The page of a device: what it is, what became of its last messages, and why it gets none. The same page answers for
/// a token, or for all devices of an agent.
struct DevicePage {
    let services: ConsoleServices
    let visit: ConsoleVisit

    // MARK: Pages

    /// Returns the page of the registration that the URL names.
    func page() async throws -> ConsolePage {
        let path = try path(visit.entered("path") ?? visit.parameter("path"))
        let diagnosis = try await services.diagnoses.diagnosis(ofDevice: path)
        guard let device = diagnosis.devices.first, device.isRegistered || isKnown(device) else {
            throw APIError.notFound("there is no registration \(path)")
        }
        let test = try await test()
        let waits = device.notifications.first?.isSettled == false || test?.isSettled == false
        return ConsolePage(
            section: .devices, title: device.path.id, isLive: waits,
            content: """
                <p class="back"><a href="\(devicesLink(device.path))">Devices</a></p>
                <h1>\(device.path.id)</h1>
                \(summary(diagnosis))
                \(facts(device))
                \(test.map(testResult))
                \(actions(device))
                <h2>Last messages</h2>
                \(messages(device))
                """)
    }

    /// Answers the question of the form on the page of devices: with the page of one device, or one for several.
    func search() async throws -> ConsoleAnswer {
        let question = try visit.form()["of"] ?? ""
        let diagnosis = try await services.diagnoses.diagnosis(of: question)
        if diagnosis.devices.count == 1, let device = diagnosis.devices.first {
            return .see(ConsoleText.link(toDevice: device.path), done: nil)
        }
        let rows = diagnosis.devices.map { device -> HTML in
            let agent: HTML? = device.agent.map { "<span class=\"detail\">\($0)</span>" }
            return """
                <li><p><a href="\(ConsoleText.link(toDevice: device.path))">\(device.path.id)</a> \(agent) \
                \(mark(device.cause))</p>
                <p class="detail">\(device.summary)</p></li>

                """
        }
        let list: HTML? = rows.isEmpty ? nil : "<ol class=\"steps\">\n\(rows)</ol>"
        return .page(
            ConsolePage(
                section: .devices, title: "Devices",
                content: """
                    <p class="back"><a href="/console/devices">Devices</a></p>
                    <h1>Why did it not arrive?</h1>
                    \(summary(diagnosis))
                    \(list)
                    """))
    }

    /// Sends a test to the device of the form.
    func send() async throws -> ConsoleAnswer {
        let path = try path(try visit.form()["path"])
        let message = DirectMessage(to: path.description, title: "Pushgate", body: "A test of this gateway.")
        let id = try await services.sender.send(message)
        return .see(
            ConsoleText.link("/console/devices/device", [("path", path.description), ("test", id)]),
            done: "The test is on its way.")
    }

    // MARK: Parts

    private func path(_ text: String?) throws -> DocumentPath {
        let path = try DocumentPath(text ?? "")
        guard visit.seesSecrets || !services.secrets.contains(path) else {
            throw APIError(
                status: .forbidden, name: "PERMISSION_DENIED", message: "only the admin token shows this device")
        }
        return path
    }

    /// Returns `true` for a device that was here: its messages are kept, or its system has a list.
    private func isKnown(_ device: DiagnosedDevice) -> Bool { device.system != nil || !device.notifications.isEmpty }

    private func devicesLink(_ path: DocumentPath) -> String {
        ConsoleText.link("/console/devices", [("of", services.devices.first { $0.has(path) }?.id)])
    }

    private func summary(_ diagnosis: Diagnosis) -> HTML {
        let kind = diagnosis.cause.isGood ? "lead" : "problem"
        let notes = diagnosis.notes.map { "<p class=\"detail\">\($0)</p>\n" as HTML }
        return "<p class=\"\(kind)\">\(diagnosis.summary)</p>\n\(notes)"
    }

    private func facts(_ device: DiagnosedDevice) -> HTML {
        let app = [device.address?.app.bundleID, device.address?.app.environment].compactMap(\.self)
        var rows: [(String, HTML)] = [("Registration", "<code>\(device.path.description)</code>")]
        if device.isRegistered {
            rows[0].1 = """
                <a href="\(ConsoleText.link(toDocument: device.path.description))"><code>\(device.path.description)</code></a>
                """
        } else {
            rows.append(("State", ConsoleText.mark("bad", "not registered any more")))
        }
        if let system = device.system { rows.append(("System", "\(system)")) }
        if let agent = device.agent { rows.append(("Agent", "\(agent)")) }
        if let platform = device.platform, !platform.isEmpty { rows.append(("Platform", "\(platform)")) }
        if let address = device.address {
            rows.append(("Push service", "\(address.transport.rawValue)"))
            if !app.isEmpty { rows.append(("App", "\(app.joined(separator: ", "))")) }
            rows.append(("Token", "<code>\(address.token.description)</code>"))
        }
        if let time = device.registeredAt { rows.append(("Since", ConsoleText.time(time))) }
        if let time = device.lastSeenAt { rows.append(("Last seen", ConsoleText.time(time))) }
        return "<dl class=\"facts\">\n\(rows.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>\n" as HTML })</dl>"
    }

    private func messages(_ device: DiagnosedDevice) -> HTML {
        guard !device.notifications.isEmpty else { return "<p>None that is kept.</p>" }
        let rows = device.notifications.map { notification -> HTML in
            let entry = notification.entry
            return """
                <li><p><a href="/console/messages/\(entry.messageID)">\(entry.title ?? "(data only)")</a> \
                <span class="detail">\(entry.source)</span> \(ConsoleText.time(entry.acceptedAt))</p>
                \(outcome(notification))</li>

                """
        }
        return "<ol class=\"steps\">\n\(rows)</ol>"
    }

    private func outcome(_ notification: DiagnosedNotification) -> HTML {
        let kind =
            switch notification.entry.notification.state {
            case .accepted, .superseded: "ok"
            case .pending: notification.isHeldUp ? "bad" : "warn"
            case .rejected: "bad"
            }
        let reason: HTML? = notification.reason.map { "<strong>\($0)</strong>" }
        return """
            <p>\(ConsoleText.mark(kind, notification.state)) \(reason) \
            \(notification.entry.notification.settledAt.map(ConsoleText.time))</p>
            <p class="detail">\(notification.meaning)</p>
            """
    }

    private func mark(_ cause: DiagnosisCause) -> HTML {
        cause.isGood ? ConsoleText.mark("ok", "in order") : ConsoleText.mark("bad", "look")
    }

    // MARK: The test and other actions

    /// The notification of the test that was sent from this page; `nil` if none was.
    private func test() async throws -> DiagnosedNotification? {
        guard let id = visit.parameter("test"), let record = try await services.history.delivery(of: id),
            let notification = record.notifications.first
        else { return nil }
        return services.diagnoses.diagnosed(notification, of: record)
    }

    private func testResult(_ test: DiagnosedNotification) -> HTML {
        "<section class=\"card\" aria-label=\"Test\"><h2>The test</h2>\n\(outcome(test))</section>"
    }

    private func actions(_ device: DiagnosedDevice) -> HTML {
        guard visit.mayChange, device.isRegistered else { return "" }
        let list = services.devices.first { $0.has(device.path) }
        let remove: HTML? = list.map { list in
            """
            <form method="post" action="/console/devices">\(ConsolePage.key(visit.session))
            <input type="hidden" name="path" value="\(device.path.description)">
            <input type="hidden" name="of" value="\(list.id)">
            <button class="danger" data-confirm="Remove the registration of \(device.path.id)? It gets no more \
            notifications until it registers again.">Remove</button></form>
            """
        }
        return """
            <div class="actions">
            <form method="post" action="/console/devices/device">\(ConsolePage.key(visit.session))
            <input type="hidden" name="path" value="\(device.path.description)">
            <button>Send a test</button></form>
            \(remove)
            </div>
            """
    }
}

extension DiagnosedNotification {
    /// `false` if it waits.
    fileprivate var isSettled: Bool { if case .pending = entry.notification.state { false } else { true } }
}
