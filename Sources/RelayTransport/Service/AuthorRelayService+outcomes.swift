package import Messaging

extension AuthorRelayService {
    private static let register = "The app asks for a new address and registers it when it calls this gateway next."

    /// The words of relays, and those of the transport.
    package static let outcomes = OutcomeTexts(
        acceptance: """
            The relay of the app's author accepted it, and delivers it with the author's key. A phone that stays silent \
            is off, or does not allow the app notifications; the relay does not say.
            """,
        reasons: [
            "AddressGone": "The address at the relay has ended: the app was removed, or has closed it. \(register)",
            "SecretRevoked": "The phone has revoked the send secret of the registration. \(register)",
            "AddressUnknown": """
            The relay does not know the address, or its send secret, perhaps because it was restored from a backup. It \
            is sent again for a day; then the registration is removed. \(register)
            """,
            "RelayLater":
                "The relay takes no messages for the phone at the moment, or limits their rate. It is sent again.",
            "RelayInvalid": """
            The relay takes the request for wrong: it may be of another version than this gateway. It also refuses a \
            card for a phone whose app has registered no token for cards there.
            """,
            "NoRelay": """
            The server answers, and not as a relay does: the host in the address may lead to another program now. It is \
            sent again.
            """,
            "Redirected": "The server answers with a redirect, which is not followed. It is sent again.",
            "HTTP429": "The server before the relay limits the rate of requests. It is sent again later.",
            "RelayBusy": """
            The relay has used its share of the lane, in which others would have to wait. The message waits for its \
            turn.
            """,
            "RelayResting": "The relay did not answer lately, so it gets no request for a while. It is kept.",
            "RelayNotAllowed": "The address names a relay that this gateway does not send to: relay.hosts.",
            "InvalidRelayAddress": "The registration has no secrets of its address. The app must register again.",
            "LiveActivityNotRelayed": """
            A relay starts and changes the Live Activities of this gateway's systems, and none by a token that a client of \
            FCM names.
            """,
            "CardWaits": """
            The update follows another one of its Live Activity too soon. It is sent later, unless a newer one takes its \
            place.
            """,
            "AddressNotAllowed": """
            The relay's host has no public address. If it is yours, name it in relay.hosts: the message is sent again.
            """,
            "PayloadTooLarge": """
            The message is too long for a relay, even with its body cut: its other texts and its data may have about \
            2,800 bytes.
            """,
            "couldNotConnect": """
            There is no connection to the relay; the log has the cause. Its messages wait, and those to others go on.
            """,
            "tls": """
            The certificate of the relay is not trusted here: check ca-certificates and relay.caFile, and that no \
            program intercepts TLS. It is kept.
            """,
        ],
        codes: [
            .registrationTokenNotRegistered: "The address at the relay has ended. \(register)",
            .serverUnavailable: "The relay cannot be reached, or says that it is not available. It is kept.",
        ],
        requirement: OutcomeTexts.Requirement(
            setting: "addresses at authors' relays relay.hosts",
            advice: "it is an address at the relay of its app's author, and none is named; set relay.hosts"))
}
