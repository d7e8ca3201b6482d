import { choice, duration, flag, integer, section, text, texts } from "./fields.ts";

const longestSession = 400 * 24 * 60 * 60 * 1000;

/** How long a browser stays signed in. */
export const IdentitySession = section(
  "Browser sessions.",
  {
    lifetime: duration("12h", "Maximum lifetime of a session, regardless of use.", {
      minimum: 60_000,
      maximum: longestSession,
    }),
    idle_timeout: duration("2h", "Time until an unused session expires.", { minimum: 60_000, maximum: longestSession }),
    remember_me_ttl: duration(
      "0s",
      "Lifetime of a session for which the user chose to stay signed in. 0 hides that choice.",
      { maximum: longestSession },
    ),
  },
  { reload: "restart" },
);

const Branding = section("Appearance of the pages.", {
  name: text("Name of the site, shown on every page.", { default: "Postern", maxLength: 60 }),
  logo_file: text("Path of the logo: an SVG, PNG or WebP file of up to 64 kB. If empty, only the name is shown."),
  logo_file_dark: text("Path of the logo for the dark theme. If empty, logo_file is used."),
  icon_file: text(
    "Path of the icon for browser tabs: an SVG, PNG or WebP file of up to 64 kB. If empty, the first letter of the name is shown.",
  ),
  accent_color: text("Colour of buttons and links in the light theme. If empty, the built-in colour is used.", {
    form: "css-color",
  }),
  accent_color_dark: text("Colour of buttons and links in the dark theme. If empty, the built-in colour is used.", {
    form: "css-color",
  }),
});

const Links = section("Links at the foot of the pages. Empty ones are not shown.", {
  terms_of_service_url: text("URL of the terms of service.", { form: "http-url" }),
  privacy_policy_url: text("URL of the privacy policy.", { form: "http-url" }),
  password_forgotten_url: text("URL of the page on which users reset their password.", { form: "http-url" }),
  password_change_url: text(
    "URL of the page on which users change their password, for users whose account was used by others or whose password must be changed. If empty, password_forgotten_url is used.",
    { form: "http-url" },
  ),
  support_url: text("URL of the help page.", { form: "http-url" }),
});

export const languageTags = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ar"] as const;

const Localization = section("Languages of the pages.", {
  languages: texts("Language tags that users can choose, in the order of the list on the pages.", {
    default: [...languageTags],
    minItems: 1,
  }),
  default_language: choice(languageTags, "Language for browsers that prefer none of the offered languages.", {
    default: "en",
  }),
});

/** What browsers see. */
export const IdentityFrontend = section("Sign-in and account pages.", {
  enabled: flag("Whether the pages are served. They require storage.redis.encryption_secret."),
  branding: Branding,
  links: Links,
  localization: Localization,
  explain_network_block: flag(
    "Whether users in a banned network see that it is banned and when the ban ends. If false, they see the message for a wrong password. Accounts with a second factor always see that one at applications with delayed_response.",
    { default: true },
  ),
  templates_folder: text("Path of a folder with templates <page>.mustache that replace the body of individual pages."),
});

const levelOf = (factor: string, value: number) => integer(value, `Level of ${factor}.`, { minimum: 1, maximum: 100 });

/** What second factors prove. */
export const IdentityMfaPolicy = section(
  "Levels of second factors, for applications that require one.",
  {
    levels: section("Level of each factor. A higher level is a stronger proof.", {
      recovery_codes: levelOf("recovery codes", 1),
      totp: levelOf("authenticator app codes", 2),
      webauthn: levelOf("passkeys and security keys", 3),
    }),
    freshness: duration(
      "10m",
      "Time for which a used second factor satisfies applications that require one. 0 accepts it for the whole session.",
      { maximum: longestSession },
    ),
  },
  { reload: "live" },
);

const ownLevelOf = (factor: string) =>
  integer(0, `Level of ${factor} for this application. 0 uses the general level.`, { maximum: 100 });

/** The same for one client or service provider. */
export const ClientMfaPolicy = section("Levels of second factors for this application.", {
  levels: section("Level of each factor.", {
    recovery_codes: ownLevelOf("recovery codes"),
    totp: ownLevelOf("authenticator app codes"),
    webauthn: ownLevelOf("passkeys and security keys"),
  }),
});

export const IdentityMfa = section("Second factors.", {
  totp: section("Authenticator app codes (TOTP).", {
    issuer: text("Name that authenticator apps show. If empty, identity.frontend.branding.name is used.", {
      maxLength: 60,
    }),
    skew: integer(1, "Number of 30 s time steps before and after the current one whose codes are accepted.", {
      maximum: 5,
    }),
    max_attempts: integer(
      10,
      "Number of attempts at one second factor of an account, after the correct password, within ten minutes. Further attempts must wait.",
      { minimum: 3, maximum: 100 },
    ),
    max_failures: integer(
      100,
      "Number of consecutive wrong codes, after the correct password, at which the second factor is locked until an operator unlocks it. Recovery codes are counted separately.",
      { minimum: 10, maximum: 100 },
    ),
  }),
  webauthn: section("Passkeys and security keys. User verification is always required.", {
    rp_id: text(
      "Domain of the passkeys. If empty, the host of identity.oidc.issuer is used. Changing it makes all existing passkeys unusable.",
      { maxLength: 253 },
    ),
    rp_display_name: text("Name that browsers show. If empty, identity.frontend.branding.name is used.", {
      maxLength: 60,
    }),
    rp_origins: texts("Origins on which passkeys are accepted. If empty, the origin of identity.oidc.issuer is used."),
    resident_key: choice(
      ["required", "preferred", "discouraged"],
      "Request that new passkeys support sign-in without a user name.",
      { default: "preferred" },
    ),
    authenticator_attachment: choice(
      ["", "platform", "cross-platform"],
      "Authenticators that may be registered: built into the device (`platform`) or separate (`cross-platform`). If empty, both.",
    ),
  }),
});
