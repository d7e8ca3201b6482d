import { isMapping } from "../../json/index.ts";
import { type ConditionProblem, compileCondition } from "../../policies/condition.ts";
import { attributeFactPrefix, factType, policyFacts } from "../../policies/facts.ts";
import { type PolicySets, readSets } from "../../policies/sets.ts";
import { messages } from "../messages.ts";
import { didYouMean } from "../problem.ts";
import { isSecretName } from "../secret-names.ts";
import { checkNames, checkUnique, type Judgement } from "./checks.ts";
import { choice, entries, liveSection, requiredText, section, structure, text, texts } from "./fields.ts";
import type { Config, PolicyConfig } from "./root.ts";

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

export const Policy = liveSection(
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
);

const root = "auth.policy";
/** Operations to which rules apply. Lists of accounts are not among them. */
const operations = ["authenticate", "lookup_identity", "auth_policy"];

type RuleConfig = PolicyConfig["policies"][number];

export function validatePolicy(config: Config, judgement: Judgement): void {
  const { policies, sets: rawSets, localization } = config.auth.policy;
  const sets = readSets(rawSets, `${root}.sets`, (path, expected) =>
    judgement.problem(path, messages.mustBe(expected)),
  );
  checkUnique(policies, [`${root}.policies`, "name"], messages.ruleTwice, judgement);
  policies.forEach((rule, index) => {
    const path = `${root}.policies[${index}]`;
    judgeCondition(rule, path, sets, judgement);
    checkNames(rule.operations, operations, `${path}.operations`, (at, name, hint) =>
      judgement.problem(at, messages.unknownOperation(name), hint),
    );
    judgeEffect(rule, `${path}.then`, judgement);
  });
  localization.catalogs.forEach(({ entries }, index) =>
    judgeTexts(entries, `${root}.localization.catalogs[${index}].entries`, judgement),
  );
}

function reasonOf({ kind, text }: ConditionProblem): string {
  if (kind === "unknown_fact") return messages.unknownFact(text);
  return kind === "unknown_operator" ? messages.unknownOperator(text) : messages.mustBe(text);
}

function judgeCondition(rule: RuleConfig, path: string, sets: PolicySets, judgement: Judgement): void {
  const { if: condition } = rule;
  if (!isMapping(condition) || Object.keys(condition).length === 0) {
    judgement.problem(`${path}.if`, messages.required);
    return;
  }
  const problem = (found: ConditionProblem): void =>
    judgement.problem(found.path, reasonOf(found), didYouMean(found.text, found.known));
  compileCondition(condition, `${path}.if`, { sets, problem });
}

function judgeEffect({ then }: RuleConfig, path: string, { problem }: Judgement): void {
  if (then.decision === "") problem(`${path}.decision`, messages.required);
  const { from, text, attribute, i18n_key: key } = then.response_message;
  const at = `${path}.response_message`;
  if (from === "literal" && text === "") problem(`${at}.text`, messages.needsWhen(`${at}.from is literal`));
  if (from === "i18n" && key === "") problem(`${at}.i18n_key`, messages.needsWhen(`${at}.from is i18n`));
  if (from !== "attribute" && from !== "attribute_detail") return;
  if (factType(attribute) === undefined) {
    const near = didYouMean(attribute, Object.keys(policyFacts));
    problem(`${at}.attribute`, messages.unknownFact(attribute), near);
  } else if (attribute.startsWith(attributeFactPrefix) && isSecretName(attribute.slice(attributeFactPrefix.length))) {
    problem(`${at}.attribute`, messages.secretFact);
  }
}

function judgeTexts(entries: unknown, path: string, { problem }: Judgement): void {
  if (!isMapping(entries)) return;
  for (const [name, text] of Object.entries(entries)) {
    if (typeof text !== "string") problem(`${path}.${name}`, messages.mustBe("a string"));
  }
}
