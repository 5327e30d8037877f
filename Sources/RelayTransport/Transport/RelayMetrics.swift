import Metrics

/// The metrics of the transport; docs/metrics.md describes them.
enum RelayMetrics {
    /// Counts an address of a relay's host that was not connected to.
    static func recordRefusedAddress() { Counter(label: "pushgate_relay_addresses_refused_total").increment() }

    /// Counts a message whose body was cut, so that it can be sealed.
    static func recordCutBody() { Counter(label: "pushgate_relay_bodies_cut_total").increment() }
}
