import HTTPTypes
import Testing

@testable import Server

@Suite("Values of header fields")
struct HTTPFieldsTests {
    @Test("The value of a field is that of the subscript: one, several joined, none, or an empty one")
    func values() {
        var fields: HTTPFields = [.accept: "text/html", .contentType: ""]
        for value in ["gzip", "identity"] { fields.append(HTTPField(name: .contentEncoding, value: value)) }
        for value in ["a=1", "b=2"] { fields.append(HTTPField(name: .cookie, value: value)) }
        #expect(fields.value(of: .accept) == "text/html")
        #expect(fields.value(of: .contentType) == "")
        #expect(fields.value(of: .contentEncoding) == "gzip, identity")
        #expect(fields.value(of: .expect) == nil)
        for name in [HTTPField.Name.accept, .contentType, .contentEncoding, .cookie, .expect] {
            #expect(fields.value(of: name) == fields[name])
        }
    }
}
