import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { type Base, keyRingFromConfig } from "@postern/shared/assembly";
import type { Audit } from "@postern/shared/audit";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { authenticate } from "@postern/shared/contracts";
import type { KeyRing } from "@postern/shared/crypto";
import type { Logger } from "@postern/shared/logging";
import type { RedisClient } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import { createFlowGate } from "../flow/flow-gate.ts";
import { createFlowStarter } from "../flow/flow-starter.ts";
import { createFlowStore } from "../flow/flow-store-redis.ts";
import { type FrontendSettings, frontendSettings } from "../frontend-settings.ts";
import { createCompleteSignIn, type FlowEnds } from "../login/complete-sign-in.ts";
import type { ConnectedApplications, ListDemands } from "../login/connected-applications.ts";
import { createLookUpAccount, createPasswordCheck } from "../login/password-check.ts";
import type { IdpMetrics } from "../metrics.ts";
import { auditFactorStore, auditFactors } from "../mfa/audited-factors.ts";
import { createFactorGuard } from "../mfa/factor-guard-redis.ts";
import { createFactorStore } from "../mfa/factor-store-nats.ts";
import { createFactors } from "../mfa/factors-nats.ts";
import { createPendingProofs } from "../mfa/pending-proofs-redis.ts";
import { createSelfService } from "../mfa/self-service.ts";
import { createCeremonies } from "../mfa/webauthn/ceremonies.ts";
import type { Notice, Notify } from "../notices/notice.ts";
import type { Notifier } from "../notices/notifier.ts";
import { createAssets, type LogoFile } from "../pages/assets.ts";
import { pageList } from "../pages/page-list.ts";
import { createPages, type Pages } from "../pages/pages.ts";
import { createSiteTemplates } from "../pages/site-templates.ts";
import type { DevUiDeps } from "../routes/dev-ui/register.ts";
import type { LoginDeps } from "../routes/login/deps.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import { createSessionStore } from "../sessions/session-store-redis.ts";
import type { NoticesContext } from "./notices.ts";

/** Everything that the pages are made of. */
export interface PagesContext {
  readonly login: LoginDeps;
  /** Ends what still tells of accounts. */
  readonly close: () => Promise<void>;
  readonly devUi: Omit<DevUiDeps, "pages">;
}

/** What the protocols give the pages. */
export interface ProtocolParts {
  readonly ends: FlowEnds;
  readonly onReplaced: (session: BrowserSessionRecord) => Promise<void>;
  readonly applications: ConnectedApplications | undefined;
  readonly demanders: readonly ListDemands[];
}

const largestLogoBytes = 65_536;

function logoOf(file: string): LogoFile | undefined {
  if (file === "") return undefined;
  const ending = extname(file).slice(1).toLowerCase();
  if (ending !== "svg" && ending !== "png" && ending !== "webp") throw new RangeError(`${file}: not svg, png or webp`);
  const body = readFileSync(file);
  if (body.length > largestLogoBytes) throw new RangeError(`${file}: larger than ${largestLogoBytes} bytes`);
  return { ending, body };
}

/** `<page>.mustache`; a name of no page is a mistake that nobody would see otherwise. */
function templatesOf(folder: string): ReadonlyMap<string, string> {
  if (folder === "") return new Map();
  const files = readdirSync(folder).filter((file) => file.endsWith(".mustache"));
  return new Map(
    files.map((file) => {
      const name = file.slice(0, -".mustache".length);
      if (!pageList.some((page) => page.name === name))
        throw new RangeError(`${join(folder, file)}: no page is called ${name}`);
      return [name, readFileSync(join(folder, file), "utf8")];
    }),
  );
}

function pagesOf(settings: FrontendSettings): Pages {
  return createPages({
    settings: settings.pages,
    assets: createAssets(settings.accent, logoOf(settings.logoFile)),
    templates: createSiteTemplates(templatesOf(settings.templatesFolder)),
  });
}

