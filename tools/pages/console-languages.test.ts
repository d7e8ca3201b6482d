import { readFileSync } from "node:fs";
import { htmlText } from "@postern/shared/platform/pages";
import { expect, test } from "vitest";
import {
  type ConsoleLanguage,
  consoleLanguage,
  englishLanguage,
} from "../../services/admin/src/texts/console-languages.ts";
import { english, known } from "../../services/admin/src/texts/texts.ts";
import { writeTexts } from "../../services/admin/src/texts/write-texts.ts";
import { wordsOf } from "../../services/auth-engine/src/rehearsal/verdict.ts";
import { consoleSample, consoleSampleNames } from "./console-samples.ts";

const isPlaceholder = (part: string): boolean => part.startsWith("{");
/** Commands and names of keys are the same in every language. */
const fixed = /\{\w+\}|postern \w+|[a-z]+(?:[._/][a-z]+)+|[a-z]/giu;
const marked = (text: string): string =>
  text.replaceAll(fixed, (part) => (isPlaceholder(part) || part.length > 1 ? part : "ж"));

/** A language in which every text of the catalogue is written with one letter. */
const texts = {
  ...english,
  ...Object.fromEntries(Object.entries(english).map(([key, text]) => [key, marked(text)])),
};
const pseudo: ConsoleLanguage = { ...englishLanguage, texts };

/** Texts that people read or hear. Code, and the descriptions of the API document, are the same in every language. */
function shownTexts(body: string): readonly string[] {
  const attributes = [...body.matchAll(/ (?:aria-label|placeholder|data-column|label)="([^"]*)"/gu)];
  const visible = body
    .replaceAll(/<(style|script|code|pre|time|datalist)\b[\s\S]*?<\/\1>/gu, " ")
    .replaceAll(/<span lang="en"[\s\S]*?<\/span>/gu, " ")
    .replaceAll(/<optgroup[\s\S]*?<\/optgroup>/gu, " ")
    .replaceAll(/<select id="(?:zone|language)"[\s\S]*?<\/select>/gu, " ");
  return [...attributes.map(([, text = ""]) => text), ...visible.split(/<[^>]*>/u)];
}

/** Names that the samples contain, identifiers that programs read, and units. */
const data = new Set(
  [
    "Example Mail E security helen alice bob carol ada Alice Germany France Nigeria Cable Mobile Hosting",
    "imap imaps submission smtp oidc webmail Webmail Wiki Thunderbird thunderbird ldap sql username displayName staff customers",
    "postern unban unlock flush resume observe all password openid profile mail Blue key Phone Old laptop Linux",
    "idp auth-engine admin gateway Redis NATS state ms s MiB OIDC UTC Sun Mon Tue Wed Thu Fri Sat Apr May old-portal Firefox",
  ].flatMap((names) => names.split(" ")),
);
/** What operators, configuration files, pasted reports and files with places say. */
const dataOf: Readonly<Record<string, string>> = {
  "console-audit": "ticket office network misconfigured phone bearer user login",
  "console-configuration": "runtime quot observability info storage auth",
  "console-domain": "a b helpdesk mail-desk mail-security tenant seven plan gold",
  "console-domains": "a",
  "console-origins":
    "University of Cloud LLC Backbone Communications Austria Switzerland United States Kingdom China Singapore Hong Kong SAR Brazil India Vietnam Russia Netherlands Indonesia South Africa Mexico",
  "console-rehearsal": "policy office-only",
};
const isIdentifier = (word: string): boolean => /[\d._@:/]/u.test(word);

function unmarkedWords(name: string): readonly string[] {
  const { body } = consoleSample(name, "https://console.example.test", { path: "/style.css" }, pseudo);
  const own = new Set(dataOf[name]?.split(" "));
  const words = shownTexts(body.replaceAll("<wbr>", "")).flatMap((text) => text.match(/[a-z][\w@:/.-]*/giu) ?? []);
  return [...new Set(words.map((word) => word.replace(/[.:]+$/u, "")))].filter(
    (word) => !isIdentifier(word) && !data.has(word) && !own.has(word),
  );
}

test.each(consoleSampleNames.filter((name) => !name.startsWith("console-api")))(
  "nothing of %s but data is outside the catalogue",
  (name) => {
    expect(unmarkedWords(name)).toEqual([]);
  },
);

test("what engines say of a rehearsal is in the catalogue", () => {
  const german = consoleLanguage("de", undefined);
  const inGerman = (group: string, text: string): string => writeTexts(htmlText(known(group, text)), german);
  const kinds = ["admitted", "refused", "banned", "temporary", "unknown"] as const;
  expect(kinds.map((kind) => inGerman("rehearsal_words", wordsOf({ kind, why: "x" })))).toEqual([
    "zugelassen",
    "abgelehnt (x)",
    "gesperrt (Regel x)",
    "vorübergehender Fehler (x)",
    "fragt das Backend (Antwort nicht aufgezeichnet)",
  ]);
  const said = readFileSync("services/auth-engine/src/rehearsal/not-judged.ts", "utf8");
  const reasons = [...said.matchAll(/reason: "([^"]+)"/gu)].map(([, text = ""]) => text);
  expect(reasons.length).toBeGreaterThan(8);
  expect(reasons.filter((text) => inGerman("rehearsal_reason", text) === text)).toEqual([]);
  expect(inGerman("rehearsal_reason", "auth.risk differs: its effect is not replayed")).toContain(
    "auth.risk ist anders",
  );
});
