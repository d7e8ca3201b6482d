import { askAdmin } from "../../../support/ask-admin.ts";
import { basicAuth, type Stack } from "../../../support/stack.ts";
import { totpCode } from "../../../support/totp-code.ts";
import type { Drive, DriveParts } from "../drive.ts";
import {
  accountOf,
  afterPassword,
  alicesPasskey,
  atLogin,
  byBrowser,
  byForm,
  byScript,
  challengeAt,
  credentialsOf,
} from "../pages-browser.ts";
import { atClientLogin } from "./consent.ts";

type Parts = (stack: Stack) => Promise<DriveParts>;

/** The drive, and the same in a language. */
function both(operationId: string, status: number, parts: Parts, inLanguage?: { status?: number; parts?: Parts }) {
  const german = inLanguage?.parts ?? parts;
  return [
    { operationId, status, parts },
    {
      operationId: `${operationId}InLanguage`,
      status: inLanguage?.status ?? status,
      parts: async (stack: Stack) => ({ ...(await german(stack)), path: { languageTag: "de" } }),
    },
  ];
}

const nobody = (operationId: string, status = 400): Drive => ({
  operationId,
  status,
  parts: () => ({ authorization: null }),
});

const login: Parts = async (stack) => byBrowser(await atLogin(stack));
const bobsSecret = "JBSWY3DPEHPK3PXP";

/** Bob has an authenticator app; the test adds recovery codes. */
async function bob(stack: Stack) {
  await fetch(`${stack.url}/api/v1/mfa-backchannel/totp/recovery-codes`, {
    method: "POST",
    headers: { authorization: basicAuth, "content-type": "application/json" },
    body: JSON.stringify({ username: accountOf("bob"), codes: ["BOBS-2345", "BOBS-6789"] }),
  });
  return afterPassword(stack, "bob");
}

/** The form of a factor, from the page of choices. */
async function bobAt(stack: Stack, path: string) {
  const { browser } = await bob(stack);
  return { browser, page: await browser.open(path) };
}

async function lostPhoneCode(stack: Stack): Promise<string> {
  const answer = await askAdmin(stack, "POST", "/api/v1/console/lost-phone-codes", {
    body: { username: accountOf("bob") },
  });
  return String(answer.body["code"]);
}

const asBob: Parts = async (stack) => byBrowser(await bob(stack));

const passkey: Parts = async (stack) => {
  const key = await alicesPasskey(stack);
  const at = await atLogin(stack);
  const { challenge } = await challengeAt(at, "/login/webauthn/begin");
  return byScript(at, { credential: key.get(challenge) });
};

export const loginDrives: readonly Drive[] = [
  ...both("loginPage", 200, login),
  nobody("loginPage"),
  {
    operationId: "loginPageInLanguage",
    status: 404,
    parts: () => ({ path: { languageTag: "x" }, authorization: null }),
  },
  ...both("login", 302, async (stack) => byForm(await atLogin(stack), credentialsOf("alice")), {
    status: 200,
    parts: async (stack) => byForm(await atLogin(stack), { ...credentialsOf("alice"), password: "wrong" }),
  }),
  {
    operationId: "login",
    status: 400,
    parts: () => ({
      authorization: null,
      body: { type: "application/x-www-form-urlencoded", value: { ...credentialsOf("alice"), csrf_token: "none" } },
    }),
  },
  { operationId: "rootPage", status: 302, parts: () => ({ authorization: null }) },
  ...both("mfaPage", 200, asBob),
  ...both("restartLogin", 302, asBob),
  ...both("cancelLogin", 302, async (stack) => byForm(await atClientLogin(stack), {})),
  {
    operationId: "cancelLogin",
    status: 400,
    parts: () => ({
      authorization: null,
      body: { type: "application/x-www-form-urlencoded", value: { csrf_token: "none" } },
    }),
  },
  ...both("totpPage", 200, asBob),
  ...both(
    "totpSignIn",
    302,
    async (stack) => byForm(await bobAt(stack, "/login/totp"), { code: totpCode(bobsSecret) }),
    {
      status: 200,
      parts: async (stack) => byForm(await bobAt(stack, "/login/totp"), { code: "none" }),
    },
  ),
  ...both("recoveryPage", 200, asBob),
  ...both(
    "recoverySignIn",
    302,
    async (stack) => byForm(await bobAt(stack, "/login/recovery"), { code: "BOBS-2345" }),
    {
      status: 200,
      parts: async (stack) => byForm(await bobAt(stack, "/login/recovery"), { code: "none" }),
    },
  ),
  ...both("lostPhonePage", 200, asBob),
  ...both("lostPhoneSignIn", 302, async (stack) =>
    byForm(await bobAt(stack, "/login/lost-phone"), { code: await lostPhoneCode(stack) }),
  ),
  ...both("codesLowPage", 302, asBob),
  ...both("passwordWarningPage", 302, asBob),
  ...both("webauthnPage", 302, asBob),
  ...both("beginWebauthnSignIn", 200, login),
  ...both("finishWebauthnSignIn", 200, passkey),
  {
    operationId: "finishWebauthnSignIn",
    status: 400,
    parts: async (stack) => byScript(await atLogin(stack), { credential: {} }),
    breaksSchema: true,
  },
  ...both("loggedOutPage", 200, async () => ({ authorization: null })),
];
