/// The words of the page in German.
extension PageWords {
    static let germanPhrases: [Phrase: String] = [
        .someone: "Jemand",
        .asksForSomething: "{asker} bittet {recipient} um etwas",
        .asksYouForSomething: "{asker} bittet dich um etwas",
        .notSentYet: "Noch nicht gesendet",
        .asksYou: "bittet dich",
        .through: "über",
        .hi: "Hallo {name},",
        .hello: "Hallo,",
        .done: "Fertig",
        .sending: "Wird gesendet …",
        .anyoneCanAnswer: "Wer diesen Link hat, kann antworten, bis {day}.",
        .goesTo: "Was du sendest, geht an {asker}.",
        .anythingToAdd: "Möchtest du etwas hinzufügen?",
        .yourAnswer: "Deine Antwort",
        .optional: "(freiwillig)",
        .yourName: "Dein Name",
        .answeredBefore: "Du hast geantwortet, und deine Antwort zählt. Andere können hier noch antworten.",
        .chooseOne: "Wähle eines",
        .chooseSeveral: "Wähle, was dir gefällt",
        .whichDays: "Welche Tage passen dir?",
        .whenFree: "Wann hast du Zeit?",
        .noneOfThese: "Nichts davon",
        .hasAnswered: "hat geantwortet",
        .whoAreYou: "Wer bist du?",
        .photos: "Fotos",
        .morePhotos: "Weitere Fotos",
        .photoArrived: "1 Foto ist angekommen.",
        .photosArrived: "{count} Fotos sind angekommen.",
        .onePhoto: "Ein Foto",
        .upToPhotos: "Bis zu {count} Fotos",
        .photoLimits: "{photos}, je höchstens {megabytes} MB.",
        .photoLimitsTogether: "{photos}, je höchstens {megabytes} MB und zusammen höchstens {total} MB.",
        .chosenPhotos: "Gewählte Fotos",
        .nothingChosen: "Wähle, was dir passt, oder „Nichts davon“.",
        .noOptionChosen: "Wähle mindestens eines.",
        .shortenText: "Kürze den Text auf {count} Zeichen.",
        .addPhoto: "Füge ein Foto hinzu.",
        .writeAnswer: "Schreibe eine Antwort.",
        .writeAnswerOrPhoto: "Schreibe eine Antwort, oder füge ein Foto hinzu.",
        .chooseName: "Wähle deinen Namen.",
        .onlyNamed: "Nur wer hier genannt ist, kann antworten.",
        .enterName: "Gib deinen Namen ein.",
        .shorterName: "Gib einen kürzeren Namen ein, mit höchstens 50 Buchstaben.",
        .nameAnswered: "{name} hat schon geantwortet.",
        .somebodyAnswered: """
        Jemand mit dem Namen {name} hat schon geantwortet. Wenn du das warst, ist alles \
        erledigt; wenn nicht, füge einen Buchstaben deines Nachnamens hinzu.
        """,
        .noMorePhotosFit: "Es passen keine weiteren Fotos.",
        .onlyMoreFit: "Nur {count} weitere passen: die anderen wurden weggelassen.",
        .aFile: "Eine Datei",
        .fileTooLarge: "{name} ist größer als {megabytes} MB. Wähle eine kleinere.",
        .notAPhoto: "{name} ist kein Foto, das angenommen werden kann. Wähle JPEG, PNG, GIF, WebP oder HEIC.",
        .chooseAtMost: "Wähle höchstens {count} Fotos.",
        .chooseFewer: "Wähle weniger Fotos, zusammen höchstens {total} MB. Weitere können folgen.",
        .thankYou: "Danke",
        .onItsWay: "Deine Antwort ist unterwegs zu {asker}. Du kannst diese Seite schließen.",
        .onItsWayToSomebody: """
        Deine Antwort ist unterwegs zu der Person, die gefragt hat. Du kannst diese \
        Seite schließen.
        """,
        .alreadyDone: "Schon erledigt",
        .alreadyDoneText: "Das wurde schon beantwortet, es ist nichts mehr zu tun. Danke.",
        .noMoreAnswers: "Keine weiteren Antworten",
        .noMoreAnswersText: """
        Diese Anfrage nimmt keine weiteren Antworten an. Sag es der Person, von der du \
        den Link hast.
        """,
        .tooLate: "Zu spät",
        .tooLateText: """
        Diese Anfrage kann nicht mehr beantwortet werden. Bitte {asker} um einen neuen \
        Link, wenn es noch wichtig ist.
        """,
        .tooLateTextSomebody: """
        Diese Anfrage kann nicht mehr beantwortet werden. Bitte die Person, die sie \
        gesendet hat, um einen neuen Link, wenn es noch wichtig ist.
        """,
        .nothingHere: "Hier ist nichts",
        .nothingHereText: """
        Dieser Link führt nirgendwohin. Vielleicht wurde er nicht ganz kopiert, oder \
        die Anfrage wurde entfernt: sieh in der Nachricht nach, in der er stand.
        """,
        .notJustNow: "Gerade nicht",
        .notJustNowText: """
        Das geht im Moment nicht. Wenn du eine Antwort gesendet hast, wurde sie nicht \
        angenommen: geh zurück und versuche es in ein paar Sekunden noch einmal. Was du \
        eingegeben hast, sollte noch da sein.
        """,
        .ourMistake: "Unser Fehler",
        .ourMistakeText: """
        Hier ist etwas schiefgegangen, und du bist nicht schuld. Versuche es später \
        noch einmal; wenn es wieder nicht geht, sag es der Person, von der du den Link \
        hast.
        """,
        .tooManyPhotos: "Zu viele Fotos",
        .tooManyOne: "Mehr als ein Foto kann nicht angenommen werden. Geh zurück und wähle weniger.",
        .tooManyText: "Mehr als {count} Fotos können nicht angenommen werden. Geh zurück und wähle weniger.",
        .tooMuch: "Zu viel auf einmal",
        .tooMuchText: """
        Die Fotos sind zusammen größer als {megabytes} MB. Geh zurück und sende weniger \
        auf einmal, oder kleinere.
        """,
        .didNotWork: "Das hat nicht geklappt",
        .didNotWorkText: """
        Deine Antwort ist nicht vollständig angekommen. Geh zurück und versuche es noch \
        einmal: was du eingegeben hast, sollte noch da sein.
        """,
        .weekdays: "So Mo Di Mi Do Fr Sa",
        .months: "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
        .day: "{weekday} {day}. {month} {year}",
    ]
}
