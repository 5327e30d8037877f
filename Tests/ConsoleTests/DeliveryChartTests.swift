import DocumentStore
import Functions
import Messaging
import Testing

@testable import Console

@Suite("The chart of the console")
struct DeliveryChartTests {
    @Test(
        "The scale ends at or just above the greatest number, and its half is whole",
        arguments: [(0, 2), (1, 2), (2, 2), (3, 4), (5, 10), (11, 20), (20, 20), (21, 40), (41, 100), (999, 1_000)])
    func top(most: Int, top: Int) {
        #expect(DeliveryChart.top(for: most) == top)
    }

    @Test("A bar of a week adds up six hours, and the last one ends with the present hour")
    func week() {
        let (first, last): (Int64, Int64) = (1_000, 1_167)
        let counts: [Int64: RecentOutcomes.Counts] = [
            first: .init(accepted: 1), first + 5: .init(accepted: 2, failed: 3), first + 6: .init(rejected: 4),
            last: .init(accepted: 5), last + 1: .init(accepted: 100),
        ]
        let bars = ChartSpan.week.bars(of: counts, from: first)
        #expect(bars.count == 28)
        #expect(bars[0].counts == .init(accepted: 3, failed: 3) && bars[0].start == OutcomeHours.start(of: first))
        #expect(bars[1].counts == .init(rejected: 4) && bars[27].counts == .init(accepted: 5))
        #expect(ChartSpan.day.bars(of: counts, from: first).count == 24)
    }

    @Test(
        "The legend names the time of a bar in words",
        arguments: [
            (ChartSpan.hour, "at most 3 in a minute"), (.day, "at most 3 in an hour"),
            (.week, "at most 3 in six hours"),
        ])
    func legend(span: ChartSpan, text: String) {
        let bar = DeliveryChart.Bar(start: OutcomeHours.start(of: 0), counts: .init(accepted: 3))
        let html = DeliveryChart(span: span, bars: [bar]).html.description
        #expect(html.contains("<span>\(text)</span>") && html.contains("\(text): 3 accepted, 0 rejected"))
    }

    @Test("No part of a bar leaves the chart, however small")
    func heights() {
        let bar = DeliveryChart.Bar(
            start: OutcomeHours.start(of: 0), counts: .init(accepted: 1_000, rejected: 1, failed: 1))
        let html = DeliveryChart(span: .day, bars: [bar]).html.description
        let heights = html.matches(of: /y="(-?[0-9]+)" width="8" height="([0-9]+)"/).map { (Int($0.1), Int($0.2)) }
        #expect(heights.count == 3 && heights.allSatisfy { ($0.0 ?? -1) >= 0 })
    }
}
