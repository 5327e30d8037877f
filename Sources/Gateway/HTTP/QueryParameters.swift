internal import Hummingbird

extension Parameters {
    /// A whole number in the range, nil when absent, an error when it is anything else.
    func integer(_ name: Substring, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            let upper = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw .invalidArgument("\(name) must be a whole number from \(range.lowerBound)\(upper)")
        }
        return value
    }
}
