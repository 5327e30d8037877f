import DocumentStore
import Functions
import Messaging

/// The first page of the console: what happens, and what is wrong.
struct OverviewPage {
    let services: ConsoleServices

    func page() async -> ConsolePage {
        let now = Timestamp.now
        let minutes = services.dispatcher.recent.minutes(until: now)
        return ConsolePage(
            section: .overview, title: "Overview", isLive: true,
            content: """
                <h1>Overview</h1>
                \(await checks)
                \(await heldUp)
                <section class="card wide">
                <h2>Deliveries of the last hour</h2>
                \(DeliveryChart(minutes: minutes).html)
                </section>
                <div class="cards">
                \(queue)
                \(errors(minutes))
                \(apps)
                \(certificates(now))
                \(disk)
                \(gateway)
                </div>
                """)
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

    /// A sentence for each app that is held up.
    private var heldUp: HTML {
        get async {
            var sentences: [HTML] = []
            for app in services.dispatcher.heldApps {
                let text = services.explanations.heldUp(
                    app, name: app.shownName(among: services.gateway.senders),
                    waiting: try? await services.dispatcher.messagesWaiting(for: app))
                sentences.append("<p class=\"problem\">\(text)</p>\n")
            }
            return sentences.isEmpty
                ? "" : "\(sentences)<p><a href=\"/console/messages?state=waiting\">Messages that wait</a></p>"
        }
    }

    private var queue: HTML {
        let recent = services.dispatcher.recent.queue
        let content: HTML =
            if let recent, recent.chunks > 0 {
                """
                <p class="figure">\(recent.chunks)</p>
                <p>\(recent.chunks == 1 ? "batch waits" : "batches wait"), of up to 500 notifications \
                each. The oldest has been due for \(ConsoleText.duration(recent.age)).</p>
                <p><a href="/console/messages?state=waiting">Messages that wait</a></p>
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
        let content: HTML =
            rows.isEmpty
            ? "<p>None in the last hour.</p>"
            : """
            <table><thead><tr><th>Error</th><th class="number">Rejected</th><th class="number">Repeated</th></tr></thead>
            <tbody>\(rows)</tbody></table>
            <p><a href="/console/messages?state=rejected">Messages with rejections</a></p>
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

/// A chart of the outcomes of an hour, one bar for each minute, drawn as SVG.
struct DeliveryChart {
    let minutes: [RecentOutcomes.Minute]

    private static let (height, barWidth) = (120, 10)

    var html: HTML {
        let most = max(1, minutes.map(\.total).max() ?? 0)
        let width = minutes.count * Self.barWidth
        let bars = minutes.enumerated().map { index, minute -> HTML in
            var bottom = Self.height
            let parts = [
                ("accepted", minute.accepted), ("rejected", minute.rejectedCount), ("failed", minute.failedCount),
            ].map { kind, count -> HTML in
                guard count > 0 else { return "" }
                let size = max(2, count * (Self.height - 4) / most)
                bottom -= size
                return """
                    <rect class="\(kind)" x="\(index * Self.barWidth + 1)" y="\(bottom)" width="\(Self.barWidth - 2)" \
                    height="\(size)"/>
                    """
            }
            return "<g><title>\(Self.label(minute))</title>\(parts)</g>\n"
        }
        let (accepted, rejected, failed) = (
            minutes.reduce(0) { $0 + $1.accepted }, minutes.reduce(0) { $0 + $1.rejectedCount },
            minutes.reduce(0) { $0 + $1.failedCount }
        )
        return """
            <figure>
            <svg class="chart" viewBox="0 0 \(width) \(Self.height)" preserveAspectRatio="none" role="img" \
            aria-label="Notifications for each minute of the last hour, at most \(most) in one: \(accepted) accepted, \
            \(rejected) rejected, \(failed) failed attempts in all">
            <line x1="0" y1="\(Self.height)" x2="\(width)" y2="\(Self.height)"/>
            \(bars)
            </svg>
            <figcaption>
            <span class="key accepted">\(accepted) accepted</span>
            <span class="key rejected">\(rejected) rejected</span>
            <span class="key failed">\(failed) failed attempts, repeated</span>
            <span>at most \(most) in a minute</span>
            </figcaption>
            </figure>
            """
    }

    private static func label(_ minute: RecentOutcomes.Minute) -> String {
        let time = minute.start.description.dropFirst(11).prefix(5)
        return
            "\(time) UTC: \(minute.accepted) accepted, \(minute.rejectedCount) rejected, \(minute.failedCount) failed"
    }
}

extension RecentOutcomes.Minute {
    fileprivate var rejectedCount: Int { rejected.values.reduce(0, +) }
    fileprivate var failedCount: Int { failed.values.reduce(0, +) }
    fileprivate var total: Int { accepted + rejectedCount + failedCount }
}
