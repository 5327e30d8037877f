package import HTTPTypes
package import Hummingbird
package import JSON
import NIOCore

extension Response {
    /// Adds the type and the length of the content to the fields.
    package init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], json: JSONValue) {
        let bytes = json.serialized
        var headers = headers
        // The server adds the fields `Server` and `Date`.
        headers.reserveCapacity(headers.count + 4)
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(bytes.count)
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Response {
    /// Creates a response with a JSON object that contains a list. The elements are encoded and sent one after the
    /// other, so a long list is never in memory as JSON.
    ///
    /// - Parameters:
    ///   - members: The object's other members, which follow the list.
    ///   - name: The name of the list.
    package init<Element: Sendable>(
        json members: JSONObject, list name: String, of elements: [Element],
        _ json: @escaping @Sendable (Element) -> JSONValue
    ) {
        let text = JSONListText(members: members, name: name, elements: elements, json: json)
        // The elements are encoded twice, the first time to know the length: HEAD must report that of GET (RFC 9110
        // §8.6).
        let body = ResponseBody(contentLength: text.length) { writer in
            var position = 0
            while let piece = text.piece(at: &position) { try await writer.write(ByteBuffer(bytes: piece)) }
            try await writer.finish(nil)
        }
        self.init(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}

/// The text of a JSON object that begins with a list, produced in pieces.
private struct JSONListText<Element: Sendable>: Sendable {
    /// The minimum size of a full piece, in bytes. The last element of a piece may make it longer.
    private static var pieceSize: Int { 65_536 }

    let members: JSONObject
    let name: String
    let elements: [Element]
    let json: @Sendable (Element) -> JSONValue

    /// The length of the text, in bytes.
    var length: Int {
        var (position, length) = (0, 0)
        while let piece = piece(at: &position) { length += piece.count }
        return length
    }

    /// Returns the piece that begins with the element at `position`, and advances `position` past the piece; `nil` at
    /// the end.
    func piece(at position: inout Int) -> [UInt8]? {
        guard position <= elements.count else { return nil }
        var bytes = position == 0 ? Array("{\"\(name)\":[".utf8) : []
        while position < elements.count {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            json(elements[position]).write(to: &bytes)
            position += 1
            if bytes.count >= Self.pieceSize { return bytes }
        }
        position += 1
        return bytes + end
    }

    private var end: [UInt8] {
        var bytes = [UInt8(ascii: "]")]
        for member in members.members {
            bytes.append(UInt8(ascii: ","))
            JSONValue.writeString(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(to: &bytes)
        }
        return bytes + [UInt8(ascii: "}")]
    }
}
