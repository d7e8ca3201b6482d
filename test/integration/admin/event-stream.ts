import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { assertionSecret } from "../../support/stack-config.ts";

const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 600 });

/** A stream of events of a replica, as text. */
export interface OpenStream {
  readonly status: number;
  /** What arrived so far. */
  readonly text: () => string;
  readonly ended: Promise<void>;
  readonly leave: () => void;
}

export async function openStream(origin: string, cookie: string, page = "system"): Promise<OpenStream> {
  const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "test" } as const;
  const headers = { cookie, [callerAssertionHeader]: await sign(caller, "admin") };
  const aborter = new AbortController();
  const response = await fetch(`${origin}/console/${page}/events`, { headers, signal: aborter.signal });
  let text = "";
  const read = async (): Promise<void> => {
    for await (const part of response.body ?? []) text += Buffer.from(part).toString();
  };
  return {
    status: response.status,
    text: () => text,
    ended: read().catch(() => undefined),
    leave: () => aborter.abort(),
  };
}

/** Number of pages that have arrived. */
export const pagesIn = ({ text }: OpenStream): number => text().split("event: page\n").length - 1;
