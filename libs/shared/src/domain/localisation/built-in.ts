import { lookUpLanguage } from "./accept-language.ts";
import type { Catalogue } from "./catalogues.ts";

/** The texts for each language of the pages; English is first. */
const texts = {
  en: {
    "auth.denied": "Incorrect username or password",
    "auth.account_locked": "This account is locked; contact your administrator",
    "auth.not_allowed": "This sign-in method is not allowed for your account",
    "auth.network_not_allowed": "Signing in from this network is not allowed",
    "auth.protocol_not_allowed": "This service is not enabled for your account",
    "auth.tls_required": "An encrypted connection (TLS) is required",
    "auth.confirm_sign_in": "Unusual sign-in; sign in on the website to confirm that it is you",
    "auth.unusual_sign_in": "Unusual sign-in; use a network or browser that you have used before",
    "auth.try_later": "Temporary server problem, try again later",
  },
  de: {
    "auth.denied": "Benutzername oder Passwort ist falsch",
    "auth.account_locked": "Dieses Konto ist gesperrt; wenden Sie sich an Ihren Administrator",
    "auth.not_allowed": "Diese Anmeldemethode ist für Ihr Konto nicht erlaubt",
    "auth.network_not_allowed": "Die Anmeldung aus diesem Netzwerk ist nicht erlaubt",
    "auth.protocol_not_allowed": "Dieser Dienst ist für Ihr Konto nicht freigeschaltet",
    "auth.tls_required": "Eine verschlüsselte Verbindung (TLS) ist erforderlich",
    "auth.confirm_sign_in":
      "Ungewöhnliche Anmeldung; melden Sie sich auf der Website an, um zu bestätigen, dass Sie es sind",
    "auth.unusual_sign_in":
      "Ungewöhnliche Anmeldung; verwenden Sie ein Netzwerk oder einen Browser, mit dem Sie sich schon einmal angemeldet haben",
    "auth.try_later": "Vorübergehende Serverstörung, bitte versuchen Sie es später erneut",
  },
  fr: {
    "auth.denied": "Nom d’utilisateur ou mot de passe incorrect",
    "auth.account_locked": "Ce compte est verrouillé\u00A0; contactez votre administrateur",
    "auth.not_allowed": "Cette méthode de connexion n’est pas autorisée pour votre compte",
    "auth.network_not_allowed": "La connexion depuis ce réseau n’est pas autorisée",
    "auth.protocol_not_allowed": "Ce service n’est pas activé pour votre compte",
    "auth.tls_required": "Une connexion chiffrée (TLS) est requise",
    "auth.confirm_sign_in":
      "Connexion inhabituelle\u00A0; connectez-vous sur le site web pour confirmer que c’est bien vous",
    "auth.unusual_sign_in":
      "Connexion inhabituelle\u00A0; utilisez un réseau ou un navigateur que vous avez déjà utilisé",
    "auth.try_later": "Problème temporaire du serveur, réessayez plus tard",
  },
  es: {
    "auth.denied": "El nombre de usuario o la contraseña no son correctos",
    "auth.account_locked": "Esta cuenta está bloqueada; póngase en contacto con su administrador",
    "auth.not_allowed": "Este método de inicio de sesión no está permitido para su cuenta",
    "auth.network_not_allowed": "No se permite iniciar sesión desde esta red",
    "auth.protocol_not_allowed": "Este servicio no está activado para su cuenta",
    "auth.tls_required": "Se requiere una conexión cifrada (TLS)",
    "auth.confirm_sign_in": "Inicio de sesión inusual; inicie sesión en el sitio web para confirmar que es usted",
    "auth.unusual_sign_in": "Inicio de sesión inusual; use una red o un navegador que ya haya utilizado",
    "auth.try_later": "Problema temporal del servidor; inténtelo de nuevo más tarde",
  },
  it: {
    "auth.denied": "Nome utente o password non corretti",
    "auth.account_locked": "Questo account è bloccato; contatta l’amministratore",
    "auth.not_allowed": "Questo metodo di accesso non è consentito per il tuo account",
    "auth.network_not_allowed": "L’accesso da questa rete non è consentito",
    "auth.protocol_not_allowed": "Questo servizio non è attivo per il tuo account",
    "auth.tls_required": "È richiesta una connessione cifrata (TLS)",
    "auth.confirm_sign_in": "Accesso insolito; accedi sul sito web per confermare che sei tu",
    "auth.unusual_sign_in": "Accesso insolito; usa una rete o un browser che hai già usato",
    "auth.try_later": "Problema temporaneo del server, riprova più tardi",
  },
  pt: {
    "auth.denied": "Nome de utilizador ou palavra-passe incorretos",
    "auth.account_locked": "Esta conta está bloqueada; contacte o administrador",
    "auth.not_allowed": "Este método de início de sessão não é permitido para a sua conta",
    "auth.network_not_allowed": "Não é permitido iniciar sessão a partir desta rede",
    "auth.protocol_not_allowed": "Este serviço não está ativo para a sua conta",
    "auth.tls_required": "É necessária uma ligação encriptada (TLS)",
    "auth.confirm_sign_in": "Início de sessão invulgar; inicie sessão no site para confirmar a sua identidade",
    "auth.unusual_sign_in": "Início de sessão invulgar; use uma rede ou um navegador que já tenha usado",
    "auth.try_later": "Problema temporário do servidor; tente novamente mais tarde",
  },
  nl: {
    "auth.denied": "Onjuiste gebruikersnaam of onjuist wachtwoord",
    "auth.account_locked": "Dit account is vergrendeld; neem contact op met uw beheerder",
    "auth.not_allowed": "Deze inlogmethode is niet toegestaan voor uw account",
    "auth.network_not_allowed": "Inloggen vanaf dit netwerk is niet toegestaan",
    "auth.protocol_not_allowed": "Deze dienst is niet ingeschakeld voor uw account",
    "auth.tls_required": "Een versleutelde verbinding (TLS) is vereist",
    "auth.confirm_sign_in": "Ongebruikelijke inlogpoging; log in op de website om te bevestigen dat u het bent",
    "auth.unusual_sign_in": "Ongebruikelijke inlogpoging; gebruik een netwerk of browser die u eerder hebt gebruikt",
    "auth.try_later": "Tijdelijk serverprobleem, probeer het later opnieuw",
  },
  pl: {
    "auth.denied": "Nieprawidłowa nazwa użytkownika lub nieprawidłowe hasło",
    "auth.account_locked": "To konto jest zablokowane; skontaktuj się z administratorem",
    "auth.not_allowed": "Ta metoda logowania jest niedozwolona dla Twojego konta",
    "auth.network_not_allowed": "Logowanie z tej sieci jest niedozwolone",
    "auth.protocol_not_allowed": "Ta usługa nie jest włączona dla Twojego konta",
    "auth.tls_required": "Wymagane jest szyfrowane połączenie (TLS)",
    "auth.confirm_sign_in": "Nietypowe logowanie; zaloguj się na stronie internetowej, aby potwierdzić, że to Ty",
    "auth.unusual_sign_in": "Nietypowe logowanie; użyj sieci lub przeglądarki, z której już korzystano",
    "auth.try_later": "Tymczasowy problem z serwerem, spróbuj ponownie później",
  },
  ru: {
    "auth.denied": "Неверное имя пользователя или пароль",
    "auth.account_locked": "Эта учётная запись заблокирована; обратитесь к администратору",
    "auth.not_allowed": "Этот способ входа не разрешён для вашей учётной записи",
    "auth.network_not_allowed": "Вход из этой сети не разрешён",
    "auth.protocol_not_allowed": "Эта служба не включена для вашей учётной записи",
    "auth.tls_required": "Требуется зашифрованное соединение (TLS)",
    "auth.confirm_sign_in": "Необычная попытка входа; войдите на сайте, чтобы подтвердить, что это вы",
    "auth.unusual_sign_in": "Необычная попытка входа; используйте сеть или браузер, которыми вы пользовались раньше",
    "auth.try_later": "Временная неполадка сервера, повторите попытку позже",
  },
  zh: {
    "auth.denied": "用户名或密码不正确",
    "auth.account_locked": "此账号已锁定；请联系管理员",
    "auth.not_allowed": "您的账号不允许使用此登录方式",
    "auth.network_not_allowed": "不允许从此网络登录",
    "auth.protocol_not_allowed": "您的账号未启用此服务",
    "auth.tls_required": "需要加密连接 (TLS)",
    "auth.confirm_sign_in": "异常登录；请在网站上登录以确认是您本人",
    "auth.unusual_sign_in": "异常登录；请使用您以前用过的网络或浏览器",
    "auth.try_later": "服务器暂时出现问题，请稍后再试",
  },
  ja: {
    "auth.denied": "ユーザー名またはパスワードが正しくありません",
    "auth.account_locked": "このアカウントはロックされています。管理者にお問い合わせください",
    "auth.not_allowed": "このログイン方法は、ご利用のアカウントでは許可されていません",
    "auth.network_not_allowed": "このネットワークからのログインは許可されていません",
    "auth.protocol_not_allowed": "このサービスは、ご利用のアカウントでは有効になっていません",
    "auth.tls_required": "暗号化された接続（TLS）が必要です",
    "auth.confirm_sign_in": "通常と異なるログインです。ウェブサイトにログインして、ご本人であることを確認してください",
    "auth.unusual_sign_in": "通常と異なるログインです。以前に使用したネットワークまたはブラウザーを使用してください",
    "auth.try_later": "サーバーで一時的な問題が発生しています。後でもう一度お試しください",
  },
  ar: {
    "auth.denied": "اسم المستخدم أو كلمة المرور غير صحيحة",
    "auth.account_locked": "هذا الحساب مقفل؛ تواصل مع المسؤول",
    "auth.not_allowed": "طريقة تسجيل الدخول هذه غير مسموح بها لحسابك",
    "auth.network_not_allowed": "تسجيل الدخول من هذه الشبكة غير مسموح به",
    "auth.protocol_not_allowed": "هذه الخدمة غير مفعّلة لحسابك",
    "auth.tls_required": "يلزم اتصال مشفّر (TLS)",
    "auth.confirm_sign_in": "تسجيل دخول غير معتاد؛ سجّل الدخول على الموقع لتأكيد أنك أنت",
    "auth.unusual_sign_in": "تسجيل دخول غير معتاد؛ استخدم شبكة أو متصفحًا استخدمته من قبل",
    "auth.try_later": "مشكلة مؤقتة في الخادم، حاول مرة أخرى لاحقًا",
  },
};

/** Texts that a policy can use without a catalogue. */
export const builtInCatalogues: readonly Catalogue[] = Object.entries(texts).map(([language, own]) => ({
  language,
  texts: new Map(Object.entries(own)),
}));

/** Built in since the first version: sites may rely on them for texts that they define in another language only. */
const firstLanguages: ReadonlySet<string> = new Set(["en", "de"]);

/**
 * The built-in texts and those of the site, which take precedence. The site's text in the default language also goes before a built-in text
 * in the client's language, which could not say what the site wants to say; English and German excepted.
 */
export function withBuiltIn(own: readonly Catalogue[], defaultLanguage: string): readonly Catalogue[] {
  const inDefault = own.filter(({ language }) => lookUpLanguage(defaultLanguage, [language]) !== undefined);
  const defined = new Set(inDefault.flatMap((catalogue) => [...catalogue.texts.keys()]));
  const builtIn = builtInCatalogues.map(({ language, texts: all }) => ({
    language,
    texts: firstLanguages.has(language) ? all : new Map([...all].filter(([key]) => !defined.has(key))),
  }));
  return [...builtIn, ...own];
}
