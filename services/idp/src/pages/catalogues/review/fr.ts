import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Connexions inhabituelles\u202F: {count}",
  "review.title": "Était-ce vous\u202F?",
  "review.intro": "Votre mot de passe a été utilisé pour ces connexions, qui semblent inhabituelles.",
  "review.none": "Il n’y a aucune connexion inhabituelle.",
  "review.unknown_place": "Lieu inconnu",
  "review.time": "Heure\u202F:",
  "review.program": "Application\u202F:",
  "review.refused": "Cette connexion a été bloquée.",
  "review.mine": "Oui, c’était moi",
  "review.how_to_confirm":
    "Pour confirmer une connexion, utilisez un appareil sur lequel vous étiez déjà connecté auparavant, ou la validation en deux étapes.",
  "review.not_mine_text":
    "Si l’une d’elles n’était pas vous\u202F: cette action vous déconnecte de tous les autres appareils et de toutes les applications, supprime vos mots de passe d’application et retire les accès. Changez ensuite votre mot de passe.",
  "review.not_mine": "Non, protéger mon compte",
  "review.change_password": "Changer de mot de passe",
  "done.sign_in_confirmed": "Merci. Cette connexion est confirmée.",
  "done.account_secured":
    "Les autres appareils, les applications et les mots de passe d’application n’ont plus accès. Changez votre mot de passe maintenant.",
};
