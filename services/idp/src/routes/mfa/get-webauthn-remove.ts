import { pathTo } from "@postern/shared/contracts";
import { readCredential } from "@postern/shared/domain/passkeys";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { confirming } from "./removal.ts";

const devices = pathTo("webauthnDevicesPage");

function named(state: FactorState): readonly { readonly id: string; readonly name: string }[] {
  return state.webauthnCredentials
    .map((text) => readCredential(text))
    .flatMap((known) => (known === undefined ? [] : [{ id: known.id, name: known.name || known.id.slice(0, 8) }]));
}

/** `GET /mfa/webauthn/remove` for all, `GET /mfa/webauthn/device/:id/remove` for one. */
export function getPasskeyRemoval(deps: LoginDeps): VisitHandler {
  return confirming(deps, devices, (state, id) => {
    const passkeys = named(state).filter((passkey) => id === undefined || passkey.id === id);
    const names = passkeys.map(({ name }) => name);
    if (names.length === 0) return undefined;
    return id === undefined
      ? {
          what: "passkeys",
          names,
          action: pathTo("deleteWebauthn"),
          back: devices,
          gone: { passkeys: state.webauthnCredentials.length },
        }
      : {
          what: "passkey",
          names,
          action: pathTo("deleteWebauthnDevice", { id }),
          back: devices,
          gone: { passkeys: 1 },
        };
  });
}
