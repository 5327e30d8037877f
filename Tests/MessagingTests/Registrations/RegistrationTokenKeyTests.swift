import Testing

@testable import Messaging

@Suite("Registration tokens of this gateway")
struct RegistrationTokenKeyTests {
    private let key = RegistrationTokenKey(Array(repeating: 7, count: 32))
    private let fid = "cAAAAAAAAAAAAAAAAAAAAA"

    @Test("A registration token has FCM's form and length and differs each time")
    func form() throws {
        let token = key.token(for: fid).value
        #expect(token.count == 163)
        #expect(token.wholeMatch(of: /[A-Za-z0-9_-]{22}:APA91b[A-Za-z0-9_-]{134}/) != nil)
        #expect(token != key.token(for: fid).value)
    }

    @Test("A registration token is recognized only with its own key")
    func known() {
        let token = key.token(for: fid)
        #expect(key.fid(of: token) == fid)
        #expect(RegistrationTokenKey(Array(repeating: 8, count: 32)).fid(of: token) == nil)
    }

    @Test("A changed, shortened or extended registration token is not recognized")
    func tampered() {
        let token = key.token(for: fid).value
        for index in token.indices where token[index] != ":" {
            var other = token
            other.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(key.fid(of: RegistrationToken(other)) == nil)
        }
        for other in ["", fid, String(token.dropLast()), token + "A", ":APA91b", "x" + token] {
            #expect(key.fid(of: RegistrationToken(other)) == nil)
        }
    }

    @Test("An app on a device has one installation id in Firebase's form")
    func installationID() {
        let id = key.fid(ofDevice: "ab12", app: "com.example.app")
        #expect(id.wholeMatch(of: /[c-f][A-Za-z0-9_-]{21}/) != nil)
        #expect(id == key.fid(ofDevice: "ab12", app: "com.example.app"))
        #expect(id != key.fid(ofDevice: "ab12", app: "com.example.other"))
        #expect(id != key.fid(ofDevice: "ab13", app: "com.example.app"))
    }
}
