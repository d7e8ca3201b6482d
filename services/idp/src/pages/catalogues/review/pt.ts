import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Inícios de sessão invulgares: {count}",
  "review.title": "Reconhece estes inícios de sessão?",
  "review.intro": "A sua palavra-passe foi usada nestes inícios de sessão, que parecem invulgares.",
  "review.none_title": "Inícios de sessão invulgares",
  "review.none": "Não há inícios de sessão invulgares.",
  "review.unknown_place": "Local desconhecido",
  "review.time": "Data e hora:",
  "review.program": "Aplicação:",
  "review.refused": "Este início de sessão foi bloqueado.",
  "review.mine": "Sim, reconheço",
  "review.how_to_confirm":
    "Para confirmar um início de sessão, use um dispositivo em que já tinha sessão iniciada antes de todos estes inícios de sessão, ou uma verificação em dois passos que tinha configurado antes deles.",
  "review.doubted_title": "É necessária uma prova anterior",
  "review.doubted_text":
    "Houve inícios de sessão invulgares na sua conta. Para continuar, use um dispositivo em que tinha sessão iniciada antes deles, ou uma verificação em dois passos que já tinha configurado. Se não tiver nenhum dos dois, contacte o suporte.",
  "review.not_mine_text":
    "Se não reconhecer algum destes inícios de sessão, proteja a sua conta: a sessão será terminada em todos os outros dispositivos e em todas as aplicações, as suas palavras-passe de aplicação serão eliminadas e as aplicações serão desligadas da conta. Depois, altere a palavra-passe.",
  "review.not_mine": "Não, proteger a minha conta",
  "review.change_password": "Alterar a palavra-passe",
  "review.check_text":
    "Se outra pessoa sabia a sua palavra-passe, reveja também a verificação em dois passos: remova as aplicações de autenticação e as chaves de acesso que não sejam suas e crie novos códigos de recuperação.",
  "review.check": "Rever a verificação em dois passos",
  "done.sign_in_confirmed": "Obrigado. O início de sessão está confirmado.",
  "done.account_secured":
    "A sessão foi terminada em todos os outros dispositivos e em todas as aplicações, e as suas palavras-passe de aplicação foram eliminadas. Altere agora a palavra-passe.",
};
