import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { forFresh } from "./member.ts";
import { page, show } from "./show-app-passwords.ts";

export function getAppPasswords(deps: LoginDeps): VisitHandler {
  return forFresh(deps, page, (visit, member) => show(deps, visit, member));
}
