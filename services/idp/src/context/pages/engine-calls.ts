import { authenticate } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import type { FrontendSettings } from "../../frontend-settings.ts";
import { createLookUpAccount, createPasswordCheck } from "../../login/password-check.ts";
import type { LoginDeps } from "../../routes/login/deps.ts";

/** The calls that only an engine can answer. */
export function createEngineCalls(bus: Bus, { pages }: FrontendSettings): Pick<LoginDeps, "checkPassword" | "lookUp"> {
  const tls = !pages.issuer.startsWith("http://");
  const decide: Parameters<typeof createPasswordCheck>[0]["decide"] = (request, context) =>
    bus.request(authenticate, request, context);
  return { checkPassword: createPasswordCheck({ decide, tls }), lookUp: createLookUpAccount({ decide, tls }) };
}
