import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Connexions inhabituelles\u00A0: {count}",
  "review.title": "Était-ce vous\u202F?",
  "review.intro": "Votre mot de passe a été utilisé pour ces connexions, qui semblent inhabituelles.",
  "review.none_title": "Connexions inhabituelles",
  "review.none": "Il n’y a aucune connexion inhabituelle.",
  "review.unknown_place": "Lieu inconnu",
  "review.time": "Date et heure\u00A0:",
  "review.program": "Application\u00A0:",
  "review.refused": "Cette connexion a été bloquée.",
  "review.mine": "Oui, c’était moi",
  "review.how_to_confirm":
    "Pour confirmer une connexion, utilisez un appareil sur lequel vous étiez connecté avant toutes ces connexions, ou une validation en deux étapes que vous aviez configurée avant celles-ci.",
  "review.doubted_title": "Une preuve antérieure est nécessaire",
  "review.doubted_text":
    "Des connexions inhabituelles à votre compte ont eu lieu. Pour continuer, utilisez un appareil sur lequel vous étiez connecté avant celles-ci, ou une validation en deux étapes que vous aviez configurée auparavant. Si vous n’avez ni l’un ni l’autre, contactez l’assistance.",
  "review.not_mine_text":
    "Si vous n’êtes pas à l’origine de l’une de ces connexions, protégez votre compte\u00A0: vous serez déconnecté de tous les autres appareils et de toutes les applications, vos mots de passe d’application seront supprimés et les applications connectées perdront leur accès. Changez ensuite votre mot de passe.",
  "review.not_mine": "Non, protéger mon compte",
  "review.change_password": "Changer de mot de passe",
  "review.check_text":
    "Si quelqu’un d’autre connaissait votre mot de passe, vérifiez aussi la validation en deux étapes\u00A0: supprimez toute application d’authentification ou clé d’accès qui n’est pas la vôtre, et créez de nouveaux codes de récupération.",
  "review.check": "Vérifier la validation en deux étapes",
  "done.sign_in_confirmed": "Merci. Cette connexion est confirmée.",
  "done.account_secured":
    "Vous êtes déconnecté de tous les autres appareils et de toutes les applications, et vos mots de passe d’application sont supprimés. Changez votre mot de passe maintenant.",
};
