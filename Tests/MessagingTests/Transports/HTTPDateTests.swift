import Messaging
import Testing

@Suite("Times in header fields")
struct HTTPDateTests {
    @Test(
        "A time is read in the form that servers send",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 00:00:01 GMT", 951_782_401), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Sat, 01 Mar 2025 00:00:00 GMT", 1_740_787_200), ("Fri, 31 Dec 2100 23:59:59 GMT", 4_133_980_799),
        ] as [(String, Int64)])
    func read(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(of: text) == seconds)
    }

    @Test(
        "A time in another form is none",
        arguments: [
            "", "0", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nvo 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49-37 GMT",
            "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun; 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:3７ GMT",
        ])
    func others(text: String) {
        #expect(HTTPDate.seconds(of: text) == nil)
    }
}
