import { pathTo } from "@postern/shared/contracts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { confirming } from "./removal.ts";

const totpPage = pathTo("totpRegistrationPage");

export function getTotpRemoval(deps: LoginDeps): VisitHandler {
  return confirming(deps, totpPage, ({ hasTotp }) =>
    hasTotp
      ? { what: "totp", names: [], action: pathTo("deleteTotp"), back: totpPage, gone: { totp: true } }
      : undefined,
  );
}
