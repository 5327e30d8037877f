import Testing

@testable import Gateway

@Suite("The unit of a gateway under systemd")
struct SystemdUnitTests {
    @Test("A unit has the arguments, the environment and the groups of its program")
    func properties() throws {
        let unit = try #require(
            SystemdUnit(
                """
                LoadState=loaded
                ExecStart={ path=/usr/bin/pushgate ; argv[]=/usr/bin/pushgate serve --config /etc/pushgate/pushgate.yaml ; ignore_errors=no ; start_time=[n/a] ; pid=0 }
                Environment=PUSHGATE_DATA_DIRECTORY=/var/lib/pushgate "PUSHGATE_LOG_LEVEL=a b" PUSHGATE_APNS_KEY_PATH=/run/credentials/pushgate.service/apns.p8
                EnvironmentFiles=/etc/pushgate/pushgate.env (ignore_errors=yes)
                Group=pushgate
                SupplementaryGroups=ssl-cert 54321
                """))
        #expect(unit.arguments == ["serve", "--config", "/etc/pushgate/pushgate.yaml"])
        #expect(unit.group == "pushgate" && unit.supplementaryGroups == ["ssl-cert", "54321"])
        #expect(unit.environmentFiles == ["/etc/pushgate/pushgate.env"])
        let environment = unit.environment { path in
            path == "/etc/pushgate/pushgate.env" ? "PUSHGATE_LOG_LEVEL=debug\nPUSHGATE_APNS_KEY_ID=ABC123DEFG\n" : nil
        }
        #expect(
            environment == [
                "PUSHGATE_DATA_DIRECTORY": "/var/lib/pushgate", "PUSHGATE_LOG_LEVEL": "debug",
                "PUSHGATE_APNS_KEY_PATH": "/run/credentials/pushgate.service/apns.p8",
                "PUSHGATE_APNS_KEY_ID": "ABC123DEFG",
            ])
        let plain = try #require(SystemdUnit("LoadState=loaded\nGroup=\nSupplementaryGroups=\n"))
        #expect(plain.group == nil && plain.supplementaryGroups == [])
        #expect(SystemdUnit("LoadState=not-found\nExecStart=\nEnvironment=\n") == nil)
        #expect(SystemdUnit("") == nil)
    }

    @Test("A file of variables has comments, quotes and continued lines, as systemd reads them")
    func file() {
        let text =
            "# a comment\n; another\n\nA=1\n  B = two\nC=\"three words here\"\nD='a\\b'\nE=x\\\ny\nF=\nno assignment\n"
        #expect(
            SystemdUnit.variables(inFile: text)
                == ["A": "1", "B": "two", "C": "three words here", "D": "a\\b", "E": "xy", "F": ""])
    }
}
