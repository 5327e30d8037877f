internal import HTTPTypes

/// Programs that fetch a page without anybody looking at it: messengers that make a preview of a link, and browsers that
/// load ahead.
enum LinkPreview {
    /// Parts of their `User-Agent`, in lower case. Apple's messages call themselves `facebookexternalhit … Twitterbot`.
    private static let agents = [
        "bot", "facebookexternalhit", "whatsapp", "preview", "crawler", "spider", "embedly", "skypeuri", "vkshare",
        "iframely", "snapchat", "viber", "curl/", "wget/",
    ]
    private static let purposes = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].compactMap { HTTPField.Name($0) }

    static func isOne(_ fields: HTTPFields) -> Bool {
        let agent = (fields[.userAgent] ?? "").lowercased()
        if agents.contains(where: agent.contains) { return true }
        return purposes.contains { fields[$0]?.lowercased().contains("pre") == true }
    }
}
