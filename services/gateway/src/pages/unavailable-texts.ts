import type { PlainTexts } from "./plain-page.ts";

/** By language tag, as in the identity provider's pages; English first. */
export const unavailableTexts: Readonly<Record<string, PlainTexts>> = {
  en: {
    title: "Temporarily unavailable",
    text: "This page isn’t available right now. Try again in a few minutes.",
    link: "Try again",
  },
  ar: {
    title: "غير متاح مؤقتًا",
    text: "هذه الصفحة غير متاحة الآن. حاول مرة أخرى بعد بضع دقائق.",
    link: "إعادة المحاولة",
  },
  de: {
    title: "Vorübergehend nicht verfügbar",
    text: "Diese Seite ist zurzeit nicht verfügbar. Versuchen Sie es in ein paar Minuten erneut.",
    link: "Erneut versuchen",
  },
  es: {
    title: "No disponible temporalmente",
    text: "Esta página no está disponible en este momento. Inténtelo de nuevo en unos minutos.",
    link: "Reintentar",
  },
  fr: {
    title: "Temporairement indisponible",
    text: "Cette page est indisponible pour le moment. Réessayez dans quelques minutes.",
    link: "Réessayer",
  },
  it: {
    title: "Temporaneamente non disponibile",
    text: "Al momento questa pagina non è disponibile. Riprova tra qualche minuto.",
    link: "Riprova",
  },
  ja: {
    title: "一時的に利用できません",
    text: "現在、このページを表示できません。数分後にもう一度お試しください。",
    link: "もう一度試す",
  },
  nl: {
    title: "Tijdelijk niet beschikbaar",
    text: "Deze pagina is nu niet beschikbaar. Probeer het over een paar minuten opnieuw.",
    link: "Opnieuw proberen",
  },
  pl: {
    title: "Chwilowo niedostępne",
    text: "Ta strona jest teraz niedostępna. Spróbuj ponownie za kilka minut.",
    link: "Spróbuj ponownie",
  },
  pt: {
    title: "Temporariamente indisponível",
    text: "De momento, esta página não está disponível. Tente novamente dentro de alguns minutos.",
    link: "Tentar novamente",
  },
  ru: {
    title: "Временно недоступно",
    text: "Сейчас эта страница недоступна. Повторите попытку через несколько минут.",
    link: "Повторить попытку",
  },
  zh: {
    title: "暂时不可用",
    text: "此页面目前无法显示。请过几分钟再试。",
    link: "重试",
  },
};
