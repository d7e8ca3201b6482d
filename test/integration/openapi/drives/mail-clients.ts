import type { Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { memberAt } from "../pages-browser.ts";

/** A domain of `identity.mail_clients` in the settings of the stack. */
export const mailDomain = "example.test";

const from = (parts: DriveParts): DriveParts => ({ ...parts, authorization: null });
const at = (emailaddress: string) => () => from({ query: { emailaddress } });
const toHost = (host: string) => () => from({ headers: { host } });

const namespace = "http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006";
const request = (address: string): string =>
  `<Autodiscover xmlns="${namespace}"><Request><EMailAddress>${address}</EMailAddress></Request></Autodiscover>`;
const posted = (value: string) => () => from({ body: { type: "text/xml", value } });

/** The single-use link on the page that carol gets. */
async function profileOfCarol(stack: Stack): Promise<DriveParts> {
  const at = await memberAt(stack, "carol", "/mfa/mail-client/apple");
  const created = await at.browser.submit(at.page, { label: "iPhone" });
  const [, token = ""] = /\/mail\/profile\/([\w-]+)/u.exec(created.text) ?? [];
  return from({ path: { token } });
}

const autoconfig = (operationId: string): readonly Drive[] => [
  { operationId, status: 200, parts: at(`nobody@${mailDomain}`) },
  { operationId, status: 404, parts: at("nobody@unknown.test") },
];

const autodiscover = (operationId: string): readonly Drive[] => [
  { operationId, status: 200, parts: posted(request(`nobody@${mailDomain}`)) },
  { operationId, status: 400, parts: posted("<!DOCTYPE a><a/>") },
  { operationId, status: 404, parts: posted(request("nobody@unknown.test")) },
];

export const mailClientDrives: readonly Drive[] = [
  ...autoconfig("wellKnownAutoconfig"),
  ...autoconfig("autoconfig"),
  ...autodiscover("autodiscover"),
  { operationId: "userAgentConfiguration", status: 200, parts: toHost(`ua-auto-config.${mailDomain}`) },
  { operationId: "userAgentConfiguration", status: 404, parts: toHost("unknown.test") },
  { operationId: "mailProfile", status: 200, parts: profileOfCarol },
  { operationId: "mailProfile", status: 404, parts: () => from({ path: { token: "none" } }) },
];
