import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";

export type FlowEnding = { readonly redirect: string } | { readonly expired: true };

/** What follows a sign-in; one for each kind of flow. */
export interface FlowEnd {
  /** May be called again for the same flow, because a browser may repeat its last step. */
  finishLogin(
    flowId: string,
    session: Pick<BrowserSessionRecord, "uid" | "accountId" | "loginTs" | "acr" | "amr" | "remember">,
  ): Promise<FlowEnding>;
  /** Reports to the application that the user cancelled. Absent if no application waits. May be called again. */
  readonly cancelLogin?: (flowId: string) => Promise<FlowEnding>;
}

export interface Denial {
  /** Where the browser returns to the client. */
  readonly returnTo: string;
}

export interface RepeatedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** Passes the user's answer to a consent page on to the provider. */
export interface ConsentEnd {
  /** Writes the response itself: 302 to the client with code and state. */
  finishConsent(
    flowId: string,
    choice: { readonly scopes: readonly string[]; readonly remember: boolean },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<undefined | { readonly expired: true }>;
  denyConsent(flowId: string): Promise<Denial | { readonly expired: true }>;
  /** The answer to a form that the browser has sent twice: the first one's denial, or its response. */
  repeatConsent(flowId: string, browser: string): Promise<Denial | RepeatedResponse | { readonly expired: true }>;
}
