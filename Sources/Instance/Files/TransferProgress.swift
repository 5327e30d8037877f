/// The progress of a transfer of documents or files, for people who wait for it.
package struct TransferProgress: Sendable {
    /// A function that is called with the progress, often.
    package typealias Report = @Sendable (TransferProgress) -> Void

    /// The unit of the numbers.
    package enum Unit: Sendable {
        case documents, bytes
    }

    /// The present part of the work, such as `importing documents`.
    package let activity: String
    /// The unit of ``done`` and ``total``.
    package let unit: Unit
    /// The number that is done.
    package let done: Int
    /// The number that is to do in all.
    package let total: Int

    package init(_ activity: String, _ unit: Unit, done: Int, of total: Int) {
        self.activity = activity
        self.unit = unit
        self.done = done
        self.total = total
    }

    /// Returns the progress in one line: the numbers, and after a second the rate and the time that is left.
    ///
    /// - Parameters:
    ///   - elapsed: The time since the work was seen for the first time.
    ///   - first: The number that was done then.
    package func text(after elapsed: Duration, from first: Int) -> String {
        let share = total > 0 ? min(100, done * 100 / total) : 100
        var text = "\(activity): \(words(done)) of \(words(total)) (\(share) %)"
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        guard seconds >= 1, done > first else { return text }
        let rate = Double(done - first) / seconds
        text += ", \(words(Int(rate)))/s"
        let left = (Double(max(0, total - done)) / rate).rounded(.up)
        if left > 0 { text += ", \(Self.duration(left)) left" }
        return text
    }

    private func words(_ number: Int) -> String {
        switch unit {
        case .documents: Self.grouped(number)
        case .bytes: "\(Self.grouped((number + (1 << 19)) >> 20)) MiB"
        }
    }

    /// Returns a number with a comma before each three digits, whatever the user's language.
    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += "," }
            text.append(digit.element)
        }
    }

    private static func duration(_ seconds: Double) -> String {
        guard seconds < 360_000 else { return "more than 100 h" }
        let whole = Int(seconds)
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}
