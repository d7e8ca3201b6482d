import { languages } from "@postern/shared/domain/localisation";
import { htmlText } from "@postern/shared/platform/pages";
import { expect, test } from "vitest";
import { textsOf } from "../texts.ts";
import { deviceConsentPage } from "./device.ts";

test("the page for a device describes mail scopes as the consent page does", () => {
  const [english] = languages;
  if (english === undefined) throw new Error("no languages");
  const text = textsOf(english);
  const scopes = [{ name: "urn:ietf:params:oauth:scope:mail", description: undefined, optional: false }];
  const body = deviceConsentPage.body({ ...deviceConsentPage.sample, scopes }, Object({ text }));
  expect(htmlText(body)).toContain(text("scope.mail"));
});
