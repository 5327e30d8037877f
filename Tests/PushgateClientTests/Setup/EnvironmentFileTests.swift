import Foundation
import PushgateClient
import Testing

@Suite("Environment file")
struct EnvironmentFileTests {
    @Test(
        "A set key changes its value and no other byte",
        arguments: [
            ("A=1\nKEY=old\nB=2\n", "A=1\nKEY=new\nB=2\n"),
            ("KEY=old", "KEY=new"),
            ("# KEY=no\n\n  \nKEY=old\n", "# KEY=no\n\n  \nKEY=new\n"),
            ("A=1\r\nKEY=old\r\nB=2\r\n", "A=1\r\nKEY=new\r\nB=2\r\n"),
            ("A=1\nKEY=old\r\nB=2", "A=1\nKEY=new\r\nB=2"),
            ("KEY=\"old\"\n", "KEY=\"new\"\n"), ("KEY='old'\n", "KEY='new'\n"),
            ("export KEY=old\n", "export KEY=new\n"), ("\texport\tKEY=old\n", "\texport\tKEY=new\n"),
            ("KEY=\n", "KEY=new\n"), ("KEY = old\n", "KEY = new\n"),
            ("KEY=first\nKEY=last\n", "KEY=first\nKEY=new\n"),
            ("KEYS=1\nMY_KEY=2\nKEY=old\n", "KEYS=1\nMY_KEY=2\nKEY=new\n"),
            ("not an assignment\n=x\nKEY=a=b=c\n", "not an assignment\n=x\nKEY=new\n"),
        ])
    func changesInPlace(before: String, after: String) throws {
        var file = EnvironmentFile(before)
        try file.set("KEY", to: "new")
        #expect(file.text == after)
        #expect(file.value(of: "KEY") == "new")
    }

    @Test(
        "A new key is appended with the file's own line endings",
        arguments: [
            ("", "KEY=new\n"), ("A=1\n", "A=1\nKEY=new\n"), ("A=1", "A=1\nKEY=new\n"),
            ("A=1\r\nB=2\r\n", "A=1\r\nB=2\r\nKEY=new\r\n"), ("A=1\r\nB=2", "A=1\r\nB=2\r\nKEY=new\r\n"),
            ("#KEY=old\n", "#KEY=old\nKEY=new\n"),
        ])
    func appends(before: String, after: String) throws {
        var file = EnvironmentFile(before)
        #expect(file.value(of: "KEY") == nil)
        try file.set("KEY", to: "new")
        #expect(file.text == after)
    }

    @Test("Bytes that are no text are kept")
    func keepsBytes() throws {
        let junk: [UInt8] = [0xFF, 0x00, 0xFE, 0x0A]
        var file = EnvironmentFile(Data(junk + Array("KEY=old\n".utf8) + junk))
        try file.set("KEY", to: "new")
        #expect(file.bytes == Data(junk + Array("KEY=new\n".utf8) + junk))
    }

    @Test("A value with a line end or a zero byte is refused", arguments: ["a\nX=1", "a\r", "\r\n", "a\0b"])
    func unusable(value: String) {
        var file = EnvironmentFile("KEY=old\n")
        let before = file
        #expect(throws: UnusableValue.self) { try file.set("KEY", to: value) }
        #expect(throws: UnusableValue.self) { try file.set("NEW", to: value) }
        #expect(file == before)
    }

    @Test("A value is read without its quotes", arguments: ["KEY=v w", "KEY=\"v w\"", "KEY='v w'", "KEY=v w  \r"])
    func readsValues(line: String) {
        #expect(EnvironmentFile(line + "\n").value(of: "KEY") == "v w")
    }

    @Test("A printed environment file does not contain its lines, which hold secrets")
    func redacted() {
        let file = EnvironmentFile("ANTHROPIC_API_KEY=s3cret\n")
        var dumped = ""
        dump(file, to: &dumped)
        for text in ["\(file)", String(reflecting: file), dumped] { #expect(!text.contains("s3cret")) }
        #expect("\(file)" == "an environment file of 1 lines")
    }
}
