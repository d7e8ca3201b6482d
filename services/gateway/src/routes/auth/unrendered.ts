import { AppError, errorCodes } from "@postern/shared/platform/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DecisionLog } from "../../decision-log.ts";
import type { WireNames } from "../../dialects/naming.ts";
import { jsonReply } from "../../dialects/reply.ts";
import { sendReply } from "../../plugins/send-reply.ts";

export interface UnrenderedDeps {
  readonly names: WireNames;
  readonly log: Pick<DecisionLog, "failed">;
}

/** Answers 500, a temporary failure, when not even an error could be rendered in the dialect: a bug, of which the caller must learn. */
export function createUnrendered({ names, log }: UnrenderedDeps) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    log.failed(request.id, new AppError("INTERNAL", { cause: thrown }));
    sendReply(reply, jsonReply(500, [[names.session, request.id]], { error: errorCodes.INTERNAL.publicMessage }));
  };
}
