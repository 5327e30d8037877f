import Cryptography
import JSON
import Testing

@testable import FCMRelay

@Suite("The service account's file")
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

    @Test("is read as Google writes it")
    func whole() throws {
        let account = try ServiceAccount(json: JSONValue.object(file).serialized)
        #expect(account.projectID == "example-project")
        #expect(account.clientEmail == "sender@example-project.iam.gserviceaccount.com")
        #expect(account.privateKeyID == "0123456789abcdef")
        #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(account.privateKey.pem == key.pem)
    }

    @Test("everything that is missing, empty or no string is named at once, with what to do")
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

    @Test("credentials of another type are refused by their type")
    func otherType() {
        let words = refusal {
            $0 = ["type": "authorized_user", "client_id": "1", "client_secret": "secret", "refresh_token": "secret"]
        }
        #expect(words?.contains("its type is authorized_user, not service_account") == true)
        #expect(words?.contains("secret") == false)
    }

    @Test("what is not JSON is refused with the place")
    func notJSON() {
        let words = refusal(of: Array(key.pem.utf8))
        #expect(words?.hasPrefix("could not use the service account: it is not JSON: ") == true)
        #expect(words?.contains("PRIVATE KEY") == false)
        #expect(refusal(of: [])?.contains("it is not JSON: the text ends too early") == true)
    }

    @Test("a key that cannot be used is refused, and nothing of it repeated")
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

    @Test("a project's id and a token URI that would not lead to Google's are refused")
    func otherMembers() {
        #expect(refusal { $0["project_id"] = "p/../q" }?.contains("its project_id") == true)
        #expect(refusal { $0["project_id"] = "p?" }?.contains("its project_id") == true)
        #expect(refusal { $0["project_id"] = "example.com:project-1" } == nil)
        #expect(refusal { $0["token_uri"] = "oauth2.googleapis.com/token" }?.contains("its token_uri") == true)
    }

    @Test("a token URI of plain HTTP is taken on this machine only, where stand-ins are")
    func plainHTTP() {
        for url in ["http://127.0.0.1:8080/token", "http://localhost/token", "http://[::1]:80/token"] {
            #expect(refusal { $0["token_uri"] = .string(url) } == nil)
        }
        for url in [
            "http://oauth2.googleapis.com/token", "http://127.0.0.1.example.com/token", "http://localhost.example.com/",
            "http://localhost@example.com/", "http://localhost:1@example.com/", "http://127.0.0.1",
        ] {
            let words = refusal { $0["token_uri"] = .string(url) }
            #expect(words?.contains("its token_uri is no URL of https, nor of http on this machine") == true)
        }
    }

    @Test("it is shown without its key")
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
