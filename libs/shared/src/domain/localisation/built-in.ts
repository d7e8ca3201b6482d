import type { Catalogue } from "./catalogues.ts";

const english = {
  "auth.denied": "Invalid login or password",
  "auth.account_locked": "This account is locked; contact your administrator",
  "auth.not_allowed": "This sign-in method is not allowed for your account",
  "auth.network_not_allowed": "Signing in from this network is not allowed",
  "auth.protocol_not_allowed": "This service is not enabled for your account",
  "auth.tls_required": "An encrypted connection (TLS) is required",
  "auth.confirm_sign_in": "Unusual sign-in; sign in on the website to confirm that it is you",
  "auth.unusual_sign_in": "Unusual sign-in; sign in from a network or browser that you used before",
  "auth.try_later": "Temporary server problem, try again later",
};

const german: typeof english = {
  "auth.denied": "Benutzername oder Passwort ist falsch",
  "auth.account_locked": "Dieses Konto ist gesperrt; wenden Sie sich an Ihren Administrator",
  "auth.not_allowed": "Diese Anmeldemethode ist für Ihr Konto nicht erlaubt",
  "auth.network_not_allowed": "Die Anmeldung aus diesem Netzwerk ist nicht erlaubt",
  "auth.protocol_not_allowed": "Dieser Dienst ist für Ihr Konto nicht freigeschaltet",
  "auth.tls_required": "Eine verschlüsselte Verbindung (TLS) ist erforderlich",
  "auth.confirm_sign_in": "Ungewöhnliche Anmeldung; bestätigen Sie auf der Website, dass Sie es sind",
  "auth.unusual_sign_in": "Ungewöhnliche Anmeldung; melden Sie sich in einem gewohnten Netz oder Browser an",
  "auth.try_later": "Vorübergehende Serverstörung, bitte versuchen Sie es später erneut",
};

/** Texts that a policy can use without a catalogue. The site's catalogues take precedence. */
export const builtInCatalogues: readonly Catalogue[] = [
  { language: "en", texts: new Map(Object.entries(english)) },
  { language: "de", texts: new Map(Object.entries(german)) },
];
