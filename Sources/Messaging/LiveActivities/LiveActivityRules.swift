import JSON

/// The reasons why content cannot go to a Live Activity: all its errors, by member. It contains no token.
package struct InvalidLiveActivity: Error, Hashable, Sendable, CustomStringConvertible {
    /// One error.
    package struct Violation: Hashable, Sendable {
        /// The member of `aps`, by Apple's name; `aps` for the whole.
        package let member: String
        /// The rule that does not hold, for the developer of the sender.
        package let problem: String

        init(member: String, _ problem: String) {
            self.member = member
            self.problem = problem
        }
    }

    /// The errors, in the order in which they were found.
    package let violations: [Violation]

    init(_ violations: [Violation]) { self.violations = violations }

    /// All errors in one line.
    package var description: String { violations.map { "\($0.member): \($0.problem)" }.joined(separator: "; ") }
}

/// The rules for the content of a push to a Live Activity. Apple documents them, and answers 200 to most content that
/// breaks them.
struct LiveActivityRules {
    /// The tolerance for a timestamp in the future, in seconds. A card that has content of the future ignores all until
    /// then.
    static let clockSkew: Int64 = 60
    /// The last second of the year 9999. A later time is in milliseconds.
    private static let lastSecond: Int64 = 253_402_300_799

    let now: Int64
    private(set) var violations: [InvalidLiveActivity.Violation] = []

    init(now: Int64) { self.now = now }

    mutating func check(_ activity: LiveActivity) {
        typealias Member = LiveActivity.Member
        checkTime(activity.timestamp, Member.timestamp)
        if isLater(activity.timestamp, than: Self.clockSkew) {
            report(Member.timestamp, "is in the future; a card ignores all older content until then")
        }
        if let staleDate = activity.staleDate { checkTime(staleDate, Member.staleDate) }
        if let score = activity.relevanceScore, !(score.isFinite && score >= 0) {
            report(Member.relevanceScore, "must be a number from 0 on")
        }
        if let alert = activity.alert, alert.title.isEmpty || alert.body.isEmpty {
            report(Member.alert, "must have a title and a body")
        }
        if let path = activity.contentState.flatMap(Self.nullMember(of:)) {
            report(Member.contentState, "has the member \(path.bounded), which is null: leave it out")
        }
        check(activity.event, of: activity)
    }

    private mutating func check(_ event: LiveActivity.Event, of activity: LiveActivity) {
        typealias Member = LiveActivity.Member
        switch event {
        case .start(let start):
            if activity.contentState == nil { report(Member.contentState, "is required") }
            if activity.alert == nil { report(Member.alert, "is required to start a card") }
            check(start)
        case .update:
            if activity.contentState == nil { report(Member.contentState, "is required") }
        case .end(let dismissal?):
            checkTime(dismissal, Member.dismissalDate)
            if isLater(dismissal, than: LiveActivity.longestDismissal) {
                report(Member.dismissalDate, "must be at most four hours ahead")
            }
        case .end(nil): break
        }
    }

    private mutating func check(_ start: LiveActivity.Start) {
        typealias Member = LiveActivity.Member
        if start.attributesType.isEmpty { report(Member.attributesType, "must be the name of the app's type") }
        if let path = Self.nullMember(of: start.attributes) {
            report(Member.attributes, "has the member \(path.bounded), which is null: leave it out")
        }
        if case .channel(let channel) = start.input, !channel.isPlausible {
            report(Member.inputChannel, "must be the id of a channel, as Apple gave it")
        }
    }

    /// Checks the size of the whole payload, in bytes.
    mutating func check(size: Int, limit: Int) {
        if size > limit { report("aps", "has \(size) bytes with its payload, of at most \(limit)") }
    }

    private mutating func checkTime(_ seconds: Int64, _ member: String) {
        guard !(1...Self.lastSecond).contains(seconds) else { return }
        report(member, "must be in seconds since 1970, not in milliseconds")
    }

    /// Returns `true` for a time that is further ahead than a number of seconds, and is one in seconds.
    private func isLater(_ seconds: Int64, than ahead: Int64) -> Bool {
        seconds <= Self.lastSecond && seconds > now + ahead
    }

    private mutating func report(_ member: String, _ problem: String) {
        violations.append(InvalidLiveActivity.Violation(member: member, problem))
    }

    /// Returns the path of the first member that is `null`; `nil` if there is none. APNs does not deliver a payload
    /// with one. Elements of arrays may be `null`.
    private static func nullMember(of object: JSONObject) -> String? {
        for (name, value) in object.members {
            if value == .null { return name }
            if let rest = nullMember(in: value) { return "\(name).\(rest)" }
        }
        return nil
    }

    private static func nullMember(in value: JSONValue) -> String? {
        switch value {
        case .object(let object): nullMember(of: object)
        case .array(let elements): elements.lazy.compactMap(nullMember(in:)).first
        case .null, .bool, .integer, .double, .string: nil
        }
    }
}
