import Foundation

/// The body of a form, `application/x-www-form-urlencoded`
/// ([URL standard](https://url.spec.whatwg.org/#urlencoded-parsing)).
package enum URLEncodedForm {
    /// Returns the values by their names; of several with one name, the last.
    package static func values(of body: [UInt8]) -> [String: String] {
        var form: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0.map { $0 == "+" ? " " : $0 }).removingPercentEncoding ?? "" }
            form[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
        return form
    }
}
