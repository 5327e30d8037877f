import Texts

/// The rule for names of topics: `[a-zA-Z0-9-_.~%]{1,900}`
/// ([Topic messaging](https://firebase.google.com/docs/cloud-messaging/topic-messaging)), except `.`, `..` and
/// `__…__`: a topic is a document, and document ids must not have these forms
/// ([limits](https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields)).
package enum TopicName {
    private static let prefix = "/topics/"
    private static let maximumLength = 900

    /// Returns the name without a leading `/topics/`, which FCM's older APIs require and its newer ones accept.
    ///
    /// - Returns: `nil` if the text is not a valid name.
    package static func canonical(_ text: String) -> String? {
        let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        return isValid(name.utf8) ? name : nil
    }

    static func isValid(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        (1...maximumLength).contains(name.count) && name.allSatisfy(\.isTopicCharacter) && !isReserved(name)
    }

    private static func isReserved(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        let isDots = name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
        let underscores = "__".utf8
        return isDots || name.count >= 4 && name.starts(with: underscores) && name.suffix(2).elementsEqual(underscores)
    }
}

extension UInt8 {
    /// `true` for the characters of topic names, which are also those of analytics labels.
    var isTopicCharacter: Bool { isASCIILetterOrDigit || "-_.~%".utf8.contains(self) }
}
