import Messaging
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
    @Test("Retry-After is a number of seconds, limited to an hour")
    func seconds() {
        #expect(RetryAfter.duration("0") == .zero)
        #expect(RetryAfter.duration("120") == .seconds(120))
        for long in ["3600", "3601", "9223372036854775807", "99999999999999999999"] {
            #expect(RetryAfter.duration(long) == .seconds(3_600))
        }
    }

    @Test(
        "A Retry-After that is not a number of seconds is ignored",
        arguments: [nil, "", "-1", "+1", "1.5", "soon", "Fri, 31 Dec 1999 23:59:59 GMT"])
    func others(field: String?) {
        #expect(RetryAfter.duration(field) == nil)
    }

    @Test("A Retry-After that is a date counts from the server's time, is not negative, and is limited to an hour")
    func dates() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(RetryAfter.duration(date, now: 784_111_777 - 90) == .seconds(90))
        #expect(RetryAfter.duration(date, now: 784_111_777 + 1) == .zero)
        #expect(RetryAfter.duration(date, now: 0) == .seconds(3_600))
        #expect(RetryAfter.duration("120", now: 0) == .seconds(120))
        #expect(RetryAfter.duration("soon", now: 0) == nil)
        #expect(RetryAfter.duration(nil, now: 0) == nil)
    }
}
