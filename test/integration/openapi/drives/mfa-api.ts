import type { Stack } from "../../../support/stack.ts";
import { totpCode } from "../../../support/totp-code.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { byBrowser, member, newPasskey } from "../pages-browser.ts";

type Parts = (stack: Stack) => Promise<DriveParts>;

const base = "/api/v1/mfa";

/** A script of a page of the site on which carol is signed in. */
const asCarol =
  (value?: (stack: Stack) => Promise<object>): Parts =>
  async (stack) => {
    const at = await member(stack, "carol");
    const body = value === undefined ? {} : { body: { type: "application/json", value: await value(stack) } };
    return byBrowser(at, { headers: { origin: stack.url }, ...body });
  };

async function answerOf(stack: Stack, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { browser } = await member(stack, "carol");
  return Object(JSON.parse((await browser.get(path)).text));
}

/** The time step after the one that the page's drive has used. */
const nextStep = (): number => Math.floor(Date.now() / 30_000) + 1;

const code = async (stack: Stack): Promise<object> => {
  const { secret } = await answerOf(stack, `${base}/totp/setup`);
  return { code: totpCode(String(secret), nextStep()) };
};

let passkeyId = "";
const passkey = async (stack: Stack): Promise<object> => {
  const registration = await newPasskey(stack, await member(stack, "carol"), `${base}/webauthn/register/begin`);
  passkeyId = registration.passkey.id;
  return { credential: registration.credential };
};

const drive = (operationId: string, status: number, parts: Parts): Drive => ({ operationId, status, parts });

export const mfaApiDrives: readonly Drive[] = [
  drive("totpSetup", 200, asCarol()),
  { operationId: "totpSetup", status: 401, parts: () => ({ authorization: null }) },
  drive(
    "totpRegister",
    400,
    asCarol(async () => ({ code: "none" })),
  ),
  drive("totpRegister", 200, asCarol(code)),
  drive("totpRegister", 403, async (stack) => ({
    ...(await asCarol(async () => ({ code: "none" }))(stack)),
    ...byBrowser(await member(stack, "carol"), { headers: { origin: "https://elsewhere.example.test" } }),
    body: { type: "application/json", value: { code: "none" } },
  })),
  drive("recoveryCodesGenerate", 200, asCarol()),
  drive("webauthnRegisterBegin", 200, asCarol()),
  drive("webauthnRegisterFinish", 200, asCarol(passkey)),
  {
    ...drive(
      "webauthnRegisterFinish",
      400,
      asCarol(async () => ({})),
    ),
    breaksSchema: true,
  },
  drive("webauthnDelete", 200, async (stack) => ({ ...(await asCarol()(stack)), path: { credentialID: passkeyId } })),
  drive("webauthnDelete", 400, async (stack) => ({ ...(await asCarol()(stack)), path: { credentialID: "none" } })),
  drive("totpDelete", 200, asCarol()),
  drive("recoveryCodesGenerate", 400, asCarol()),
];
