import type { Stack } from "../../../support/stack.ts";
import { totpCode } from "../../../support/totp-code.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { type At, afterPassword, byBrowser, byForm, byScript, member, memberAt, newPasskey } from "../pages-browser.ts";

type Parts = (stack: Stack) => Promise<DriveParts>;
interface Row {
  readonly operationId: string;
  readonly status: number;
  readonly parts: Parts;
}

const inGerman = ({ operationId, status, parts }: Row): Row => ({
  operationId: `${operationId}InLanguage`,
  status,
  parts: async (stack) => {
    const found = await parts(stack);
    return { ...found, path: { ...found.path, languageTag: "de" } };
  },
});
const both = (operationId: string, status: number, parts: Parts): readonly Row[] => {
  const row = { operationId, status, parts };
  return [row, inGerman(row)];
};

const asCarol: Parts = async (stack) => byBrowser(await member(stack, "carol"));
const at = (path: string) => (stack: Stack) => memberAt(stack, "carol", path);
const formAt =
  (path: string, fields: Readonly<Record<string, string>> = {}): Parts =>
  async (stack) =>
    byForm(await at(path)(stack), fields);

const seen = (operationId: string): readonly Drive[] => [
  ...both(operationId, 200, asCarol),
  { operationId, status: 401, parts: () => ({ authorization: null }) },
];

/** A page that always has a form, whose token is that of the session. */
const formPage = at("/mfa/totp/register");

type PathOf = (stack: Stack) => Promise<Readonly<Record<string, string>>>;

/** Removes by DELETE, by a form, and by the form in a language if there is one. */
function gone(operationId: string, pathOf?: PathOf): readonly Row[] {
  const path = async (stack: Stack) => (pathOf === undefined ? {} : { path: await pathOf(stack) });
  const remove: Parts = async (stack) => ({ ...byScript(await formPage(stack)), ...(await path(stack)) });
  const form: Parts = async (stack) => ({
    ...byForm(await formPage(stack), { _method: "DELETE" }),
    ...(await path(stack)),
  });
  const byFormId = `${operationId}ByForm`;
  const forms =
    pathOf === undefined ? both(byFormId, 302, form) : [{ operationId: byFormId, status: 302, parts: form }];
  return [{ operationId, status: 302, parts: remove }, ...forms];
}

const secretIn = ({ page }: At): string =>
  (/<code class="secret">([A-Z2-7 ]+)</.exec(page.text)?.[1] ?? "").replaceAll(" ", "");

const totp: Parts = async (stack) => {
  const found = await at("/mfa/totp/register")(stack);
  return byForm(found, { code: totpCode(secretIn(found)) });
};

/** The codes that a page has shown, ready to be stored. */
const drafted: Parts = async (stack) => {
  const found = await at("/mfa/recovery/register")(stack);
  return byForm({ ...found, page: await found.browser.submit(found.page, {}) }, {});
};

const stale = formAt("/mfa/recovery/register", { set: "another" });

const passkey: Parts = async (stack) => {
  const found = await at("/mfa/webauthn/register")(stack);
  const { credential } = await newPasskey(stack, found, "/mfa/webauthn/register/begin");
  return byScript(found, { credential, name: "Key" });
};

const devices = "/mfa/webauthn/devices";
const appPasswords = "/mfa/app-passwords";

const firstIn =
  (path: string, pattern: RegExp): PathOf =>
  async (stack) => {
    const [, id] = pattern.exec((await at(path)(stack)).page.text) ?? [];
    if (id === undefined) throw new Error(`${path} lists nothing`);
    return { id };
  };
