import Cryptography
import JSON
import Testing

@testable import FCMRelay

@Suite("The service account file")
struct ServiceAccountTests {
    private let key: RS256PrivateKey
    private let file: JSONObject

    init() throws {
        key = try TestKey.shared.get()
        file = [
            "type": "service_account", "project_id": "example-project", "private_key_id": "0123456789abcdef",
            "private_key": .string(key.pem), "client_email": "sender@example-project.iam.gserviceaccount.com",
            "client_id": "1", "token_uri": "https://oauth2.googleapis.com/token",
        ]
    }

    @Test("A service account file in Google's form is read")
    func whole() throws {
        let account = try ServiceAccount(json: JSONValue.object(file).serialized)
        #expect(account.projectID == "example-project")
        #expect(account.clientEmail == "sender@example-project.iam.gserviceaccount.com")
        #expect(account.privateKeyID == "0123456789abcdef")
        #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(account.privateKey.pem == key.pem)
    }

    @Test("Missing, empty or non-string members of a service account are all named in one error that says what to do")
    func missing() {
        #expect(
            refusal { file in
                file["project_id"] = nil
                file["private_key"] = ""
                file["token_uri"] = 1
            }
                == """
                could not use the service account: it has no project_id, no private_key, no token_uri; have a new key \
                generated in the Firebase console, under Project settings, Service accounts
                """)
        #expect(
            refusal(of: Array("{}".utf8))?.contains(
                "it has no type, no project_id, no private_key_id, no private_key, no client_email, no token_uri")
                == true)
        #expect(refusal(of: Array("[]".utf8))?.contains("it has no type, no project_id") == true)
    }

    @Test("Credentials of another type are refused with an error that names the type")
    func otherType() {
        let words = refusal {
            $0 = ["type": "authorized_user", "client_id": "1", "client_secret": "secret", "refresh_token": "secret"]
        }
        #expect(words?.contains("its type is authorized_user, not service_account") == true)
        #expect(words?.contains("secret") == false)
    }

    @Test("A service account file that is not JSON is refused with the offset")
    func notJSON() {
        let words = refusal(of: Array(key.pem.utf8))
        #expect(words?.hasPrefix("could not use the service account: it is not JSON: ") == true)
        #expect(words?.contains("PRIVATE KEY") == false)
        #expect(refusal(of: [])?.contains("it is not JSON: the text ends too early") == true)
    }

    @Test("A service account with an unusable key is refused with an error that repeats nothing of the key")
    func badKeys() throws {
        let other = try ES256PrivateKey.generate()
        #expect(
            refusal { $0["private_key"] = .string(other.pem) }
                == """
                could not use the service account: its private_key cannot be used: it is a key of type EC, not an RSA \
                key
                """)
        var lines = key.pem.split(separator: "\n")
        lines.swapAt(1, 2)
        let words = try #require(refusal { $0["private_key"] = .string(lines.joined(separator: "\n")) })
        #expect(words.contains("its private_key cannot be used"))
        for line in lines[1...3] { #expect(!words.contains(line)) }
    }

    @Test("A service account whose project id or token URI is invalid is refused")
    func otherMembers() {
        #expect(refusal { $0["project_id"] = "p/../q" }?.contains("its project_id") == true)
        #expect(refusal { $0["project_id"] = "p?" }?.contains("its project_id") == true)
        #expect(refusal { $0["project_id"] = "example.com:project-1" } == nil)
        #expect(refusal { $0["token_uri"] = "oauth2.googleapis.com/token" }?.contains("its token_uri") == true)
    }

    @Test("A token URI with plain HTTP is accepted only for this machine, where stand-ins run")
    func plainHTTP() {
        for url in ["http://127.0.0.1:8080/token", "http://localhost/token", "http://[::1]:80/token"] {
            #expect(refusal { $0["token_uri"] = .string(url) } == nil)
        }
        for url in [
            "http://oauth2.googleapis.com/token", "http://127.0.0.1.example.com/token", "http://localhost.example.com/",
            "http://localhost@example.com/", "http://localhost:1@example.com/", "http://127.0.0.1",
        ] {
            let words = refusal { $0["token_uri"] = .string(url) }
            #expect(words?.contains("its token_uri must be an https URL, or an http URL on this machine") == true)
        }
    }

    @Test("The description of a service account does not contain its key")
    func redacted() throws {
        let account = try ServiceAccount(json: JSONValue.object(file).serialized)
        var dumped = ""
        dump(account, to: &dumped)
        #expect("\(account)" == "sender@example-project.iam.gserviceaccount.com, project example-project")
        for text in ["\(account)", String(reflecting: account), dumped] {
            #expect(!text.contains("PRIVATE KEY"))
            #expect(!text.contains("0123456789abcdef"))
        }
    }

    private func refusal(_ change: (inout JSONObject) -> Void) -> String? {
        var file = file
        change(&file)
        return refusal(of: JSONValue.object(file).serialized)
    }

    private func refusal(of json: [UInt8]) -> String? {
        do {
            _ = try ServiceAccount(json: json)
            return nil
        } catch {
            return error.description
        }
    }
}
