import DocumentStore
import Functions
import Messaging

/// The first page of the console: what happens, and what is wrong.
struct OverviewPage {
    let services: ConsoleServices
    /// The time that the chart shows.
    var span = ChartSpan.hour

    func page() async -> ConsolePage {
        let now = Timestamp.now
        let minutes = services.dispatcher.recent.minutes(until: now)
        let held = await heldApps
        return ConsolePage(
            section: .overview, title: "Overview", isLive: true,
            content: """
                <h1>Overview</h1>
                \(await checks)
                \(sentences(about: held))
                <section class="card wide">
                <h2>Deliveries of the last \(span.rawValue)</h2>
                \(ConsoleText.choice("Span", ChartSpan.allCases.map { ($0.rawValue, $0.path, $0 == span) }))
                \(await chart(minutes, now))
                </section>
                <div class="cards">
                \(queue(held))
                \(errors(minutes))
                \(apps)
                \(certificates(now))
                \(disk)
                \(gateway)
                </div>
                """)
    }

    private func chart(_ minutes: [RecentOutcomes.Minute], _ now: Timestamp) async -> HTML {
        guard let hours = span.hours else { return DeliveryChart(span: span, bars: minutes.map(\.bar)).html }
        let first = OutcomeHours.number(of: now) - Int64(hours) + 1
        guard var counts = try? await services.outcomes.counts(from: first) else {
            return "<p>The numbers of earlier hours cannot be read now.</p>"
        }
        counts.merge(services.dispatcher.recent.unsaved, uniquingKeysWith: +)
        return DeliveryChart(span: span, bars: span.bars(of: counts, from: first)).html
    }

    private var checks: HTML {
        get async {
            let rows = await services.gateway.checks().map { check -> HTML in
                let (kind, word) =
                    switch check.state {
                    case .ok: ("ok", "ok")
                    case .degraded: ("warn", "look")
                    case .failed: ("bad", "failed")
                    }
                let problem: HTML? = check.problem.map { "<span class=\"detail\">\($0)</span>" }
                return "<li>\(ConsoleText.mark(kind, word)) <strong>\(check.name)</strong> \(problem)</li>\n"
            }
            return "<ul class=\"checks\" aria-label=\"State\">\n\(rows)</ul>"
        }
    }

    /// An app that is held up, and the number of its messages; `nil` if it cannot be read.
    private typealias Held = (app: HeldApp, waiting: WaitingMessages?)

    private var heldApps: [Held] {
        get async {
            var held: [Held] = []
            for app in services.dispatcher.heldApps {
                let waiting = try? await services.dispatcher.messagesWaiting(for: app)
                held.append((app, waiting))
            }
            return held
        }
    }

    /// Returns a sentence for each app that is held up.
    private func sentences(about held: [Held]) -> HTML {
        let sentences = held.map { app, waiting -> HTML in
            let name = app.shownName(among: services.gateway.senders)
            return "<p class=\"problem\">\(services.explanations.heldUp(app, name: name, waiting: waiting))</p>\n"
        }
        return sentences.isEmpty ? "" : "\(sentences)\(Self.waitingMessages)"
    }

    private static let waitingMessages: HTML =
        "<p><a href=\"/console/messages?state=waiting\">Messages that wait</a></p>"

    private func queue(_ held: [Held]) -> HTML {
        let recent = services.dispatcher.recent.queue
        let most = held.compactMap { $0.waiting }.max { $0.count < $1.count }
        let count = most?.count ?? 0
        // A message may wait for several apps, so their numbers have no sum.
        let isExact = most?.isExact == true && held.count == 1
        let words = isExact ? "\(count == 1 ? "message is" : "messages are") held up." : "or more messages are held up."
        let heldUp: HTML? = count > 0 ? "<p>\(ConsoleText.number(count)) \(words)</p>" : nil
        let content: HTML =
            if let recent, recent.chunks > 0 {
                """
                <p class="figure">\(ConsoleText.number(recent.chunks))</p>
                <p>\(recent.chunks == 1 ? "batch waits" : "batches wait"), of up to 500 notifications \
                each. The oldest has been due for \(ConsoleText.duration(recent.age)).</p>
                \(heldUp)
                \(Self.waitingMessages)
                """
            } else if count > 0 {
                // The queue is counted every ten seconds.
                """
                <p class="figure">\(ConsoleText.number(count))</p>
                <p>\(words)</p>
                \(Self.waitingMessages)
                """
            } else {
                "<p class=\"figure\">0</p>\n<p>Nothing waits.</p>"
            }
        return "<section class=\"card\"><h2>Queue</h2>\(content)</section>"
    }

