/// The first bytes of pictures, and forms that contain them.
enum Pictures {
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 2, 13, 10, 45, 45, 13, 10]
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    static let gif = Array("GIF89a".utf8) + [1, 0, 1, 0]
    static let webP = Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBPVP8 ".utf8)
    static let heic: [UInt8] = [0, 0, 0, 24] + Array("ftypheic".utf8)
    static let heif: [UInt8] = [0, 0, 0, 24] + Array("ftypmif1".utf8)

    static let formType = "multipart/form-data; boundary=----WebKitFormBoundaryABC"

    /// Returns a form in a browser's format: the files as `photo`, and the texts.
    static func form(_ files: [[UInt8]], _ texts: [(String, String)] = []) -> [UInt8] {
        var body: [UInt8] = []
        for (name, text) in texts {
            body += Array(
                "------WebKitFormBoundaryABC\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n"
                    .utf8)
        }
        for (number, file) in files.enumerated() {
            let header =
                "------WebKitFormBoundaryABC\r\nContent-Disposition: form-data; name=\"photo\"; "
                + "filename=\"IMG_\(number).jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
            body += Array(header.utf8) + file + Array("\r\n".utf8)
        }
        return body + Array("------WebKitFormBoundaryABC--\r\n".utf8)
    }
}
