import { pathTo } from "@postern/shared/contracts";
import type { ReadMessage } from "../../saml/inbound/read-message.ts";
import { namingSender } from "../../saml/protocol/refusal.ts";
import type { Provider } from "../../saml/providers.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendTo } from "../visit.ts";
import { refusing } from "./answers.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { readForm } from "./read-visit.ts";

/** @returns the id under which the request is stored. @throws SamlRefusal with the service provider */
export function received({ sso }: SamlRoutesDeps, read: ReadMessage<Provider>): Promise<string> {
  return namingSender(
    () => read.sender.entityId,
    () => sso.receive(read),
  );
}

/**
 * `POST /saml/sso`: another site's form arrives without our Lax cookies, so the browser is redirected to repeat the
 * request by GET.
 */
export function postSso(deps: SamlRoutesDeps): VisitHandler {
  return refusing(deps, async (visit) => {
    const id = await received(deps, await readForm(deps, visit, ["AuthnRequest"]));
    return sendTo(visit.reply, `${pathTo("samlSignIn")}?${new URLSearchParams({ request: id }).toString()}`);
  });
}
