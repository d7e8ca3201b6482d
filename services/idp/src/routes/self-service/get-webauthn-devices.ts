import { pathTo } from "@postern/shared/contracts";
import { readCredential, type StoredCredential } from "../../mfa/webauthn/stored-credential.ts";
import { passkeysPage, type ShownPasskey } from "../../pages/templates/webauthn.ts";
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
