import { AppError } from "@postern/shared/platform/errors";
import {
  type MessageName,
  type ReadDeps,
  type ReadMessage,
  readPosted,
  readRedirected,
} from "../../saml/inbound/read-message.ts";
import { checkedRelayState, parameterOf, readRedirectQuery } from "../../saml/inbound/redirect-query.ts";
import { namingSender, SamlRefusal } from "../../saml/protocol/refusal.ts";
import type { Provider } from "../../saml/providers.ts";
import type { Visit } from "../visit.ts";
import type { SamlRoutesDeps } from "./deps.ts";

type Read = ReadMessage<Provider>;

/** Waits for the metadata of a service provider that is being requested. */
async function readKnown(
  { providers, lookedFor }: SamlRoutesDeps,
  names: readonly MessageName[],
  read: (deps: ReadDeps<Provider>) => Read,
): Promise<Read> {
  let senderId = "";
  const findSender = (entityId: string): Provider | undefined => {
    senderId = entityId;
    return providers().sender(entityId);
  };
  return namingSender(
    () => senderId,
    async () => {
      try {
        return read({ findSender, names });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "UPSTREAM_UNAVAILABLE") throw error;
      }
      await lookedFor(senderId);
      return read({ findSender, names });
    },
  );
}

/** The raw query, because signatures cover exactly these characters. */
function rawQuery({ request }: Visit): string {
  const url = request.raw.url ?? "";
  const cut = url.indexOf("?");
  return cut < 0 ? "" : url.slice(cut + 1);
}

/** The message of a GET. @throws SamlRefusal */
export async function readQuery(route: SamlRoutesDeps, visit: Visit, names: readonly MessageName[]): Promise<Read> {
  const query = readRedirectQuery(rawQuery(visit));
  return readKnown(route, names, (deps) => readRedirected(query, deps));
}

/** The message of a POST. @throws SamlRefusal */
export async function readForm(route: SamlRoutesDeps, { form }: Visit, names: readonly MessageName[]): Promise<Read> {
  const once = (name: string): string | undefined => {
    const values = form.all(name);
    if (values.length > 1) throw new SamlRefusal("parameters", `${name} occurs twice`);
    return values[0];
  };
  const parameter = parameterOf((name) => once(name) !== undefined);
  const posted = { parameter, message: once(parameter) ?? "", relayState: checkedRelayState(once("RelayState")) };
  return readKnown(route, names, (deps) => readPosted(posted, deps));
}
