import { defineEvent, defineMethod } from "@postern/shared/contracts";
import { type BusMetrics, type BusSecurity, type ConnectBusOptions, connectBus } from "@postern/shared/platform/bus";
import { AppError, type ErrorCode } from "@postern/shared/platform/errors";
import { Type } from "typebox";

export const echo = defineMethod({
  service: "echo-service",
  name: "echo",
  major: 1,
  request: Type.Object({ text: Type.String(), number: Type.Optional(Type.Integer()) }),
  reply: Type.Object({ text: Type.String(), by: Type.Optional(Type.String()) }),
});

export const somethingHappened = defineEvent({
  domain: "test",
  fact: "happened",
  major: 1,
  body: Type.Object({ what: Type.String() }),
});

export const namespace = "t";
const silentLogger = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };

/** A bus as a service creates it. */
export function makeBus(url: string, options: Partial<ConnectBusOptions> = {}): ReturnType<typeof connectBus> {
  return connectBus({ servers: [url], namespace, name: "test", logger: silentLogger, ...options });
}

/** The defaults of the configuration, with changes. */
export function securityWith(
  login: Partial<Pick<BusSecurity, "username" | "password">>,
  tls: Partial<BusSecurity["tls"]> = {},
): BusSecurity {
  const noTls = { enabled: false, ca_file: "", cert: "", key: "", skip_verify: false };
  const noLogin = { credentials_file: "", token: "", username: "", password: "" };
  return { ...noLogin, ...login, tls: { ...noTls, ...tls } };
}

export const soon = (ms = 5000): { deadline: number } => ({ deadline: Date.now() + ms });

/** The code of the error; undefined if the request succeeded. */
export async function failureCode(request: Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

export interface CountedMetrics extends BusMetrics {
  readonly counts: Readonly<Record<string, number>>;
}

export function countMetrics(): CountedMetrics {
  const counts: Record<string, number> = {};
  return {
    counts,
    requestFailed: () => undefined,
    counted: (fact) => {
      counts[fact] = (counts[fact] ?? 0) + 1;
    },
  };
}
