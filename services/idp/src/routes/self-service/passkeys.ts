import { pathTo } from "@postern/shared/contracts";
import { cleanName } from "../../mfa/self-service.ts";
import { readRegistration } from "../../mfa/webauthn/browser-answer.ts";
import { readCredential, type StoredCredential } from "../../mfa/webauthn/stored-credential.ts";
import { passkeysPage, type ShownPasskey, webauthnEnrolmentPage } from "../../pages/templates/webauthn.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, noteDone, sendProblem, sendShown, sendTo } from "../visit.ts";
import { isDemanded } from "./demands.ts";
import { noteShown, placeAfterFactor, ways } from "./enrolled.ts";
import { forFresh, here, homePath } from "./member.ts";
import { codesGone } from "./removal.ts";

const enrolment = pathTo("webauthnRegistrationPage");
const devices = pathTo("webauthnDevicesPage");

export function getPasskeyEnrolment(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forFresh(deps, enrolment, async (visit, member) => {
    const { links, options } = await ways(deps, visit, member, devices);
    const view = {
      begin: pathTo("beginWebauthnRegistration"),
      finish: here(visit, pathTo("finishWebauthnRegistration")),
      csrfToken: member.csrfToken,
      ...links,
    };
    return sendShown(visit.reply, pages.show(webauthnEnrolmentPage, view, lookOf(pages, visit), options));
  });
}

export function beginPasskeyEnrolment(deps: LoginDeps): VisitHandler {
  return forFresh(deps, enrolment, async ({ reply }, { session, subject }, state) => {
    const publicKey = await deps.ceremonies.beginRegistration({
      owner: subject.sessionUid,
      account: state.account,
      displayName: session.displayName,
      credentials: state.webauthnCredentials,
    });
    return reply.header("cache-control", "no-store").send({ publicKey });
  });
}

function nameIn(body: unknown): string {
  return typeof body === "object" && body !== null && "name" in body && typeof body.name === "string" ? body.name : "";
}

/** `POST /mfa/webauthn/register/finish`: JSON from the page's script, 200 `{redirect}` or 400 `{error}`. */
export function finishPasskeyEnrolment(deps: LoginDeps): VisitHandler {
  return forFresh(deps, enrolment, async (visit, member, state) => {
    const { reply, request } = visit;
    reply.header("cache-control", "no-store");
    const response = readRegistration(request.body);
    if (response === undefined) return reply.code(400).send({ error: "invalid_request" });
    const name = cleanName(nameIn(request.body), `Passkey ${state.webauthnCredentials.length + 1}`);
    const outcome = await deps.self.addPasskey(member.subject, response, name);
    if (outcome !== "done") return reply.code(400).send({ error: outcome });
    await noteShown(deps, member, "webauthn");
    noteDone(deps.pages, visit, "passkey_added");
    return reply.send({ redirect: await placeAfterFactor(deps, visit, member, { before: state, page: devices }) });
  });
}

function shownOf({ id, name, createdMs, lastUsedMs, isBackedUp }: StoredCredential): ShownPasskey {
  return {
    id,
    name: name === "" ? id.slice(0, 8) : name,
    createdMs,
    lastUsedMs,
    isBackedUp,
    rename: pathTo("renameWebauthnDevice", { id }),
    remove: pathTo("webauthnDeviceRemovalPage", { id }),
  };
}

export function getPasskeys(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forFresh(deps, devices, async (visit, member, state) => {
    const passkeys = state.webauthnCredentials
      .map((text) => readCredential(text))
      .flatMap((credential) => (credential === undefined ? [] : [shownOf(credential)]));
    const view = {
      csrfToken: member.csrfToken,
      passkeys,
      add: here(visit, enrolment),
      removeAll: here(visit, pathTo("webauthnRemovalPage")),
      problem: undefined,
      back: here(visit, homePath),
      cancel: undefined,
    };
    return sendShown(visit.reply, pages.show(passkeysPage, view, lookOf(pages, visit)));
  });
}

/** `DELETE /mfa/webauthn` removes all passkeys, `DELETE /mfa/webauthn/device/:id` one. */
export function deletePasskeys(deps: LoginDeps): VisitHandler {
  const { pages, self } = deps;
  return forFresh(deps, devices, async (visit, { subject }, state) => {
    const id = visit.param("id");
    const gone = { passkeys: id === undefined ? state.webauthnCredentials.length : 1 };
    if (await isDemanded(deps, subject.account, state, gone)) {
      return sendProblem(pages, visit, "required", { href: devices });
    }
    const outcome = await self.removePasskeys(subject, id);
    if (outcome === "refused") return sendProblem(pages, visit, "failed", { href: devices });
    if (outcome === "done") {
      const codes = codesGone(state, gone) > 0 ? ["codes_gone" as const] : [];
      noteDone(pages, visit, id === undefined ? "passkeys_removed" : "passkey_removed", ...codes);
    }
    return sendTo(visit.reply, devices);
  });
}

export function renamePasskey(deps: LoginDeps): VisitHandler {
  const { pages, self } = deps;
  return forFresh(deps, devices, async (visit, { subject }) => {
    const name = cleanName(visit.form.one("name") ?? "", "");
    if (name === "") return sendProblem(pages, visit, "request", { href: devices });
    const outcome = await self.renamePasskey(subject, visit.param("id") ?? "", name);
    if (outcome === "refused") return sendProblem(pages, visit, "failed", { href: devices });
    if (outcome === "done") noteDone(pages, visit, "passkey_renamed");
    return sendTo(visit.reply, devices);
  });
}
