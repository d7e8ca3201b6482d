import { choice, entries, requiredText, section, structure, text, texts } from "./fields.ts";

const ResponseMessage = section("Message that the API caller receives.", {
  from: choice(
    ["default", "literal", "attribute", "attribute_detail", "i18n"],
    "Source of the message. With `default`, the message of the response stays unchanged.",
  ),
  text: text("Message with `from: literal`.", { form: "header-text", maxLength: 256 }),
  attribute: text("Fact whose value is the message, with `from: attribute` or `from: attribute_detail`."),
  i18n_key: text("Key of the message in the catalogues, such as auth.denied, with `from: i18n`."),
  fallback: text("Message used when the fact or the catalogue text is missing.", {
    form: "header-text",
    maxLength: 256,
  }),
});

const Rule = section("A rule.", {
  name: requiredText("Name of the rule in logs.", { example: "imap-from-inside", maxLength: 64 }),
  operations: texts(
    "Operations to which the rule applies: `authenticate`, `lookup_identity`, `auth_policy`. If empty, it applies to the first two.",
  ),
  if: structure("Condition: `all`, `any`, `not`, `always`, or an attribute with an operator.", {
    example: { always: true },
  }),
  // oxlint-disable-next-line unicorn/no-thenable -- the name of the key in files; it holds no function
  then: section("Effect of the rule when its condition holds.", {
    decision: choice(
      ["", "permit", "deny", "tempfail"],
      "Effect on the decision: `permit` leaves it unchanged, `deny` refuses the user, `tempfail` makes it a temporary failure.",
      { example: "permit" },
    ),
    reason: text("Reason that is written to the log.", { maxLength: 128 }),
    response_message: ResponseMessage,
    response_language: text("Language tag of the message. If empty, Accept-Language determines the language.", {
      form: "language-tag",
    }),
  }),
});

const Catalogue = section("Texts in one language.", {
  namespace: text("First part of the keys."),
  language: requiredText("Language tag.", { example: "de", form: "language-tag" }),
  entries: structure("Texts by key."),
  file: text("Path of a JSON or YAML file with more texts by key."),
});

/** Policies of the site. */
export const Policy = section(
  "Policies: rules that are applied after the password was verified. Without rules, decisions are not changed.",
  {
    mode: choice(["enforce", "observe"], "Effect of the rules. With `observe`, their result is only logged."),
    default_policy: choice(["standard_auth"], "Policy that applies if no rule matches."),
    policies: entries("Rules in order. The first rule whose condition holds determines the outcome.", Rule),
    sets: section("Named lists for conditions.", {
      networks: structure("Lists of addresses and networks, by name."),
      strings: structure("Lists of strings, by name."),
    }),
    localization: section("Languages of response messages.", {
      default_language: text("Language of messages for users whose preferred languages are not available.", {
        default: "en",
        minLength: 2,
        form: "language-tag",
      }),
      catalogs: entries("Texts of the site. They take precedence over the built-in ones.", Catalogue),
    }),
  },
  { reload: "live" },
);
