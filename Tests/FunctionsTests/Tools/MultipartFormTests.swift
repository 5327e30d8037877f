import TestDoubles
import Testing

@testable import Functions

@Suite("Multipart forms")
struct MultipartFormTests {
    private func parse(
        _ text: String, type: String = "multipart/form-data; boundary=b", parts: Int = 10
    ) throws(MultipartForm.Problem) -> MultipartForm {
        try MultipartForm(
            Array(text.utf8), contentType: type, maximumParts: parts, files: ["file"], maximumTextBytes: 16_384)
    }

    private static func part(_ header: String, _ content: String) -> String {
        "--b\r\nContent-Disposition: form-data; \(header)\r\n\r\n\(content)\r\n"
    }

    @Test("A form has its parts in order, byte for byte")
    func parts() throws {
        let text =
            Self.part("name=\"a\"", "one\r\n--bb not a boundary\r\n") + Self.part("name=b; filename=\"x y.jpg\"", "")
            + "--b  \t\r\ncontent-type: image/png\r\nCONTENT-DISPOSITION:form-data;name=\"a\"\r\n\r\ntwo\r\n--b--\r\nepilogue"
        // A boundary must end its line. By RFC 2046, a line that begins with a boundary is not content.
        #expect(throws: MultipartForm.Problem.framing) { try parse(text) }
        let form = try parse(text.replacing("--bb", with: "--c"))
        #expect(form.parts.map(\.name) == ["a", "b", "a"])
        #expect(form.texts("a") == ["one\r\n--c not a boundary\r\n", "two"])
        #expect(form.parts[1].filename == "x y.jpg" && form.parts[1].content.isEmpty && form.parts[0].filename == nil)
        #expect(form.parts[2].contentType == "image/png")
        #expect(form.text("c") == nil)
    }

    @Test("A form may be empty")
    func empty() throws {
        #expect(try parse("--b--").parts.isEmpty)
    }

    @Test("A form part may be empty, with or without its own line end")
    func emptyParts() throws {
        let header = "--b\r\nContent-Disposition: form-data; name="
        let form = try parse(
            "\(header)a\r\n\r\n\(header)b\r\n\r\n\r\n\(header)c\r\n\r\nx\r\n\(header)d\r\n\r\n--b--")
        #expect(form.parts.map(\.name) == ["a", "b", "c", "d"])
        #expect(form.parts.map(\.text) == ["", "", "x", ""])
    }

    @Test("A file in a form may have any size, and any other part is limited whatever it claims to be")
    func sizes() throws {
        let large = String(repeating: "a", count: 16_385)
        let text = String(large.dropFirst())
        let form = try parse(Self.part("name=file", large) + Self.part("name=a", text) + "--b--")
        #expect(form.parts.map(\.content.count) == [16_385, 16_384])
        for header in ["name=a", "name=a; filename=a.jpg", "name=a\r\nContent-Type: image/jpeg"] {
            #expect(throws: MultipartForm.Problem.textTooLarge) { try parse(Self.part(header, large) + "--b--") }
        }
    }

    @Test("A part with any bytes is read unchanged", arguments: 0..<50)
    func anyBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let alphabet: [UInt8] = [13, 10, 45, 98, 0, 255]
        let content = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
            alphabet.randomElement(using: &generator) ?? 0
        }
        let boundary = "bxb"
        let body =
            Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8) + content
            + Array("\r\n--\(boundary)--\r\n".utf8)
        let form = try MultipartForm(
            body, contentType: "multipart/form-data; boundary=\(boundary)", maximumParts: 1, files: [])
        #expect(form.parts.map { Array($0.content) } == [content])
    }

    @Test(
        "The boundary of a form is read from its content type",
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"),
            ("Multipart/Form-Data;charset=utf-8; Boundary=\"a b:c\"", "a b:c"),
            (
                "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW ",
                "----WebKitFormBoundary7MA4YWxkTrZu0gW"
            ),
            ("multipart/mixed; boundary=abc", nil), ("multipart/form-data", nil),
            ("multipart/form-data; boundary=", nil),
            ("multipart/form-data; boundary=\"\"", nil), ("multipart/form-data; boundary=\"a \"", nil),
            ("multipart/form-data; boundary=\"a\r\nb\"", nil), ("multipart/form-data; boundary=ü", nil),
            ("multipart/form-data; boundary=a; boundary=b", nil), ("multipart/form-data; boundary=\"a", nil),
            ("multipart/form-data; boundary=" + String(repeating: "a", count: 71), nil), (nil, nil),
        ] as [(String?, String?)])
    func boundary(type: String?, boundary: String?) {
        #expect(MultipartForm.boundary(of: type) == boundary)
    }

    @Test(
        "A part's name is read with quotation marks and backslashes as clients write them",
        arguments: [
            (#"name="a b""#, "a b"), (#"name="a;b=\"c\"""#, #"a;b="c""#), (#"name="C:\dir\x""#, #"C:\dir\x"#),
            (#"name="a\\b""#, #"a\b"#), (#"name="ü%22""#, "ü%22"), ("name=a ; filename=b", "a"),
        ])
    func names(header: String, name: String) throws {
        #expect(try parse(Self.part(header, "x") + "--b--").parts.map(\.name) == [name])
    }

    @Test(
        "A malformed form is refused",
        arguments: [
            ("", .framing), ("--b", .framing), ("--bx", .framing), ("--b\r\n", .header),
            ("preamble\r\n--b--", .framing),
            ("--b\nContent-Disposition: form-data; name=a\n\nx\n--b--", .framing),
            ("--b\r\n\r\nx\r\n--b--", .header), ("--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", .header),
            ("--b\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--b--", .header),
            ("--b\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--b--", .header),
            ("--b\r\nno colon\r\n\r\nx\r\n--b--", .header), ("--b\r\n : x\r\n\r\nx\r\n--b--", .header),
            (part("name=a\r\nContent-Transfer-Encoding: base64", "x") + "--b--", .header),
            (part("name=a\r\nX: " + String(repeating: "a", count: 8_192), "x") + "--b--", .header),
            (part("name=a" + String(repeating: "\r\nX: y", count: 16), "x") + "--b--", .header),
            (part("name=a", "x"), .framing), (part("name=a", "x") + "--b-", .framing),
            (part("name=a", "x") + "--b junk\r\n", .framing),
            (String(repeating: part("name=a", "x"), count: 11) + "--b--", .tooManyParts),
        ] as [(String, MultipartForm.Problem)])
    func broken(text: String, problem: MultipartForm.Problem) {
        #expect(throws: problem) { try parse(text) }
    }

    @Test("A form cut at any byte is refused")
    func cut() throws {
        let whole = Array((Self.part("name=a", "one") + Self.part("name=b", "two") + "--b--").utf8)
        for length in 0..<whole.count {
            #expect(throws: MultipartForm.Problem.self, "\(length)") {
                try MultipartForm(
                    Array(whole.prefix(length)), contentType: "multipart/form-data; boundary=b", maximumParts: 10,
                    files: [])
            }
        }
    }
}
