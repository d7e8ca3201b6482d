import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Inícios de sessão invulgares: {count}",
  "review.title": "Foi o utilizador?",
  "review.intro": "A sua palavra-passe foi usada nestes inícios de sessão, que parecem invulgares.",
  "review.none": "Não há inícios de sessão invulgares.",
  "review.unknown_place": "Local desconhecido",
  "review.time": "Hora:",
  "review.program": "Aplicação:",
  "review.refused": "Este início de sessão foi bloqueado.",
  "review.mine": "Sim, fui eu",
  "review.how_to_confirm":
    "Para confirmar um início de sessão, use um dispositivo em que já tinha sessão iniciada antes, ou a verificação em dois passos.",
  "review.not_mine_text":
    "Se algum não foi feito por si: esta ação termina a sessão em todos os outros dispositivos e aplicações, elimina as palavras-passe de aplicação e desliga as aplicações. Depois, altere a palavra-passe.",
  "review.not_mine": "Não, proteger a minha conta",
  "review.change_password": "Alterar a palavra-passe",
  "done.sign_in_confirmed": "Obrigado. O início de sessão está confirmado.",
  "done.account_secured":
    "Os outros dispositivos, aplicações e palavras-passe de aplicação deixaram de ter acesso. Altere já a palavra-passe.",
};
