import DocumentStore
import Functions
import Messaging

/// The time that the chart of the overview shows.
enum ChartSpan: String, CaseIterable, Sendable {
    case hour, day, week

    /// The overview with this span.
    var path: String { self == .hour ? "/" : "/?span=\(rawValue)" }

    /// The hours that are read from the store; `nil` for a span that is in memory.
    var hours: Int? {
        switch self {
        case .hour: nil
        case .day: 24
        case .week: 7 * 24
        }
    }

    /// The hours that one bar adds up, for a span that is read from the store.
    private var hoursPerBar: Int { self == .week ? 6 : 1 }

    /// The time that one bar stands for.
    var timeOfBar: String {
        switch self {
        case .hour: "a minute"
        case .day: "an hour"
        case .week: "six hours"
        }
    }

    /// The bars between two labels of the time.
    var barsPerLabel: Int { self == .hour ? 15 : 4 }

    /// Returns the bars of hours, from a first one on.
    ///
    /// - Parameter counts: The outcomes by the numbers of their hours.
    func bars(of counts: [Int64: RecentOutcomes.Counts], from first: Int64) -> [DeliveryChart.Bar] {
        stride(from: 0, to: hours ?? 0, by: hoursPerBar).map { offset in
            let numbers = (0..<hoursPerBar).map { first + Int64(offset + $0) }
            let sum = numbers.reduce(RecentOutcomes.Counts()) { $0 + counts[$1, default: RecentOutcomes.Counts()] }
            return DeliveryChart.Bar(start: OutcomeHours.start(of: first + Int64(offset)), counts: sum)
        }
    }
}

/// A chart of outcomes with axes, drawn as SVG.
struct DeliveryChart {
    /// The outcomes of a part of the span.
    struct Bar: Hashable, Sendable {
        let start: Timestamp
        let counts: RecentOutcomes.Counts

        var total: Int { counts.accepted + counts.rejected + counts.failed }
    }

    let span: ChartSpan
    let bars: [Bar]

    private static let (height, barWidth) = (120, 10)

    var html: HTML {
        let most = bars.map(\.total).max() ?? 0
        let top = Self.top(for: most)
        let width = bars.count * Self.barWidth
        let sum = bars.reduce(RecentOutcomes.Counts()) { $0 + $1.counts }
        let lines = [0, Self.height / 2, Self.height].map { y -> HTML in
            "<line x1=\"0\" y1=\"\(y)\" x2=\"\(width)\" y2=\"\(y)\"/>\n"
        }
        return """
            <figure>
            <div class="plot">
            <div class="scale" aria-hidden="true"><span>\(top)</span><span>\(top / 2)</span><span>0</span></div>
            <svg class="chart" viewBox="0 0 \(width) \(Self.height)" preserveAspectRatio="none" role="img" \
            aria-label="Notifications of the last \(span.rawValue), at most \(most) in \(span.timeOfBar): \
            \(sum.accepted) accepted, \(sum.rejected) rejected, \(sum.failed) failed attempts in all">
            \(lines)\(bars.enumerated().map { drawing(of: $0.element, at: $0.offset, top: top) })
            </svg>
            <div class="times\(span == .week ? " days" as HTML : "")" aria-hidden="true">\(labels)</div>
            </div>
            <figcaption>
            <span class="key accepted">\(sum.accepted) accepted</span>
            <span class="key rejected">\(sum.rejected) rejected</span>
            <span class="key failed">\(sum.failed) failed attempts, repeated</span>
            <span>at most \(most) in \(span.timeOfBar)</span>
            <span data-zone>times in UTC</span>
            </figcaption>
            </figure>
            """
    }

    private func drawing(of bar: Bar, at index: Int, top: Int) -> HTML {
        var bottom = Self.height
        let parts = [
            ("accepted", bar.counts.accepted), ("rejected", bar.counts.rejected), ("failed", bar.counts.failed),
        ].map { kind, count -> HTML in
            guard count > 0 else { return "" }
            let size = min(bottom, max(2, count * Self.height / top))
            bottom -= size
            return """
                <rect class="\(kind)" x="\(index * Self.barWidth + 1)" y="\(bottom)" width="\(Self.barWidth - 2)" \
                height="\(size)"/>
                """
        }
        return "<g><title>\(label(of: bar))</title>\(parts)</g>\n"
    }

    private func label(of bar: Bar) -> String {
        let time = bar.start.description.prefix(16).replacing("T", with: " ")
        let counts = bar.counts
        return
            "\(time) UTC: \(counts.accepted) accepted, \(counts.rejected) rejected, \(counts.failed) failed"
    }

    /// The times below the bars, at the beginning of each equal part of the width.
    private var labels: [HTML] {
        stride(from: 0, to: bars.count, by: span.barsPerLabel).map { index in
            let text = bars[index].start.description
            let shown = span == .week ? text.prefix(10).dropFirst(5) : text.prefix(16).dropFirst(11)
            return """
                <time datetime="\(text)" data-form="\(span == .week ? "day" : "clock")">\(String(shown))</time>
                """
        }
    }

    /// Returns the upper end of the scale, whose half is a whole number too.
    static func top(for most: Int) -> Int {
        var power = 1
        while true {
            for step in [2, 4, 10] where step * power >= most { return step * power }
            power *= 10
        }
    }
}
