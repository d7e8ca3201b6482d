import { pathTo } from "@postern/shared/contracts";
import { readCredential, type StoredCredential } from "@postern/shared/domain/passkeys";
import { readDone } from "../pages/done.ts";
import { passkeysPage, type ShownPasskey, webauthnEnrolmentPage } from "../pages/templates/webauthn.ts";
import type { FactorState } from "../second-factors/factor-store-nats.ts";
import { readRegistration } from "../second-factors/webauthn/browser-answer.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { cookieNames } from "../sessions/cookies.ts";
import { noteDone, sendProblem, sendTo, showPage, textIn } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { noteShown, placeAfterFactor, ways } from "./enrolment.ts";
import { backTo, type FreshHandler, here, type Member, sendRefusal } from "./member.ts";
import { codesGoneNote, confirming, isDemanded } from "./removal.ts";
import { cleanName } from "./self-service.ts";

const enrolmentPath = pathTo("webauthnRegistrationPage");
const listPath = pathTo("webauthnDevicesPage");

const shownName = ({ id, name }: StoredCredential): string => (name === "" ? id.slice(0, 8) : name);

function passkeysOf({ webauthnCredentials }: FactorState): readonly StoredCredential[] {
  return webauthnCredentials.flatMap((text) => readCredential(text) ?? []);
}

function shownPasskey(credential: StoredCredential): ShownPasskey {
  const { id, createdMs, lastUsedMs, isBackedUp } = credential;
  return {
    id,
    name: shownName(credential),
    createdMs,
    lastUsedMs,
    isBackedUp,
    rename: pathTo("renameWebauthnDevice", { id }),
    remove: pathTo("webauthnDeviceRemovalPage", { id }),
  };
}

/** JSON about the account's passkeys for the user's password manager; undefined if it can have none of them. */
export async function passkeySignals(
  { ceremonies }: Pick<AccountContext, "ceremonies">,
  { uid: owner, displayName }: BrowserSessionRecord,
  { account, webauthnCredentials: credentials }: FactorState,
  wasRemoved: boolean,
): Promise<string | undefined> {
  const signals = await ceremonies.signals({ owner, account, displayName, credentials, wasRemoved });
  return signals === undefined ? undefined : JSON.stringify(signals);
}

/** `GET /mfa/webauthn/devices` */
export const getPasskeys: FreshHandler = async (context, visit, { session, csrfToken }, state) => {
  const { pages } = context;
  const done = readDone(pages.cookies.read(visit.request.headers.cookie, cookieNames.done));
  const wasRemoved = done.includes("passkey_removed") || done.includes("passkeys_removed");
  const view = {
    csrfToken,
    passkeys: passkeysOf(state).map(shownPasskey),
    signals: await passkeySignals(context, session, state, wasRemoved),
    add: here(visit, enrolmentPath),
    removeAll: here(visit, pathTo("webauthnRemovalPage")),
    problem: undefined,
    ...backTo(visit),
  };
  return showPage(pages, visit, { page: passkeysPage, view });
};

/** `GET /mfa/webauthn/register` */
export const getPasskeyEnrolment: FreshHandler = async (context, visit, member) => {
  const { links, options } = await ways(context, visit, member, listPath);
  const view = {
    begin: pathTo("beginWebauthnRegistration"),
    finish: here(visit, pathTo("finishWebauthnRegistration")),
    csrfToken: member.csrfToken,
    ...links,
  };
  return showPage(context.pages, visit, { page: webauthnEnrolmentPage, view, ...options });
};

/** The options with which a browser creates a passkey. */
export function beginRegistration(
  { ceremonies }: Pick<AccountContext, "ceremonies">,
  { uid: owner, displayName }: BrowserSessionRecord,
  { account, webauthnCredentials: credentials }: FactorState,
) {
  return ceremonies.beginRegistration({ owner, account, displayName, credentials });
}

