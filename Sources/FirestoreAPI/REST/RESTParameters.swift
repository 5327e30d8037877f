import FirestoreProtos
import Foundation
import SwiftProtobuf

/// The parameters in a request's URL, by their names in lowerCamelCase; names in snake_case are taken too.
///
/// Those that a method does not ask for have no effect, such as `key`, `alt` and `prettyPrint`.
struct RESTParameters: Sendable {
    /// The values as they were sent.
    private let values: [String: [Substring]]

    init(_ query: String) {
        var values: [String: [Substring]] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts[0].removingPercentEncoding else { continue }
            values[name.inLowerCamelCase, default: []].append(parts.count > 1 ? parts[1] : "")
        }
        self.values = values
    }

    /// Returns all values of a repeated parameter.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one is not percent-encoded UTF-8.
    func texts(_ name: String) throws(FirestoreStatus) -> [String] {
        var texts: [String] = []
        for value in values[name] ?? [] {
            guard let text = String(value.map { $0 == "+" ? " " : $0 }).removingPercentEncoding else {
                throw Self.invalid(name, value)
            }
            texts.append(text)
        }
        return texts
    }

    /// Returns a parameter's last value.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is not percent-encoded UTF-8.
    func text(_ name: String) throws(FirestoreStatus) -> String? { try texts(name).last }

    static func invalid(_ name: String, _ value: some StringProtocol) -> FirestoreStatus {
        .invalid("Invalid value for the parameter \(name): \"\(value)\".")
    }
}

/// Parameters that are not text. An empty value counts as none.
extension RESTParameters {
    func integer(_ name: String) throws(FirestoreStatus) -> Int32? {
        guard let text = try nonEmptyText(name) else { return nil }
        guard let integer = Int32(text) else { throw Self.invalid(name, text) }
        return integer
    }

    func boolean(_ name: String) throws(FirestoreStatus) -> Bool? {
        guard let text = try nonEmptyText(name) else { return nil }
        guard let boolean = Bool(text) else { throw Self.invalid(name, text) }
        return boolean
    }

    /// Returns bytes that are sent as base64 of either alphabet.
    func bytes(_ name: String) throws(FirestoreStatus) -> Data? {
        guard let text = try nonEmptyText(name) else { return nil }
        return try Self.parsed(text, name, as: Google_Protobuf_BytesValue.self).value
    }

    /// Returns a moment that is sent as RFC 3339 with an offset or Z.
    func time(_ name: String) throws(FirestoreStatus) -> Google_Protobuf_Timestamp? {
        guard let text = try nonEmptyText(name) else { return nil }
        return try Self.parsed(text, name, as: Google_Protobuf_Timestamp.self)
    }

    private func nonEmptyText(_ name: String) throws(FirestoreStatus) -> String? {
        let text = try text(name)
        return text?.isEmpty == true ? nil : text
    }

    /// Parses the text of a message whose JSON is a string.
    private static func parsed<Content: Message>(
        _ text: String, _ name: String, as type: Content.Type
    ) throws(FirestoreStatus) -> Content {
        // Base64 and times have plus signs, which many clients send as they are, and no spaces.
        let text = String(text.map { $0 == " " ? "+" : $0 })
        do {
            return try Content(jsonString: try Google_Protobuf_StringValue(text).jsonString())
        } catch {
            throw invalid(name, text)
        }
    }
}

/// The messages of which parameters are parts.
extension RESTParameters {
    /// Returns the field paths of a mask; `nil` if the request has none.
    func mask(_ name: String) throws(FirestoreStatus) -> Google_Firestore_V1_DocumentMask? {
        let paths = try texts("\(name).fieldPaths")
        return paths.isEmpty ? nil : Google_Firestore_V1_DocumentMask.with { $0.fieldPaths = paths }
    }

    /// Returns the time to read at; `nil` if the request has none.
    ///
    /// - Parameter isAllowed: `false` if the request already names the state to read.
    /// - Throws: `INVALID_ARGUMENT` if the time is malformed, or not allowed.
    func readTime(isAllowed: Bool) throws(FirestoreStatus) -> Google_Protobuf_Timestamp? {
        guard let time = try time("readTime") else { return nil }
        guard isAllowed else { throw .invalid("The parameters transaction and readTime exclude each other.") }
        return time
    }

    /// Returns the condition on the present document; `nil` if the request has none.
    func precondition() throws(FirestoreStatus) -> Google_Firestore_V1_Precondition? {
        let exists = try boolean("currentDocument.exists")
        let updateTime = try time("currentDocument.updateTime")
        switch (exists, updateTime) {
        case (nil, nil): return nil
        case (let exists?, nil): return Google_Firestore_V1_Precondition.with { $0.exists = exists }
        case (nil, let updateTime?): return Google_Firestore_V1_Precondition.with { $0.updateTime = updateTime }
        default: throw .invalid("The parameters currentDocument.exists and .updateTime exclude each other.")
        }
    }
}

extension String {
    /// The text with each underscore removed and the letter after it in upper case.
    fileprivate var inLowerCamelCase: String {
        guard utf8.contains(UInt8(ascii: "_")) else { return self }
        let parts = split(separator: "_").map(String.init)
        let rest = parts.dropFirst().map { part in part.prefix(1).uppercased() + String(part.dropFirst()) }
        return (parts.first ?? "") + rest.joined()
    }
}
