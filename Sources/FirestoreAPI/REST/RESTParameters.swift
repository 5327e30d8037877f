import FirestoreProtos
import Foundation
import SwiftProtobuf

/// The parameters in a request's URL.
///
/// Google's front end refuses a name that it does not know, and so does this: with a misspelt mask an update replaces
/// the whole document, and with a misspelt condition it replaces any.
struct RESTParameters: Sendable {
    /// The values as they were sent.
    private let values: [RESTParameter: [Substring]]

    /// Reads the parameters of a method.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the method does not have one of them, or if one that is not repeated occurs
    ///   twice.
    init(_ query: String, of route: RESTRoute) throws(FirestoreStatus) {
        let known = route.parameters
        var values: [RESTParameter: [Substring]] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].removingPercentEncoding ?? String(parts[0])
            guard !RESTSystemParameter.isNamed(name) else { continue }
            guard let parameter = RESTParameter(named: name), known.contains(parameter) else {
                throw Self.unknown(name, among: known)
            }
            guard parameter.isRepeated || values[parameter] == nil else { throw Self.repeated(parameter) }
            values[parameter, default: []].append(parts.count > 1 ? parts[1] : "")
        }
        self.values = values
    }

    /// Returns all values of a repeated parameter.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one is not percent-encoded UTF-8.
    func texts(_ parameter: RESTParameter) throws(FirestoreStatus) -> [String] {
        var texts: [String] = []
        for value in values[parameter] ?? [] {
            guard let text = String(value.map { $0 == "+" ? " " : $0 }).removingPercentEncoding else {
                throw Self.invalid(parameter, value)
            }
            texts.append(text)
        }
        return texts
    }

    /// Returns a parameter's value.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is not percent-encoded UTF-8.
    func text(_ parameter: RESTParameter) throws(FirestoreStatus) -> String? { try texts(parameter).first }

    static func invalid(_ parameter: RESTParameter, _ value: some StringProtocol) -> FirestoreStatus {
        .invalid("Invalid value for the parameter \(parameter.name): \"\(value)\".")
    }
}

/// The errors of the parameters' names, in the words of Google's front end.
extension RESTParameters {
    /// The number of characters of an unknown name that its error repeats.
    private static var repeatedCharacters: Int { 100 }

    private static func unknown(_ name: String, among known: [RESTParameter]) -> FirestoreStatus {
        let names = known.map(\.name).joined(separator: ", ")
        return .invalid(
            "Invalid JSON payload received. Unknown name \"\(name.prefix(repeatedCharacters))\": Cannot bind query "
                + "parameter. " + (known.isEmpty ? "This method has none." : "Those of this method are \(names)."))
    }

    private static func repeated(_ parameter: RESTParameter) -> FirestoreStatus {
        .invalid(
            "Invalid JSON payload received. Unknown name \"\(parameter.name)\": Proto field is not repeating, cannot "
                + "start list.")
    }
}

/// Parameters that are not text. Bytes may be empty, which counts as none; an empty number, condition or time is an
/// error.
extension RESTParameters {
    func integer(_ parameter: RESTParameter) throws(FirestoreStatus) -> Int32? {
        guard let text = try text(parameter) else { return nil }
        guard let integer = Int32(text) else { throw Self.invalid(parameter, text) }
        return integer
    }

    func boolean(_ parameter: RESTParameter) throws(FirestoreStatus) -> Bool? {
        guard let text = try text(parameter) else { return nil }
        guard let boolean = Bool(text) else { throw Self.invalid(parameter, text) }
        return boolean
    }

    /// Returns bytes that are sent as base64 of either alphabet.
    func bytes(_ parameter: RESTParameter) throws(FirestoreStatus) -> Data? {
        guard let text = try text(parameter), !text.isEmpty else { return nil }
        return try Self.parsed(text, parameter, as: Google_Protobuf_BytesValue.self).value
    }

    /// Returns a moment that is sent as RFC 3339 with an offset or Z.
    func time(_ parameter: RESTParameter) throws(FirestoreStatus) -> Google_Protobuf_Timestamp? {
        guard let text = try text(parameter) else { return nil }
        return try Self.parsed(text, parameter, as: Google_Protobuf_Timestamp.self)
    }

    /// Parses the text of a message whose JSON is a string.
    private static func parsed<Content: Message>(
        _ text: String, _ parameter: RESTParameter, as type: Content.Type
    ) throws(FirestoreStatus) -> Content {
        // Base64 and times have plus signs, which many clients send as they are, and no spaces.
        let text = String(text.map { $0 == " " ? "+" : $0 })
        do {
            return try Content(jsonString: try Google_Protobuf_StringValue(text).jsonString())
        } catch {
            throw invalid(parameter, text)
        }
    }
}

/// The messages of which parameters are parts.
extension RESTParameters {
    /// Returns the field paths of a mask; `nil` if the request has none.
    func mask(_ parameter: RESTParameter) throws(FirestoreStatus) -> Google_Firestore_V1_DocumentMask? {
        let paths = try texts(parameter)
        return paths.isEmpty ? nil : Google_Firestore_V1_DocumentMask.with { $0.fieldPaths = paths }
    }

    /// Returns the time to read at; `nil` if the request has none.
    ///
    /// - Parameter isAllowed: `false` if the request already names the state to read.
    /// - Throws: `INVALID_ARGUMENT` if the time is malformed, or not allowed.
    func readTime(isAllowed: Bool) throws(FirestoreStatus) -> Google_Protobuf_Timestamp? {
        guard let time = try time(.readTime) else { return nil }
        guard isAllowed else { throw .invalid("The parameters transaction and readTime exclude each other.") }
        return time
    }

    /// Returns the condition on the present document; `nil` if the request has none.
    func precondition() throws(FirestoreStatus) -> Google_Firestore_V1_Precondition? {
        let exists = try boolean(.exists)
        let updateTime = try time(.updateTime)
        switch (exists, updateTime) {
        case (nil, nil): return nil
        case (let exists?, nil): return Google_Firestore_V1_Precondition.with { $0.exists = exists }
        case (nil, let updateTime?): return Google_Firestore_V1_Precondition.with { $0.updateTime = updateTime }
        default: throw .invalid("The parameters currentDocument.exists and .updateTime exclude each other.")
        }
    }
}
