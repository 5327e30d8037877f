import Metrics
import Testing

@testable import Gateway

@Suite("Metrics in Prometheus' text format", .timeLimit(.minutes(10)))
struct PrometheusTests {
    private let registry = PrometheusRegistry()

    private func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: registry)
    }

    @Test("A metrics registry without metrics gives an empty text")
    func empty() { #expect(registry.text == "") }

    @Test("A counter counts per set of labels")
    func counters() {
        counter("requests_total", [("code", "200")]).increment()
        counter("requests_total", [("code", "200")]).increment(by: 2)
        counter("requests_total", [("code", "404")]).increment()
        counter("a_total").increment()
        #expect(
            registry.text == """
                # TYPE a_total counter
                a_total 1
                # TYPE requests_total counter
                requests_total{code="200"} 3
                requests_total{code="404"} 1

                """)
    }

    @Test("A counter can be reset to zero")
    func reset() {
        counter("a_total").increment(by: 5)
        counter("a_total").reset()
        #expect(registry.text == "# TYPE a_total counter\na_total 0\n")
    }

    @Test("A gauge can be set, increased and decreased")
    func gauges() {
        let gauge = Meter(label: "waiting", dimensions: [("lane", "apns"), ("app", "x")], factory: registry)
        gauge.set(10)
        gauge.increment(by: 2.5)
        gauge.decrement(by: 4)
        #expect(registry.text == "# TYPE waiting gauge\nwaiting{lane=\"apns\",app=\"x\"} 8.5\n")
    }

    @Test("A recorder is a histogram with cumulative buckets")
    func recorders() {
        let recorder = Recorder(label: "size", dimensions: [("of", "chunk")], factory: registry)
        for value in [1, 2, 3, 512, 513] { recorder.record(value) }
        #expect(
            registry.text == """
                # TYPE size histogram
                size_bucket{of="chunk",le="1.0"} 1
                size_bucket{of="chunk",le="2.0"} 2
                size_bucket{of="chunk",le="4.0"} 3
                size_bucket{of="chunk",le="8.0"} 3
                size_bucket{of="chunk",le="16.0"} 3
                size_bucket{of="chunk",le="32.0"} 3
                size_bucket{of="chunk",le="64.0"} 3
                size_bucket{of="chunk",le="128.0"} 3
                size_bucket{of="chunk",le="256.0"} 3
                size_bucket{of="chunk",le="512.0"} 4
                size_bucket{of="chunk",le="+Inf"} 5
                size_sum{of="chunk"} 1031.0
                size_count{of="chunk"} 5

                """)
    }

    @Test("A timer is a histogram in seconds")
    func timers() {
        Timer(label: "wait_seconds", factory: registry).recordMilliseconds(1_500)
        let lines = registry.text.split(separator: "\n")
        #expect(lines.contains("wait_seconds_bucket{le=\"1.0\"} 0"))
        #expect(lines.contains("wait_seconds_bucket{le=\"2.5\"} 1"))
        #expect(lines.contains("wait_seconds_sum 1.5"))
        #expect(lines.contains("wait_seconds_count 1"))
    }

    @Test("Backslash, quote and line end in a label's value are escaped, and nothing else is")
    func escaping() {
        counter("a_total", [("path", "C:\\x \"y\"\nz {é} 😀")]).increment()
        #expect(registry.text == "# TYPE a_total counter\na_total{path=\"C:\\\\x \\\"y\\\"\\nz {é} 😀\"} 1\n")
    }

    @Test("Concurrent increments of a counter add up")
    func concurrency() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { for _ in 0..<100 { counter("a_total", [("k", "v")]).increment() } }
            }
        }
        #expect(registry.text.contains("a_total{k=\"v\"} 10000\n"))
    }
}
