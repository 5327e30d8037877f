import Foundation

extension String {
    /// The form in which respondents' names are compared. It ignores case, surrounding white space and different code
    /// points for the same letters.
    var asRespondent: String { trimmingWhitespace().precomposedStringWithCanonicalMapping.lowercased() }
}
