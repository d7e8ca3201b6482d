import { choice, duration, flag, integer, section, text, texts } from "./fields.ts";

const longestSession = 400 * 24 * 60 * 60 * 1000;

/** How long a browser stays signed in. */
export const IdentitySession = section(
  "Sessions of browsers.",
  {
    lifetime: duration("12h", {
      description: "Longest life of a session, used or not.",
      minimum: 60_000,
      maximum: longestSession,
    }),
    idle_timeout: duration("2h", {
      description: "Life of a session that nobody uses.",
      minimum: 60_000,
      maximum: longestSession,
    }),
    remember_me_ttl: duration("0s", {
      description: "Life of a session that the user asked to be remembered; 0s offers no such choice.",
      maximum: longestSession,
    }),
  },
  { reload: "restart" },
);

const Branding = section("The site's own look.", {
  name: text("Postern", { description: "Name of the site, on every page.", maxLength: 60 }),
  logo_file: text("", { description: "SVG, PNG or WebP file of the logo, 64 kB at most; empty shows the name alone." }),
  accent_color: text("", {
    description: "Colour of buttons and links in the light look; empty takes ours.",
    form: "css-color",
  }),
  accent_color_dark: text("", { description: "The same in the dark look.", form: "css-color" }),
});

const Links = section("Links at the foot of the pages; an empty one is not shown.", {
  terms_of_service_url: text("", { description: "Terms of service.", form: "http-url" }),
  privacy_policy_url: text("", { description: "Privacy policy.", form: "http-url" }),
  password_forgotten_url: text("", { description: "Where users get a new password.", form: "http-url" }),
  support_url: text("", { description: "Help.", form: "http-url" }),
});

export const languageTags = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ar"] as const;

const Localization = section("Languages.", {
  languages: texts([...languageTags], {
    description: "Languages that are offered, in the order of the list that users see.",
    minItems: 1,
  }),
  default_language: choice(languageTags, "en", { description: "Language of browsers that ask for none of these." }),
});

/** What browsers see. */
export const IdentityFrontend = section("Pages of the identity provider.", {
  enabled: flag(false, { description: "Serve the pages; they need storage.redis.encryption_secret." }),
  branding: Branding,
  links: Links,
  localization: Localization,
  templates_folder: text("", {
    description: "Folder of templates that replace the body of single pages: <page>.mustache.",
  }),
});

const levelOf = (factor: string, value: number) =>
  integer(value, { description: `Level of ${factor}.`, minimum: 1, maximum: 100 });

/** What second factors prove (behaviour reference §1.6). */
export const IdentityMfaPolicy = section("What second factors are worth to applications that demand them.", {
  levels: section("Level of each factor; the higher proves more.", {
    recovery_codes: levelOf("recovery codes", 1),
    totp: levelOf("codes of authenticator apps", 2),
    webauthn: levelOf("passkeys and security keys", 3),
  }),
  freshness: duration("10m", {
    description:
      "For so long after it was shown a factor counts for applications that demand one; 0s: as long as the session.",
    maximum: longestSession,
  }),
});

const ownLevelOf = (factor: string) =>
  integer(0, { description: `Level of ${factor} for it; 0: as for all.`, maximum: 100 });

/** The same for one client or service provider. */
export const ClientMfaPolicy = section("What second factors are worth to it.", {
  levels: section("Level of each factor.", {
    recovery_codes: ownLevelOf("recovery codes"),
    totp: ownLevelOf("codes of authenticator apps"),
    webauthn: ownLevelOf("passkeys and security keys"),
  }),
});

export const IdentityMfa = section("Second factors.", {
  totp: section("Codes of authenticator apps.", {
    issuer: text("", {
      description: "Name that apps show; empty takes identity.frontend.branding.name.",
      maxLength: 60,
    }),
    skew: integer(1, { description: "Steps of 30 s before and after the present one that count.", maximum: 5 }),
    max_attempts: integer(10, {
      description: "Attempts at the second factor of one account within ten minutes; then it waits.",
      minimum: 3,
      maximum: 100,
    }),
  }),
  webauthn: section("Passkeys and security keys; users are always verified by them.", {
    rp_id: text("", {
      description:
        "Domain that passkeys are for; empty takes the host of identity.oidc.issuer. Changing it makes all passkeys useless.",
      maxLength: 253,
    }),
    rp_display_name: text("", {
      description: "Name that browsers show; empty takes identity.frontend.branding.name.",
      maxLength: 60,
    }),
    rp_origins: texts([], {
      description: "Origins at which they are used; empty takes that of identity.oidc.issuer.",
    }),
    resident_key: choice(["required", "preferred", "discouraged"], "preferred", {
      description: "Whether new ones can sign in without a name.",
    }),
    authenticator_attachment: choice(["", "platform", "cross-platform"], "", {
      description: "Only the device itself, or only others; empty takes all.",
    }),
  }),
});