/** `GET /mfa/webauthn/register/begin` */
export const beginPasskeyEnrolment: FreshHandler = async (context, { reply }, { session }, state) => {
  const publicKey = await beginRegistration(context, session, state);
  return reply.header("cache-control", "no-store").send({ publicKey });
};

/** Stores the passkey that a browser has created. `malformed`: the body contains none. */
export async function addPasskey(
  context: AccountContext,
  member: Pick<Member, "session" | "owner">,
  state: FactorState,
  body: unknown,
) {
  const response = readRegistration(body);
  if (response === undefined) return "malformed";
  const name = cleanName(textIn(body, "name") ?? "", `Passkey ${state.webauthnCredentials.length + 1}`);
  const outcome = await context.self.addPasskey(member.owner, response, name);
  if (outcome === "done") await noteShown(context, member, "webauthn");
  return outcome;
}

/** `POST /mfa/webauthn/register/finish`: JSON from the page's script, 200 `{redirect}` or 400 `{error}`. */
export const finishPasskeyEnrolment: FreshHandler = async (context, visit, member, state) => {
  const { reply, request } = visit;
  reply.header("cache-control", "no-store");
  const outcome = await addPasskey(context, member, state, request.body);
  if (outcome === "malformed") return reply.code(400).send({ error: "invalid_request" });
  if (outcome !== "done") return reply.code(400).send({ error: outcome });
  noteDone(context.pages, visit, "passkey_added");
  return reply.send({
    redirect: await placeAfterFactor(context, visit, member, { before: state, page: listPath }),
  });
};

/** `POST /mfa/webauthn/device/:id/name` */
export const renamePasskey: FreshHandler = async (context, visit, { owner }) => {
  const { pages, self } = context;
  const name = cleanName(visit.form.one("name") ?? "", "");
  if (name === "") return sendProblem(pages, visit, "request", { href: listPath });
  const outcome = await self.renamePasskey(owner, visit.param("id") ?? "", name);
  const refusal = sendRefusal(context, visit, outcome, listPath);
  if (refusal !== undefined) return refusal;
  if (outcome === "done") noteDone(pages, visit, "passkey_renamed");
  return sendTo(visit.reply, listPath);
};

/** `GET /mfa/webauthn/remove` for all, `GET /mfa/webauthn/device/:id/remove` for one. */
export const getPasskeyRemoval = confirming(listPath, (state, id) => {
  const names = passkeysOf(state)
    .filter((passkey) => id === undefined || passkey.id === id)
    .map(shownName);
  if (names.length === 0) return undefined;
  if (id !== undefined) {
    return { what: "passkey", names, action: pathTo("deleteWebauthnDevice", { id }), gone: { passkeys: 1 } };
  }
  const gone = { passkeys: state.webauthnCredentials.length };
  return { what: "passkeys", names, action: pathTo("deleteWebauthn"), gone };
});

/** `DELETE /mfa/webauthn` removes all passkeys, `DELETE /mfa/webauthn/device/:id` one. */
export const removePasskeys: FreshHandler = async (context, visit, { owner }, state) => {
  const { pages, self, ceremonies } = context;
  const id = visit.param("id");
  const { account, webauthnCredentials: credentials } = state;
  const gone = { passkeys: id === undefined ? credentials.length : 1 };
  if (await isDemanded(context, owner.account, state, gone)) {
    return sendProblem(pages, visit, "required", { href: listPath });
  }
  await ceremonies.noteRemoved({ owner: owner.sessionUid, account, credentials });
  const outcome = await self.removePasskeys(owner, id);
  const refusal = sendRefusal(context, visit, outcome, listPath);
  if (refusal !== undefined) return refusal;
  if (outcome === "done") {
    noteDone(pages, visit, id === undefined ? "passkeys_removed" : "passkey_removed", ...codesGoneNote(state, gone));
  }
  return sendTo(visit.reply, listPath);
};
