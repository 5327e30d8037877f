internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore

extension Response {
    private static let pieceSize = 65_536

    /// A response with a JSON object that has a list, of which one element at a time is made and sent: a long list never
    /// is in memory as JSON.
    ///
    /// - Parameters:
    ///   - members: the object's other members, which come after the list.
    ///   - name: the list's.
    init<Element: Sendable>(
        json members: JSONObject, list name: String, of elements: [Element],
        _ json: @escaping @Sendable (Element) -> JSONValue
    ) {
        let body = ResponseBody { writer in
            var bytes = Array("{\"\(name)\":[".utf8)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                json(element).write(to: &bytes)
                guard bytes.count >= Self.pieceSize else { continue }
                try await writer.write(ByteBuffer(bytes: bytes))
                bytes.removeAll(keepingCapacity: true)
            }
            bytes.append(UInt8(ascii: "]"))
            for member in members.members {
                bytes.append(UInt8(ascii: ","))
                JSONValue.writeString(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
            try await writer.write(ByteBuffer(bytes: bytes))
            try await writer.finish(nil)
        }
        self.init(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}
