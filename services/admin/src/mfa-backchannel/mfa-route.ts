import type { MfaBackchannelUser, MfaTarget } from "@postern/shared/contracts";
import { type AuditEvent, type AuditOutcome } from "@postern/shared/domain/audit";
import type { RequestOptions } from "@postern/shared/platform/bus";
import { compileCheck } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { AdminContext } from "../context.ts";
import type { MfaOperation, MfaResult } from "../metrics.ts";
import { auditedRequest, malformed, sessionOf } from "../read-request.ts";

export interface MfaContext extends Pick<AdminContext, "bus" | "live" | "adminMetrics" | "logger" | "audit"> {
  /** Ends the remembered devices of a user. */
  readonly forgetDevices: (username: string) => Promise<void>;
}

/** The result of an engine, or why nothing was changed. */
export interface MfaAnswer {
  readonly outcome: string;
  readonly detail?: string | undefined;
  readonly credentials?: readonly string[] | undefined;
  /** The body of a success, in place of its status. */
  readonly body?: object | undefined;
}

export interface MfaRoute<Fields extends TSchema> {
  readonly operation: MfaOperation;
  readonly fields: Fields;
  /** Replaces or removes a second factor: what was remembered with it ends before it does. */
  readonly endsDevices?: true;
  readonly ask: (fields: Static<Fields>, target: MfaTarget, options: RequestOptions) => Promise<MfaAnswer>;
}

const refusals: Readonly<Record<string, string>> = {
  unknown_user: "unknown user",
  unknown_backend: "unsupported backend",
  unsupported: "the backend does not store this kind of second factor",
  exists: "the credential already exists",
  conflict: "old_credential does not exist",
  invalid: "invalid value",
};

/** Updating a credential's counter does not change the factors of an account, so it is not audited. */
const audited: Readonly<Partial<Record<MfaOperation, readonly [event: AuditEvent, reason?: string]>>> = {
  set_totp: ["second_factor.add", "totp"],
  delete_totp: ["second_factor.remove", "totp"],
  set_recovery_codes: ["recovery_codes.create"],
  delete_recovery_codes: ["second_factor.remove", "recovery"],
  save_webauthn: ["second_factor.add", "webauthn"],
  delete_webauthn: ["second_factor.remove", "webauthn"],
  delete_passkey: ["second_factor.remove", "webauthn"],
  delete_app_password: ["app_password.delete"],
  list_factors: ["account.read"],
};

function written({ audit }: MfaContext, operation: MfaOperation, request: FastifyRequest, target: string) {
  return (outcome: AuditOutcome): void => {
    const [event, reason] = audited[operation] ?? [];
    if (event !== undefined) audit.record({ event, outcome, ...auditedRequest(request), target, reason });
  };
}

function targetOf(session: string, { username, backend, backend_name }: MfaBackchannelUser): MfaTarget {
  return {
    session,
    username,
    ...(backend === undefined ? {} : { backend }),
    ...(backend_name === undefined ? {} : { backendName: backend_name }),
  };
}

function bodyOf({ credentials, body }: MfaAnswer): object {
  return body ?? (credentials === undefined ? { status: "ok" } : { credentials });
}

/**
 * A route of the MFA backchannel: 200, or 400 for a request that can never succeed; the error handler sends 500. Values are never logged.
 */
export function createMfaRoute<Fields extends TSchema>(context: MfaContext, route: MfaRoute<Fields>) {
  const { operation, fields, endsDevices, ask: askEngine } = route;
  const ask: typeof askEngine = async (input, ...rest) => {
    if (endsDevices === true) await context.forgetDevices(rest[0].username);
    return askEngine(input, ...rest);
  };
  const counted = (result: MfaResult): void => context.adminMetrics.mfaAnswered(operation, result);
  const check = compileCheck<TSchema>(fields);
  const isFields = (value: unknown): value is Static<Fields> & MfaBackchannelUser => check.accepts(value);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const input = request.method === "GET" ? request.query : request.body;
    if (!isFields(input)) {
      counted("malformed");
      throw malformed(check.explain(input));
    }
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    const session = sessionOf(request);
    const write = written(context, operation, request, input.username);
    const options = { deadline: steadyClock.now() + context.live.current.decisionTimeoutMs, signal: gone.signal };
    const answer = await ask(input, targetOf(session, input), options).catch((error: unknown) => {
      counted("undecided");
      write("undecided");
      throw error;
    });
    const { outcome, detail } = answer;
    context.logger.info({ session, operation, username: input.username, outcome }, "second factors");
    // Deleting something that does not exist succeeds.
    const isDone = outcome === "ok" || outcome === "absent";
    counted(isDone ? "ok" : "refused");
    write(isDone ? "ok" : "failed");
    if (!isDone) {
      reply.code(400);
      return { error: detail ?? refusals[outcome] ?? outcome };
    }
    reply.header("cache-control", "no-store");
    return bodyOf(answer);
  };
}
