import { createBrowser } from "../../../support/browser.ts";
import type { Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { type At, byBrowser, byForm, member } from "../pages-browser.ts";

type Parts = (stack: Stack) => Promise<DriveParts>;

const request = new URLSearchParams({
  response_type: "code",
  client_id: "demo-consent",
  redirect_uri: "http://127.0.0.1:8090/callback",
  scope: "openid profile email",
  state: "x",
  prompt: "consent",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
});

/** A browser that is not signed in, at the sign-in form for a client. */
export async function atClientLogin({ idpUrl }: Stack): Promise<At> {
  const browser = createBrowser([idpUrl]);
  return { browser, page: await browser.open(`/oidc/authorize?${request.toString()}`) };
}

/** Alice's browser at the consent page of a client. */
async function openConsent(stack: Stack): Promise<At & { readonly query: Readonly<Record<string, string>> }> {
  const { browser } = await member(stack, "alice");
  const { location = "" } = await browser.get(`/oidc/authorize?${request.toString()}`);
  const { pathname, search, searchParams } = new URL(location, stack.url);
  return { browser, page: await browser.get(`${pathname}${search}`), query: Object.fromEntries(searchParams) };
}

const consentPage: Parts = async (stack) => {
  const { query, ...at } = await openConsent(stack);
  return byBrowser(at, { query });
};
const answered =
  (submit: string): Parts =>
  async (stack) =>
    byForm(await openConsent(stack), { submit });

/** Opens the form for a device code that was just created. */
async function withCode(stack: Stack): Promise<At & { readonly code: string }> {
  const response = await fetch(`${stack.url}/oidc/device`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "demo-device", scope: "openid" }),
  });
  const { user_code: code } = Object(await response.json());
  const { browser } = await member(stack, "alice");
  return { browser, page: await browser.get("/oidc/device/verify"), code: String(code) };
}

/** Opens the page that asks whether to allow the device. */
async function atDevice(stack: Stack): Promise<At> {
  const { browser, page, code } = await withCode(stack);
  const { location = "" } = await browser.submit(page, { user_code: code });
  return { browser, page: await browser.get(location) };
}

const codeForm =
  (wrong?: string): Parts =>
  async (stack) => {
    const { code, ...at } = await withCode(stack);
    return byForm(at, { user_code: wrong ?? code });
  };
const plain: Parts = async () => ({ authorization: null });

function both(
  operationId: string,
  status: number,
  parts: Parts,
  german: { status: number; parts: Parts } = { status, parts },
) {
  return [
    { operationId, status, parts },
    {
      operationId: `${operationId}InLanguage`,
      status: german.status,
      parts: async (stack: Stack) => ({ ...(await german.parts(stack)), path: { languageTag: "de" } }),
    },
  ];
}

export const consentDrives: readonly Drive[] = [
  ...both("consentPage", 200, consentPage),
  { operationId: "consentPage", status: 400, parts: plain },
  { operationId: "consent", status: 403, parts: answered("deny") },
  ...both("consent", 302, answered("allow")),
  ...both("deviceCodePage", 200, plain),
  ...both("verifyDeviceCode", 302, codeForm(), { status: 200, parts: codeForm("NONE-NONE") }),
  ...both("deviceFailedPage", 200, plain),
  ...both("deviceSuccessPage", 200, plain),
  ...both("deviceConsentPage", 200, async (stack) => byBrowser(await atDevice(stack))),
  { operationId: "deviceConsentPage", status: 400, parts: plain },
  {
    operationId: "deviceConsent",
    status: 403,
    parts: async (stack) => byForm(await atDevice(stack), { submit: "deny" }),
  },
  ...both("deviceConsent", 302, async (stack) => byForm(await atDevice(stack), { submit: "allow" })),
];
