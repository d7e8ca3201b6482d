import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { forFresh } from "./member.ts";
import { page, show } from "./show-totp.ts";

export function getTotp(deps: LoginDeps): VisitHandler {
  return forFresh(deps, page, (visit, member, state) => show(deps, visit, member, { state }));
}
