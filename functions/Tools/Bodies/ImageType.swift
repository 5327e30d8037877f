/// The accepted types of pictures, detected from their first bytes, not from the client's media type. SVG is not
/// accepted, because it can contain scripts.
enum ImageType: String, Hashable, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case gif = "image/gif"
    case webP = "image/webp"
    case heic = "image/heic"
    case heif = "image/heif"

    var mediaType: String { rawValue }

    /// The extension without a dot, such as `jpg`.
    var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .gif: "gif"
        case .webP: "webp"
        case .heic: "heic"
        case .heif: "heif"
        }
    }

    /// Detects the type. Returns `nil` if the bytes are of another type.
    init?(of bytes: some Collection<UInt8>) {
        let start = Array(bytes.prefix(12))
        if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if start.starts(with: "RIFF".utf8), start.dropFirst(8).elementsEqual("WEBP".utf8) {
            self = .webP
        } else if start.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8) {
            // ISO/IEC 14496-12 §4.3; ISO/IEC 23008-12 §10.2 lists the brands.
            switch String(decoding: start.dropFirst(8), as: UTF8.self) {
            case "heic", "heix", "hevc", "hevx", "heim", "heis": self = .heic
            case "mif1", "msf1": self = .heif
            default: return nil
            }
        } else {
            return nil
        }
    }
}
