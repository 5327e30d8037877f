import NIOHTTP1
import Texts

/// A fault of a request's `Host` field (RFC 9112 §3.2).
enum HostFault: Hashable, Sendable {
    case missing
    case repeated
    case malformed

    /// Finds the fault; `nil` if there is none.
    init?(of head: HTTPRequestHead) {
        var host: String?
        for (name, value) in head.headers where Self.isHost(name) {
            guard host == nil else {
                self = .repeated
                return
            }
            host = value
        }
        if let host {
            guard !Self.isValid(host) else { return nil }
            self = .malformed
        } else {
            // HTTP/1.0 does not require the field.
            guard !head.version.isOld else { return nil }
            self = .missing
        }
    }

    /// A description of the fault and its correction, for the client.
    var message: String {
        switch self {
        case .missing: "the request has no Host; send one, as HTTP/1.1 asks (RFC 9112 §3.2)"
        case .repeated: "the request has more than one Host; send one (RFC 9112 §3.2)"
        case .malformed: "the request's Host is not a name or an address with an optional port (RFC 9112 §3.2)"
        }
    }

    private static func isHost(_ name: String) -> Bool {
        name.utf8.count == 4 && name.utf8.elementsEqual("host".utf8) { $0 | 0x20 == $1 }
    }
}

// MARK: uri-host [ ":" port ], RFC 3986 §3.2.2

extension HostFault {
    private static func isValid(_ host: String) -> Bool {
        var host = host.utf8[...]
        while let last = host.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { host.removeLast() }
        guard host.first == UInt8(ascii: "[") else { return isName(host) }
        guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
        let (address, rest) = (host[..<end].dropFirst(), host[end...].dropFirst())
        return !address.isEmpty
            && address.allSatisfy { $0.isASCIIHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
            && (rest.isEmpty || rest.first == UInt8(ascii: ":") && isPort(rest.dropFirst()))
    }

    private static func isName(_ host: Substring.UTF8View) -> Bool {
        let end = host.firstIndex(of: UInt8(ascii: ":"))
        guard isRegisteredName(host[..<(end ?? host.endIndex)]) else { return false }
        return end.map { isPort(host[$0...].dropFirst()) } ?? true
    }

    private static func isRegisteredName(_ name: Substring.UTF8View) -> Bool {
        var digitsOfEscape = 0
        for byte in name {
            if digitsOfEscape > 0 {
                guard byte.isASCIIHexDigit else { return false }
                digitsOfEscape -= 1
            } else if byte == UInt8(ascii: "%") {
                digitsOfEscape = 2
            } else if !isNameCharacter(byte) {
                return false
            }
        }
        return digitsOfEscape == 0
    }

    private static func isPort(_ port: Substring.UTF8View) -> Bool {
        port.count <= 5 && port.allSatisfy(\.isASCIIDigit)
    }

    /// `true` for the characters `unreserved` and `sub-delims`.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        case UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","): true
        case UInt8(ascii: ";"), UInt8(ascii: "="): true
        default: byte.isASCIILetterOrDigit
        }
    }
}
