/// The urgency of a message (RFC 8030 §5.3). A device that saves power receives only messages of a minimum urgency.
public enum Urgency: String, CaseIterable, Comparable, Sendable {
    /// Advertisements and the like, for a device on power and Wi-Fi.
    case veryLow = "very-low"
    /// Topic updates, for a device on power or Wi-Fi.
    case low
    /// Chat messages and the like. A message without the field has this urgency.
    case normal
    /// Calls and alerts that depend on the time, also for a device with a low battery.
    case high

    /// Compares by the order above.
    public static func < (one: Urgency, other: Urgency) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .veryLow: 0
        case .low: 1
        case .normal: 2
        case .high: 3
        }
    }
}
