import Testing
import WebPush

@Suite("Addresses of operators")
struct OperatorAddressTests {
    @Test(
        "A mail address or a URL whose host is known on the internet is taken",
        arguments: [
            "mailto:ops@pushgate.dev", "mailto:o.p+s@mail.example.org", "https://pushgate.dev",
            "https://a.b.co.uk/contact", "https://pushgate.dev:8443/contact?x=1", "mailto:ops@example.com",
            "mailto:ops@testing.dev",
        ])
    func taken(text: String) {
        #expect(OperatorAddress.problem(with: text) == nil)
    }

    private static let refusals: [(String, String)] = [
        ("", "must begin with mailto: or https://"), ("ops@pushgate.dev", "write mailto:ops@pushgate.dev"),
        ("http://pushgate.dev", "must begin with mailto: or https://"), ("tel:123", "must begin with"),
        ("MAILTO:ops@pushgate.dev", "must begin with"),
        ("mailto: ops@pushgate.dev", "must have no blanks"), ("mailto:ops@pushgate.dev ", "must have no blanks"),
        ("mailto:ops@pushgate.dev\n", "must have no blanks"), ("mailto:öps@pushgate.dev", "ASCII"),
        ("mailto:<ops@pushgate.dev>", "must have no < and >"), ("Ops<mailto:ops@pushgate.dev>", "must have no < and >"),
        ("mailto:", "must have one mail address"), ("mailto:ops", "must have one mail address"),
        ("mailto:@pushgate.dev", "must have one mail address"), ("mailto:ops@", "must have one mail address"),
        ("mailto:a@b@pushgate.dev", "must have one mail address"),
        ("mailto:ops@pushgate.dev?subject=x", "must have one mail address"),
        ("mailto:ops@pushgate.dev/x", "must have one mail address"),
        ("mailto:ops@pushgate.dev:25", "must have one mail address"),
        ("mailto:a@pushgate.dev,b@pushgate.dev", "must have one mail address"),
        ("mailto:ops@localhost", "and has localhost"), ("mailto:ops@gateway", "and has gateway"),
        ("mailto:ops@machine.local", "and has machine.local"), ("mailto:ops@x.invalid", "and has x.invalid"),
        ("mailto:ops@x.test", "and has x.test"), ("mailto:ops@x.example", "and has x.example"),
        ("mailto:ops@X.Example", "and has x.example"), ("mailto:ops@router.home.arpa", "and has router.home.arpa"),
        ("mailto:ops@x.internal", "and has x.internal"), ("mailto:ops@127.0.0.1", "and has the address 127.0.0.1"),
        ("https://localhost", "and has localhost"), ("https://x.local/contact", "and has x.local"),
        ("https://192.168.1.5", "and has the address 192.168.1.5"), ("https://[::1]/", "and has the address ::1"),
        ("https://", "an https URL"), ("https://user@pushgate.dev", "an https URL"),
    ]

    @Test("Any other text is refused with the reason", arguments: refusals)
    func refused(text: String, words: String) {
        #expect(OperatorAddress.problem(with: text)?.contains(words) == true)
    }
}
