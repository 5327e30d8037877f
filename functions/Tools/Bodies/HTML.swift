import Cryptography
import Foundation
import HTTPTypes

/// A fragment of a page. Interpolated values are escaped, unless they are fragments themselves:
///
///     let row: HTML = "<li title=\"\(name)\">\(name)</li>"
package struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    package let description: String

    package init(stringLiteral value: String) { description = value }
    package init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

    /// Takes text that is already markup.
    package init(verbatim text: String) { description = text }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ html: HTML) { text += html.description }
        package mutating func appendInterpolation(_ html: HTML?) { text += html?.description ?? "" }
        package mutating func appendInterpolation(_ pieces: [HTML]) { text += pieces.map(\.description).joined() }
        package mutating func appendInterpolation(_ number: Int) { text += String(number) }

        package mutating func appendInterpolation(_ plain: String) {
            for scalar in plain.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}

extension HTML {
    /// Returns the source by which a content security policy allows an inline style or script (CSP Level 3 §2.3.1).
    package static func policySource(of text: String) -> String {
        "'sha256-\(Data(SHA256.digest(of: text.utf8)).base64EncodedString())'"
    }
}

extension HTTPFields {
    /// Returns the fields of a page whose address holds a secret: it must not reach other sites, caches or search
    /// engines.
    ///
    /// - Parameter policy: The page's content security policy.
    static func secretPage(policy: String) -> HTTPFields {
        var fields: HTTPFields = [
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .contentSecurityPolicy: policy,
        ]
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("X-Robots-Tag", "noindex, nofollow"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }
}
