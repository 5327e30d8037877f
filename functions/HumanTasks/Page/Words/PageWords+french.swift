/// The words of the page in French.
extension PageWords {
    static let frenchPhrases: [Phrase: String] = [
        .someone: "Quelqu’un",
        .asksForSomething: "{asker} demande quelque chose à {recipient}",
        .asksYouForSomething: "{asker} vous demande quelque chose",
        .notSentYet: "Pas encore envoyé",
        .asksYou: "vous demande",
        .through: "via",
        .hi: "Bonjour {name},",
        .hello: "Bonjour,",
        .done: "Terminé",
        .sending: "Envoi en cours…",
        .anyoneCanAnswer: "Toute personne qui a ce lien peut répondre, jusqu’au {day}.",
        .goesTo: "Ce que vous envoyez est transmis à {asker}.",
        .anythingToAdd: "Quelque chose à ajouter ?",
        .yourAnswer: "Votre réponse",
        .optional: "(facultatif)",
        .yourName: "Votre nom",
        .answeredBefore: "Vous avez répondu, et votre réponse compte. D’autres peuvent encore répondre ici.",
        .chooseOne: "Choisissez une réponse",
        .chooseSeveral: "Choisissez ce qui vous plaît",
        .whichDays: "Quels jours vous conviennent ?",
        .whenFree: "Quand êtes-vous disponible ?",
        .noneOfThese: "Rien de tout cela",
        .hasAnswered: "a répondu",
        .whoAreYou: "Qui êtes-vous ?",
        .photos: "Photos",
        .morePhotos: "Autres photos",
        .photoArrived: "1 photo est arrivée.",
        .photosArrived: "{count} photos sont arrivées.",
        .onePhoto: "Une photo",
        .upToPhotos: "Jusqu’à {count} photos",
        .photoLimits: "{photos}, {megabytes} Mo chacune au maximum.",
        .photoLimitsTogether: "{photos}, {megabytes} Mo chacune et {total} Mo en tout au maximum.",
        .chosenPhotos: "Photos choisies",
        .nothingChosen: "Choisissez ce qui vous convient, ou « Rien de tout cela ».",
        .noOptionChosen: "Choisissez au moins une réponse.",
        .shortenText: "Raccourcissez le texte à {count} caractères.",
        .addPhoto: "Ajoutez une photo.",
        .writeAnswer: "Écrivez une réponse.",
        .writeAnswerOrPhoto: "Écrivez une réponse, ou ajoutez une photo.",
        .chooseName: "Choisissez votre nom.",
        .onlyNamed: "Seules les personnes nommées ici peuvent répondre.",
        .enterName: "Saisissez votre nom.",
        .shorterName: "Saisissez un nom plus court, de 50 lettres au plus.",
        .nameAnswered: "{name} a déjà répondu.",
        .somebodyAnswered: """
        Une personne du nom de {name} a déjà répondu. Si c’était vous, tout est fait ; \
        sinon, ajoutez une lettre de votre nom de famille.
        """,
        .noMorePhotosFit: "Il n’y a plus de place pour d’autres photos.",
        .onlyMoreFit: "Il n’y avait de place que pour {count} de plus : les autres ont été laissées de côté.",
        .aFile: "Un fichier",
        .fileTooLarge: "{name} dépasse {megabytes} Mo. Choisissez un fichier plus petit.",
        .notAPhoto: "{name} n’est pas une photo acceptée. Choisissez un JPEG, PNG, GIF, WebP ou HEIC.",
        .chooseAtMost: "Choisissez {count} photos au plus.",
        .chooseFewer: "Choisissez moins de photos, de {total} Mo en tout au maximum. D’autres peuvent suivre.",
        .thankYou: "Merci",
        .onItsWay: "Votre réponse est en route vers {asker}. Vous pouvez fermer cette page.",
        .onItsWayToSomebody: """
        Votre réponse est en route vers la personne qui l’a demandée. Vous pouvez \
        fermer cette page.
        """,
        .alreadyDone: "Déjà fait",
        .alreadyDoneText: "On a déjà répondu, il n’y a plus rien à faire. Merci.",
        .noMoreAnswers: "Plus de réponses",
        .noMoreAnswersText: """
        Cette demande ne peut plus recevoir de réponses. Dites-le à la personne qui \
        vous a envoyé le lien.
        """,
        .tooLate: "Trop tard",
        .tooLateText: """
        Il n’est plus possible de répondre à cette demande. Demandez un nouveau lien à \
        {asker} si c’est encore important.
        """,
        .tooLateTextSomebody: """
        Il n’est plus possible de répondre à cette demande. Demandez un nouveau lien à \
        la personne qui l’a envoyée si c’est encore important.
        """,
        .nothingHere: "Rien ici",
        .nothingHereText: """
        Ce lien ne mène nulle part. Il n’a peut-être pas été copié en entier, ou la \
        demande a été supprimée : regardez le message où il se trouvait.
        """,
        .notJustNow: "Pas maintenant",
        .notJustNowText: """
        Cela ne fonctionne pas pour le moment. Si vous avez envoyé une réponse, elle \
        n’a pas été reçue : revenez en arrière et réessayez dans quelques secondes. \
        Votre saisie devrait encore être là.
        """,
        .ourMistake: "Notre erreur",
        .ourMistakeText: """
        Quelque chose a mal tourné ici, sans que ce soit votre faute. Réessayez plus \
        tard ; si cela échoue encore, dites-le à la personne qui vous a envoyé le lien.
        """,
        .tooManyPhotos: "Trop de photos",
        .tooManyOne: "Une seule photo peut être acceptée. Revenez en arrière et choisissez-en moins.",
        .tooManyText: "{count} photos au plus peuvent être acceptées. Revenez en arrière et choisissez-en moins.",
        .tooMuch: "Trop à la fois",
        .tooMuchText: """
        Les photos dépassent {megabytes} Mo en tout. Revenez en arrière et envoyez-en \
        moins à la fois, ou de plus petites.
        """,
        .didNotWork: "Cela n’a pas fonctionné",
        .didNotWorkText: """
        Votre réponse n’est pas arrivée en entier. Revenez en arrière et réessayez : \
        votre saisie devrait encore être là.
        """,
        .weekdays: "dim. lun. mar. mer. jeu. ven. sam.",
        .months: "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
        .day: "{weekday} {day} {month} {year}",
    ]
}
