import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pathTo } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import { cookieNames, type SiteCookies } from "../sessions/cookies.ts";
import { browserDigest, isBrowserToken, newBrowserToken } from "./browser-binding.ts";
import { localPath, pageUrlOf } from "./flow-paths.ts";
import type { FlowStore, NewFlow } from "./flow-store-redis.ts";
import { mayBegin } from "./flow-table.ts";

/** An interaction of the OIDC provider, which starts a flow. */
export type OidcFlowStart = Required<
  Pick<NewFlow, "prompt" | "reasons" | "client" | "params" | "missing" | "acceptsDevice">
> &
  Pick<NewFlow, "languageTag" | "accountId" | "expiresAtMs"> & {
    /** Becomes the flow's id. */
    readonly interactionUid: string;
  };

/** A sign-in that a SAML service provider requested. Its `id` becomes the flow's. */
type SamlStart = Required<Pick<NewFlow, "id" | "client" | "acceptsDevice" | "reasons">> &
  Readonly<Record<"loginHint" | "accountId" | "languageTag", string | undefined>>;

interface SelfServiceStart {
  /** Path of the identity provider to which the sign-in leads. */
  readonly returnTo: string;
  readonly languageTag: string | undefined;
  /** The signed-in account that must authenticate again. */
  readonly accountId?: string;
}

const ownFlowMs = 10 * 60 * 1000;

const optionalOf = (values: { accountId?: string | undefined; languageTag: string | undefined }) => ({
  ...(values.accountId === undefined ? {} : { accountId: values.accountId }),
  ...(values.languageTag === undefined ? {} : { languageTag: values.languageTag }),
});

function createBegin(flows: FlowStore, cookies: SiteCookies) {
  /** The cookie is the same for all flows of the browser, so that several tabs share it. */
  const browserOf = (request: IncomingMessage, response: ServerResponse): string => {
    const kept = cookies.read(request.headers.cookie, cookieNames.flow);
    if (isBrowserToken(kept)) return kept;
    const token = newBrowserToken();
    response.appendHeader("set-cookie", cookies.set(cookieNames.flow, token));
    return token;
  };
  const begin = async (
    request: IncomingMessage,
    response: ServerResponse,
    wanted: Omit<NewFlow, "browser">,
  ): Promise<string> => {
    if (!mayBegin(wanted.kind, wanted.state)) throw new RangeError(`${wanted.kind} cannot begin at ${wanted.state}`);
    const flow = { ...wanted, browser: browserDigest(browserOf(request, response)) };
    if (!(await flows.begin(flow))) throw new RangeError("a flow with this id exists");
    const place = pageUrlOf({ ...flow, version: 1 }, wanted.languageTag);
    return place ?? localPath(pathTo("loginPage"), wanted.languageTag, { flow: flow.id });
  };
  return { browserOf, begin };
}

/**
 * Starts flows and binds them to the requesting browser.
 * @param clock the clock that all replicas share.
 */
export function createFlowStarter(flows: FlowStore, cookies: SiteCookies, clock: Clock) {
  const { browserOf, begin } = createBegin(flows, cookies);
  return {
    /** @returns the path to redirect the browser to; may set the flow cookie on `response` */
    startOidc: (request: IncomingMessage, response: ServerResponse, start: OidcFlowStart): Promise<string> => {
      const { interactionUid: id, prompt, ...rest } = start;
      return begin(request, response, {
        ...rest,
        id,
        kind: "oidc",
        state: prompt === "consent" ? "consent" : "login",
        prompt,
      });
    },
    startSaml: (request: IncomingMessage, response: ServerResponse, start: SamlStart): Promise<string> => {
      const { id, client, loginHint, acceptsDevice, reasons } = start;
      return begin(request, response, {
        id,
        kind: "saml",
        state: "login",
        client,
        reasons,
        acceptsDevice,
        expiresAtMs: clock.now() + ownFlowMs,
        ...(loginHint === undefined ? {} : { params: { loginHint } }),
        ...optionalOf(start),
      });
    },
    /** For a user who enters a device's code first. @returns the flow's id and the browser's token, for the page */
    startDevice: async (request: IncomingMessage, response: ServerResponse, languageTag: string | undefined) => {
      const id = randomBytes(24).toString("base64url");
      const browserToken = browserOf(request, response);
      const browser = browserDigest(browserToken);
      const expiresAtMs = clock.now() + ownFlowMs;
      await flows.begin({ id, kind: "device", state: "code", browser, expiresAtMs, ...optionalOf({ languageTag }) });
      return { id, browserToken };
    },
    /** Returns the browser's flow cookie and sets one if there is none. */
    bind: browserOf,
    startSelfService: (request: IncomingMessage, response: ServerResponse, start: SelfServiceStart): Promise<string> =>
      begin(request, response, {
        id: randomBytes(24).toString("base64url"),
        kind: "self_service",
        state: "login",
        returnTo: start.returnTo,
        expiresAtMs: clock.now() + ownFlowMs,
        ...optionalOf(start),
      }),
  };
}

export type FlowStarter = Pick<ReturnType<typeof createFlowStarter>, "startOidc">;
