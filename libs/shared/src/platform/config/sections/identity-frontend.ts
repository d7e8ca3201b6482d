import { messages } from "../messages.ts";
import { checkEncryption, type Judgement } from "./checks.ts";
import { choice, dayMs, duration, flag, section, text, texts } from "./fields.ts";
import type { Config } from "./root.ts";

/** Browsers delete cookies after so long (RFC 6265bis §5.5). */
export const longestSession = 400 * dayMs;

export const IdentitySession = section("Browser sessions.", {
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
});

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

const links = {
  terms_of_service_url: text("URL of the terms of service.", { form: "http-url" }),
  privacy_policy_url: text("URL of the privacy policy.", { form: "http-url" }),
  password_forgotten_url: text("URL of the page on which users reset their password.", { form: "http-url" }),
  password_change_url: text(
    "URL of the page on which users change their password, for users whose account was used by others or whose password must be changed. If empty, password_forgotten_url is used.",
    { form: "http-url" },
  ),
  support_url: text("URL of the help page.", { form: "http-url" }),
};

const Links = section("Links at the foot of the pages. Empty ones are not shown.", links);

const languageTags = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ar"] as const;

const Localization = section("Languages of the pages.", {
  languages: texts("Language tags that users can choose, in the order of the list on the pages.", {
    default: [...languageTags],
    minItems: 1,
  }),
  default_language: choice(languageTags, "Language for browsers that prefer none of the offered languages.", {
    default: "en",
  }),
});

/** What the pages show of a domain in place of the site's look. */
export const domainBrand = {
  name: text("Name on the pages and in mails to users. If empty, identity.frontend.branding.name.", { maxLength: 60 }),
  logo_file: text(
    "Path of the logo: an SVG, PNG or WebP file of up to 64 kB. If empty, the site's, or only the name if `name` is set.",
  ),
  logo_file_dark: text("Path of the logo for the dark theme. If empty, logo_file is used."),
  icon_file: text(
    "Path of the icon for browser tabs: an SVG, PNG or WebP file of up to 64 kB. If empty, the site's, or the first letter of `name` if that is set.",
  ),
  accent_color: text("Colour of buttons and links in the light theme. If empty, the site's.", { form: "css-color" }),
  accent_color_dark: text("Colour of buttons and links in the dark theme. If empty, the site's.", {
    form: "css-color",
  }),
  links: section("Links at the foot of the pages. In place of empty ones, those of identity.frontend.links.", links),
  default_language: choice(
    ["", ...languageTags],
    "Language for browsers that prefer none of the offered languages. If empty, the site's.",
  ),
};

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

const root = "identity.frontend";

export function validateFrontend({ identity, storage }: Config, judgement: Judgement): void {
  const { problem } = judgement;
  const { enabled, localization } = identity.frontend;
  const known: readonly string[] = languageTags;
  for (const [index, tag] of localization.languages.entries()) {
    if (!known.includes(tag))
      problem(`${root}.localization.languages.${index}`, messages.unknownLanguage(tag, known.join(", ")));
  }
  if (!localization.languages.includes(localization.default_language)) {
    problem(`${root}.localization.default_language`, messages.languageNotOffered);
  }
  if (!enabled) return;
  checkEncryption(storage.redis, `${root}.enabled is true`, judgement);
  // Cookies and passkeys belong to the host that browsers see.
  if (identity.oidc.issuer === "") problem("identity.oidc.issuer", messages.needsWhen(`${root}.enabled is true`));
}
