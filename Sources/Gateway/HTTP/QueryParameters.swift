internal import Foundation
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

extension Parameters {
    /// A value that goes by two names: lowerCamelCase and snake_case.
    func either(_ name: Substring, _ otherName: Substring) -> String? {
        (self[name] ?? self[otherName]).map(String.init)
    }
}

extension RequestContext {
    /// A part of the path as it was meant: clients percent-encode what they need not.
    func decodedParameter(_ name: String) throws -> String {
        let text = try parameters.require(name)
        return text.removingPercentEncoding ?? text
    }
}
