import Metrics

/// The metrics of the transport; docs/metrics.md describes them.
enum WebPushMetrics {
    /// Counts an address that a subscription's host has and that was not connected to.
    static func recordRefusedAddress() { Counter(label: "pushgate_webpush_addresses_refused_total").increment() }

    /// Counts a message that was encrypted again in fewer bytes.
    static func recordShortenedBody() { Counter(label: "pushgate_webpush_bodies_shortened_total").increment() }
}
