import { choice, entries, requiredText, section, structure, text, texts } from "./fields.ts";

const ResponseMessage = section("What the caller is told.", {
  from: choice(["default", "literal", "attribute", "attribute_detail", "i18n"], "default", {
    description: "Where the words come from; default leaves those of the answer.",
  }),
  text: text("", { description: "The words, with from: literal.", form: "header-text", maxLength: 256 }),
  attribute: text("", { description: "Fact whose value is told, with from: attribute." }),
  i18n_key: text("", { description: "Key in the catalogues, as auth.denied, with from: i18n." }),
  fallback: text("", {
    description: "The words when the fact or the text of a catalogue is missing.",
    form: "header-text",
    maxLength: 256,
  }),
});

const Rule = section("A rule.", {
  name: requiredText({ description: "Name, for logs.", example: "imap-from-inside", maxLength: 64 }),
  operations: texts([], {
    description: "Operations that the rule is for: authenticate, lookup_identity; none means both.",
  }),
  if: structure({
    example: { always: true },
    description: "Condition: all, any, not, always, or an attribute with an operator.",
  }),
  // oxlint-disable-next-line unicorn/no-thenable -- the name of the key in files; it holds no function
  then: section("What happens when the condition holds.", {
    decision: choice(["", "permit", "deny", "tempfail"], "", {
      example: "permit",
      description: "What is decided: permit lets the decision stand, deny and tempfail refuse.",
    }),
    reason: text("", { description: "Why, for the log.", maxLength: 128 }),
    response_message: ResponseMessage,
    response_language: text("", {
      description: "Language tag to speak; empty goes by Accept-Language.",
      form: "language-tag",
    }),
  }),
});

const Catalogue = section("Texts of one language.", {
  namespace: text("", { description: "First part of the keys." }),
  language: requiredText({ description: "Language tag.", example: "de", form: "language-tag" }),
  entries: structure({ description: "Texts by key." }),
  file: text("", { description: "JSON or YAML file with more texts by key." }),
});

/** Rules of the site on top of every decision. */
export const Policy = section(
  "Rules on top of every decision. Without any, decisions stand as they are.",
  {
    mode: choice(["enforce", "observe"], "enforce", {
      description: "With observe the rules only tell what they would have done.",
    }),
    default_policy: choice(["standard_auth"], "standard_auth", { description: "What holds where no rule does." }),
    policies: entries("Rules in order; the first that holds decides.", Rule),
    sets: section("Lists that conditions name.", {
      networks: structure({ description: "Lists of addresses and networks by name." }),
      strings: structure({ description: "Lists of texts by name." }),
    }),
    localization: section("Languages of response messages.", {
      default_language: text("en", {
        description: "Language of whoever asks for none that is there.",
        minLength: 2,
        form: "language-tag",
      }),
      catalogs: entries("Texts of the site; they win over those that are built in.", Catalogue),
    }),
  },
  { reload: "live" },
);
