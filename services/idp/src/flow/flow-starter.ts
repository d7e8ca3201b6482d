import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pathTo } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import { cookieNames, type SiteCookies } from "../sessions/cookies.ts";
import { browserDigest, isBrowserToken, newBrowserToken } from "./browser-binding.ts";
import { localPath, pageUrlOf } from "./flow-paths.ts";
import type { FlowStarter } from "./flow-port.ts";
import type { FlowClient } from "./flow-record.ts";
import type { FlowStore, NewFlow } from "./flow-store-redis.ts";
import { type FlowState, mayBegin } from "./flow-table.ts";

/** A sign-in that a SAML service provider requested. */
export interface SamlStart {
  /** Becomes the flow's id. */
  readonly id: string;
  readonly client: FlowClient;
  readonly loginHint: string | undefined;
  /** The account that is already signed in. */
  readonly accountId: string | undefined;
  readonly languageTag: string | undefined;
}

export interface SelfServiceStart {
  /** Path of the identity provider to which the sign-in leads. */
  readonly returnTo: string;
  readonly languageTag: string | undefined;
  /** The signed-in account that must authenticate again. */
  readonly accountId?: string;
}

/** Starts flows and binds them to the requesting browser. */
export interface FlowStarts extends FlowStarter {
  startSaml(request: IncomingMessage, response: ServerResponse, flow: SamlStart): Promise<string>;
  /** For a user who enters a device's code first. @returns the flow's id and the browser's token, for the page */
  startDevice(
    request: IncomingMessage,
    response: ServerResponse,
    languageTag: string | undefined,
  ): Promise<{ readonly id: string; readonly browserToken: string }>;
  startSelfService(request: IncomingMessage, response: ServerResponse, flow: SelfServiceStart): Promise<string>;
  /** Returns the browser's flow cookie and sets one if there is none. */
  bind(request: IncomingMessage, response: ServerResponse): string;
}

const ownFlowMs = 10 * 60 * 1000;

type Wanted = Omit<NewFlow, "browser">;

/**
 * @param clock the clock that all replicas share.
 */
export function createFlowStarter(flows: FlowStore, cookies: SiteCookies, clock: Clock): FlowStarts {
  /** The cookie is the same for all flows of the browser, so that several tabs share it. */
  const browserOf = (request: IncomingMessage, response: ServerResponse): string => {
    const kept = cookies.read(request.headers.cookie, cookieNames.flow);
    if (isBrowserToken(kept)) return kept;
    const token = newBrowserToken();
    response.appendHeader("set-cookie", cookies.set(cookieNames.flow, token));
    return token;
  };
  const begin = async (request: IncomingMessage, response: ServerResponse, wanted: Wanted): Promise<string> => {
    if (!mayBegin(wanted.kind, wanted.state)) throw new RangeError(`${wanted.kind} cannot begin at ${wanted.state}`);
    const flow = { ...wanted, browser: browserDigest(browserOf(request, response)) };
    if (!(await flows.begin(flow))) throw new RangeError("a flow with this id exists");
    const place = pageUrlOf({ ...flow, version: 1 }, wanted.languageTag);
    return place ?? localPath(pathTo("loginPage"), wanted.languageTag, { flow: flow.id });
  };
  return {
    startOidc: (request, response, { interactionUid, prompt, ...rest }) => {
      const state: FlowState = prompt === "consent" ? "consent" : "login";
      return begin(request, response, { ...rest, id: interactionUid, kind: "oidc", state, prompt });
    },
    startSaml: (request, response, { id, client, loginHint, accountId, languageTag }) =>
      begin(request, response, {
        id,
        kind: "saml",
        state: "login",
        client,
        expiresAtMs: clock.now() + ownFlowMs,
        ...(loginHint === undefined ? {} : { params: { loginHint } }),
        ...(accountId === undefined ? {} : { accountId }),
        ...(languageTag === undefined ? {} : { languageTag }),
      }),
    startDevice: async (request, response, languageTag) => {
      const id = randomBytes(24).toString("base64url");
      const browserToken = browserOf(request, response);
      const times = { expiresAtMs: clock.now() + ownFlowMs };
      const tag = languageTag === undefined ? {} : { languageTag };
      await flows.begin({ id, kind: "device", state: "code", browser: browserDigest(browserToken), ...times, ...tag });
      return { id, browserToken };
    },
    bind: browserOf,
    startSelfService: (request, response, { returnTo, languageTag, accountId }) =>
      begin(request, response, {
        id: randomBytes(24).toString("base64url"),
        kind: "self_service",
        state: "login",
        returnTo,
        expiresAtMs: clock.now() + ownFlowMs,
        ...(languageTag === undefined ? {} : { languageTag }),
        ...(accountId === undefined ? {} : { accountId }),
      }),
  };
}
