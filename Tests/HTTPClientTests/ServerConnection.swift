import Foundation

/// A request as received over the wire.
struct ReceivedRequest: Sendable {
    /// The request line, such as `GET / HTTP/1.1`.
    let line: String
    /// The header lines in the order in which they were sent.
    let headerLines: [String]
    let body: String

    func value(_ name: String) -> String? {
        headerLines.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }?
            .drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)
    }
}

/// The server's end of one connection, with blocking calls.
struct ServerConnection: Sendable {
    let socket: Int32
    /// The number of the connection at its server, from 1.
    let number: Int

    /// Returns the next request with its body; `nil` if the client has closed the connection.
    func readRequest() -> ReceivedRequest? {
        var bytes: [UInt8] = []
        while !bytes.ends(with: "\r\n\r\n") {
            guard let byte = readByte() else { return nil }
            bytes.append(byte)
        }
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let head = ReceivedRequest(line: lines.first ?? "", headerLines: Array(lines.dropFirst()), body: "")
        let body = (0..<(head.value("content-length").flatMap(Int.init) ?? 0)).compactMap { _ in readByte() }
        return ReceivedRequest(
            line: head.line, headerLines: head.headerLines, body: String(decoding: body, as: UTF8.self))
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Waits until the client has closed the connection.
    func waitForEnd() {
        while readByte() != nil {}
    }

    /// Ends the connection with a reset (RST).
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    func close() {
        Foundation.close(socket)
    }

    private func readByte() -> UInt8? {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, 0) == 1 ? byte : nil
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

extension String {
    /// Returns a complete HTTP/1.1 response.
    static func response(_ status: String = "200 OK", fields: [String] = [], body: String = "") -> String {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}
