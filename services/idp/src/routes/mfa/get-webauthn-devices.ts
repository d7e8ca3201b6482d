import { pathTo } from "@postern/shared/contracts";
import { readCredential, type StoredCredential } from "@postern/shared/domain/passkeys";
import { readDone } from "../../pages/done.ts";
import { passkeysPage, type ShownPasskey } from "../../pages/templates/webauthn.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import { forFresh, here, homePath } from "./member.ts";

const enrolment = pathTo("webauthnRegistrationPage");
const devices = pathTo("webauthnDevicesPage");

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
    const done = readDone(pages.cookies.read(visit.request.headers.cookie, cookieNames.done));
    const signals = await deps.ceremonies.signals({
      owner: member.subject.sessionUid,
      account: state.account,
      displayName: member.session.displayName,
      credentials: state.webauthnCredentials,
      wasRemoved: done.includes("passkey_removed") || done.includes("passkeys_removed"),
    });
    const view = {
      csrfToken: member.csrfToken,
      passkeys,
      signals: signals === undefined ? undefined : JSON.stringify(signals),
      add: here(visit, enrolment),
      removeAll: here(visit, pathTo("webauthnRemovalPage")),
      problem: undefined,
      back: here(visit, homePath),
      cancel: undefined,
    };
    return sendShown(visit.reply, pages.show(passkeysPage, view, lookOf(pages, visit)));
  });
}
