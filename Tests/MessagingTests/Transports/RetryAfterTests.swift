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
}
