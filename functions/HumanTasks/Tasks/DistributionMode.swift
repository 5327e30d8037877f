/// The distribution of a task to its recipients.
enum DistributionMode: String, CaseIterable, Sendable {
    /// One task per participant.
    case individual
    /// One task for all participants.
    case group
    /// One task for any person with the link.
    case open
}
