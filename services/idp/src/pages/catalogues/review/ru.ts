import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Необычные входы: {count}",
  "review.title": "Это были вы?",
  "review.intro": "При этих входах использован ваш пароль, но они выглядят необычно.",
  "review.none": "Необычных входов нет.",
  "review.unknown_place": "Неизвестное место",
  "review.time": "Время:",
  "review.program": "Приложение:",
  "review.refused": "Этот вход был заблокирован.",
  "review.mine": "Да, это был я",
  "review.how_to_confirm":
    "Чтобы подтвердить вход, используйте устройство, на котором вы вошли раньше, или двухэтапную проверку.",
  "review.not_mine_text":
    "Если какой-то вход выполнили не вы: это действие завершит сеансы на всех других устройствах и во всех приложениях, удалит пароли приложений и отключит приложения. Затем смените пароль.",
  "review.not_mine": "Нет, защитить аккаунт",
  "review.change_password": "Сменить пароль",
  "done.sign_in_confirmed": "Спасибо. Вход подтверждён.",
  "done.account_secured":
    "Другие устройства, приложения и пароли приложений больше не имеют доступа. Смените пароль сейчас.",
};