export interface PagesParts {
  readonly config: Config;
  readonly base: Base;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly protocols: ProtocolParts;
  readonly metrics: IdpMetrics;
  readonly notices: NoticesContext | undefined;
}

interface FactorPartsDeps {
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly settings: FrontendSettings;
  readonly nowMs: () => number;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly notifier: Notifier | undefined;
}

/** Second factors: at the sign-in and in self-service. */
function factorParts(deps: FactorPartsDeps) {
  const { bus, state, prefix, keys, settings, nowMs, logger, audit, notifier } = deps;
  const store = auditFactorStore(createFactorStore(bus), audit);
  const pending = createPendingProofs({ redis: state, prefix, keys });
  const guard = createFactorGuard(state, prefix, settings.maxFactorAttempts);
  const ceremonies = createCeremonies({ settings: settings.webauthn, pending, store, nowMs });
  const notify: Notify = (notice: Notice): void => {
    const { event, factor, account, session } = notice;
    logger.info({ session, event, factor, account }, "second factor changed or used");
    notifier?.notify(notice);
  };
  const { totpIssuer, totpSkew } = settings;
  const self = createSelfService({ store, pending, guard, ceremonies, notify, totpIssuer, totpSkew, nowMs });
  return { store, guard, ceremonies, notify, notifier, self };
}

/** Undefined while `identity.frontend.enabled` is off. */
export function createPagesContext(parts: PagesParts): PagesContext | undefined {
  const { config, base, bus, state, protocols, metrics, notices } = parts;
  const sessionKeys = keyRingFromConfig(config, "browser-session");
  const flowKeys = keyRingFromConfig(config, "flow");
  const { enabled } = config.identity.frontend;
  if (!enabled || sessionKeys === undefined || flowKeys === undefined) return undefined;
  const settings = frontendSettings(config);
  const { prefix } = config.storage.redis;
  const clock = systemClock;
  const nowMs = (): number => clock.now();
  const pages = pagesOf(settings);
  const sessions = createSessionStore({ redis: state, prefix, keys: sessionKeys, clock, lives: settings.lives });
  const proofKeys = keyRingFromConfig(config, "pending-proof") ?? flowKeys;
  const notifier = notices?.notifier;
  const { logger, audit } = base;
  const factors = factorParts({ bus, state, prefix, keys: proofKeys, settings, nowMs, logger, audit, notifier });
  const flows = createFlowStore({ redis: state, prefix, keys: flowKeys, clock });
  const gate = createFlowGate(flows);
  const { ends, onReplaced, applications, demanders } = protocols;
  const tls = !settings.pages.issuer.startsWith("http://");
  const decide: Parameters<typeof createPasswordCheck>[0]["decide"] = (request, context) =>
    bus.request(authenticate, request, context);
  return {
    login: {
      pages,
      gate,
      sessions,
      starts: createFlowStarter({ flows, cookies: pages.cookies, clock }),
      checkPassword: createPasswordCheck({ decide, tls }),
      lookUp: createLookUpAccount({ decide, tls }),
      factors: auditFactors(createFactors(bus), audit),
      ...factors,
      applications,
      demanders,
      onEnded: onReplaced,
      origin: new URL(settings.pages.issuer).origin,
      completeSignIn: createCompleteSignIn({
        sessions,
        gate,
        ends,
        onReplaced: async (session) => {
          const target = session.account;
          audit.record({ event: "session.end", outcome: "ok", target, reason: "replaced" });
          await onReplaced(session);
        },
        nowSeconds: () => Math.floor(nowMs() / 1000),
      }),
      metrics,
      logger,
      audit,
      nowMs,
      decisionTimeoutMs: () => config.runtime.timeouts.decision,
      totpSkew: settings.totpSkew,
      rememberMs: settings.lives.rememberMs,
    },
    close: async () => notices?.close(),
    devUi: { enabled: config.runtime.developer_mode, version: randomUUID() },
  };
}
