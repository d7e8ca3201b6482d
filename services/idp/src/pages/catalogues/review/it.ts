import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Accessi insoliti: {count}",
  "review.title": "Sei stato tu?",
  "review.intro": "Questi accessi sono stati effettuati con la tua password e sembrano insoliti.",
  "review.none_title": "Accessi insoliti",
  "review.none": "Non ci sono accessi insoliti.",
  "review.unknown_place": "Luogo sconosciuto",
  "review.time": "Data e ora:",
  "review.program": "App:",
  "review.refused": "Questo accesso è stato bloccato.",
  "review.mine": "Sì, sono stato io",
  "review.how_to_confirm":
    "Per confermare un accesso, usa un dispositivo su cui avevi già effettuato l’accesso prima di tutti questi accessi, oppure una verifica in due passaggi che avevi configurato prima.",
  "review.doubted_title": "Serve una prova precedente",
  "review.doubted_text":
    "Ci sono stati accessi insoliti al tuo account. Per continuare, usa un dispositivo su cui avevi effettuato l’accesso prima, oppure una verifica in due passaggi che avevi già configurato. Se non hai né l’uno né l’altra, contatta l’assistenza.",
  "review.not_mine_text":
    "Se non riconosci uno di questi accessi, proteggi il tuo account: verrai disconnesso da tutti gli altri dispositivi e da tutte le app, le tue password per app verranno eliminate e le applicazioni verranno scollegate. Poi cambia la password.",
  "review.not_mine": "No, proteggi il mio account",
  "review.change_password": "Cambia password",
  "review.check_text":
    "Se qualcun altro conosceva la tua password, controlla anche la verifica in due passaggi: rimuovi le app di autenticazione e le passkey che non sono tue e crea nuovi codici di recupero.",
  "review.check": "Controlla la verifica in due passaggi",
  "done.sign_in_confirmed": "Grazie. L’accesso è confermato.",
  "done.account_secured":
    "Tutti gli altri dispositivi e tutte le app sono stati disconnessi e le password per app sono state eliminate. Cambia subito la password.",
};
