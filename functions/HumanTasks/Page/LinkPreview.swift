import HTTPTypes

/// A detector of programs that fetch a page without a visitor: messengers that make a preview of a link, and browsers
/// that prefetch.
enum LinkPreview {
    /// Parts of the programs' `User-Agent`, in lower case. Apple's Messages sends `facebookexternalhit … Twitterbot`.
    /// Broader patterns would match people with a CUBOT phone, or inside the apps of messengers.
    private static let agents = [
        "facebookexternalhit", "facebookbot", "facebot", "twitterbot", "slackbot", "slack-imgproxy", "telegrambot",
        "discordbot", "linkedinbot", "redditbot", "pinterestbot", "googlebot", "bingbot", "applebot", "duckduckbot",
        "yandexbot", "baiduspider", "mastodon/", "whatsapp/", "preview", "crawler", "embedly", "skypeuri", "vkshare",
        "iframely", "curl/", "wget/",
    ]
    private static let purposes = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].compactMap { HTTPField.Name($0) }

    static func isOne(_ fields: HTTPFields) -> Bool {
        let agent = (fields[.userAgent] ?? "").lowercased()
        if agents.contains(where: agent.contains) { return true }
        return purposes.contains { fields[$0]?.lowercased().contains("pre") == true }
    }
}
