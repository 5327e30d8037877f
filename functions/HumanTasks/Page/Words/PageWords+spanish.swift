/// The words of the page in Spanish.
extension PageWords {
    static let spanishPhrases: [Phrase: String] = [
        .someone: "Alguien",
        .asksForSomething: "{asker} le pide algo a {recipient}",
        .asksYouForSomething: "{asker} te pide algo",
        .notSentYet: "Aún no se ha enviado",
        .asksYou: "te pide",
        .through: "mediante",
        .hi: "Hola, {name}:",
        .hello: "Hola:",
        .done: "Listo",
        .sending: "Enviando…",
        .anyoneCanAnswer: "Cualquiera que tenga este enlace puede responder, hasta el {day}.",
        .goesTo: "Lo que envíes llega a {asker}.",
        .anythingToAdd: "¿Algo que añadir?",
        .yourAnswer: "Tu respuesta",
        .optional: "(opcional)",
        .yourName: "Tu nombre",
        .answeredBefore: "Has respondido, y tu respuesta cuenta. Otras personas aún pueden responder aquí.",
        .chooseOne: "Elige una opción",
        .chooseSeveral: "Elige lo que te guste",
        .whichDays: "¿Qué días te vienen bien?",
        .whenFree: "¿Cuándo tienes tiempo?",
        .noneOfThese: "Ninguna de estas",
        .hasAnswered: "ha respondido",
        .whoAreYou: "¿Quién eres?",
        .photos: "Fotos",
        .morePhotos: "Más fotos",
        .photoArrived: "Ha llegado 1 foto.",
        .photosArrived: "Han llegado {count} fotos.",
        .onePhoto: "Una foto",
        .upToPhotos: "Hasta {count} fotos",
        .photoLimits: "{photos}, de {megabytes} MB cada una como máximo.",
        .photoLimitsTogether: "{photos}, de {megabytes} MB cada una y {total} MB en total como máximo.",
        .chosenPhotos: "Fotos elegidas",
        .nothingChosen: "Elige lo que te venga bien, o «Ninguna de estas».",
        .noOptionChosen: "Elige al menos una opción.",
        .shortenText: "Acorta el texto a {count} caracteres.",
        .addPhoto: "Añade una foto.",
        .writeAnswer: "Escribe una respuesta.",
        .writeAnswerOrPhoto: "Escribe una respuesta, o añade una foto.",
        .chooseName: "Elige tu nombre.",
        .onlyNamed: "Solo pueden responder las personas que se nombran aquí.",
        .enterName: "Escribe tu nombre.",
        .shorterName: "Escribe un nombre más corto, de 50 letras.",
        .nameAnswered: "{name} ya ha respondido.",
        .somebodyAnswered: """
        Alguien llamado {name} ya ha respondido. Si fuiste tú, está todo hecho; si no, \
        añade una letra de tu apellido.
        """,
        .noMorePhotosFit: "No caben más fotos.",
        .onlyMoreFit: "Solo caben {count} más: las demás se han omitido.",
        .aFile: "Un archivo",
        .fileTooLarge: "{name} ocupa más de {megabytes} MB. Elige uno más pequeño.",
        .notAPhoto: "{name} no es una foto que se pueda aceptar. Elige un JPEG, PNG, GIF, WebP o HEIC.",
        .chooseAtMost: "Elige {count} fotos como máximo.",
        .chooseFewer: "Elige menos fotos, de {total} MB en total como máximo. Puedes enviar otras después.",
        .thankYou: "Gracias",
        .onItsWay: "Tu respuesta va camino de {asker}. Puedes cerrar esta página.",
        .onItsWayToSomebody: "Tu respuesta va camino de la persona que la pidió. Puedes cerrar esta página.",
        .alreadyDone: "Ya está hecho",
        .alreadyDoneText: "Ya se ha respondido, así que no queda nada por hacer. Gracias.",
        .noMoreAnswers: "No más respuestas",
        .noMoreAnswersText: """
        Esta petición no puede recibir más respuestas. Díselo a la persona que te envió \
        el enlace.
        """,
        .tooLate: "Demasiado tarde",
        .tooLateText: "Ya no se puede responder a esta petición. Pide a {asker} un enlace nuevo si aún importa.",
        .tooLateTextSomebody: """
        Ya no se puede responder a esta petición. Pide un enlace nuevo a la persona que \
        la envió si aún importa.
        """,
        .nothingHere: "Aquí no hay nada",
        .nothingHereText: """
        Este enlace no lleva a ninguna parte. Quizá no se copió entero, o la petición \
        se eliminó: mira el mensaje en el que venía.
        """,
        .notJustNow: "Ahora no",
        .notJustNowText: """
        Esto no funciona en este momento. Si enviaste una respuesta, no se ha recibido: \
        vuelve atrás e inténtalo de nuevo en unos segundos. Lo que escribiste debería \
        seguir ahí.
        """,
        .ourMistake: "Error nuestro",
        .ourMistakeText: """
        Algo ha fallado aquí, y no es culpa tuya. Inténtalo más tarde; si vuelve a \
        fallar, díselo a la persona que te envió el enlace.
        """,
        .tooManyPhotos: "Demasiadas fotos",
        .tooManyOne: "Solo se puede aceptar una foto. Vuelve atrás y elige menos.",
        .tooManyText: "Se pueden aceptar {count} fotos como máximo. Vuelve atrás y elige menos.",
        .tooMuch: "Demasiado a la vez",
        .tooMuchText: """
        Las fotos ocupan más de {megabytes} MB en total. Vuelve atrás y envía menos a \
        la vez, o más pequeñas.
        """,
        .didNotWork: "No ha funcionado",
        .didNotWorkText: """
        Tu respuesta no ha llegado entera. Vuelve atrás e inténtalo de nuevo: lo que \
        escribiste debería seguir ahí.
        """,
        .weekdays: "dom lun mar mié jue vie sáb",
        .months: "ene feb mar abr may jun jul ago sept oct nov dic",
        .day: "{weekday} {day} {month} {year}",
    ]
}