const deviceIn = firstIn(devices, /\/mfa\/webauthn\/device\/([\w-]+)\/remove"/u);
const appPasswordIn = firstIn(appPasswords, /\/mfa\/app-password\/([0-9a-f]{16})\/remove"/u);
const nobodys = (id: string) => async () => ({ id });

const confirmed: Parts = async (stack) => ({
  ...byForm(await formPage(stack), {}),
  path: { id: "none" },
});

/** In the order in which carol sends them: she has recovery codes and an app password, and neither app nor passkey. */
export const selfServiceDrives: readonly Drive[] = [
  ...both("registrationHome", 200, asCarol),
  { operationId: "registrationHome", status: 302, parts: () => ({ authorization: null }) },
  ...both("continueRegistration", 302, asCarol),
  ...both("cancelRegistration", 302, asCarol),
  { operationId: "cancelRegistration", status: 401, parts: () => ({ authorization: null }) },
  ...seen("mailClientsPage"),
  ...both("mailClientPage", 200, async (stack) => ({ ...(await asCarol(stack)), path: { client: "thunderbird" } })),
  {
    operationId: "mailClientPage",
    status: 404,
    parts: async (stack) => ({ ...(await asCarol(stack)), path: { client: "none" } }),
  },
  {
    operationId: "createMailClientPassword",
    status: 200,
    parts: async (stack) => ({
      ...byForm(await at("/mfa/mail-client/android")(stack), { label: "Phone" }),
      path: { client: "android" },
    }),
  },
  ...seen("totpRegistrationPage"),
  inGerman({ operationId: "registerTotp", status: 200, parts: formAt("/mfa/totp/register", { code: "000000" }) }),
  { operationId: "registerTotp", status: 302, parts: totp },
  { operationId: "registerTotp", status: 400, parts: formAt("/mfa/totp/register", { code: "1", csrf_token: "none" }) },
  ...seen("recoveryCodesPage"),
  ...both("draftRecoveryCodes", 200, formAt("/mfa/recovery/register")),
  { operationId: "saveDraftedRecoveryCodes", status: 302, parts: drafted },
  // These codes were never shown: storing takes ten hashes, which once is enough.
  inGerman({ operationId: "saveDraftedRecoveryCodes", status: 302, parts: stale }),
  ...both("saveRecoveryCodes", 302, stale),
  ...seen("webauthnRegistrationPage"),
  ...both("beginWebauthnRegistration", 200, asCarol),
  ...both("finishWebauthnRegistration", 200, passkey),
  {
    operationId: "finishWebauthnRegistration",
    status: 400,
    parts: async (stack) => byScript(await at("/mfa/webauthn/register")(stack), {}),
    breaksSchema: true,
  } as const,
  ...seen("webauthnDevicesPage"),
  {
    operationId: "renameWebauthnDevice",
    status: 302,
    parts: async (stack) => ({
      ...byForm(await formPage(stack), { name: "Other" }),
      path: await deviceIn(stack),
    }),
  },
  ...seen("webauthnRemovalPage"),
  ...both("webauthnDeviceRemovalPage", 200, async (stack) => ({
    ...(await asCarol(stack)),
    path: await deviceIn(stack),
  })),
  ...gone("deleteWebauthnDevice", deviceIn),
  ...gone("deleteWebauthn"),
  ...seen("totpRemovalPage"),
  ...gone("deleteTotp"),
  ...seen("appPasswordsPage"),
  ...both("createAppPassword", 200, formAt(appPasswords, { label: "Phone" })),
  ...both("appPasswordRemovalPage", 200, async (stack) => ({
    ...(await asCarol(stack)),
    path: await appPasswordIn(stack),
  })),
  ...gone("deleteAppPassword", appPasswordIn),
  ...seen("sessionsPage"),
  ...seen("recentSignInsPage"),
  {
    operationId: "endOtherSessions",
    status: 302,
    parts: async (stack) => {
      await afterPassword(stack, "carol");
      return byScript(await formPage(stack));
    },
  },
  ...gone("endOtherSessions"),
  ...gone("endSessionOfUser", nobodys("none")),
  ...gone("forgetDevices"),
  ...gone("forgetDevice", nobodys("none")),
  ...seen("suspiciousSignInsPage"),
  { operationId: "confirmSuspiciousSignIn", status: 302, parts: confirmed },
  ...both("secureAccount", 302, async (stack) => {
    await afterPassword(stack, "carol");
    return byForm(await formPage(stack), {});
  }),
  ...seen("applicationsPage"),
  ...gone("disconnectApplication", nobodys("demo-web")),
  {
    operationId: "logoutPost",
    status: 302,
    parts: async (stack) => {
      const { browser } = await afterPassword(stack, "carol");
      return byForm({ browser, page: await browser.open("/logout") }, {});
    },
  },
];
