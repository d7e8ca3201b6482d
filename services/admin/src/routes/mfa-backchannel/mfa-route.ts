import { type Audit, type AuditEvent, type AuditOutcome, auditedCaller } from "@postern/shared/audit";
import type { Bus, RequestOptions } from "@postern/shared/bus";
import type { MfaBackchannelUser, MfaTarget } from "@postern/shared/contracts";
import type { Logger } from "@postern/shared/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { MfaOperation, MfaResult } from "./mfa-operation.ts";

export interface MfaRouteDeps {
  readonly bus: Pick<Bus, "request">;
  readonly timeoutMs: () => number;
  readonly counted: (operation: MfaOperation, result: MfaResult) => void;
  readonly logger: Pick<Logger, "info">;
  readonly audit: Audit;
  readonly now: () => number;
}

/** What an engine did, or why nothing was done. */
export interface MfaAnswer {
  readonly outcome: string;
  readonly detail?: string | undefined;
  readonly credentials?: readonly string[] | undefined;
}

interface MfaRoute<Fields extends TSchema> {
  readonly operation: MfaOperation;
  readonly fields: Fields;
  /** Of what differs from `fields`. */
  readonly malformed: string;
  readonly ask: (fields: Static<Fields>, target: MfaTarget, options: RequestOptions) => Promise<MfaAnswer>;
}

const refusals: Readonly<Record<string, string>> = {
  unknown_user: "unknown user",
  unknown_backend: "unsupported backend",
  unsupported: "the backend keeps no second factors of this kind",
  exists: "the credential is stored already",
  conflict: "old_credential is not stored",
  invalid: "invalid value",
};

/** A credential's counter is no change of what an account has. */
const audited: Readonly<Partial<Record<MfaOperation, readonly [event: AuditEvent, reason?: string]>>> = {
  set_totp: ["second_factor.add", "totp"],
  delete_totp: ["second_factor.remove", "totp"],
  set_recovery_codes: ["recovery_codes.create"],
  delete_recovery_codes: ["second_factor.remove", "recovery"],
  save_webauthn: ["second_factor.add", "webauthn"],
  delete_webauthn: ["second_factor.remove", "webauthn"],
};

function written({ audit }: MfaRouteDeps, operation: MfaOperation, { caller, id }: FastifyRequest, target: string) {
  return (outcome: AuditOutcome): void => {
    const [event, reason] = audited[operation] ?? [];
    if (event === undefined) return;
    audit.record({ event, outcome, ...auditedCaller(caller), target, session: caller?.session ?? id, reason });
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

/**
 * Contract, "MFA backchannel storage": 200, or 400 for what can never succeed; 500 comes from the error handler. Values
 * are never logged.
 */
export function createMfaRoute<Fields extends TSchema>(deps: MfaRouteDeps, route: MfaRoute<Fields>) {
  const { operation, fields, malformed, ask } = route;
  const validator = Compile<TSchema>(fields);
  const isFields = (value: unknown): value is Static<Fields> & MfaBackchannelUser => validator.Check(value);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const given = request.method === "GET" ? request.query : request.body;
    if (!isFields(given)) {
      deps.counted(operation, "malformed");
      reply.code(400);
      return { error: malformed };
    }
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    const session = request.caller?.session ?? request.id;
    const write = written(deps, operation, request, given.username);
    const options = { deadline: deps.now() + deps.timeoutMs(), signal: gone.signal };
    const { outcome, detail, credentials } = await ask(given, targetOf(session, given), options).catch(
      (error: unknown) => {
        deps.counted(operation, "undecided");
        write("undecided");
        throw error;
      },
    );
    deps.logger.info({ session, operation, username: given.username, outcome }, "second factors");
    // What was to be deleted and is not there is as good as deleted.
    const isDone = outcome === "ok" || outcome === "absent";
    deps.counted(operation, isDone ? "ok" : "refused");
    write(isDone ? "ok" : "failed");
    if (!isDone) {
      reply.code(400);
      return { error: detail ?? refusals[outcome] ?? outcome };
    }
    reply.header("cache-control", "no-store");
    return credentials === undefined ? { status: "ok" } : { credentials };
  };
}
