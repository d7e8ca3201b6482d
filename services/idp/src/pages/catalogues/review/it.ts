import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Accessi insoliti: {count}",
  "review.title": "È stato Lei?",
  "review.intro": "Per questi accessi è stata usata la Sua password, e sembrano insoliti.",
  "review.none": "Non ci sono accessi insoliti.",
  "review.unknown_place": "Luogo sconosciuto",
  "review.time": "Ora:",
  "review.program": "App:",
  "review.refused": "Questo accesso è stato bloccato.",
  "review.mine": "Sì, sono stato io",
  "review.how_to_confirm":
    "Per confermare un accesso, usi un dispositivo su cui aveva già effettuato l’accesso prima, oppure la verifica in due passaggi.",
  "review.not_mine_text":
    "Se uno di questi non è stato Lei: questa azione La disconnette da tutti gli altri dispositivi e da tutte le app, elimina le password per le app e scollega le applicazioni. Poi cambi la password.",
  "review.not_mine": "No, proteggi il mio account",
  "review.change_password": "Cambia password",
  "done.sign_in_confirmed": "Grazie. L’accesso è confermato.",
  "done.account_secured":
    "Gli altri dispositivi, le app e le password per le app non hanno più accesso. Cambi subito la password.",
};