    private func errors(_ minutes: [RecentOutcomes.Minute]) -> HTML {
        var counts: [MessagingErrorCode: (rejected: Int, failed: Int)] = [:]
        for minute in minutes {
            for (code, count) in minute.rejected { counts[code, default: (0, 0)].rejected += count }
            for (code, count) in minute.failed { counts[code, default: (0, 0)].failed += count }
        }
        let rows = counts.sorted { $0.value.rejected + $0.value.failed > $1.value.rejected + $1.value.failed }
            .map { code, count -> HTML in
                """
                <tr><td>\(code.rawValue)</td><td class="number">\(count.rejected)</td>\
                <td class="number">\(count.failed)</td></tr>

                """
            }
        let link: HTML? =
            counts.values.contains { $0.rejected > 0 }
            ? "<p><a href=\"/console/messages?state=rejected\">Messages with rejections</a></p>" : nil
        let content: HTML =
            rows.isEmpty
            ? "<p>None in the last hour.</p>"
            : """
            <table><thead><tr><th>Error</th><th class="number">Rejected</th><th class="number">Repeated</th></tr></thead>
            <tbody>\(rows)</tbody></table>
            \(link)
            """
        return "<section class=\"card\"><h2>Errors of the last hour</h2>\(content)</section>"
    }

    private var apps: HTML {
        let held = services.dispatcher.heldApps
        guard !services.gateway.isEmulator else {
            return """
                <section class="card"><h2>Push services</h2>
                <p>There are no credentials: this gateway is an emulator, and notifications stay in its \
                <a href="/console/inbox">inbox</a>.</p></section>
                """
        }
        let senders = services.gateway.senders
        let rows = senders.map { sender -> HTML in
            let state: HTML? = sender.lane.map { lane -> HTML in
                held.contains { $0.resolvedLanes.contains(lane) }
                    ? "\(ConsoleText.mark("bad", "held up")) <span class=\"detail\">\(sender.pause)</span>"
                    : ConsoleText.mark("ok", "in use")
            }
            return """
                <dt>\(sender.name)</dt>
                <dd>\(sender.detail) \(state)</dd>

                """
        }
        return "<section class=\"card\"><h2>Apps and keys</h2><dl>\(rows)</dl></section>"
    }

    private func certificates(_ now: Timestamp) -> HTML {
        guard let files = services.gateway.certificates else { return "" }
        let rows = files.certificates.map { certificate -> HTML in
            let left = certificate.expiry - now
            let kind = left < .seconds(0) ? "bad" : left < .seconds(7 * 86_400) ? "warn" : "ok"
            let word = left < .seconds(0) ? "expired" : "for \(ConsoleText.duration(left))"
            return """
                <dt>\(certificate.names.joined(separator: ", "))</dt>
                <dd>\(ConsoleText.mark(kind, word)) until \(ConsoleText.time(certificate.expiry))</dd>

                """
        }
        let missing = files.missingNames.map { name -> HTML in
            "<dt>\(name)</dt><dd>\(ConsoleText.mark("warn", "none yet")) The log has the reason.</dd>\n"
        }
        return "<section class=\"card\"><h2>Certificates</h2><dl>\(rows)\(missing)</dl></section>"
    }

    private var disk: HTML {
        let disk = services.gateway.disk
        let size: HTML? = disk.database.map { "<dt>Database</dt><dd>\(ConsoleText.bytes($0))</dd>" }
        let free: HTML? = disk.space.map { space in
            """
            <dt>Free</dt><dd>\(ConsoleText.bytes(space.free))</dd>
            <dt>Kept free</dt><dd>\(ConsoleText.bytes(space.minimum)); below that no new data is accepted</dd>
            """
        }
        return "<section class=\"card\"><h2>Disk</h2><dl>\(free)\(size)</dl></section>"
    }

    private var gateway: HTML {
        """
        <section class="card"><h2>This process</h2><dl>
        <dt>Version</dt><dd>\(services.gateway.version)</dd>
        <dt>Running</dt><dd>for \(ConsoleText.duration(ContinuousClock.now - services.startedAt))</dd>
        <dt>Push services</dt><dd>\(services.gateway.pushServices)</dd>
        </dl></section>
        """
    }
}

extension RecentOutcomes.Minute {
    fileprivate var bar: DeliveryChart.Bar {
        DeliveryChart.Bar(
            start: start,
            counts: RecentOutcomes.Counts(
                accepted: accepted, rejected: rejected.values.reduce(0, +), failed: failed.values.reduce(0, +)))
    }
}
