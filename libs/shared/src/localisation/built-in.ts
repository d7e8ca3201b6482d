import type { Catalogue } from "./catalogues.ts";

const english = {
  "auth.denied": "Invalid login or password",
  "auth.account_locked": "This account is locked",
  "auth.not_allowed": "You may not sign in this way",
  "auth.network_not_allowed": "You may not sign in from this network",
  "auth.protocol_not_allowed": "This account may not use this service",
  "auth.tls_required": "An encrypted connection is required",
  "auth.try_later": "Temporary server problem, try again later",
};

const german: typeof english = {
  "auth.denied": "Benutzername oder Passwort ist falsch",
  "auth.account_locked": "Dieses Konto ist gesperrt",
  "auth.not_allowed": "Diese Art der Anmeldung ist nicht erlaubt",
  "auth.network_not_allowed": "Aus diesem Netz ist die Anmeldung nicht erlaubt",
  "auth.protocol_not_allowed": "Dieses Konto darf diesen Dienst nicht benutzen",
  "auth.tls_required": "Eine verschlüsselte Verbindung ist nötig",
  "auth.try_later": "Vorübergehende Störung, bitte später noch einmal versuchen",
};

/** Texts that a policy can name without a catalogue of its own. A site's catalogues win over them. */
export const builtInCatalogues: readonly Catalogue[] = [
  { language: "en", texts: new Map(Object.entries(english)) },
  { language: "de", texts: new Map(Object.entries(german)) },
];
