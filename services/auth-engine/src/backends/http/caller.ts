import type { Secret } from "@postern/shared/platform/crypto";
import { steadyClock } from "@postern/shared/platform/time";
import type { Dispatcher } from "undici";
import { RemoteFault, readBody } from "./exchange.ts";
import type { CallerSettings } from "./http-settings.ts";

/** The credentials of this site at the other server. */
export interface Caller {
  /** The value of `Authorization`; undefined if there is none. */
  authorization(): Promise<string | undefined>;
  /** The server did not accept the value. True if another one is worth a second request. */
  refused(value: string | undefined): boolean;
}

const basicOf = (name: string, password: Secret): string =>
  `Basic ${Buffer.from(`${name}:${password.reveal()}`).toString("base64")}`;

function fixed(value: string | undefined): Caller {
  return { authorization: async () => value, refused: () => false };
}

const maxTokenBytes = 65_536;
const tooLong = "the answer of the token endpoint is too long";
/** A token is replaced this long before it expires, at most half of its life. */
const renewBeforeMs = 30_000;
/** After a refused token, or refused client credentials, no other token is requested for this long. */
const refusedPauseMs = 10_000;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

interface Token {
  readonly value: string;
  readonly renewAtMs: number;
}

/** @throws RemoteFault for anything but a token response (RFC 6749 section 5.1) */
function readToken(status: number, body: Buffer, nowMs: number): Token {
  if (status === 400 || status === 401) {
    throw new RemoteFault("caller_refused", `the token endpoint answered ${status}: this site's client credentials`);
  }
  if (status !== 200) throw new RemoteFault("unreachable", `the token endpoint answered ${status}`);
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    value = undefined;
  }
  const { access_token: token, expires_in: seconds = 60 } = isRecord(value) ? value : {};
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token) || typeof seconds !== "number" || !(seconds > 0)) {
    throw new RemoteFault("malformed", "the answer of the token endpoint contains no access token");
  }
  const lifeMs = Math.min(seconds, 86_400) * 1000;
  return { value: `Bearer ${token}`, renewAtMs: nowMs + Math.max(lifeMs / 2, lifeMs - renewBeforeMs) };
}

/** One token for all requests; while one is being requested, all wait for it. */
function oauthCaller(
  { tokenUrl, clientId, clientSecret, scope }: Extract<CallerSettings, { kind: "oauth" }>,
  dispatcher: Dispatcher,
  timeoutMs: number,
): Caller {
  const url = new URL(tokenUrl);
  const name = encodeURIComponent(clientId);
  const credentials = `${name}:${encodeURIComponent(clientSecret.reveal())}`;
  let token: Token | undefined;
  let pending: Promise<Token> | undefined;
  let lastRefusalMs = Number.NEGATIVE_INFINITY;
  let refusal: { readonly fault: RemoteFault; readonly untilMs: number } | undefined;

  const request = async (): Promise<Token> => {
    const { statusCode, body } = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
      },
      body: new URLSearchParams({ grant_type: "client_credentials", scope }).toString(),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return readToken(statusCode, await readBody(body, maxTokenBytes, tooLong), steadyClock.now());
  };
  const renew = async (): Promise<Token> => {
    try {
      token = await request();
      return token;
    } catch (cause) {
      if (cause instanceof RemoteFault) {
        // More attempts would use up this site's budget for failures there.
        if (cause.kind === "caller_refused") refusal = { fault: cause, untilMs: steadyClock.now() + refusedPauseMs };
        throw cause;
      }
      throw new RemoteFault("unreachable", "the token endpoint does not answer", { cause });
    } finally {
      pending = undefined;
    }
  };
  return {
    authorization: async () => {
      if (token !== undefined && steadyClock.now() < token.renewAtMs) return token.value;
      if (refusal !== undefined && steadyClock.now() < refusal.untilMs) throw refusal.fault;
      pending ??= renew();
      return (await pending).value;
    },
    refused: (value) => {
      if (value !== token?.value) return true;
      const isSoon = steadyClock.now() - lastRefusalMs < refusedPauseMs;
      if (isSoon) return false;
      lastRefusalMs = steadyClock.now();
      token = undefined;
      return true;
    },
  };
}

/** @param dispatcher connects to the token endpoint, with the TLS settings of the backend */
export function createCaller(settings: CallerSettings | undefined, dispatcher: Dispatcher, timeoutMs: number): Caller {
  switch (settings?.kind) {
    case undefined:
      return fixed(undefined);
    case "basic":
      return fixed(basicOf(settings.username, settings.password));
    case "bearer":
      return fixed(`Bearer ${settings.token.reveal()}`);
    case "oauth":
      return oauthCaller(settings, dispatcher, timeoutMs);
  }
}
