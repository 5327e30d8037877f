import IPAddresses
package import Server
import Settings

/// An entry of a list of origins: web pages that may use an interface of the gateway.
package enum AllowedOrigin: Hashable, Sendable {
    /// The pages that this machine serves on any port.
    case loopback
    case origin(WebOrigin)

    /// Reads `loopback` or an origin such as `https://app.example.com`; `nil` for any other text.
    init?(_ text: String) {
        if text == "loopback" {
            self = .loopback
        } else if let origin = WebOrigin(text) {
            self = .origin(origin)
        } else {
            return nil
        }
    }

    /// Returns `true` if the entry stands for the pages of an origin.
    func covers(_ origin: WebOrigin) -> Bool {
        switch self {
        case .loopback: IPAddress.isLoopback(host: origin.host)
        case .origin(let allowed): allowed == origin
        }
    }
}

extension SettingForm where Value == [AllowedOrigin] {
    /// A list of origins.
    static func origins() -> SettingForm<[AllowedOrigin]> {
        list(
            "list of origins and the word `loopback`", of: "“loopback”, or an origin like https://app.example.com",
            { AllowedOrigin($0) })
    }
}
