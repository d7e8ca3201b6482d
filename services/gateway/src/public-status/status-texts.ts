/** Texts of the public status page. `{time}` is filled in. */
export interface StatusTexts {
  readonly works: string;
  readonly worksText: string;
  readonly degraded: string;
  readonly since: string;
  readonly degradedText: string;
}

/** By language tag, as in the identity provider's pages; English first. */
export const statusTexts: Readonly<Record<string, StatusTexts>> = {
  en: {
    works: "Sign-in is working",
    worksText: "If you can’t sign in, check your username and password.",
    degraded: "Some sign-ins are failing",
    since: "Since {time}",
    degradedText: "Some sign-ins fail or take longer. You don’t need to change your password. Try again later.",
  },
  ar: {
    works: "تسجيل الدخول يعمل",
    worksText: "إذا تعذّر عليك تسجيل الدخول، فتحقق من اسم المستخدم وكلمة المرور.",
    degraded: "تسجيل الدخول يواجه مشكلات",
    since: "منذ {time}",
    degradedText: "تفشل بعض عمليات تسجيل الدخول أو تستغرق وقتًا أطول. لا حاجة إلى تغيير كلمة المرور. حاول لاحقًا.",
  },
  de: {
    works: "Die Anmeldung funktioniert",
    worksText: "Wenn Sie sich nicht anmelden können, prüfen Sie Benutzername und Passwort.",
    degraded: "Die Anmeldung ist gestört",
    since: "Seit {time}",
    degradedText:
      "Einige Anmeldungen schlagen fehl oder dauern länger. Sie müssen Ihr Passwort nicht ändern. Versuchen Sie es später erneut.",
  },
  es: {
    works: "El inicio de sesión funciona",
    worksText: "Si no puede iniciar sesión, compruebe el nombre de usuario y la contraseña.",
    degraded: "Hay problemas para iniciar sesión",
    since: "Desde el {time}",
    degradedText:
      "Algunos inicios de sesión fallan o tardan más. No es necesario cambiar la contraseña. Inténtelo de nuevo más tarde.",
  },
  fr: {
    works: "La connexion aux comptes fonctionne",
    worksText: "Si vous ne pouvez pas vous connecter, vérifiez votre nom d’utilisateur et votre mot de passe.",
    degraded: "La connexion aux comptes est perturbée",
    since: "Depuis\u00A0: {time}",
    degradedText:
      "Certaines connexions échouent ou prennent plus de temps. Inutile de changer de mot de passe. Réessayez plus tard.",
  },
  it: {
    works: "L’accesso funziona",
    worksText: "Se non riesci ad accedere, controlla il nome utente e la password.",
    degraded: "Problemi di accesso",
    since: "Dal {time}",
    degradedText:
      "Alcuni accessi non riescono o richiedono più tempo. Non è necessario cambiare la password. Riprova più tardi.",
  },
  ja: {
    works: "ログインは正常です",
    worksText: "ログインできない場合は、ユーザー名とパスワードを確認してください。",
    degraded: "ログインに問題が発生しています",
    since: "{time} から",
    degradedText:
      "一部のログインが失敗するか、時間がかかっています。パスワードを変更する必要はありません。しばらくしてからもう一度お試しください。",
  },
  nl: {
    works: "Inloggen werkt",
    worksText: "Kunt u niet inloggen? Controleer uw gebruikersnaam en wachtwoord.",
    degraded: "Inloggen is verstoord",
    since: "Sinds {time}",
    degradedText:
      "Sommige inlogpogingen mislukken of duren langer. U hoeft uw wachtwoord niet te wijzigen. Probeer het later opnieuw.",
  },
  pl: {
    works: "Logowanie działa",
    worksText: "Jeśli nie możesz się zalogować, sprawdź nazwę użytkownika i hasło.",
    degraded: "Występują problemy z logowaniem",
    since: "Od: {time}",
    degradedText:
      "Niektóre próby logowania kończą się niepowodzeniem lub trwają dłużej. Nie musisz zmieniać hasła. Spróbuj ponownie później.",
  },
  pt: {
    works: "O início de sessão funciona",
    worksText: "Se não conseguir iniciar sessão, verifique o nome de utilizador e a palavra-passe.",
    degraded: "O início de sessão apresenta problemas",
    since: "Desde {time}",
    degradedText:
      "Alguns inícios de sessão falham ou demoram mais. Não precisa de alterar a palavra-passe. Tente novamente mais tarde.",
  },
  ru: {
    works: "Вход работает",
    worksText: "Если войти не удаётся, проверьте имя пользователя и пароль.",
    degraded: "Вход работает с перебоями",
    since: "Начало сбоя: {time}",
    degradedText:
      "Некоторые попытки входа не удаются или занимают больше времени. Менять пароль не нужно. Повторите попытку позже.",
  },
  zh: {
    works: "登录正常",
    worksText: "如果无法登录，请检查用户名和密码。",
    degraded: "登录出现异常",
    since: "自 {time} 起",
    degradedText: "部分登录会失败或耗时较长。您无需更改密码。请稍后再试。",
  },
};
