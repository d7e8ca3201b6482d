import type { Clock } from "@postern/shared/time";
import { checkHead } from "../inbound/check-message.ts";
import { readLogoutResponse } from "../inbound/logout-messages.ts";
import type { ReadMessage } from "../inbound/read-message.ts";
import type { SamlKeys } from "../keys/saml-keys.ts";
import { statusCodes } from "../names.ts";
import { logoutRequestOf } from "../outbound/logout-xml.ts";
import { redirectAddress } from "../outbound/send.ts";
import type { Provider, Providers } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { newId } from "../sso/new-id.ts";
import type { Asked, Journeys } from "./journey.ts";
import type { ReportTelling } from "./report-telling.ts";

export interface FrontChannelDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly keys: () => Promise<SamlKeys>;
  readonly journeys: Journeys;
  readonly report: ReportTelling;
  readonly clock: Clock;
}

/** Logout requests of ours that go through the browser. */
export interface FrontChannel {
  /** The address that tells the service of this place in the journey; undefined where nobody is to be asked. */
  addressFor(journeyId: string, index: number, isFramed: boolean): Promise<string | undefined>;
  /** The answer of a service provider, which names a request of ours that is answered once. @throws SamlRefusal */
  receive(read: ReadMessage<Provider>): Promise<Asked>;
}

export function createFrontChannel(deps: FrontChannelDeps): FrontChannel {
  const { settings, providers, keys, journeys, report, clock } = deps;
  return {
    addressFor: async (journeyId, index, isFramed) => {
      const now = await journeys.find(journeyId);
      const service = now?.journey.services[index];
      if (service?.channel !== "browser" || now?.results.get(index) === "done") return undefined;
      const location = providers().find(service.entityId)?.config.slo_url ?? "";
      const id = newId();
      const asked = { journeyId, index, entityId: service.entityId, isFramed };
      if (location === "" || !(await journeys.ask(id, asked))) return undefined;
      const head = { id, issuer: settings().entityId, destination: location, nowMs: clock.now() };
      const signer = await keys();
      const wanted = { location, parameter: "SAMLRequest", relayState: undefined, signer } as const;
      return redirectAddress(logoutRequestOf(head, service), wanted);
    },
    receive: async ({ root, sender: { entityId, keys: certified }, isSigned }) => {
      checkHead(root, { destination: settings().addresses.slo, nowMs: clock.now(), isSigned });
      // saml-profiles §4.4.4.2: what comes through the browser is signed. Without a certificate nobody could look.
      if (!isSigned && certified.length > 0) throw new SamlRefusal("signature_missing", "LogoutResponse");
      const { inResponseTo, status, detail } = readLogoutResponse(root);
      const asked = await journeys.takeAsked(inResponseTo, entityId);
      if (asked === undefined) throw new SamlRefusal("unknown_request", "no logout request of ours waits for it");
      const result = status === statusCodes.success ? "done" : "refused";
      await journeys.note(asked.journeyId, asked.index, result);
      report({ channel: "browser", result, entityId, status: detail ?? status });
      return asked;
    },
  };
}
