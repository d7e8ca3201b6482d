import type { PlainTexts } from "./plain-page.ts";

/** By language tag, as in the identity provider's pages; English first. */
export const notFoundTexts: Readonly<Record<string, PlainTexts>> = {
  en: {
    title: "Page not found",
    text: "Check the address, or go to your account.",
    link: "Go to your account",
  },
  ar: {
    title: "الصفحة غير موجودة",
    text: "تحقّق من العنوان أو انتقل إلى حسابك.",
    link: "الانتقال إلى حسابك",
  },
  de: {
    title: "Seite nicht gefunden",
    text: "Prüfen Sie die Adresse oder öffnen Sie Ihr Konto.",
    link: "Konto öffnen",
  },
  es: {
    title: "Página no encontrada",
    text: "Compruebe la dirección o vaya a su cuenta.",
    link: "Ir a su cuenta",
  },
  fr: {
    title: "Page introuvable",
    text: "Vérifiez l’adresse ou accédez à votre compte.",
    link: "Accéder à votre compte",
  },
  it: {
    title: "Pagina non trovata",
    text: "Controlla l’indirizzo o vai al tuo account.",
    link: "Vai al tuo account",
  },
  ja: {
    title: "ページが見つかりません",
    text: "アドレスを確認するか、アカウントに移動してください。",
    link: "アカウントに移動",
  },
  nl: {
    title: "Pagina niet gevonden",
    text: "Controleer het adres of ga naar uw account.",
    link: "Naar uw account",
  },
  pl: {
    title: "Nie znaleziono strony",
    text: "Sprawdź adres lub przejdź do swojego konta.",
    link: "Przejdź do konta",
  },
  pt: {
    title: "Página não encontrada",
    text: "Verifique o endereço ou aceda à sua conta.",
    link: "Aceder à sua conta",
  },
  ru: {
    title: "Страница не найдена",
    text: "Проверьте адрес или перейдите к своей учётной записи.",
    link: "Перейти к учётной записи",
  },
  zh: {
    title: "找不到页面",
    text: "请检查网址，或前往您的账号。",
    link: "前往您的账号",
  },
};
