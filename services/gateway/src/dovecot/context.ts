import type { Base } from "@postern/shared/assembly";
import { type EngineWatch, watchedBus } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import { steadyClock } from "@postern/shared/platform/time";
import type { AuthDeps } from "../auth/answer.ts";
import { createReadBody } from "../http/body.ts";
import type { GatewaySettings, Live } from "../settings.ts";
import { createAnswerCommand } from "./answer-command.ts";
import { createPolicyLog } from "./policy-log.ts";
import { createPolicyRenderer } from "./render.ts";

interface DovecotParts extends Pick<Base, "audit" | "processLogger"> {
  readonly auth: AuthDeps;
  readonly bus: Bus;
  readonly engineWatch: EngineWatch;
  readonly settings: GatewaySettings;
  readonly live: Live;
}

const maxBodyBytes = 131_072;

export function createDovecot({ auth, audit, bus, engineWatch, settings, live, processLogger }: DovecotParts) {
  const { names, metrics, gate, addresses, reportIgnoredAddress } = auth;
  const renderer = createPolicyRenderer(names);
  const log = createPolicyLog(processLogger);
  return {
    answerCommand: createAnswerCommand({
      bus: watchedBus(bus, engineWatch, steadyClock),
      timeoutMs: () => live.current.decisionTimeoutMs,
      renderer,
      log,
      engines: () => engineWatch.engines(),
    }),
    renderer,
    log,
    audit,
    metrics,
    gate,
    callerAddress: addresses.callerAddress,
    reportIgnoredAddress,
    readBody: createReadBody(settings.decompression),
    maxBodyBytes: Math.min(settings.maxBodyBytes, maxBodyBytes),
  };
}

export type DovecotDeps = ReturnType<typeof createDovecot>;
