import { languages } from "@postern/shared/domain/localisation";
import { htmlText } from "@postern/shared/platform/pages";
import { expect, test } from "vitest";
import { createSiteTemplates } from "./site-templates.ts";
import { textsOf } from "./texts.ts";

const [language] = languages;
if (language === undefined) throw new Error("no language");
const brand = {
  name: "A & B",
  logo: undefined,
  stylesheet: "/s.css",
  script: "/static/passkeys.js",
  links: [],
  passwordForgotten: undefined,
  passwordChange: undefined,
  logoDark: undefined,
  icon: "",
  scripts: { passkeys: "", page: "" },
};
const look = { language, text: textsOf(language), brand, languageLinks: [], notices: [], locale: "en" };

test("a site's template receives the view, the texts and the brand, all escaped", () => {
  const templates = createSiteTemplates(new Map([["login", "<h1>{{text.login_to}}</h1>{{username}}|{{brand.name}}"]]));
  const shown = templates.render("login", { client: "<Webmail>", username: '"><script>' }, look);
  expect(shown === undefined ? "" : htmlText(shown)).toBe(
    "<h1>to continue to &lt;Webmail&gt;</h1>&quot;&gt;&lt;script&gt;|A &amp; B",
  );
});

test("a page without a site template uses the built-in one; an invalid template is rejected at start", () => {
  expect(createSiteTemplates(new Map()).render("login", {}, look)).toBeUndefined();
  expect(() => createSiteTemplates(new Map([["login", "{{#open}}"]]))).toThrow("Unclosed section");
});
