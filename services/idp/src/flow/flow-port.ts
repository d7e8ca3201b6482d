import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { FlowClient, FlowMissing, FlowParams } from "./flow-record.ts";

/** An interaction of the OIDC provider, for which a flow begins. */
export interface OidcFlowStart {
  /** Becomes the flow's id. */
  readonly interactionUid: string;
  readonly prompt: "login" | "consent" | "select_account";
  readonly reasons: readonly string[];
  readonly client: FlowClient;
  readonly params: FlowParams;
  readonly missing: FlowMissing;
  readonly languageTag?: string;
  /** Who is signed in already. */
  readonly accountId?: string;
  readonly expiresAtMs: number;
}

export interface FlowStarter {
  /** @returns the path to which the browser goes; may set the flow cookie on `response` */
  startOidc(request: IncomingMessage, response: ServerResponse, flow: OidcFlowStart): Promise<string>;
}

export type FlowEnding = { readonly redirect: string } | { readonly expired: true };

/** Where a signed-in browser goes on: one for each kind of flow. */
export interface FlowEnd {
  /** May be asked again for the same flow: a browser may repeat its last step. */
  finishLogin(
    flowId: string,
    session: Pick<BrowserSessionRecord, "uid" | "accountId" | "loginTs" | "acr" | "amr" | "remember">,
  ): Promise<FlowEnding>;
}

/** What becomes of the user's answer to a consent page. */
export interface ConsentEnd {
  /** Answers on `response` itself: 302 to the client with code and state. */
  finishConsent(
    flowId: string,
    choice: { readonly scopes: readonly string[]; readonly remember: boolean },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<undefined | { readonly expired: true }>;
  denyConsent(flowId: string): Promise<{ readonly returnTo: string } | { readonly expired: true }>;
}
