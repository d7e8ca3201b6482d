import type { VisitHandler } from "../page-routes.ts";
import { type CodeFactor, showFactor } from "./code-factor.ts";
import type { LoginDeps } from "./deps.ts";
import { flowAtFactor } from "./flow-at-factor.ts";

export function getFactor(deps: LoginDeps, factor: CodeFactor): VisitHandler {
  return async (visit) => {
    const found = await flowAtFactor(deps, visit, factor.method);
    return found === undefined ? visit.reply : showFactor(deps, visit, factor, found);
  };
}
