/** Texts of the page that replaces one whose service is unavailable. */
export interface UnavailableTexts {
  readonly title: string;
  readonly text: string;
  readonly retry: string;
}

/** By language tag, as in the identity provider's pages; English first. */
export const unavailableTexts: Readonly<Record<string, UnavailableTexts>> = {
  en: {
    title: "Temporarily unavailable",
    text: "This page isn’t available right now. Try again in a few minutes.",
    retry: "Try again",
  },
  ar: {
    title: "غير متاح مؤقتًا",
    text: "هذه الصفحة غير متاحة الآن. حاول مرة أخرى بعد بضع دقائق.",
    retry: "إعادة المحاولة",
  },
  de: {
    title: "Vorübergehend nicht verfügbar",
    text: "Diese Seite ist zurzeit nicht verfügbar. Versuchen Sie es in ein paar Minuten erneut.",
    retry: "Erneut versuchen",
  },
  es: {
    title: "No disponible temporalmente",
    text: "Esta página no está disponible en este momento. Inténtelo de nuevo en unos minutos.",
    retry: "Reintentar",
  },
  fr: {
    title: "Temporairement indisponible",
    text: "Cette page est indisponible pour le moment. Réessayez dans quelques minutes.",
    retry: "Réessayer",
  },
  it: {
    title: "Temporaneamente non disponibile",
    text: "Al momento questa pagina non è disponibile. Riprova tra qualche minuto.",
    retry: "Riprova",
  },
  ja: {
    title: "一時的に利用できません",
    text: "現在、このページを表示できません。数分後にもう一度お試しください。",
    retry: "もう一度試す",
  },
  nl: {
    title: "Tijdelijk niet beschikbaar",
    text: "Deze pagina is nu niet beschikbaar. Probeer het over een paar minuten opnieuw.",
    retry: "Opnieuw proberen",
  },
  pl: {
    title: "Chwilowo niedostępne",
    text: "Ta strona jest teraz niedostępna. Spróbuj ponownie za kilka minut.",
    retry: "Spróbuj ponownie",
  },
  pt: {
    title: "Temporariamente indisponível",
    text: "De momento, esta página não está disponível. Tente novamente dentro de alguns minutos.",
    retry: "Tentar novamente",
  },
  ru: {
    title: "Временно недоступно",
    text: "Сейчас эта страница недоступна. Повторите попытку через несколько минут.",
    retry: "Повторить попытку",
  },
  zh: {
    title: "暂时不可用",
    text: "此页面目前无法显示。请过几分钟再试。",
    retry: "重试",
  },
};
