import { type MessageName, type ReadMessage, readPosted, readRedirected } from "../../saml/inbound/read-message.ts";
import { checkedRelayState, parameterOf, readRedirectQuery } from "../../saml/inbound/redirect-query.ts";
import type { Provider } from "../../saml/providers.ts";
import { SamlRefusal } from "../../saml/refusal.ts";
import type { Visit } from "../visit.ts";
import type { SamlRoutesDeps } from "./deps.ts";

function deps({ providers }: SamlRoutesDeps, names: readonly MessageName[]) {
  return { findSender: (entityId: string) => providers().sender(entityId), names };
}

/** What follows `?`, as it came: signatures are over these very characters. */
function rawQuery({ request }: Visit): string {
  const url = request.raw.url ?? "";
  const cut = url.indexOf("?");
  return cut < 0 ? "" : url.slice(cut + 1);
}

/** The message of a GET. @throws SamlRefusal */
export function readQuery(route: SamlRoutesDeps, visit: Visit, names: readonly MessageName[]): ReadMessage<Provider> {
  return readRedirected(readRedirectQuery(rawQuery(visit)), deps(route, names));
}

/** The message of a POST. @throws SamlRefusal */
export function readForm(route: SamlRoutesDeps, { form }: Visit, names: readonly MessageName[]): ReadMessage<Provider> {
  const once = (name: string): string | undefined => {
    const values = form.all(name);
    if (values.length > 1) throw new SamlRefusal("parameters", `${name} comes twice`);
    return values[0];
  };
  const parameter = parameterOf((name) => once(name) !== undefined);
  const relayState = checkedRelayState(once("RelayState"));
  return readPosted({ parameter, message: once(parameter) ?? "", relayState }, deps(route, names));
}
